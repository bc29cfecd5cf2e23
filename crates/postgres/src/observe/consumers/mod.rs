//! Who takes what the server does: statements and tables by the server's own books, read at the beginning and at the end; who waits for
//! whom, and whose the active sessions are, by samples; what keeps vacuum from its work and what is used up, at the end.
//!
//! A look goes without any of it that the server refuses or leaves unanswered, and says so. Nothing here but [`plans`] and [`sequences`]
//! waits for a lock of a relation, and these for 100 ms and 1 s. Texts of others come through [`normalise`] before they are kept.

mod horizon;
mod indexes;
#[cfg(test)]
mod live_objects_test;
#[cfg(test)]
mod live_test;
pub(super) mod lock_queue;
pub(super) mod normalise;
mod over_time;
mod plans;
mod reserves;
pub(super) mod sampled;
mod sequences;
mod statements;
mod tables;
mod unindexed_keys;

use std::collections::BTreeSet;

use narrows_engine::now_ns;
use narrows_model::{Consumers, HorizonKind, Unknown};

use crate::monitor::pace::Pace;
use crate::monitor::server::Server;
use crate::monitor::session::{NoAnswer, SamplingSession};
use crate::wire::{Row, WireError, one_line};
use lock_queue::LockQueueProbe;
use normalise::SentTexts;
use plans::{Candidate, Hazards, PLANS, Planner};
use sampled::SampledGroups;
use statements::{Extension, Search, Switches};

/// What is named where it is missing.
const STATEMENTS: &str = "what statements take (pg_stat_statements)";
const TEXTS: &str = "texts of the statements, and whose they are";
const SAMPLED: &str = "whose the active sessions are";
const TABLES: &str = "what is done with tables";
const INDEXES: &str = "what is done with indexes";
const SEQUENCES: &str = "numbers that sequences have left";
const KEYS: &str = "foreign keys without an index";
const QUEUE: &str = "who waits for whom";
const HORIZON: &str = "what keeps vacuum from removing dead rows";
const RESERVES: &str = "transaction IDs and WAL in reserve";

/// Where we are, what is counted only where a setting is on, and whether statements have ids.
const SESSION: &str = "\
SELECT pg_catalog.current_database(), d.oid, r.oid, pg_catalog.current_setting('pg_stat_statements.track_planning', true), \
pg_catalog.current_setting('pg_stat_statements.track', true), \
EXISTS (SELECT FROM pg_catalog.pg_proc WHERE oid = 'pg_catalog.pg_stat_get_activity(int4)'::pg_catalog.regprocedure \
AND 'query_id' = ANY (proargnames)) FROM pg_catalog.pg_database d, pg_catalog.pg_roles r \
WHERE d.datname = pg_catalog.current_database() AND r.rolname = current_user";

/// Of whom it is asked.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Whether the role may see what others do.
    pub(super) sees_others: bool,
    /// The statement that gives it the right to.
    pub(super) grant: String,
    /// Whether it is a standby.
    pub(super) recovering: bool,
    /// `track_io_timing`.
    pub(super) io_timed: bool,
    /// Whether plans are asked for.
    pub(super) explains: bool,
    /// How texts that sessions sent are kept.
    pub(super) texts: SentTexts,
}

impl Scope {
    /// Asked of that server, a standby or not, with `track_io_timing` on or off.
    pub(super) fn of(server: &Server, recovering: bool, io_timed: bool) -> Scope {
        Scope {
            sees_others: server.sees_others,
            grant: server.grant(),
            recovering,
            io_timed,
            explains: true,
            texts: SentTexts::default(),
        }
    }
}

/// What was read at the beginning, and what was found so far.
#[derive(Debug, Default)]
pub(super) struct ConsumerProbes {
    scope: Scope,
    /// User and database of our session, by the server's numbers.
    own: Option<(u32, u32)>,
    switches: Switches,
    statements: Option<(Extension, statements::Reading)>,
    tables: Option<tables::Reading>,
    indexes: Option<indexes::Reading>,
    sequences: Option<sequences::Reading>,
    pub(super) sampled: SampledGroups,
    /// Whether the server takes the questions about whose sessions are, and about names.
    asks_whose: bool,
    /// Of names and texts.
    pace: Pace,
    /// Whether the server left one of these questions unanswered: it isn't asked the rest.
    busy: bool,
    found: Consumers,
    missing: Vec<Unknown>,
}

