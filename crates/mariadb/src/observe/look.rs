//! The look itself: counters at the edges of six windows, sessions in between, statements and tables at both ends.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use narrows_engine::{Phase, Progress, Rng, Stop};
use narrows_model::{
    Consumers, Layer, MariaDbUse, Observation, ObservedSessions, QueuedSession, Unknown,
};

use super::counters::Counted;
use super::digests::{self, Digests};
use super::figures::{cost, counted, horizon, measurement, most_behind_one};
use super::host::{ProcessMoment, ServerProcess};
use super::lock_queue::{self, Locks};
use super::normalise::key;
use super::sampled::Sampled;
use super::sessions::{self, Asking, Session};
use super::tables::Tables;
use super::{MEASUREMENT, Monitor, ObservedMariaDb};
use crate::error::MariaError;

/// Windows of a look.
const WINDOWS: u32 = 6;
/// Between two samples, mean.
const EVERY: Duration = Duration::from_millis(200);
/// The next sample waits for so many times as long as the last one took.
const REST: u32 = 50;
/// But not longer than this, unless it took long: on a machine that is full an answer waits for a CPU and costs little.
const LONGEST_REST: Duration = Duration::from_millis(500);
const TOOK_LONG: Duration = Duration::from_millis(20);
/// Between two questions about locks, at least.
const LOCKS_EVERY: Duration = Duration::from_secs(1);
/// Answers in a row that may be missing.
const MOST_UNANSWERED: u32 = 3;

/// What was gathered so far.
pub(super) struct LookState {
    began: Instant,
    pub(super) sampled: Sampled,
    edges: Vec<(f64, Counted)>,
    /// The server's process and what it had taken at the first edge and at the last.
    process: Option<(ServerProcess, ProcessMoment, ProcessMoment)>,
    queue: Vec<QueuedSession>,
    most_behind: usize,
    queue_seen: Option<(Instant, BTreeSet<u32>)>,
    last: Vec<Session>,
    pub(super) statements: u64,
    pub(super) waited: Duration,
    pub(super) unanswered: u64,
    silent: u32,
}

impl Monitor {
    /// Looks for that long, a minute at most and six windows of it. Ends early, with what was seen, when `stop` is set or the server
    /// leaves several questions in a row unanswered. `so_far` is told what is known after each window, and ends the look by `true`. `seed`
    /// is that of the times between questions.
    ///
    /// # Errors
    /// It came to that before anything was seen.
    pub fn observe(
        mut self,
        length: Duration,
        seed: u64,
        stop: &Stop,
        progress: &dyn Progress,
        so_far: &mut dyn FnMut(ObservedMariaDb) -> bool,
    ) -> Result<ObservedMariaDb, MariaError> {
        let length = length.min(super::LONGEST);
        self.session.heed(Some(stop));
        let digests = match self.sight.digests {
            true => Some((Digests::read(&mut self.session)?, Tables::read(&mut self.session)?)),
            false => None,
        };
        let first = Counted::read(&mut self.session)?;
        let process = ServerProcess::find(&self.session);
        let process = process.and_then(|of| Some((of, of.taken()?))).map(|(of, at)| (of, at, at));
        let mut look = LookState {
            began: Instant::now(),
            sampled: Sampled::default(),
            edges: vec![(0.0, first)],
            process,
            queue: Vec::new(),
            most_behind: 0,
            queue_seen: None,
            last: Vec::new(),
            statements: 0,
            waited: Duration::ZERO,
            unanswered: 0,
            silent: 0,
        };
        let mut rng = Rng::new(seed ^ 0x3a_71a);
        let mut cut_short = None;
        for window in 1..=WINDOWS {
            let detail = format!("{}, window {window} of {WINDOWS}", self.version);
            progress.phase(Layer::Database, Phase::Measure, &detail);
            look.sampled.next_window();
            let end = look.began + length * window / WINDOWS;
            let outcome = self.window(&mut look, end, stop, &mut rng);
            if let Err(error) = outcome {
                cut_short = Some(error);
                break;
            }
            if stop.is_set() || window == WINDOWS {
                break;
            }
            let none = Ended::default();
            if so_far(self.observed(&look, &none)) {
                break;
            }
        }
        if look.edges.len() < 2 {
            return Err(cut_short.unwrap_or(MariaError::Unexpected("nothing in time")));
        }
        let mut ended = Ended::default();
        if cut_short.is_none() && !stop.is_set() {
            self.end(&mut look, digests.as_ref(), &mut ended)?;
        }
        ended.cut_short = cut_short.filter(|_| !stop.is_set()).map(|error| error.to_string());
        Ok(self.observed(&look, &ended))
    }

