//! What plans tell: rows thrown away behind an index, a plan that is another than before; and for other rules, how a statement reads a table.
//!
//! PostgreSQL documentation: Using EXPLAIN; Multicolumn Indexes; pg_stat_statements; plan_cache_mode.

use narrows_model::{IndexUse, PlanNode, StatementFigures, StatementPlan, TriedIndex, Urgency};

use crate::sql::{TableName, column_list};
use crate::statements::StatementLoad;
use crate::words::{age, count, excerpt, joined};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Share of what binds, from which on a cause in statements is worth a word.
const LEAST_SHARE: f64 = 0.1;
/// Entries that one scan of an index returns, of which fewer are no trouble.
const MANY_ENTRIES: f64 = 1000.0;
/// Entries read for each row that is left, from which on an index with more columns would leave most of them out.
const READ_PER_LEFT: f64 = 100.0;
/// Entries of a block of 8 kB at most (`MaxHeapTuplesPerPage`).
const ROWS_PER_BLOCK: f64 = 291.0;
/// Calls while observed, of which fewer may be chance.
const LEAST_CALLS: f64 = 10.0;
/// Calls before, that a mean is of.
const LEAST_CALLS_BEFORE: f64 = 100.0;
/// How many times as long, and as many blocks, are another plan.
const OTHER_PLAN: f64 = 5.0;
/// Rows per call over those of before, either way, that are about the same.
const SAME_ROWS: f64 = 2.0;
/// What a call takes at least, ns.
const LONG_NS: f64 = 1e6;
/// Blocks of a call, of which fewer are no other plan.
const LEAST_BLOCKS: f64 = 100.0;
/// An index whose plan costs no less than that share of the other one isn't worth its writes.
const WORTH_AN_INDEX: f64 = 0.5;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "filtered-after-index",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "An index finds many rows, and a filter throws nearly all of them away",
        decides: "the statement's generic plan reads a table by an index and filters behind it; that index was scanned about once per call (half to twice), each scan returned 1,000 entries or more and 100 for each row that the statement returns or the planner expects behind the filter; the statement reads as many blocks as such a scan has, and takes a tenth or more of what binds. An index is proposed where the index has plain columns and the filter compares parameters for equality",
        against: "Without ANALYZE it is unknown what the filter removes; other statements may use the same index; each index makes writes dearer",
        reference: "PostgreSQL documentation: Multicolumn Indexes; Using EXPLAIN",
        supersedes: &["statement-dominates", "shared-buffers-small"],
        find: filtered_after_index,
    },
    CauseRule {
        id: "statement-slower",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "A statement takes much longer than before, and reads more blocks for the same rows",
        decides: "10 calls or more while observed and 100 or more before, in the same entry of pg_stat_statements: mean time 5 times that of before and 1 ms or more, blocks per call, found in shared_buffers or read, 5 times and 100 or more, rows per call half to twice; a tenth or more of what binds",
        against: "A table that grew, dead rows and other parameters read more blocks by the same plan; a cold cache alone does not: blocks are counted wherever they are",
        reference: "PostgreSQL documentation: pg_stat_statements; Using EXPLAIN; Statistics Used by the Planner",
        supersedes: &["statement-dominates"],
        find: statement_slower,
    },
];

/// How the generic plan of a statement reads one table.
#[derive(Debug, Clone, Copy)]
pub(super) struct TablePlan<'a> {
    plan: &'a StatementPlan,
    /// A sequential scan with a filter.
    scan: Option<&'a PlanNode>,
    /// A scan by an index.
    by_index: Option<&'a PlanNode>,
    tried: Option<&'a TriedIndex>,
}

