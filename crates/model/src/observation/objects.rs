//! What plans are made of and what wears out: plans of statements as the planner makes them, indexes, sequences.
//!
//! Like all of [`crate::Consumers`], of one database; figures are those of the interval observed, unless they say otherwise.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::consumers::is_false;

/// The generic plan of a statement, as `EXPLAIN` without `ANALYZE` tells it: nothing was executed, and what rows there really are is
/// unknown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct StatementPlan {
    /// `queryid` of the statement.
    pub id: String,
    /// The planner's cost of all of it, in its own unit (`seq_page_cost`).
    pub cost: f64,
    /// Its nodes, each before those below it; at most [`StatementPlan::NODES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<PlanNode>,
    /// The same with an index that HypoPG made the planner believe in; absent without HypoPG, and where no index suggests itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tried: Option<TriedIndex>,
}

impl StatementPlan {
    /// Nodes of a plan that are kept.
    pub const NODES: usize = 50;

    /// The nodes that read a table.
    pub fn of_table<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a PlanNode> {
        self.nodes.iter().filter(move |node| node.table.as_deref() == Some(table))
    }
}

/// A node of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PlanNode {
    /// How far below the top it is: 0 is the top.
    pub depth: u32,
    /// In the planner's words: `Seq Scan`.
    pub kind: String,
    /// The table that it reads or changes, with its schema, quoted where PostgreSQL would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The index that it reads, without a schema, quoted where PostgreSQL would.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// What the index is searched for, without literals; of a bitmap the part of its index scan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_condition: Option<String>,
    /// What rows are read and thrown away by, without literals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Columns that the filter compares with a parameter for equality, quoted where PostgreSQL would; empty where it does anything else too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub filtered_equal: Vec<String>,
    /// Rows that the planner expects of it, each time.
    pub rows: f64,
    /// The planner's cost up to its last row.
    pub cost: f64,
}

/// An index that is not there.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct TriedIndex {
    /// Its table, with its schema, quoted where PostgreSQL would.
    pub table: String,
    /// Its columns, quoted where PostgreSQL would, separated by commas.
    pub columns: String,
    /// Whether the plan with it uses it.
    pub used: bool,
    /// The planner's cost of the statement with it.
    pub cost: f64,
}

/// An index of the database.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct IndexUse {
    /// With its schema, quoted where PostgreSQL would.
    pub name: String,
    /// Its table, the same.
    pub table: String,
    /// Its key columns, quoted where PostgreSQL would, separated by commas; empty where it has expressions or a predicate, or isn't a B-tree.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub columns: String,
    /// Whether it holds up a constraint: of a primary key, of uniqueness, of exclusion, or is the table's replica identity.
    #[serde(skip_serializing_if = "is_false")]
    pub needed: bool,
    /// Whether it is unique.
    #[serde(skip_serializing_if = "is_false")]
    pub unique: bool,
    /// Whether it may not be used (`indisvalid` is false): a `CREATE INDEX CONCURRENTLY` or `REINDEX CONCURRENTLY` failed, or still runs.
    #[serde(skip_serializing_if = "is_false")]
    pub invalid: bool,
    /// Whether a session builds it at the end.
    #[serde(skip_serializing_if = "is_false")]
    pub in_progress: bool,
    /// Its blocks, estimate of the last vacuum or analyze.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<f64>,
    /// Blocks that its entries would take in a new B-tree, by `pg_stats`; absent where these may not be read or don't tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_blocks: Option<f64>,
    /// Scans begun.
    pub scans: f64,
    /// Entries that they returned.
    pub entries_read: f64,
    /// Live rows that plain index scans fetched by them.
    pub rows_fetched: f64,
    /// Its blocks found in shared_buffers.
    pub blocks_hit: f64,
    /// Its blocks read into them.
    pub blocks_read: f64,
    /// Scans since statistics were reset, those of before the observation with them.
    pub scans_ever: f64,
    /// How far the statistics of the database go back at least, s: to their reset, or to the start of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics_age_s: Option<f64>,
}

/// Sums over all indexes of the database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct IndexSums {
    /// How many there are.
    pub indexes: f64,
    /// Scans begun.
    pub scans: f64,
    /// Entries that they returned.
    pub entries_read: f64,
    /// Blocks found in shared_buffers.
    pub blocks_hit: f64,
    /// Blocks read into them.
    pub blocks_read: f64,
}

/// A sequence that has used up half of its numbers or more, in the direction in which it counts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct SequenceUse {
    /// With its schema, quoted where PostgreSQL would.
    pub name: String,
    /// The table of the column that it gives numbers to, the same; empty where it belongs to none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub table: String,
    /// That column, quoted where PostgreSQL would.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub column: String,
    /// The column's type: `integer`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub column_type: String,
    /// The last number that it gave, at the end.
    pub last: f64,
    /// The largest number that it may give, and that its column holds.
    pub largest: f64,
    /// Whether the column's type is what sets that, and not the sequence's own maximum.
    #[serde(skip_serializing_if = "is_false")]
    pub of_column: bool,
    /// Numbers given while observed; those that sessions keep for later (`CACHE`) with them.
    pub given: f64,
}
