//! Whose the sessions are that are found in a statement: by statement, database, user, application and client.
//!
//! It is the question about states, asked with more columns: several times a second it takes that one's place, so that the server has
//! one row more of text for each group and nothing else to do. Its answers are weighed by the time that they stand for and cut into
//! windows like those ([`samples::Sampled`]).
//!
//! A parallel worker is its leader's. Where the server gives a statement no id (13, `compute_query_id`, or a statement that still waits for
//! the lock of a table that it names), it is told apart by its shape.
//!
//! Source: PostgreSQL documentation, `pg_stat_activity`, `compute_query_id`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use narrows_model::{ActivityState, ConsumerKind, Consumers, SampledConsumers, SampledGroup};

use super::normalise::{digest, normalised};
use super::over_time::OverTime;
use super::text;
use crate::monitor::pace::Pace;
use crate::monitor::samples::{self, Processes, numbers};
use crate::observe::process_state::{ProcessState, class, place};
use crate::wire::{Row, one_line};

/// Between two of these questions at least.
const AT_LEAST: Duration = Duration::from_millis(250);
/// Groups of each kind that are told apart: who comes later in a look is counted in the sum alone.
const MOST_GROUPS: usize = 1000;
/// Executions that are told apart.
const MOST_EXECUTIONS: usize = 1 << 20;
/// Times that the text of a statement is asked for.
const TRIES: u32 = 3;

/// Asks, in the place of [`samples::SQL`].
pub(in crate::observe) const READ: &str = "EXECUTE narrows_consumers";

/// Columns of the answer, after those that the question about states has.
mod column {
    pub(super) const ID: usize = 6;
    pub(super) const TEXT: usize = 7;
    pub(super) const DATABASE: usize = 8;
    pub(super) const USER: usize = 9;
    pub(super) const APPLICATION: usize = 10;
    pub(super) const CLIENT: usize = 11;
    pub(super) const LEADER: usize = 12;
    pub(super) const BEGAN: usize = 13;
}

/// Prepares the question, for a server that has ids of statements or not. `OFFSET 0` keeps the planner from working out `of_somebody` once
/// more for each column that depends on it.
pub(super) fn prepare(ids: bool) -> String {
    let id = if ids { "nullif(query_id, 0)" } else { "NULL::pg_catalog.int8" };
    format!(
        "PREPARE narrows_consumers AS SELECT backend_type, state, wait_event_type, wait_event, count(*), \
         pg_catalog.string_agg(pid::pg_catalog.text, ' ') FILTER (WHERE at_work), id, \
         CASE WHEN of_somebody AND id IS NULL THEN pg_catalog.left(query, 1024) END, CASE WHEN of_somebody THEN datid END, \
         CASE WHEN of_somebody THEN usesysid END, CASE WHEN of_somebody THEN application_name END, \
         CASE WHEN of_somebody THEN coalesce(pg_catalog.host(client_addr), 'local') END, \
         CASE WHEN backend_type = 'parallel worker' THEN leader_pid END, \
         pg_catalog.string_agg(coalesce((extract(epoch FROM query_start) * 1e6)::pg_catalog.int8, 0)::pg_catalog.text, ' ') \
         FILTER (WHERE at_work) FROM (SELECT *, CASE WHEN of_somebody THEN {id} END AS id, \
         backend_type = 'parallel worker' OR of_somebody AND state IN ('active', 'fastpath function call') AS at_work \
         FROM (SELECT *, backend_type = 'parallel worker' OR backend_type = 'client backend' AND state IN ('active', \
         'fastpath function call', 'idle in transaction', 'idle in transaction (aborted)') AS of_somebody \
         FROM pg_catalog.pg_stat_get_activity(NULL) WHERE pid <> pg_catalog.pg_backend_pid() \
         AND leader_pid IS DISTINCT FROM pg_catalog.pg_backend_pid() OFFSET 0) activity) activity \
         GROUP BY 1, 2, 3, 4, 7, 8, 9, 10, 11, 12, 13"
    )
}

/// Prepares the question for texts of statements that are running, or were their sessions' last ones.
pub(super) const PREPARE_TEXTS: &str = "\
PREPARE narrows_texts (pg_catalog.int8[]) AS SELECT query_id, min(pg_catalog.left(query, 16384)) \
FROM pg_catalog.pg_stat_get_activity(NULL) WHERE query_id = ANY ($1) AND pid <> pg_catalog.pg_backend_pid() GROUP BY 1";
/// Prepares the question for names of databases and users.
pub(super) const PREPARE_NAMES: &str = "\
PREPARE narrows_names (pg_catalog.oid[]) AS SELECT oid, datname FROM pg_catalog.pg_database WHERE oid = ANY ($1) \
UNION ALL SELECT oid, rolname FROM pg_catalog.pg_roles WHERE oid = ANY ($1)";