    /// Samples up to the end of a window, and counts there.
    fn window(
        &mut self,
        look: &mut LookState,
        end: Instant,
        stop: &Stop,
        rng: &mut Rng,
    ) -> Result<(), MariaError> {
        let mut locks_at = Instant::now();
        loop {
            let asked = Instant::now();
            match self.sample(look, &mut locks_at) {
                Ok(()) => look.silent = 0,
                Err(MariaError::Refused { .. }) if look.silent + 1 < MOST_UNANSWERED => {
                    look.silent += 1;
                    look.unanswered += 1;
                }
                Err(error) => return Err(error),
            }
            let took = asked.elapsed();
            look.waited += took;
            let rest = EVERY.mul_f64(0.5 + rng.unit_f64()).max(rest_after(took));
            let next = (Instant::now() + rest).min(end);
            while Instant::now() < next && !stop.is_set() {
                let left = next.saturating_duration_since(Instant::now());
                std::thread::sleep(left.min(Duration::from_millis(50)));
            }
            if Instant::now() >= end || stop.is_set() {
                break;
            }
        }
        let counted = Counted::read(&mut self.session)?;
        look.statements += 2;
        look.edges.push((look.began.elapsed().as_nanos() as f64, counted));
        // Who is gone has no account of this window, and so none of the whole.
        look.process = look.process.and_then(|(of, first, _)| Some((of, first, of.taken()?)));
        Ok(())
    }

    fn sample(&mut self, look: &mut LookState, locks_at: &mut Instant) -> Result<(), MariaError> {
        // Without PROCESS a user sees its own sessions alone, which are nobody's load, and an unnamed one is refused.
        if !self.sight.process {
            return Ok(());
        }
        let asking = Asking { texts: self.sight.digests };
        let found = sessions::read(&mut self.session, &asking)?;
        look.statements += 2;
        look.sampled.take(look.began.elapsed().as_nanos() as f64, &found);
        let waits = found.iter().any(|s| s.waits_for_row() || s.waits_for_metadata());
        if waits && Instant::now() >= *locks_at {
            *locks_at = Instant::now() + LOCKS_EVERY;
            self.locks(look, &found)?;
        }
        look.last = found;
        Ok(())
    }

    fn locks(&mut self, look: &mut LookState, found: &[Session]) -> Result<(), MariaError> {
        let locks = Locks { rows: self.sight.process, metadata: self.sight.metadata };
        let queue = lock_queue::read(&mut self.session, found, locks)?;
        look.statements += 1;
        let behind = queue.iter().filter(|session| !session.behind.is_empty()).count();
        let heads: BTreeSet<u32> = queue
            .iter()
            .filter(|session| session.behind.is_empty())
            .map(|session| session.pid)
            .collect();
        // Of the same length the newer one, whose ages are those of now.
        if behind > 0 && behind >= look.most_behind {
            look.most_behind = behind;
            look.queue = queue;
            look.queue_seen = Some((Instant::now(), heads));
        } else if behind > 0
            && let Some((seen, known)) = &mut look.queue_seen
            && known.intersection(&heads).next().is_some()
        {
            *seen = Instant::now();
            aged(&mut look.queue, &queue);
        }
        Ok(())
    }

