//! What each statement took: `pg_stat_statements` and samples joined by the statement's id.

use std::collections::BTreeMap;

use narrows_model::{
    ActivityState, ConsumerKind, Consumers, SampledGroup, StatementFigures, StatementUse,
};

use crate::figures::{LEAST_SAMPLES, share_of};
use crate::sql::TableName;
use crate::statement_text::StatementText;

/// Statements that are read: more are kept by no run of ours.
const MOST: usize = 200;

/// One statement, whoever ran it.
#[derive(Debug, Clone)]
pub struct StatementLoad<'a> {
    /// Its id.
    pub id: &'a str,
    /// Normalised; absent where it is unknown.
    pub text: Option<&'a str>,
    pub(crate) parsed: StatementText,
    /// Of its users the one that took most time.
    pub used: Option<&'a StatementUse>,
    /// What it took by the server's books, all users together; absent where these have no figures of it.
    pub took: Option<StatementFigures>,
    /// Its sessions and their workers as they were found; absent where they were not.
    pub group: Option<&'a SampledGroup>,
    /// Of the time of all sessions in statements: by samples, and without these by the server's books.
    pub time: Option<f64>,
    /// Of the samples in which a session was not waiting.
    pub running: Option<f64>,
    /// Of the blocks that statements read into shared_buffers.
    pub reads: Option<f64>,
    /// Whether it is a statement of the database whose tables are known.
    pub is_of_this_database: bool,
}

impl StatementLoad<'_> {
    /// A figure for each execution.
    pub(crate) fn per_call(&self, figure: impl Fn(&StatementFigures) -> f64) -> Option<f64> {
        let took = self.took.as_ref().filter(|took| took.calls >= 1.0)?;
        Some(figure(took) / took.calls).filter(|each| each.is_finite())
    }

    /// Whether it reads or changes that table.
    pub(crate) fn names(&self, table: &TableName) -> bool {
        self.is_of_this_database && self.parsed.names(table)
    }

    /// For a sentence: its text, or its id.
    pub(crate) fn words(&self) -> String {
        match self.text {
            Some(text) if !text.is_empty() => crate::words::excerpt(text),
            _ => format!("statement {}", self.id),
        }
    }
}

/// By time, most first.
pub(crate) fn statement_loads(consumers: &Consumers) -> Vec<StatementLoad<'_>> {
    let counted = consumers.statements.as_ref().filter(|statements| !statements.reset);
    let mut used: BTreeMap<&str, Vec<&StatementUse>> = BTreeMap::new();
    for each in counted.iter().flat_map(|all| &all.list).take(MOST) {
        used.entry(&each.id).or_default().push(each);
    }
    let sampled = consumers.sampled.as_ref();
    let enough = sampled.is_some_and(|all| all.samples >= LEAST_SAMPLES);
    let groups = sampled.iter().flat_map(|all| &all.groups);
    let statements = groups.filter(|group| group.kind == ConsumerKind::Statement).take(MOST);
    let groups: BTreeMap<&str, &SampledGroup> =
        statements.map(|group| (group.name.as_str(), group)).collect();
    let texts: BTreeMap<&str, &str> = sampled
        .iter()
        .flat_map(|all| &all.texts)
        .take(MOST)
        .map(|(id, text)| (id.as_str(), text.as_str()))
        .collect();
    let ids: std::collections::BTreeSet<&str> = used.keys().chain(groups.keys()).copied().collect();
    let running: f64 = groups.values().map(|group| group.of(ActivityState::Running)).sum();
    let of_another = other_database_only(consumers);
    let mut loads: Vec<StatementLoad> = ids
        .into_iter()
        .map(|id| {
            let users = used.get(id).map_or(&[][..], Vec::as_slice);
            let took = (!users.is_empty()).then(|| sum(users));
            let most = users.iter().max_by(|a, b| a.took.exec_ns.total_cmp(&b.took.exec_ns));
            let group = groups.get(id).copied();
            let text = users.iter().find_map(|used| used.text.as_deref());
            let text = text.or(texts.get(id).copied());
            let by_samples = group.filter(|_| enough);
            let by_samples = by_samples.and_then(|group| share_of(group.active, sampled?.active));
            let by_books = took.and_then(|took| share_of(took.exec_ns, counted?.all.exec_ns));
            StatementLoad {
                id,
                text,
                parsed: text.map(StatementText::of).unwrap_or_default(),
                used: most.copied(),
                took,
                group,
                time: by_samples.or(by_books),
                running: group
                    .filter(|_| enough)
                    .and_then(|g| share_of(g.of(ActivityState::Running), running)),
                reads: took.and_then(|took| share_of(took.blocks_read, counted?.all.blocks_read)),
                is_of_this_database: if users.is_empty() {
                    !of_another
                } else {
                    let here = |used: &&StatementUse| used.database == consumers.database;
                    consumers.database.is_empty() || users.iter().any(here)
                },
            }
        })
        .collect();
    loads.sort_by(|a, b| b.time.unwrap_or(0.0).total_cmp(&a.time.unwrap_or(0.0)));
    loads
}

/// Whether most active sessions were of another database, so that a statement of which the database is unknown is likely one of that.
fn other_database_only(consumers: &Consumers) -> bool {
    let groups = consumers.sampled.iter().flat_map(|all| &all.groups);
    let databases = groups.filter(|group| group.kind == ConsumerKind::Database);
    let (mut here, mut elsewhere) = (0.0, 0.0);
    for group in databases {
        *if group.name == consumers.database { &mut here } else { &mut elsewhere } += group.active;
    }
    !consumers.database.is_empty() && elsewhere > here
}

fn sum(users: &[&StatementUse]) -> StatementFigures {
    let both = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
    users
        .iter()
        .map(|used| used.took)
        .reduce(|a, b| StatementFigures {
            calls: a.calls + b.calls,
            exec_ns: a.exec_ns + b.exec_ns,
            plan_ns: both(a.plan_ns, b.plan_ns),
            rows: a.rows + b.rows,
            blocks_hit: a.blocks_hit + b.blocks_hit,
            blocks_read: a.blocks_read + b.blocks_read,
            blocks_dirtied: a.blocks_dirtied + b.blocks_dirtied,
            temp_blocks: a.temp_blocks + b.temp_blocks,
            read_ns: both(a.read_ns, b.read_ns),
            temp_ns: both(a.temp_ns, b.temp_ns),
            wal_bytes: a.wal_bytes + b.wal_bytes,
            jit_ns: both(a.jit_ns, b.jit_ns),
        })
        .unwrap_or_default()
}