/// By what processes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// In a statement, whoever.
    All,
    /// In a statement, of that group.
    Active(u32),
    /// Of that group in that state.
    At(u32, ActivityState),
}

/// Groups by kind, and what is known of them.
#[derive(Debug)]
pub(in crate::observe) struct SampledGroups {
    by_window: samples::Sampled<Key>,
    over_time: OverTime,
    /// Databases and users by their numbers, statements by their ids or digests.
    groups: Vec<(ConsumerKind, String)>,
    index: BTreeMap<(ConsumerKind, String), u32>,
    of_kind: BTreeMap<ConsumerKind, usize>,
    executions: HashSet<(u32, u64)>,
    /// Ids of statements: how often they were found, and how often their text was asked for.
    ids: BTreeMap<i64, (u64, u32)>,
    texts: BTreeMap<String, String>,
    /// Databases and users by number; empty where none was found.
    names: BTreeMap<String, String>,
    pace: Pace,
}

impl Default for SampledGroups {
    fn default() -> SampledGroups {
        SampledGroups {
            by_window: samples::Sampled::default(),
            over_time: OverTime::default(),
            groups: Vec::new(),
            index: BTreeMap::new(),
            of_kind: BTreeMap::new(),
            executions: HashSet::new(),
            ids: BTreeMap::new(),
            texts: BTreeMap::new(),
            names: BTreeMap::new(),
            pace: Pace::every(AT_LEAST),
        }
    }
}

impl SampledGroups {
    /// What follows belongs to the next window, which begins that long after the beginning.
    pub(in crate::observe) fn next_window(&mut self, at_ns: u64) {
        self.by_window.next_window(at_ns);
    }

    /// The window in hand ends then.
    pub(in crate::observe) fn end_window(&mut self, at_ns: u64) {
        self.by_window.end_window(at_ns);
    }

    /// The window in hand doesn't end: it is forgotten.
    pub(in crate::observe) fn drop_window(&mut self) {
        self.by_window.drop_window();
    }

    /// Whether it is time to ask.
    pub(super) fn is_due(&self) -> bool {
        self.pace.is_due()
    }

    /// An answer, that long after the beginning, for which the server worked that long. Lines in its log are those of the question
    /// whose place it took.
    pub(in crate::observe) fn take(&mut self, at_ns: u64, rows: &[Row], worked_ns: u64) {
        self.pace.asked(worked_ns, 0.0);
        self.by_window.begin(at_ns);
        self.over_time.begin(at_ns);
        let leaders = leaders(rows);
        for row in rows {
            let found = Processes::from(row);
            let class = class(found.backend_type);
            let ProcessState::At(state) = place(class, found.state, found.kind, found.event) else {
                continue;
            };
            if !class.serves_transactions() {
                continue;
            }
            let leader = text(row, column::LEADER).and_then(|pid| leaders.get(&pid.parse().ok()?));
            let of = leader.copied().unwrap_or(row);
            if state.is_at_work() {
                self.by_window.add(Key::All, found.count);
                if found.backend_type == "client backend" {
                    self.meet(row);
                }
            }
            for kind in ConsumerKind::ALL {
                let name = self.name(kind, of, found.count);
                let is_known = name.is_some();
                let group = name.and_then(|name| self.group(kind, name));
                if kind == ConsumerKind::Statement {
                    match (group, is_known) {
                        (None, true) => self.over_time.add_other(state, found.count),
                        _ => self.over_time.add(group, state, found.count),
                    }
                }
                let Some(group) = group else { continue };
                self.by_window.add(Key::At(group, state), found.count);
                if state.is_at_work() {
                    self.by_window.add_named(Key::Active(group), found);
                }
            }
        }
    }

    /// Counts the executions of a row.
    fn meet(&mut self, row: &Row) {
        let began = text(row, column::BEGAN).unwrap_or_default().split(' ');
        for (pid, began) in samples::pids(row).zip(began) {
            if self.executions.len() < MOST_EXECUTIONS {
                self.executions.insert((pid, began.parse().unwrap_or(0)));
            }
        }
    }

