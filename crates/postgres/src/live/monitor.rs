//! A server whose log can be monitored, from the first question to what the run keeps of it.

use std::path::Path;
use std::time::Duration;

use narrows_engine::{LiveValue, Progress, Stop, now_ns};
use narrows_model::{Layer, LiveCounts, LiveLog, LiveWaits, LockHolders, Measurement, condition};

use super::cpus::{self, CpuAccount};
use super::server::{self, Missing};
use super::waits::{self, Whose};
use super::{figures, standby};
use crate::address::Address;
use crate::monitor::catalog::{self, Catalog};
use crate::monitor::counters::Statement;
use crate::monitor::error::MonitorError;
use crate::monitor::lock_queue;
use crate::monitor::pace::Pace;
use crate::monitor::poll_loop::{self, Plan, PollLoop};
use crate::monitor::samples::{self, Sampled};
use crate::monitor::server::{Rights, Server};
use crate::monitor::session::SamplingSession;
use crate::monitor::sources::Count;
use crate::observe::Around;
use crate::observe::host::Here;
use crate::observe::sampling::MachineReading;
use crate::wire::WireError;

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The server's log, not judged yet.
    pub log: LiveLog,
    /// Its figures by windows.
    pub measurement: Measurement,
    /// Why the look ended before its time, if it did without being asked to.
    pub cut_short: Option<String>,
}

/// A server whose log can be monitored.
pub struct Monitor {
    address: Address,
    session: SamplingSession,
    server: Server,
    here: Here,
}

impl Monitor {
    /// Connects and asks what server it is.
    ///
    /// # Errors
    /// It can't be reached, is a standby or too old.
    pub fn open(address: &Address) -> Result<Monitor, MonitorError> {
        let mut session = SamplingSession::open(address).map_err(MonitorError::connecting)?;
        standby::refuse(&mut session)?;
        let server = Server::ask(&mut session)?;
        // What its log and its sessions do is seen without it, also where a role may not ask where it runs.
        let here = Here::find(&mut session, &mut Vec::new()).unwrap_or_default();
        Ok(Monitor { address: address.clone(), session, server, here })
    }

    /// The server's main process, where it runs on this machine and can be seen.
    pub fn postmaster(&self) -> Option<u32> {
        self.here.postmaster()
    }

    /// Its version, in its own words.
    pub fn version(&self) -> &str {
        &self.server.version
    }

    /// What its user may see.
    pub fn rights(&self) -> Rights {
        self.server.rights()
    }

    /// The folders of its data and of its log, where there are paths to them from here.
    pub fn folders(&self) -> [Option<&Path>; 2] {
        [self.here.data_dir(), self.here.wal_dir()]
    }

    /// Looks for that long; ends early, with what was seen, when `stop` is set, the server went away, or left several
    /// questions in a row unanswered. `seed` is that of the times between questions; `around` is the machine around the server,
    /// where that is this one.
    ///
    /// # Errors
    /// It came to that before anything was seen.
    pub fn observe(
        self,
        length: Duration,
        seed: u64,
        around: Around,
        stop: &Stop,
        progress: &dyn Progress,
    ) -> Result<Observed, MonitorError> {
        let Monitor { address, mut session, server, here } = self;
        session.heed(stop);
        let catalog = Catalog::from_rows(&session.query(catalog::SQL)?);
        let settings = server::settings(&mut session)?;
        let synchronous_commit_of = server::synchronous_commit_of(&mut session)?;
        let value = |name: &str| settings.iter().find(|s| s.name == name).map(|s| s.value.as_str());
        let on = |name: &str| value(name).map(|value| value == "on");
        let statement = Statement::new(&catalog, figures::is_asked, |name| on(name) == Some(true));
        session.query(samples::ROOM)?;
        session.query(samples::PREPARE)?;
        if server.sees_others {
            session.query(lock_queue::PREPARE)?;
        }
        let plan = Plan::new(length, seed);
        let sampler = Sampler {
            sees_others: server.sees_others,
            sampled: Sampled::default(),
            holders: None,
            pace: Pace::default(),
            cpus: CpuAccount::begin(&mut session, here.process, value("io_method"), around),
        };
        let mut poll = PollLoop::begin(session, statement, sampler, plan)?;
        let cut_short =
            poll.run(Layer::Log, &address.to_string(), stop, progress, &mut |_| false)?;
        let edges = &poll.edges;
        let interval_ns = (edges[edges.len() - 1].at_ns - edges[0].at_ns) as f64;
        let cost = poll.cost(interval_ns, poll.sampler.sampled.samples());
        let PollLoop { edges, mut session, sampler, .. } = poll;
        let Sampler { sampled, holders, cpus, .. } = sampler;

        let timed = on("track_wal_io_timing");
        let mut counted = between(&edges[0], &edges[edges.len() - 1]);
        let long = plan.cuts_counters();
        let each = || edges.windows(2).map(|two| between(&two[0], &two[1]));
        let cut = if long { each().collect() } else { vec![counted.clone()] };
        // States leave out windows in which nothing was answered, and so do the figures beside them.
        let seen = |index: usize| sampled.windows[index].samples > 0;
        let whole = |index: usize| !long || !server.sees_others || seen(index);
        let cut: Vec<LiveCounts> = cut
            .into_iter()
            .enumerate()
            .filter(|(index, _)| whole(*index))
            .map(|(_, c)| c)
            .collect();
        counted.windows = cut.len() as u32;
        let cpus = cpus.and_then(|cpus| {
            let asked = server.sees_others && cut_short.is_none();
            let sessions =
                asked.then(|| cpus::sessions_that_took_part(&mut session, interval_ns)).flatten();
            cpus.end(&edges, plan.windows_apart(), sessions)
        });
        // Who follows is worth knowing, and no reason to lose the rest.
        let (standbys, unasked) = match standby::followers(&mut session, &catalog) {
            Ok(standbys) => (standbys, false),
            Err(_) => (Vec::new(), true),
        };
        let missing = Missing {
            server: &server,
            flushes: counted.flushes.is_some(),
            written_bytes: counted.written_bytes.is_some(),
            timed,
            activities: on("track_activities") != Some(false),
            standbys_hidden: standbys.iter().any(|standby| standby.state.is_none()),
            standbys_unasked: unasked,
            cut_short: cut_short.is_some(),
        };
        let log = LiveLog {
            measurement: super::MEASUREMENT.to_string(),
            address: address.to_string(),
            version: server.version.clone(),
            waits: LiveWaits { holders, ..waits::waits(&sampled, plan.windows_apart()) },
            unknown: missing.list(),
            verdict: None,
            cpus,
            counted,
            settings,
            synchronous_commit_of,
            standbys,
            cost,
        };
        let cut_short = cut_short.map(|error| MonitorError::silent(error).to_string());
        let mut measurement = figures::measurement(&log, &cut);
        measurement.conditions.insert(condition::ENCRYPTION, session.encryption());
        Ok(Observed { measurement, log, cut_short })
    }
}