/// `None` where there is no plan of it, or none that reads the table.
pub(super) fn of_table<'a>(
    server: &ObservedServer<'a>,
    id: &str,
    table: &TableName,
) -> Option<TablePlan<'a>> {
    let is_it = |name: &str| TableName::parse(name).as_ref() == Some(table);
    let plan = server.consumers.plans.iter().find(|plan| plan.id == id)?;
    let mut reads = plan.nodes.iter().filter(|node| node.table.as_deref().is_some_and(is_it));
    let scan = reads.clone().find(|node| node.kind == "Seq Scan" && node.filter.is_some());
    let by_index = reads.find(|node| node.index.is_some());
    let tried = plan.tried.as_ref().filter(|tried| is_it(&tried.table));
    (scan.is_some() || by_index.is_some()).then_some(TablePlan { plan, scan, by_index, tried })
}

impl TablePlan<'_> {
    /// What it shows of a table that is read as a whole.
    pub(super) fn evidence(&self) -> Option<String> {
        let scan = self.scan?;
        let filter = scan.filter.as_deref().map_or(String::new(), excerpt);
        Some(format!(
            "its generic plan: Seq Scan, Filter {filter}, planner's cost {}",
            cost(self.plan.cost)
        ))
    }

    /// What it shows against that.
    pub(super) fn against(&self) -> Option<String> {
        let index = self.by_index.filter(|_| self.scan.is_none())?.index.as_deref()?;
        Some(format!(
            "its generic plan reads the table by the index {index}: with some values it has another one"
        ))
    }

    /// Whether the planner is known not to use a new index, or to have one.
    pub(super) fn needs_none(&self) -> bool {
        let useless =
            |tried: &TriedIndex| !tried.used || tried.cost > WORTH_AN_INDEX * self.plan.cost;
        self.against().is_some() || self.tried.is_some_and(useless)
    }

    /// What HypoPG made of the index that the plan suggests.
    pub(super) fn tried(&self) -> Option<String> {
        tried(self.plan, self.tried?)
    }

    /// The column that it filters by for equality with a parameter, where that is all it filters by; quoted.
    pub(super) fn only_column(&self) -> Option<String> {
        match &self.scan?.filtered_equal[..] {
            [only] => column_list(only),
            _ => None,
        }
    }

    /// Columns of an index that the planner was seen to use, and that is worth it; quoted.
    pub(super) fn proven(&self) -> Option<String> {
        let tried = self.tried.filter(|_| !self.needs_none())?;
        column_list(&tried.columns)
    }
}

fn tried(plan: &StatementPlan, tried: &TriedIndex) -> Option<String> {
    Some(if tried.used {
        format!(
            "planner's cost {} → {} with an index on ({}), tried by HypoPG",
            cost(plan.cost),
            cost(tried.cost),
            tried.columns
        )
    } else {
        format!("the planner doesn't use an index on ({}), tried by HypoPG", tried.columns)
    })
}

/// Nodes of a plan that are told in a line.
const NODES_TOLD: usize = 6;

/// The generic plan of a statement in a line, what reads in brackets behind what it reads for; `None` where there is none of it.
/// `Sort (Hash Join (Seq Scan on public.orders, Hash (Seq Scan on public.items))), planner's cost 12.1k`
pub(super) fn outline(server: &ObservedServer, id: &str) -> Option<String> {
    let plan = server.consumers.plans.iter().find(|plan| plan.id == id)?;
    let mut text = String::new();
    let mut depth = plan.nodes.first()?.depth;
    let mut open = 0_u32;
    for (place, node) in plan.nodes.iter().take(NODES_TOLD).enumerate() {
        let below = node.depth > depth;
        for _ in node.depth..depth {
            open = open.saturating_sub(1);
            text.push(')');
        }
        if below {
            open += 1;
            text.push_str(" (");
        } else if place > 0 {
            text.push_str(", ");
        }
        depth = node.depth;
        text.push_str(&node.kind);
        for (word, name) in [(" on ", &node.table), (" by ", &node.index)] {
            text.extend(name.iter().flat_map(|name| [word, name.as_str()]));
        }
    }
    if plan.nodes.len() > NODES_TOLD {
        text.push_str(" …");
    }
    text.extend((0..open).map(|_| ')'));
    Some(format!("its generic plan: {text}, planner's cost {}", cost(plan.cost)))
}