    /// Under which name a row's processes are found by that kind.
    fn name(&mut self, kind: ConsumerKind, row: &Row, count: u64) -> Option<String> {
        let cell = |column: usize| text(row, column);
        match kind {
            ConsumerKind::Statement => match cell(column::ID).and_then(|id| id.parse().ok()) {
                Some(id) => {
                    if self.ids.len() < MOST_GROUPS || self.ids.contains_key(&id) {
                        self.ids.entry(id).or_default().0 += count;
                    }
                    Some(i64::to_string(&id))
                }
                None => {
                    let shape = normalised(cell(column::TEXT)?);
                    let name = digest(&shape);
                    if self.texts.len() < MOST_GROUPS && !shape.is_empty() {
                        self.texts.entry(name.clone()).or_insert_with(|| shape.clone());
                    }
                    (!shape.is_empty()).then_some(name)
                }
            },
            ConsumerKind::Database => cell(column::DATABASE).map(str::to_string),
            ConsumerKind::User => cell(column::USER).map(str::to_string),
            // NULL where a group has none of it, and empty where a session was given none.
            ConsumerKind::Application => cell(column::APPLICATION).map(one_line),
            ConsumerKind::Client => cell(column::CLIENT).map(one_line),
        }
    }

    fn group(&mut self, kind: ConsumerKind, name: String) -> Option<u32> {
        if let Some(group) = self.index.get(&(kind, name.clone())) {
            return Some(*group);
        }
        let of_kind = self.of_kind.entry(kind).or_default();
        if *of_kind == MOST_GROUPS {
            return None;
        }
        *of_kind += 1;
        let group = self.groups.len() as u32;
        self.groups.push((kind, name.clone()));
        self.index.insert((kind, name), group);
        Some(group)
    }

    /// Asks for the texts of the statements found most often; `None` where they are known, or were asked for in vain.
    pub(super) fn texts_question(&mut self) -> Option<String> {
        let wanted = self.without_text();
        let wanted =
            wanted.into_iter().filter(|id| self.ids.get(id).is_some_and(|id| id.1 < TRIES));
        let wanted: Vec<i64> = wanted.collect();
        wanted.iter().for_each(|id| self.ids.entry(*id).or_default().1 += 1);
        let ids: Vec<String> = wanted.iter().map(i64::to_string).collect();
        (!ids.is_empty()).then(|| format!("EXECUTE narrows_texts ('{{{}}}')", ids.join(",")))
    }

    /// Those found most often whose text isn't known.
    pub(super) fn without_text(&self) -> BTreeSet<i64> {
        let mut most: Vec<(u64, i64)> = self.ids.iter().map(|(id, of)| (of.0, *id)).collect();
        most.sort_by(|a, b| b.cmp(a));
        let most = most.into_iter().take(Consumers::KEPT).map(|(_, id)| id);
        most.filter(|id| !self.texts.contains_key(&id.to_string())).collect()
    }

    /// The answer.
    pub(super) fn take_texts(&mut self, rows: &[Row]) {
        for row in rows {
            let Some(id) = text(row, 0).and_then(|id| id.parse().ok()) else { continue };
            if let Some(shape) = text(row, 1).map(normalised) {
                self.know_text(id, shape);
            }
        }
    }

    /// The text of a statement that was found, from wherever.
    pub(super) fn know_text(&mut self, id: i64, shape: String) {
        if self.ids.contains_key(&id) && !shape.is_empty() {
            self.texts.entry(id.to_string()).or_insert(shape);
        }
    }

    /// Asks for the names of the databases and users that have none yet; `None` where all have.
    pub(super) fn names_question(&mut self) -> Option<String> {
        let numbered = [ConsumerKind::Database, ConsumerKind::User];
        let numbers = self.groups.iter().filter(|(kind, _)| numbered.contains(kind));
        let unnamed = numbers.filter_map(|(_, number)| number.parse::<u32>().ok());
        let unnamed: BTreeSet<u32> =
            unnamed.filter(|oid| !self.names.contains_key(&oid.to_string())).collect();
        if unnamed.is_empty() {
            return None;
        }
        // Of one that is gone it isn't asked again.
        self.names.extend(unnamed.iter().map(|oid| (oid.to_string(), String::new())));
        Some(format!("EXECUTE narrows_names ('{{{}}}')", super::oids(unnamed)))
    }

    /// The answer.
    pub(super) fn take_names(&mut self, rows: &[Row]) {
        for row in rows {
            if let (Some(number), Some(name)) = (text(row, 0), text(row, 1))
                && let Some(known) = self.names.get_mut(number)
            {
                *known = one_line(name);
            }
        }
    }