/// What sessions wait for at the log; without the right to see it nothing is asked.
struct Sampler {
    sees_others: bool,
    sampled: Sampled<Whose>,
    /// What those did who held locks that others waited for.
    holders: Option<LockHolders>,
    pace: Pace,
    /// Of its processes, where they run here.
    cpus: Option<CpuAccount>,
}

impl Sampler {
    /// Asks who holds the lock of the longest queue, where somebody waits for one and it is time to.
    fn ask_holder(&mut self, session: &mut SamplingSession) -> Result<(), WireError> {
        let (before_ns, before_lines) = (session.worked_ns(), session.log_lines());
        if let Some(rows) = session.ask(lock_queue::SQL)?
            && let Some(holder) = lock_queue::holder(&rows)
        {
            lock_queue::count(self.holders.get_or_insert_default(), &holder);
        }
        self.pace.asked(session.worked_ns() - before_ns, session.log_lines() - before_lines);
        Ok(())
    }
}

impl poll_loop::Sampler for Sampler {
    type MachineReading = Option<MachineReading>;

    fn next_window(&mut self, _: u64) {
        self.sampled.next_window(now_ns());
    }

    fn end_window(&mut self, _: u64) {
        self.sampled.end_window(now_ns());
    }

    fn drop_window(&mut self) {
        self.sampled.drop_window();
    }

    fn ask(&mut self, session: &mut SamplingSession, _: u64) -> Result<bool, WireError> {
        if !self.sees_others {
            return Ok(false);
        }
        let answer = session.ask(samples::SQL)?;
        if let Some(rows) = &answer {
            waits::take(&mut self.sampled, now_ns(), rows);
            if waits::queue_for_locks(rows) && self.pace.is_due() {
                self.ask_holder(session)?;
            }
        }
        Ok(answer.is_some())
    }

    fn so_far(&self, edges: &[Edge]) -> Option<String> {
        let [first, .., last] = edges else { return None };
        let counts = between(first, last);
        let seconds = (last.at_ns - first.at_ns) as f64 / 1e9;
        Some(format!("{} so far", LiveValue::Commits(counts.commits? / seconds)))
    }

    fn beside(&mut self) -> Option<MachineReading> {
        self.cpus.as_mut().map(CpuAccount::read)
    }
}

type Edge = poll_loop::Edge<Option<MachineReading>>;

