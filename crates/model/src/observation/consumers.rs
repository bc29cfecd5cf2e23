//! Who takes what a server does: statements, tables, sessions, by the server's own books and by samples.
//!
//! All figures are those of the interval observed, unless they say otherwise. What the server doesn't count, or the role may not see, is
//! absent and never zero. Texts of statements are normalised: without literals and comments, on one line, cut to
//! [`Consumers::TEXT`] characters.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::objects::{IndexSums, IndexUse, SequenceUse, StatementPlan};
use crate::{ActivityState, Interval, MariaDbUse, Role, StatementHistory};

/// Who took what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Consumers {
    /// The database of our session: figures of tables, and whether there is `pg_stat_statements`, are of it alone.
    pub database: String,
    /// What statements took by `pg_stat_statements`; absent where that is not in this database or may not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statements: Option<StatementStatistics>,
    /// Active sessions and their parallel workers as they were found, by what they belong to; empty where that may not be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled: Option<SampledConsumers>,
    /// Tables of the database that were read or changed, most rows and blocks first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<TableUse>,
    /// Foreign keys of the database whose columns no index of their own table leads with, where the table they refer to lost rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unindexed_keys: Vec<UnindexedKey>,
    /// Generic plans of the statements that took most and read most, the first of them first; empty where none was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<StatementPlan>,
    /// Indexes of the database: those used most, those that need a word, those of [`Consumers::plans`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<IndexUse>,
    /// All indexes of the database together, those that are not in the list too; absent where they were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_indexes: Option<IndexSums>,
    /// Sequences that have used up half of their numbers or more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sequences: Vec<SequenceUse>,
    /// Who waits for whom, at the moment with the most sessions in the longest queue; empty where nobody waited for a lock when it was asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lock_queue: Vec<QueuedSession>,
    /// How long before the end its head was last seen with others behind it, ns; absent without a queue and in files of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_queue_age_ns: Option<f64>,
    /// What keeps vacuum from removing dead rows, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub horizon: Vec<HorizonHolder>,
    /// What nobody waits for now and will: ids of transactions used up, WAL kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserves: Option<Reserves>,
    /// What only MariaDB counts; absent of PostgreSQL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mariadb: Option<MariaDbUse>,
}

impl Consumers {
    /// Characters of a statement's text that are kept.
    pub const TEXT: usize = 400;
    /// Statements, tables and groups that are kept of each kind.
    pub const KEPT: usize = 20;
    /// A lock queue behind whose head nobody was seen for longer than this at the end is over, ns: who holds locks is asked about once
    /// per second.
    pub const QUEUE_GONE_NS: f64 = 5e9;

    /// How long before the end the lock queue was seen, ns, where it is over; absent where it was there at the end, or nothing tells.
    pub fn lock_queue_gone_ns(&self) -> Option<f64> {
        self.lock_queue_age_ns.filter(|ns| *ns > Consumers::QUEUE_GONE_NS)
    }

    /// The statement of that id, whoever ran it, with the most time.
    pub fn statement(&self, id: &str) -> Option<&StatementUse> {
        let all = self.statements.iter().flat_map(|statements| &statements.list);
        all.filter(|statement| statement.id == id)
            .max_by(|a, b| a.took.exec_ns.total_cmp(&b.took.exec_ns))
    }

    /// The text of the statement of that id, wherever one is known.
    pub fn text(&self, id: &str) -> Option<&str> {
        let counted = self.statements.iter().flat_map(|all| &all.list);
        let counted = counted.filter(|statement| statement.id == id);
        let mut counted = counted.filter_map(|statement| statement.text.as_deref());
        let sampled = || {
            let texts = self.sampled.iter().flat_map(|sampled| &sampled.texts);
            texts.filter(|(of, _)| of == id).map(|(_, text)| text.as_str()).next()
        };
        counted.next().or_else(sampled)
    }
}

/// What `pg_stat_statements` counted: statements that ended in the interval, with all they took since they began.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct StatementStatistics {
    /// The [`Consumers::KEPT`] that took most time, and those that took most of something else.
    pub list: Vec<StatementUse>,
    /// All statements together, those that are not in the list too.
    pub all: StatementFigures,
    /// Statements that ran, by user, database and text.
    pub counted: u64,
    /// Whether entries were evicted meanwhile (`pg_stat_statements_info.dealloc`), so that the sums are lower bounds.
    #[serde(skip_serializing_if = "is_false")]
    pub evicted: bool,
    /// Whether statistics were reset meanwhile, so that nothing can be said.
    #[serde(skip_serializing_if = "is_false")]
    pub reset: bool,
    /// Whether times of planning are counted (`pg_stat_statements.track_planning`).
    #[serde(skip_serializing_if = "is_false")]
    pub planning_counted: bool,
}