/// `12.1k`, `8.3`
fn cost(cost: f64) -> String {
    if cost < 1000.0 { format!("{cost:.1}") } else { count(cost) }
}

/// Nodes that return fewer rows than they read by what the statement asks for.
const GATHERING: [&str; 6] = ["Aggregate", "Group", "Unique", "SetOp", "WindowAgg", "HashSetOp"];

fn filtered_after_index(server: &ObservedServer) -> Vec<CauseDraft> {
    let of = |plan: &StatementPlan| {
        let load = server.statements.iter().find(|load| load.id == plan.id)?;
        plan.nodes.iter().find_map(|node| filtered(server, plan, node, load))
    };
    server.consumers.plans.iter().filter_map(of).collect()
}

fn filtered(
    server: &ObservedServer,
    plan: &StatementPlan,
    node: &PlanNode,
    load: &StatementLoad,
) -> Option<CauseDraft> {
    let (table, index, filter) =
        (node.table.as_deref()?, node.index.as_deref()?, node.filter.as_deref()?);
    let name = TableName::parse(table)?;
    let used = index_of(server, &name, index)?;
    let calls = load.took.map(|took| took.calls).filter(|calls| *calls >= LEAST_CALLS)?;
    let each = used.entries_read / used.scans;
    let about_once = used.scans >= calls / 2.0 && used.scans <= calls * 2.0;
    let gathers = plan.nodes.iter().any(|node| GATHERING.contains(&node.kind.as_str()));
    let returned = load.per_call(|took| took.rows).filter(|_| !gathers).unwrap_or(0.0);
    let left = returned.max(node.rows).max(1.0);
    let blocks = load.per_call(|took| took.blocks_hit + took.blocks_read)?;
    let wasted = each >= MANY_ENTRIES && each >= READ_PER_LEFT * left && each.is_finite();
    if !(about_once && wasted && blocks * ROWS_PER_BLOCK >= each) {
        return None;
    }
    let (share, gain_at_most) = server.worth_of(&[load]);
    share.filter(|(_, share)| *share >= LEAST_SHARE)?;
    let tried_it =
        plan.tried.as_ref().filter(|t| TableName::parse(&t.table).as_ref() == Some(&name));
    let useless = tried_it.is_some_and(|t| !t.used || t.cost > WORTH_AN_INDEX * plan.cost);
    let columns = joined_columns(used, node).filter(|_| !useless);
    let on = columns.as_ref().and_then(|columns| {
        Some(format!("CREATE INDEX CONCURRENTLY ON {} ({})", name.quoted()?, column_list(columns)?))
    });
    Some(CauseDraft {
        summary: format!(
            "{index} finds {} rows of {table} each time, and a filter leaves {}: {}",
            count(each), count(left), load.words()
        ),
        evidence: joined([
            Some(format!("{} scans of {index} for {} calls, {} entries each", count(used.scans), count(calls), count(each))),
            load.per_call(|took| took.rows).map(|n| format!("{} rows returned or changed per call", count(n))),
            Some(format!("{} blocks per call", count(blocks))),
            Some(format!("its generic plan: {}, Filter {}", node.kind, excerpt(filter))),
            tried_it.and_then(|t| tried(plan, t)),
        ]),
        against: "what the filter removes is the planner's estimate and not counted; the index may serve other statements too, and each new one makes writes dearer".to_string(),
        action: match &columns {
            Some(columns) => format!("an index on ({columns}); {index} may be dropped afterwards if nothing else needs it"),
            None => format!("an index that begins with the columns of {index} and goes on with those that the filter compares for equality; check its plan by EXPLAIN before"),
        },
        statement: on,
        undo: "DROP INDEX CONCURRENTLY with the name that \\d shows; one that failed stays behind as INVALID and has to be dropped".to_string(),
        verify: "EXPLAIN (ANALYZE, BUFFERS) of the statement, in a transaction that is rolled back where it changes rows: Rows Removed by Filter; narrows observe URL: its blocks per call".to_string(),
        share,
        gain_at_most,
        statement_id: load.id.to_string(),
        subjects: vec![draft::table(table), draft::statement(load.id)],
        ..CauseDraft::default()
    })
}

