//! The planner's answer in the small form that is kept, and the index that it suggests.

use narrows_model::{IndexUse, PlanNode, StatementPlan};
use serde_json::Value;

use super::super::normalise::normalised;
use super::filter::equal_columns;
use super::names::{quoted, shown, split};
use crate::wire::one_line;

/// Columns of an index that is tried.
const MOST_COLUMNS: usize = 3;

/// An index that a plan suggests, names as they are.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Suggested {
    schema: String,
    table: String,
    pub(super) columns: Vec<String>,
}

impl Suggested {
    pub(super) fn statement(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| quoted(column)).collect();
        let on = format!("{}.{}", quoted(&self.schema), quoted(&self.table));
        format!("CREATE INDEX ON {on} ({})", columns.join(", "))
    }

    pub(super) fn table_shown(&self) -> String {
        format!("{}.{}", shown(&self.schema), shown(&self.table))
    }
}

fn word<'v>(node: &'v Value, key: &str) -> Option<&'v str> {
    node.get(key)?.as_str()
}

fn below(node: &Value) -> &[Value] {
    node.get("Plans").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The node itself and those below it, each with its depth.
fn nodes(explained: &Value) -> Vec<(u32, &Value)> {
    let mut found = Vec::new();
    let mut left: Vec<(u32, &Value)> = explained
        .get(0)
        .and_then(|all| all.get("Plan"))
        .map(|top| vec![(0, top)])
        .unwrap_or_default();
    while let Some((depth, node)) = left.pop() {
        found.push((depth, node));
        left.extend(below(node).iter().rev().map(|node| (depth + 1, node)));
    }
    found
}

/// The index that a node reads, and what it is searched for: of a bitmap its only index scan's.
fn index_of(node: &Value) -> (Option<&str>, Option<&str>) {
    let of = |node| (word(node, "Index Name"), word(node, "Index Cond"));
    match (word(node, "Node Type"), below(node)) {
        (Some("Bitmap Heap Scan"), [only])
            if word(only, "Node Type") == Some("Bitmap Index Scan") =>
        {
            of(only)
        }
        _ => of(node),
    }
}

/// In the small form that is kept; `None` where it is no plan.
pub(super) fn plan_of(id: &str, explained: &Value) -> Option<StatementPlan> {
    let number = |node: &Value, key: &str| {
        node.get(key).and_then(Value::as_f64).filter(|n| n.is_finite()).unwrap_or(0.0)
    };
    let all = nodes(explained);
    let (_, top) = all.first()?;
    let node = |(depth, node): &(u32, &Value)| {
        let (index, condition) = index_of(node);
        let filter = word(node, "Filter").map(normalised);
        let table = word(node, "Relation Name").map(|name| match word(node, "Schema") {
            Some(schema) => format!("{}.{}", shown(schema), shown(name)),
            None => shown(name),
        });
        PlanNode {
            depth: *depth,
            kind: word(node, "Node Type").map(one_line).unwrap_or_default(),
            table,
            index: index.map(shown),
            index_condition: condition.map(normalised),
            filtered_equal: filter
                .as_deref()
                .and_then(equal_columns)
                .unwrap_or_default()
                .iter()
                .map(|column| shown(column))
                .collect(),
            filter,
            rows: number(node, "Plan Rows"),
            cost: number(node, "Total Cost"),
        }
    };
    Some(StatementPlan {
        id: id.to_string(),
        cost: number(top, "Total Cost"),
        nodes: all.iter().take(StatementPlan::NODES).map(node).collect(),
        tried: None,
    })
}

/// The index that would leave out what the dearest scan with a filter throws away: behind the columns of the index that it reads, where that
/// is one of `indexes` with plain columns.
pub(super) fn suggested(explained: &Value, indexes: &[IndexUse]) -> Option<Suggested> {
    let of = |node: &Value| {
        let (schema, table) = (word(node, "Schema")?, word(node, "Relation Name")?);
        let kind = word(node, "Node Type")?;
        let added = equal_columns(&normalised(word(node, "Filter")?))?;
        let mut columns = match index_of(node).0 {
            None if kind == "Seq Scan" => Vec::new(),
            None => return None,
            Some(index) => {
                let name = format!("{}.{}", quoted(schema), quoted(index));
                let is_it = |one: &&IndexUse| {
                    split(&one.name, '.').is_some_and(|parts| {
                        parts.iter().map(|part| quoted(part)).collect::<Vec<_>>().join(".") == name
                    })
                };
                split(&indexes.iter().find(is_it)?.columns, ',')?
            }
        };
        columns.extend(added);
        let cost = node.get("Total Cost").and_then(Value::as_f64)?;
        let suggested = Suggested { schema: schema.to_string(), table: table.to_string(), columns };
        (suggested.columns.len() <= MOST_COLUMNS).then_some((cost, suggested))
    };
    let found = nodes(explained).into_iter().filter_map(|(_, node)| of(node));
    found.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, suggested)| suggested)
}

#[cfg(test)]
#[path = "tree_test.rs"]
mod tests;