pub(super) fn is_false(switch: &bool) -> bool {
    !switch
}

/// One statement of one user in one database; nested ones (`pg_stat_statements.track = all`) are left out, their callers have their time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct StatementUse {
    /// `queryid`, as `pg_stat_activity.query_id` has it too.
    pub id: String,
    /// Whose.
    pub user: String,
    /// Where.
    pub database: String,
    /// Normalised; absent where the role may not read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What it took.
    #[serde(flatten)]
    pub took: StatementFigures,
    /// What it took before, since its entry was made; absent where it is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<StatementFigures>,
}

/// Sums over the interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct StatementFigures {
    /// Executions that ended without an error.
    pub calls: f64,
    /// Time of executions, of the leader alone where there are parallel workers; with waits, ns.
    pub exec_ns: f64,
    /// Time of planning; absent where it isn't counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_ns: Option<f64>,
    /// Rows returned or changed.
    pub rows: f64,
    /// Blocks found in shared_buffers.
    pub blocks_hit: f64,
    /// Blocks read into them.
    pub blocks_read: f64,
    /// Blocks made dirty.
    pub blocks_dirtied: f64,
    /// Blocks of temporary files read and written.
    pub temp_blocks: f64,
    /// Time of reads of data files; absent where `track_io_timing` is off, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ns: Option<f64>,
    /// Time of reads and writes of temporary files (15 and later, `track_io_timing`), ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temp_ns: Option<f64>,
    /// WAL, bytes.
    pub wal_bytes: f64,
    /// Time of compiling (`jit`; 15 and later), ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jit_ns: Option<f64>,
}

/// By what sessions found active are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConsumerKind {
    /// By statement: `query_id` (14 and later), or the normalised text.
    Statement,
    /// By database.
    Database,
    /// By user.
    User,
    /// By `application_name`.
    Application,
    /// By the client's address, `local` where it is a socket of the machine.
    Client,
}

impl ConsumerKind {
    /// Every kind, in the order of the screen.
    pub const ALL: [ConsumerKind; 5] = [
        ConsumerKind::Statement,
        ConsumerKind::Database,
        ConsumerKind::User,
        ConsumerKind::Application,
        ConsumerKind::Client,
    ];
}

/// Sessions and their parallel workers, in a statement or idle in transaction, as they were found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct SampledConsumers {
    /// Times that the server was asked.
    pub samples: u64,
    /// Different executions met: a sample of the same execution says little that the one before didn't.
    pub executions: u64,
    /// Mean number of processes found in a statement.
    pub active: f64,
    /// The [`Consumers::KEPT`] groups of each kind with the most processes.
    pub groups: Vec<SampledGroup>,
    /// Texts of statements that were met, by id, normalised.
    pub texts: Vec<(String, String)>,
    /// Whether statements have no ids here, so that they are told apart by their texts, cut at `track_activity_query_size`.
    #[serde(skip_serializing_if = "is_false")]
    pub by_text: bool,
    /// Which statements they were in over time; absent in files of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<StatementHistory>,
}

/// Processes of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SampledGroup {
    /// By what they are one group.
    pub kind: ConsumerKind,
    /// Name, or id of the statement.
    pub name: String,
    /// Mean number of processes in a statement.
    pub active: f64,
    /// Its 95 % interval over the windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
    /// By state, most first, sessions idle in transaction too.
    pub states: Vec<(ActivityState, f64)>,
    /// The server's own names for what they waited for, most first: `Lock:transactionid`. A few only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<(String, f64)>,
}

impl SampledGroup {
    /// Mean number of processes in that state.
    pub fn of(&self, state: ActivityState) -> f64 {
        self.states.iter().filter(|(of, _)| *of == state).map(|(_, n)| n).sum()
    }
}