    /// All of it, with intervals where windows are repeats of each other (`apart`); `None` where nothing was answered.
    pub(super) fn found(&self, apart: bool) -> Option<SampledConsumers> {
        let samples = self.by_window.samples();
        if samples == 0 {
            return None;
        }
        let means = self.by_window.means(apart);
        let mean = |key: Key| means.get(&key).map_or(0.0, |mean| mean.processes);
        let mut groups = Vec::new();
        let (mut listed, same) = (Vec::new(), self.same());
        for kind in ConsumerKind::ALL {
            let of_kind = self.groups.iter().zip(0_u32..).filter(|((of, _), _)| *of == kind);
            let mut of_kind: Vec<(f64, f64, u32)> = of_kind
                .map(|(_, group)| {
                    let idle = mean(Key::At(group, ActivityState::IdleInTransaction));
                    (mean(Key::Active(group)), idle, group)
                })
                .filter(|(active, idle, _)| active + idle > 0.0)
                .collect();
            of_kind.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
            of_kind.truncate(Consumers::KEPT);
            if kind == ConsumerKind::Statement {
                let statements = of_kind
                    .iter()
                    .filter(|(active, _, group)| *active > 0.0 && !same.contains_key(group));
                listed = statements.map(|(_, _, group)| (*group, self.shown(*group))).collect();
            }
            groups.extend(of_kind.into_iter().map(|(active, _, group)| {
                let states = ActivityState::ALL.map(|state| (state, mean(Key::At(group, state))));
                let mut states: Vec<(ActivityState, f64)> = states.to_vec();
                states.retain(|(_, processes)| *processes > 0.0);
                states.sort_by(|a, b| b.1.total_cmp(&a.1));
                let interval_95 = means.get(&Key::Active(group)).and_then(|mean| mean.interval_95);
                let events = self.by_window.names(Key::Active(group));
                SampledGroup { kind, name: self.shown(group), active, interval_95, states, events }
            }));
        }
        let statements = groups.iter().filter(|group| group.kind == ConsumerKind::Statement);
        let texts = statements
            .filter_map(|group| Some((group.name.clone(), self.texts.get(&group.name)?.clone())));
        let texts: Vec<(String, String)> = texts.collect();
        Some(SampledConsumers {
            samples,
            executions: self.executions.len() as u64,
            active: mean(Key::All),
            by_text: self.ids.is_empty() && !texts.is_empty(),
            texts,
            groups,
            history: self.over_time.history(&listed, &same),
        })
    }

    /// Statements that were found before the server gave them an id too, by their shape: each with the number of the one that has the id.
    fn same(&self) -> BTreeMap<u32, u32> {
        let statements = || {
            let all = self.groups.iter().zip(0_u32..);
            all.filter(|((kind, _), _)| *kind == ConsumerKind::Statement)
                .filter_map(|((_, name), group)| Some((name, self.texts.get(name)?, group)))
        };
        let has_id = |name: &str| name.parse().is_ok_and(|id: i64| self.ids.contains_key(&id));
        let with_ids: BTreeMap<String, u32> = statements()
            .filter(|(name, _, _)| has_id(name))
            .map(|(_, text, group)| (without_numbers(text), group))
            .collect();
        let without = statements().filter(|(name, _, _)| !has_id(name));
        without
            .filter_map(|(_, text, group)| Some((group, *with_ids.get(&without_numbers(text))?)))
            .collect()
    }

    /// A group's name, where its number has one.
    fn shown(&self, group: u32) -> String {
        let (kind, name) = &self.groups[group as usize];
        let known = match kind {
            ConsumerKind::Database | ConsumerKind::User => self.names.get(name),
            _ => None,
        };
        known.filter(|known| !known.is_empty()).unwrap_or(name).clone()
    }
}

/// A shape whose parameters are told apart no more: `pg_stat_statements` numbers them.
fn without_numbers(shape: &str) -> String {
    let mut parts = shape.split('$');
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |all, part| match part.trim_start_matches(|c: char| c.is_ascii_digit()) {
        rest if rest.len() < part.len() => all + "?" + rest,
        rest => all + "$" + rest,
    })
}

/// The rows of sessions that have parallel workers, by the number of the session.
fn leaders(rows: &[Row]) -> BTreeMap<u32, &Row> {
    let wanted: BTreeSet<u32> =
        rows.iter().filter_map(|row| text(row, column::LEADER)?.parse().ok()).collect();
    let sessions = rows.iter().filter(|row| text(row, column::LEADER).is_none());
    let pids = sessions
        .flat_map(|row| numbers(text(row, 5).unwrap_or_default()).map(move |pid| (pid, row)));
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    pids.filter(|(pid, _)| wanted.contains(pid)).collect()
}

#[cfg(test)]
#[path = "sampled_test.rs"]
mod tests;