    /// What is asked once, at the end.
    fn end(
        &mut self,
        look: &mut LookState,
        before: Option<&(Digests, Tables)>,
        ended: &mut Ended,
    ) -> Result<(), MariaError> {
        let last = look.last.clone();
        self.locks(look, &last)?;
        if let Some((digests, tables)) = before {
            let ours = own_questions();
            let is_ours = |key: &str| ours.contains(key);
            ended.taken = Some(digests::taken(&mut self.session, digests, &is_ours)?);
            ended.tables = Tables::read(&mut self.session)?.since(tables);
        }
        let settings = super::counters::settings(&mut self.session)?;
        for now in &settings {
            let then = self.settings.iter().find(|then| then.name == now.name);
            if then.is_some_and(|then| then.value != now.value) {
                ended.unknown.push(Unknown {
                    what: format!("figures before {} was changed", now.name),
                    needs: "an observation in which no setting changes".to_string(),
                });
            }
        }
        Ok(())
    }

    fn observed(&self, look: &LookState, ended: &Ended) -> ObservedMariaDb {
        let interval_ns = look.edges.last().map_or(0.0, |(at, _)| *at);
        let (first, last) = (&look.edges[0].1, &look.edges[look.edges.len() - 1].1);
        let grown = last.since(first);
        let sampled = look.sampled.samples() > 0;
        let activity = look.sampled.activity();
        let no_digests = BTreeMap::new();
        let keys = ended.taken.as_ref().map_or(&no_digests, |taken| &taken.keys);
        let mut unknown = self.unknown();
        unknown.extend(ended.unknown.iter().cloned());
        if last.restarted_since(first) {
            unknown.push(Unknown {
                what: Observation::COUNTERS_RESET.to_string(),
                needs: "an observation without a restart".to_string(),
            });
        }
        let mut highest: BTreeMap<String, f64> = BTreeMap::new();
        for (name, level) in look.edges.iter().flat_map(|(_, counted)| counted.levels()) {
            let most = highest.entry(name).or_insert(level);
            *most = most.max(level);
        }
        let mariadb = MariaDbUse {
            performance_schema: self.sight.digests,
            grown: grown.clone(),
            level: last.levels(),
            highest,
            statements: ended.taken.as_ref().map_or(Vec::new(), |taken| taken.beyond.clone()),
            metadata_locks_known: self.sight.metadata,
            process: look
                .process
                .as_ref()
                .and_then(|(of, first, last)| of.use_of(first, last, interval_ns)),
        };
        let consumers = Consumers {
            database: String::new(),
            statements: ended.taken.as_ref().map(|taken| taken.statistics.clone()),
            sampled: sampled.then(|| look.sampled.consumers(keys)),
            tables: ended.tables.clone(),
            lock_queue: look.queue.clone(),
            lock_queue_age_ns: look
                .queue_seen
                .as_ref()
                .map(|(seen, _)| look.began.elapsed().as_nanos() as f64 - since(look, *seen)),
            horizon: horizon(&look.last),
            mariadb: Some(mariadb),
            ..Consumers::default()
        };
        let observation = Observation {
            measurement: MEASUREMENT.to_string(),
            address: self.address.to_string(),
            version: self.version.clone(),
            interval_ns,
            load_change: None,
            windows: (look.edges.len() - 1).max(1) as u32,
            counted: counted(&grown),
            activity,
            sessions: self.sessions(look, last, &consumers),
            consumers: Some(consumers),
            processes: None,
            settings: self.settings.clone(),
            build: Vec::new(),
            capacities_from: Vec::new(),
            report: None,
            cost: cost(look, interval_ns),
            unknown,
        };
        let measurement = measurement(&observation, look);
        ObservedMariaDb { observation, measurement, cut_short: ended.cut_short.clone() }
    }