/// The index of that table that a plan calls so.
fn index_of<'a>(
    server: &ObservedServer<'a>,
    table: &TableName,
    index: &str,
) -> Option<&'a IndexUse> {
    let called = TableName::parse(index)?.name;
    server.consumers.indexes.iter().find(|used| {
        TableName::parse(&used.table).as_ref() == Some(table)
            && TableName::parse(&used.name).is_some_and(|name| name.name == called)
    })
}

/// The columns of the index, and behind them those that the filter compares for equality.
fn joined_columns(used: &IndexUse, node: &PlanNode) -> Option<String> {
    let known = !used.columns.is_empty() && !node.filtered_equal.is_empty();
    known.then(|| format!("{}, {}", used.columns, node.filtered_equal.join(", ")))
}

fn statement_slower(server: &ObservedServer) -> Vec<CauseDraft> {
    let found = server.statements.iter().filter_map(|load| {
        let used = load.used?;
        let (now, before) = (used.took, used.before?);
        if now.calls < LEAST_CALLS || before.calls < LEAST_CALLS_BEFORE {
            return None;
        }
        let blocks = |took: &StatementFigures| (took.blocks_hit + took.blocks_read) / took.calls;
        let ns = |took: &StatementFigures| took.exec_ns / took.calls;
        let rows = |took: &StatementFigures| took.rows / took.calls;
        let (longer, more) = (ns(&now) / ns(&before), blocks(&now) / blocks(&before));
        // Of rows less than one for each call it is no matter how many.
        let alike = (rows(&now).max(1.0) / rows(&before).max(1.0)).max(rows(&before).max(1.0) / rows(&now).max(1.0));
        let other = longer >= OTHER_PLAN && more >= OTHER_PLAN && longer.is_finite() && more.is_finite();
        if !other || ns(&now) < LONG_NS || blocks(&now) < LEAST_BLOCKS || alike.is_nan() || alike > SAME_ROWS {
            return None;
        }
        let (share, gain_at_most) = server.worth_of(&[load]);
        share.filter(|(_, share)| *share >= LEAST_SHARE)?;
        Some(CauseDraft {
            summary: format!(
                "a statement takes {} times as long as before and reads {} times the blocks for the same rows, its plan has changed or its table has: {}",
                count(longer), count(more), load.words()
            ),
            evidence: joined([
                Some(format!("{} per call, {} in {} calls before", age(ns(&now)), age(ns(&before)), count(before.calls))),
                Some(format!("{} blocks per call, {} before", count(blocks(&now)), count(blocks(&before)))),
                Some(format!("{} rows per call, {} before", count(rows(&now)), count(rows(&before)))),
                Some(format!("user {}", used.user)).filter(|_| !used.user.is_empty()),
            ]),
            against: "a table that grew, dead rows in it, and other parameters read more blocks by the same plan; before is the mean since its entry in pg_stat_statements was made".to_string(),
            action: "look at its plan with values of now (EXPLAIN (ANALYZE, BUFFERS), in a transaction that is rolled back where it changes rows): estimated rows against actual ones, an index that is gone; ANALYZE its tables where the estimates are off".to_string(),
            undo: "nothing to take back; new statistics bring no plan of before back".to_string(),
            verify: "narrows observe URL: its time and its blocks per call against those of before".to_string(),
            share,
            gain_at_most,
            statement_id: load.id.to_string(),
            subjects: vec![draft::statement(load.id)],
            ..CauseDraft::default()
        })
    });
    found.collect()
}
