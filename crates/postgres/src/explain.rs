//! How the server plans a statement: asked for with the settings of the load's sessions, before a load and after it.
//!
//! Explained as the sessions run it, prepared and with the generic plan; the nodes that read are compared by their whole
//! names, because `Bitmap Index Scan` also contains `Index Scan` and is another way to the blocks.

use narrows_layer_database::Planned;
use narrows_layer_database::kind::Plan;

use crate::table::TableError;
use crate::wire::{Connection, WireError};

/// A plan of these lines of EXPLAIN.
fn plan(text: String) -> Plan {
    let reads_by: Vec<String> = reads_by(&text).into_iter().map(String::from).collect();
    let from_index = reads_by.iter().any(|node| node.ends_with("Index Only Scan"));
    Plan { text, reads_by, from_index }
}

/// The nodes that read a table or an index, in the plan's order.
fn reads_by(text: &str) -> Vec<&str> {
    let nodes = text.lines().filter_map(|line| {
        let node = line.trim_start().trim_start_matches("->").trim_start();
        // Other lines of a node (conditions, workers) have no cost.
        let (node, _) = node.split_once("  (cost=")?;
        let name = node.find(" using ").or_else(|| node.find(" on "));
        Some(name.map_or(node, |end| &node[..end]))
    });
    nodes.filter(|node| node.ends_with("Scan")).collect()
}

/// Asks for the plan of a statement under those settings.
///
/// # Errors
/// The server refuses.
pub(crate) fn explain(
    control: &mut Connection,
    settings: &[String],
    statement: &Planned,
) -> Result<Plan, WireError> {
    let mut sql = "BEGIN".to_string();
    for setting in settings {
        sql.push_str(&format!("; SET LOCAL {setting}"));
    }
    let text = &statement.sql;
    if statement.types.is_empty() {
        sql.push_str(&format!("; EXPLAIN {text}; ROLLBACK"));
    } else {
        let (types, example) = (statement.types, statement.example);
        sql.push_str(&format!(
            "; PREPARE narrows_plan ({types}) AS {text}; EXPLAIN EXECUTE narrows_plan ({example}); \
             DEALLOCATE narrows_plan; ROLLBACK"
        ));
    }
    let lines = control.query(&sql);
    if lines.is_err() {
        // Prepared statements outlive their transaction.
        let _ = control.execute("ROLLBACK; DEALLOCATE ALL");
    }
    let lines = lines?.into_iter().filter_map(|row| row.into_iter().next().flatten());
    // No line begins like one of our own messages.
    let lines = lines.map(|line| narrows_units::shown(&format!("  {line}")).into_owned());
    Ok(plan(lines.collect::<Vec<_>>().join("\n")))
}

/// The plan, which must read as the statement is meant to.
///
/// # Errors
/// It doesn't, or the server refuses.
pub(crate) fn verified(
    control: &mut Connection,
    settings: &[String],
    statement: &Planned,
) -> Result<Plan, TableError> {
    let plan = explain(control, settings, statement)?;
    let Some(wanted) = statement.reads_by else { return Ok(plan) };
    if plan.reads_by == wanted {
        return Ok(plan);
    }
    Err(TableError::Plan {
        statement: statement.sql.clone(),
        plan: plan.text,
        wanted: if wanted.is_empty() { "no scan".to_string() } else { wanted.join(" over ") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bitmap_is_no_index_scan() {
        let bitmap = "Bitmap Heap Scan on rows  (cost=21.13..58.17 rows=10 width=8)\n  \
                      Recheck Cond: (k = ANY ($1))\n  \
                      ->  Bitmap Index Scan on rows_k_idx  (cost=0.00..21.12 rows=10 width=0)\n        \
                      Index Cond: (k = ANY ($1))";
        assert_eq!(reads_by(bitmap), ["Bitmap Heap Scan", "Bitmap Index Scan"]);
        let update = "Update on rows  (cost=0.29..8.31 rows=0 width=0)\n  \
                      ->  Index Scan using rows_k_idx on rows  (cost=0.29..8.31 rows=1 width=14)\n        \
                      Index Cond: (k = $1)";
        assert_eq!(reads_by(update), ["Index Scan"]);
    }

    #[test]
    fn of_a_parallel_plan_only_the_scan_is_compared() {
        let parallel = "Finalize Aggregate  (cost=1.0..2.0 rows=1 width=32)\n  \
                        ->  Gather  (cost=1.0..2.0 rows=3 width=32)\n        Workers Planned: 3\n        \
                        ->  Partial Aggregate  (cost=1.0..2.0 rows=1 width=32)\n              \
                        ->  Parallel Seq Scan on rows  (cost=0.00..1.0 rows=1 width=8)";
        assert_eq!(reads_by(parallel), ["Parallel Seq Scan"]);
        assert_eq!(reads_by("Result  (cost=0.00..0.01 rows=1 width=8)"), [""; 0]);
    }
}