    fn sessions(
        &self,
        look: &LookState,
        last: &Counted,
        consumers: &Consumers,
    ) -> ObservedSessions {
        let (open, most_open, most_at_work) = match look.sampled.open() {
            Some((open, most_open, at_work)) => (Some(open), Some(most_open), Some(at_work)),
            // Ours is one of them.
            None => (last.levels().get("Threads_connected").map(|n| n - 1.0), None, None),
        };
        let allowed = self.settings.iter().find(|set| set.name == "max_connections");
        let oldest = look.last.iter().filter_map(|session| session.transaction);
        let oldest = oldest.map(|of| of.age_s * 1e9).reduce(f64::max);
        ObservedSessions {
            open,
            most_open,
            most_at_work,
            allowed: allowed.and_then(|set| set.value.parse().ok()),
            oldest_transaction_ns: oldest.filter(|ns| *ns > 0.0),
            longest_idle_in_transaction_ns: look.sampled.longest_idle_ns(),
            most_behind_one: most_behind_one(&consumers.lock_queue),
            ..ObservedSessions::default()
        }
    }
}

/// How long the server is left alone after an answer that took so long.
fn rest_after(took: Duration) -> Duration {
    let rest = took * REST;
    if took < TOOK_LONG { rest.min(LONGEST_REST) } else { rest }
}

/// What is known at the end alone.
#[derive(Debug, Default)]
struct Ended {
    taken: Option<digests::StatementsTaken>,
    tables: Vec<narrows_model::TableUse>,
    unknown: Vec<Unknown>,
    cut_short: Option<String>,
}

/// When that was, ns from the beginning.
fn since(look: &LookState, at: Instant) -> f64 {
    at.saturating_duration_since(look.began).as_nanos() as f64
}

/// Keys of all that we ask again and again.
fn own_questions() -> BTreeSet<String> {
    let fixed = [
        "SHOW PROCESSLIST",
        "SHOW GLOBAL STATUS WHERE variable_name IN ('a', 'b')",
        "SHOW SESSION STATUS WHERE variable_name IN ('a', 'b')",
        sessions::TRANSACTIONS,
        sessions::TEXTS,
        lock_queue::ROW_WAITS,
        lock_queue::HOLDERS,
    ];
    let fixed = fixed.iter().map(|sql| (*sql).to_string());
    let built = digests::questions()
        .into_iter()
        .chain([super::tables::question(), super::counters::variables()]);
    fixed.chain(built).map(|sql| key(&sql)).collect()
}

/// The queue at its longest, with the ages that its sessions have now.
fn aged(kept: &mut [QueuedSession], now: &[QueuedSession]) {
    for session in kept {
        if let Some(now) =
            now.iter().find(|now| now.pid == session.pid && now.state == session.state)
        {
            session.state_age_ns = now.state_age_ns;
            session.transaction_age_ns = now.transaction_age_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expensive_answer_is_asked_for_seldom() {
        let rest = |ms: u64| rest_after(Duration::from_millis(ms)).as_millis();
        assert_eq!((rest(1), rest(4), rest(15)), (50, 200, 500));
        assert_eq!((rest(20), rest(100)), (1000, 5000));
    }

    #[test]
    fn our_own_questions_are_known_by_the_servers_digests_of_them() {
        let ours = own_questions();
        for digest in [
            "SHOW PROCESSLIST ",
            "SHOW GLOBAL STATUS WHERE `variable_name` IN (...) ",
            "SELECT `trx_mysql_thread_id` , `trx_state` , TIMESTAMPDIFF ( SQL_TSI_SECOND , `trx_started` , NOW ( ) ) , \
             TIMESTAMPDIFF ( SQL_TSI_SECOND , `trx_wait_started` , NOW ( ) ) , `trx_rows_locked` , `trx_rows_modified` FROM \
             `information_schema` . `INNODB_TRX` WHERE `trx_mysql_thread_id` != ? ORDER BY `trx_started` LIMIT ? ",
            "SELECT `PROCESSLIST_ID` , LEFT ( `PROCESSLIST_INFO` , ? ) FROM `performance_schema` . `threads` WHERE \
             `PROCESSLIST_INFO` IS NOT NULL AND `PROCESSLIST_ID` != `CONNECTION_ID` ( ) LIMIT ? ",
        ] {
            assert!(ours.contains(&key(digest)), "{digest}");
        }
        assert!(!ours.contains(&key("SELECT a FROM t")));
    }
}