impl ConsumerProbes {
    /// Reads what is subtracted at the end; what sessions do is asked where the `queue` for locks is.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn begin(
        session: &mut SamplingSession,
        scope: Scope,
        queue: Option<&LockQueueProbe>,
    ) -> Result<ConsumerProbes, WireError> {
        let switches = Switches { planning: false, io: scope.io_timed };
        let mut probes = ConsumerProbes { scope, switches, ..ConsumerProbes::default() };
        let about = probes.ask(session, STATEMENTS, SESSION)?;
        let about = about.and_then(|rows| rows.into_iter().next()).unwrap_or_default();
        if let Some(queue) = queue {
            if !queue.prepared {
                probes.miss(QUEUE, "a server that doesn't refuse pg_locks and pg_blocking_pids()");
            }
            probes.begin_sampled(session, text(&about, 5) == Some("t"))?;
        }
        probes.begin_tables(session)?;
        probes.begin_objects(session)?;
        probes.begin_statements(session, &about)?;
        probes.busy = false;
        Ok(probes)
    }

    fn begin_tables(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        if self.ask(session, TABLES, &tables::prepare())?.is_some()
            && let Some(rows) = self.ask(session, TABLES, tables::READ)?
        {
            let reading = tables::Reading::of(&rows);
            if reading.is_cut() {
                self.miss(
                    &format!("{TABLES} beyond the {} largest of the database", tables::MOST_TABLES),
                    "a database with fewer tables",
                );
            }
            self.tables = Some(reading);
        }
        Ok(())
    }

    fn begin_objects(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        if self.ask(session, INDEXES, &indexes::prepare())?.is_some()
            && let Some(rows) = self.ask(session, INDEXES, indexes::READ)?
        {
            self.indexes = Some(indexes::Reading::of(&rows));
        }
        if self.ask(session, SEQUENCES, &sequences::prepare())?.is_some()
            && let Some(rows) = self.ask(session, SEQUENCES, sequences::READ)?
        {
            self.sequences = Some(sequences::Reading::of(&rows));
        }
        Ok(())
    }

    fn begin_sampled(&mut self, session: &mut SamplingSession, ids: bool) -> Result<(), WireError> {
        let prepared = self.ask(session, SAMPLED, &sampled::prepare(ids))?.is_some();
        let named = self.ask(session, SAMPLED, sampled::PREPARE_NAMES)?.is_some();
        let texts = !ids || self.ask(session, SAMPLED, sampled::PREPARE_TEXTS)?.is_some();
        self.asks_whose = prepared && named && texts;
        Ok(())
    }

    /// Whether the question about states is to be asked with whose they are.
    pub(super) fn asks_whose(&self) -> bool {
        self.asks_whose && self.sampled.is_due()
    }

    /// Asks for names and texts that aren't known yet, where it is time to.
    ///
    /// # Errors
    /// The connection broke.
    pub(super) fn ask_names(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        if !self.asks_whose || !self.pace.is_due() {
            return Ok(());
        }
        let (before_ns, before_lines) = (session.worked_ns(), session.log_lines());
        if let Some(question) = self.sampled.names_question()
            && let Ok(rows) = session.ask_aside(&question)?
        {
            self.sampled.take_names(&rows);
        }
        if let Some(question) = self.sampled.texts_question()
            && let Ok(rows) = session.ask_aside(&question)?
        {
            self.sampled.take_texts(&rows);
        }
        self.pace.asked(session.worked_ns() - before_ns, session.log_lines() - before_lines);
        Ok(())
    }

    fn begin_statements(
        &mut self,
        session: &mut SamplingSession,
        about: &Row,
    ) -> Result<(), WireError> {
        let oid = |column: usize| text(about, column)?.parse::<u32>().ok();
        self.found.database = text(about, 0).map(one_line).unwrap_or_default();
        self.own = oid(2).zip(oid(1));
        self.switches.planning = text(about, 3) == Some("on");
        if !self.scope.sees_others {
            let grant = self.scope.grant.clone();
            self.miss(STATEMENTS, &grant);
            return Ok(());
        }
        let Some(rows) = self.ask(session, STATEMENTS, statements::FIND)? else { return Ok(()) };
        let extension = match Extension::find(&rows) {
            Search::Here(extension) => extension,
            Search::NotHere => {
                let needs = format!(
                    "CREATE EXTENSION pg_stat_statements in database {}, and {PRELOADED}",
                    self.found.database
                );
                self.miss(STATEMENTS, &needs);
                return Ok(());
            }
            Search::NotAllowed => {
                self.miss(STATEMENTS, "EXECUTE on its functions, and USAGE on their schema");
                return Ok(());
            }
        };
        if !extension.knows_outermost() && text(about, 4) == Some("all") {
            self.miss(
                "times of statements without those of the functions that they call",
                "pg_stat_statements.track = top, or its version 1.9 (PostgreSQL 14)",
            );
        }
        if self.ask(session, STATEMENTS, &extension.prepare())?.is_none() {
            return Ok(());
        }
        let reading = self.statements(session, &extension, true)?;
        self.statements = reading.map(|reading| (extension, reading));
        Ok(())
    }

    /// A reading of all statements: at the `first` after what stands beside it, at the last before it.
    fn statements(
        &mut self,
        session: &mut SamplingSession,
        extension: &Extension,
        first: bool,
    ) -> Result<Option<statements::Reading>, WireError> {
        let info = extension.told.then(|| extension.info());
        let info = |probes: &mut ConsumerProbes, session: &mut SamplingSession| match &info {
            Some(info) => probes.ask(session, STATEMENTS, info),
            None => Ok(Some(Vec::new())),
        };
        let before = if first { info(self, session)? } else { Some(Vec::new()) };
        if before.is_none() {
            return Ok(None);
        }
        let Some(rows) = self.ask(session, STATEMENTS, statements::READ)? else { return Ok(None) };
        let beside = if first { before } else { info(self, session)? }.unwrap_or_default();
        let reading = statements::Reading::of(&rows, &beside);
        if reading.is_none() {
            self.miss(
                STATEMENTS,
                "a lower pg_stat_statements.max: it has more entries than are read",
            );
        }
        Ok(reading)
    }

    /// Reads everything once more, and what is asked once; what the server doesn't answer stays absent.
    pub(super) fn end(&mut self, session: &mut SamplingSession) {
        // A connection that broke leaves what was found by then.
        let _ = self.end_all(session);
    }

    fn end_all(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        let candidates = self.end_statements(session)?;
        self.end_reserves(session)?;
        let written = self.end_tables(session)?;
        self.end_indexes(session, &written)?;
        self.end_sequences(session)?;
        self.end_plans(session, &candidates)
    }

    /// With the statements that are worth a plan.
    fn end_statements(
        &mut self,
        session: &mut SamplingSession,
    ) -> Result<Vec<Candidate>, WireError> {
        let none = Vec::new();
        let Some((extension, before)) = self.statements.take() else { return Ok(none) };
        let Some(now) = self.statements(session, &extension, false)? else { return Ok(none) };
        let counted = now.since(&before);
        let question = counted.texts(&extension, &self.sampled.without_text(), self.own);
        let rows = self.ask(session, TEXTS, &question)?.unwrap_or_default();
        let (statistics, texts) = counted.with_texts(&rows, self.switches);
        texts.into_iter().for_each(|(id, shape)| self.sampled.know_text(id, shape));
        let candidates = plans::candidates(&self.found.database, &statistics, &rows);
        self.found.statements = Some(statistics);
        Ok(candidates)
    }

    fn end_reserves(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        for (kind, question) in horizon::QUESTIONS {
            if self.scope.sees_others
                || ![HorizonKind::Session, HorizonKind::Standby].contains(&kind)
            {
                let rows = self.ask(session, HORIZON, question)?.unwrap_or_default();
                self.found.horizon.extend(horizon::holders(kind, &rows, self.scope.texts));
            }
        }
        self.found.horizon.sort_by(|a, b| b.transactions.total_cmp(&a.transactions));
        let oldest = self.ask(session, RESERVES, reserves::OLDEST_DATABASE)?;
        let slots = match self.scope.recovering {
            true => None,
            false => self.ask(session, RESERVES, reserves::UNREAD_SLOTS)?,
        };
        let archiver = self.ask(session, RESERVES, reserves::ARCHIVER)?;
        // Nobody lacks it: it only says more of a file system that is full.
        let may = session.ask_aside(reserves::MAY_LIST_WAL)?.is_ok_and(|rows| !rows.is_empty());
        let wal = if may { session.ask_aside(reserves::WAL_FILES)?.ok() } else { None };
        let all = [oldest, slots, archiver, wal];
        if all.iter().any(Option::is_some) {
            let [oldest, slots, archiver, wal] = all.map(Option::unwrap_or_default);
            self.found.reserves = Some(reserves::reserves(&oldest, &slots, &archiver, &wal));
        }
        Ok(())
    }

    /// With the tables that were written.
    fn end_tables(&mut self, session: &mut SamplingSession) -> Result<BTreeSet<u32>, WireError> {
        let none = BTreeSet::new();
        let Some(before) = self.tables.take() else { return Ok(none) };
        let Some(rows) = self.ask(session, TABLES, tables::READ)? else { return Ok(none) };
        let changes = tables::Reading::of(&rows).since(&before);
        let gone = changes.rows_gone();
        let mut of_keys = BTreeSet::new();
        if let Some(question) = unindexed_keys::question(&gone)
            && let Some(rows) = self.ask(session, KEYS, &question)?
        {
            (self.found.unindexed_keys, of_keys) = unindexed_keys::keys(&rows, &gone);
        }
        if let Some(question) = changes.details(&of_keys)
            && let Some(rows) = self.ask(session, TABLES, &question)?
        {
            self.found.tables = changes.tables(&rows);
        }
        Ok(changes.written())
    }

    fn end_indexes(
        &mut self,
        session: &mut SamplingSession,
        written: &BTreeSet<u32>,
    ) -> Result<(), WireError> {
        let Some(before) = self.indexes.take() else { return Ok(()) };
        let Some(rows) = self.ask(session, INDEXES, indexes::READ)? else { return Ok(()) };
        let changes = indexes::Reading::of(&rows).since(&before);
        self.found.all_indexes = Some(changes.sums());
        if let Some(rows) = self.ask(session, INDEXES, &changes.details(written))? {
            self.found.indexes = changes.indexes(&rows);
        }
        Ok(())
    }

    fn end_sequences(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        let Some(before) = self.sequences.take() else { return Ok(()) };
        let Some(rows) = self.ask(session, SEQUENCES, sequences::READ)? else { return Ok(()) };
        let now = sequences::Reading::of(&rows);
        if now.hidden > 0 {
            self.miss(
                SEQUENCES,
                "SELECT on the sequences, or GRANT pg_read_all_data (PostgreSQL 14)",
            );
        }
        if now.is_cut() {
            let beyond = format!("{SEQUENCES}, beyond {} of them", sequences::MOST_SEQUENCES);
            self.miss(&beyond, "a database with fewer sequences");
        }
        if let Some(question) = now.details()
            && let Some(rows) = self.ask(session, SEQUENCES, &question)?
        {
            self.found.sequences = now.sequences(&before, &rows);
        }
        Ok(())
    }

    fn end_plans(
        &mut self,
        session: &mut SamplingSession,
        candidates: &[Candidate],
    ) -> Result<(), WireError> {
        if candidates.is_empty() || !self.scope.explains {
            return Ok(());
        }
        let Some(rows) = self.ask(session, PLANS, plans::HAZARDS)? else { return Ok(()) };
        let indexes = self.found.indexes.clone();
        let mut planner = Planner::new(session, Hazards::of(&rows), &indexes)?;
        for candidate in candidates {
            match planner.plan(candidate)? {
                Ok(plan) => self.found.plans.push(plan),
                Err(needs) => self.miss(PLANS, &needs),
            }
        }
        Ok(())
    }

    /// What was found, and what is missing.
    pub(super) fn found(
        &self,
        queue: Option<&LockQueueProbe>,
        windows_apart: bool,
    ) -> (Consumers, &[Unknown]) {
        let lock_queue = queue.map_or(Vec::new(), |queue| queue.longest.sessions().to_vec());
        let lock_queue_age_ns = queue.and_then(|queue| queue.longest.age_ns(now_ns()));
        let sampled = self.sampled.found(windows_apart);
        (Consumers { lock_queue, lock_queue_age_ns, sampled, ..self.found.clone() }, &self.missing)
    }

    /// Asks; without an answer, says what is missing for the want of it.
    fn ask(
        &mut self,
        session: &mut SamplingSession,
        what: &str,
        sql: &str,
    ) -> Result<Option<Vec<Row>>, WireError> {
        if self.busy {
            return Ok(None);
        }
        let without = match session.ask_aside(sql)? {
            Ok(rows) => return Ok(Some(rows)),
            Err(without) => without,
        };
        match without {
            NoAnswer::Late => {
                self.busy = true;
                self.miss(
                    &format!("{what}, and what was to be asked after it"),
                    "a server that answers within 5 s",
                );
            }
            // The library isn't loaded (`ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE`).
            NoAnswer::Refused(code) if code == "55000" && what == STATEMENTS => {
                self.miss(what, &format!("{PRELOADED}, which takes a restart"));
            }
            NoAnswer::Refused(code) if code == "42501" => {
                let grant = self.scope.grant.clone();
                self.miss(what, &grant);
            }
            NoAnswer::Refused(code) => {
                self.miss(what, &format!("a server that doesn't refuse it (SQLSTATE {code})"));
            }
        }
        Ok(None)
    }

    /// Says it once.
    fn miss(&mut self, what: &str, needs: &str) {
        let unknown = Unknown { what: what.to_string(), needs: one_line(needs) };
        if !self.missing.contains(&unknown) {
            self.missing.push(unknown);
        }
    }
}

const PRELOADED: &str = "pg_stat_statements in shared_preload_libraries";

/// A cell that isn't NULL.
fn text(row: &Row, column: usize) -> Option<&str> {
    row.get(column)?.as_deref()
}

/// A number of a row; NULL, and what is none, is absent.
fn number(row: &Row, column: usize) -> Option<f64> {
    text(row, column)?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Numbers of objects, as an array of the server's has them.
fn oids(oids: BTreeSet<u32>) -> String {
    oids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}