/// A table, with its partitions' own figures apart (each is a table).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct TableUse {
    /// With its schema, quoted where PostgreSQL would.
    pub name: String,
    /// Blocks of its main fork, estimate of the last vacuum or analyze.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<f64>,
    /// Rows that live, the server's estimate at the end.
    pub live_rows: f64,
    /// Rows that are dead, the same.
    pub dead_rows: f64,
    /// Rows changed since the last analyze, at the end.
    pub changed_since_analyze: f64,
    /// Sequential scans begun.
    pub sequential_scans: f64,
    /// Rows that they read.
    pub sequential_rows: f64,
    /// Index scans begun.
    pub index_scans: f64,
    /// Rows that they fetched from the table.
    pub index_rows: f64,
    /// Rows inserted.
    pub inserted: f64,
    /// Rows updated.
    pub updated: f64,
    /// Of these, without new index entries (HOT).
    pub hot_updated: f64,
    /// Rows deleted.
    pub deleted: f64,
    /// Blocks of table and indexes found in shared_buffers.
    pub blocks_hit: f64,
    /// Blocks of table and indexes read into them.
    pub blocks_read: f64,
    /// Age of the last vacuum, by autovacuum or by hand, s; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vacuum_age_s: Option<f64>,
    /// Age of the last analyze, s; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analyze_age_s: Option<f64>,
    /// Whether autovacuum is off for this table alone (`autovacuum_enabled`).
    #[serde(skip_serializing_if = "is_false")]
    pub autovacuum_off: bool,
}

impl TableUse {
    /// Rows read, by whatever scan.
    pub fn rows_read(&self) -> f64 {
        self.sequential_rows + self.index_rows
    }
}

/// A foreign key without an index: each row that goes from the table it refers to makes the server read the whole table of the key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct UnindexedKey {
    /// Of the constraint.
    pub name: String,
    /// The table that has it.
    pub table: String,
    /// Its columns, quoted where PostgreSQL would, separated by commas.
    pub columns: String,
    /// The table that it refers to.
    pub refers_to: String,
    /// Rows that were deleted from, or updated in, that table while observed.
    pub rows_gone: f64,
}

/// A session in a queue for a lock, or at the head of one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct QueuedSession {
    /// Its process by the server's number; 0: a prepared transaction, which has none.
    pub pid: u32,
    /// Those that it waits for; empty: it waits for no lock.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<u32>,
    /// What it does, in the server's words (`idle in transaction`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// For how long it has done that, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_age_ns: Option<f64>,
    /// Age of its transaction, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_age_ns: Option<f64>,
    /// What it waits for, in the server's words (`Lock:relation`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// The mode of the lock that it waits for (`AccessExclusiveLock`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The table whose lock, or whose row's lock, it waits for, where it is one of our session's database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// Whose.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// `application_name`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub application: String,
    /// The kind of process, where it is no client's session (`autovacuum worker`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub backend_type: String,
    /// Its statement, or its last one, normalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Who has an old snapshot.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum HorizonKind {
    /// A session of a client.
    #[default]
    Session,
    /// A prepared transaction.
    Prepared,
    /// A replication slot.
    Slot,
    /// A standby that tells its own (`hot_standby_feedback`).
    Standby,
}

/// What keeps vacuum from removing rows that died since.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct HorizonHolder {
    /// What it is.
    pub kind: HorizonKind,
    /// The session's number, the transaction's `gid`, the slot's or the standby's name.
    pub name: String,
    /// Transactions that have begun since its snapshot.
    pub transactions: f64,
    /// Age of its transaction, ns; absent for slots and standbys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_ns: Option<f64>,
    /// What it does, in the server's words (`idle in transaction`).
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// Whose.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// `application_name`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub application: String,
    /// Its statement, or its last one, normalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What is used up without anybody waiting for it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Reserves {
    /// The database with the oldest unfrozen transaction id, and how many transactions ago that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest_database: Option<(String, f64)>,
    /// Replication slots nobody reads, with the bytes of WAL that they keep.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread_slots: Vec<(String, f64)>,
    /// WAL files that `archive_command` failed for since statistics were reset, where the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_failures: Option<f64>,
    /// Bytes of the files in `pg_wal`, at the end; absent where its role may not list them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wal_bytes: Option<f64>,
    /// Room on the file systems of its data and of its WAL, at the end; empty where there is no path to them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_systems: Vec<FileSystemRoom>,
}

/// Room on a file system of an observed server (`statvfs`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct FileSystemRoom {
    /// What of the server's lies on it.
    pub roles: Vec<Role>,
    /// Its size, bytes.
    pub total_bytes: f64,
    /// Free for users other than root, bytes.
    pub available_bytes: f64,
    /// Files that can still be made; absent where the file system has no limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_files: Option<f64>,
    /// Requests on their way to its block device and back at the end of the look; absent where it has none of its own (NFS, Btrfs).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_in_flight: Option<f64>,
}