/// What was counted between two edges, less what we did ourselves.
fn between(from: &Edge, to: &Edge) -> LiveCounts {
    let mut changed = to.reading.since(&from.reading);
    changed.less(Count::Commits, (to.statements - from.statements) as f64);
    LiveCounts {
        unseen_ns: Some((to.unanswered_ns - from.unanswered_ns) as f64),
        ..figures::counts(&changed, (to.at_ns - from.at_ns) as f64)
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::Silent;
    use narrows_model::LiveWaitKind;

    use super::*;
    use crate::monitor::fake::Reply;
    use crate::monitor::fake::server::{BEHIND_THE_LOG, FakeServerTraits, MonitorStatement, serve};

    /// Monitors a server whose sessions wait for the log, for a moment.
    fn look(
        instead: impl FnMut(MonitorStatement) -> Option<Reply> + Send + 'static,
    ) -> Result<Observed, MonitorError> {
        let (address, served) = serve(
            FakeServerTraits { states: BEHIND_THE_LOG, ..FakeServerTraits::default() },
            instead,
        );
        let looked = Monitor::open(&address).unwrap().observe(
            Duration::from_millis(600),
            7,
            Around::default(),
            &Stop::new(),
            &Silent,
        );
        served.join().unwrap();
        looked
    }

    #[test]
    fn a_question_without_an_answer_costs_that_question() {
        let codes = ["57014", "55P03", "40001", "40P01"];
        let mut asked = 0;
        let seen = look(move |what| {
            asked += u32::from(what != MonitorStatement::Once);
            (asked % 3 == 2).then(|| Reply::Refuse(codes[asked as usize % 4]))
        })
        .unwrap();
        assert_eq!(seen.cut_short, None);
        let log = &seen.log;
        assert!(log.cost.unanswered >= 2 && log.waits.samples >= 3, "{log:#?}");
        assert_eq!(log.waits.of(LiveWaitKind::Behind), Some(2.0));
        assert!(log.counted.writers.unwrap() > 0.0 && log.counted.interval_ns >= 6e8, "{log:#?}");
    }

    #[test]
    fn a_server_that_falls_silent_leaves_what_was_seen() {
        for end in [Reply::Refuse("57014"), Reply::HangUp] {
            let (mut edges, then) = (0, end.clone());
            let seen = look(move |what| {
                if what != MonitorStatement::Once && edges == 3 {
                    return Some(then.clone());
                }
                edges += u32::from(what == MonitorStatement::Counters);
                None
            });
            let seen = seen.unwrap();
            let log = &seen.log;
            let said = seen.cut_short.as_deref().expect("it ended early");
            let (word, failed) = match end {
                Reply::HangUp => ("broke", 1),
                _ => ("57014", 3),
            };
            assert!(said.contains(word) && !said.contains("raise it"), "{said}");
            assert_eq!(log.cost.unanswered, failed, "{log:#?}");
            // The windows before it in which something was asked, and none that was begun.
            let behind = log.waits.sessions.iter().find(|w| w.kind == LiveWaitKind::Behind);
            assert!(behind.is_none_or(|wait| wait.windows.len() <= 2), "{log:#?}");
            assert!(log.counted.writers.unwrap() > 0.0);
            assert!(log.unknown.iter().any(|u| u.what.starts_with("the rest of the observation")));
        }
    }

    #[test]
    fn a_server_silent_from_the_beginning_is_an_error() {
        let silent =
            look(|what| (what != MonitorStatement::Once).then_some(Reply::Refuse("57014")));
        let said = silent.unwrap_err().to_string();
        assert!(said.contains("three queries in a row") && said.contains("hint:"), "{said}");
    }

    #[test]
    fn a_refusal_that_stays_ends_the_look_at_once_with_its_reason() {
        for (code, hint) in [
            ("26000", "connect to the server itself"),
            ("08P01", "connect to the server itself"),
            ("42501", "GRANT pg_monitor"),
            ("42703", "is it PostgreSQL"),
            ("XX000", ""),
        ] {
            let (send, refused) = std::sync::mpsc::channel();
            let seen = look(move |what| {
                if what == MonitorStatement::States {
                    send.send(()).unwrap();
                    return Some(Reply::Refuse(code));
                }
                None
            });
            let said = seen.unwrap_err().to_string();
            assert!(said.contains(code) && said.contains(hint), "{said}");
            assert!(!said.contains("in a row"), "{said}");
            assert_eq!(refused.iter().count(), 1, "{code}");
        }
    }

    #[test]
    fn what_went_unanswered_outside_of_the_windows_kept_hid_nothing_of_them() {
        const LONG: Duration = Duration::from_millis(30);
        let long_ns = LONG.as_nanos() as f64;
        let (mut asked, mut edges) = (0, 0);
        let seen = look(move |what| {
            asked += u32::from(what != MonitorStatement::Once);
            let instead = match asked {
                // Before the first reading, and in a window.
                1 | 4 if what != MonitorStatement::Once => Some(Reply::Refuse("57014")),
                // The window in hand is dropped.
                _ if edges == 4 && what != MonitorStatement::Once => Some(Reply::HangUp),
                _ => None,
            };
            if instead.is_none() {
                edges += u32::from(what == MonitorStatement::Counters);
            } else {
                std::thread::sleep(LONG);
            }
            instead
        });
        let log = seen.unwrap().log;
        let unseen_ns = log.counted.unseen_ns.unwrap();
        assert!(unseen_ns >= long_ns, "{log:#?}");
        assert!(log.cost.unanswered_ns >= unseen_ns + 2.0 * long_ns, "{log:#?}");
        assert_eq!(log.cost.unanswered, 3);
    }
}
