//! The interval: a reading of the counters at each window's edge, and questions in between.

use std::time::Duration;

use narrows_engine::{Phase, Progress, Stop, now_ns};
use narrows_model::{Layer, LiveCounts, LiveLog, Measurement, condition};

use super::counts::{Changed, Count, Reading, Statement};
use super::server::{self, Missing};
use super::{figures, standby, waits};
use crate::address::Address;
use crate::look::catalog::{self, Catalog};
use crate::look::error::LiveError;
use crate::look::server::Server;
use crate::look::watcher::Watcher;
use crate::look::windows::{Pace, SHORTEST_WINDOW, WINDOWS_APART, windows};
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

/// A server that can be looked at.
pub struct Look {
    address: Address,
    watcher: Watcher,
    server: Server,
}

impl Look {
    /// Connects and asks what server it is.
    ///
    /// # Errors
    /// It can't be reached, is a standby or too old.
    pub fn open(address: &Address) -> Result<Look, LiveError> {
        let mut watcher = Watcher::open(address).map_err(LiveError::connecting)?;
        standby::refuse(&mut watcher)?;
        let server = Server::ask(&mut watcher)?;
        Ok(Look { address: address.clone(), watcher, server })
    }

    /// Looks for that long; ends early, with what was seen, when `stop` is set, the server went away, or left several
    /// questions in a row unanswered. `seed` is that of the times between questions.
    ///
    /// # Errors
    /// It came to that before anything was seen.
    pub fn observe(
        self,
        length: Duration,
        seed: u64,
        stop: &Stop,
        progress: &dyn Progress,
    ) -> Result<Observed, LiveError> {
        let Look { address, mut watcher, server } = self;
        watcher.heed(stop);
        let catalog = Catalog::from_rows(&watcher.query(catalog::SQL)?);
        let settings = server::settings(&mut watcher)?;
        let synchronous_commit_of = server::synchronous_commit_of(&mut watcher)?;
        let statement = Statement::new(&catalog);
        watcher.query(waits::PREPARE)?;
        let windows = windows(length);
        let mut asking = Asking {
            edges: vec![Edge::read(&mut watcher, &statement).map_err(LiveError::silent)?],
            watcher,
            statement,
            sees_others: server.sees_others,
            sampled: waits::Sampled::default(),
            pace: Pace::new(seed),
        };
        let told = |window: u32| {
            let detail = format!("{address}, window {window} of {windows}");
            progress.phase(Layer::Log, Phase::Measure, &detail);
        };
        let cut_short = asking.windows(length, windows, stop, &told).err();
        let Asking { edges, mut watcher, sampled, .. } = asking;
        if edges.len() < 2
            && let Some(error) = cut_short
        {
            return Err(LiveError::silent(error));
        }

        let on = |name: &str| settings.iter().find(|s| s.name == name).map(|s| s.value == "on");
        let timed = on("track_wal_io_timing");
        let own = |edges: &[Edge]| counted(edges, timed == Some(true));
        let whole: Vec<Edge> = edges.first().into_iter().chain(edges.last()).cloned().collect();
        let mut counted = own(&whole).pop().unwrap_or_default();
        let long = length / windows >= SHORTEST_WINDOW;
        let cut = if long { own(&edges) } else { vec![counted.clone()] };
        // States leave out windows in which nothing was answered, and so do the figures beside them.
        let seen = sampled.seen();
        let whole = |index: usize| !long || !server.sees_others || seen[index];
        let cut: Vec<LiveCounts> = cut
            .into_iter()
            .enumerate()
            .filter(|(index, _)| whole(*index))
            .map(|(_, c)| c)
            .collect();
        counted.windows = cut.len() as u32;
        let cost = watcher.cost(counted.interval_ns);
        // Who follows is worth knowing, and no reason to lose the rest.
        let (standbys, unasked) = match standby::followers(&mut watcher, &catalog) {
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
            waits: sampled.waits(length / windows >= WINDOWS_APART),
            unknown: missing.list(),
            verdict: None,
            counted,
            settings,
            synchronous_commit_of,
            standbys,
            cost,
        };
        let cut_short = cut_short.map(|error| LiveError::silent(error).to_string());
        let mut measurement = figures::measurement(&log, &cut);
        measurement.conditions.insert(condition::ENCRYPTION.into(), watcher.encryption());
        Ok(Observed { measurement, log, cut_short })
    }
}

/// The look in progress: a window lies between each two neighbouring edges.
struct Asking {
    watcher: Watcher,
    statement: Statement,
    sees_others: bool,
    sampled: waits::Sampled,
    edges: Vec<Edge>,
    pace: Pace,
}

impl Asking {
    /// All windows, told as they begin.
    ///
    /// # Errors
    /// The server no longer answers; the window in hand is forgotten, and those before it stand.
    fn windows(
        &mut self,
        length: Duration,
        windows: u32,
        stop: &Stop,
        told: &dyn Fn(u32),
    ) -> Result<(), WireError> {
        let start_ns = now_ns();
        for window in 1..=windows {
            told(window);
            let end_ns = start_ns + (length * window / windows).as_nanos() as u64;
            self.sampled.next_window();
            if let Err(error) = self.window(end_ns, stop) {
                self.sampled.drop_window();
                return Err(error);
            }
            if stop.is_set() {
                break;
            }
        }
        Ok(())
    }

    fn window(&mut self, end_ns: u64, stop: &Stop) -> Result<(), WireError> {
        self.ask_until(end_ns, stop)?;
        self.edges.push(Edge::read(&mut self.watcher, &self.statement)?);
        Ok(())
    }

    /// Asks what processes do until the window ends; without the right to see it only waits.
    fn ask_until(&mut self, end_ns: u64, stop: &Stop) -> Result<(), WireError> {
        self.pace.again();
        loop {
            let left = Duration::from_nanos(end_ns.saturating_sub(now_ns()));
            let pause = self.pace.pause();
            if stop.sleep(pause.min(left)).is_err() || pause >= left {
                return Ok(());
            }
            if self.sees_others {
                let before_ns = self.watcher.worked_ns();
                if let Some(rows) = self.watcher.ask(waits::SQL)? {
                    self.sampled.take(&rows);
                    let worked = Duration::from_nanos(self.watcher.worked_ns() - before_ns);
                    self.pace.took(worked);
                }
            }
        }
    }
}

/// A reading at a moment, with what we had sent, and asked in vain, by then.
#[derive(Debug, Clone)]
struct Edge {
    at_ns: u64,
    statements: u64,
    unanswered_ns: u64,
    reading: Reading,
}

impl Edge {
    /// Asked again where it stays unanswered.
    fn read(watcher: &mut Watcher, statement: &Statement) -> Result<Edge, WireError> {
        let rows = loop {
            if let Some(rows) = watcher.ask(&statement.sql)? {
                break rows;
            }
        };
        let row = rows.first().ok_or(WireError::Unexpected("no row of its counters"))?;
        Ok(Edge {
            at_ns: now_ns(),
            statements: watcher.statements(),
            unanswered_ns: watcher.unanswered_ns(),
            reading: statement.read(row),
        })
    }
}

/// What was counted between each two neighbouring edges.
fn counted(edges: &[Edge], timed: bool) -> Vec<LiveCounts> {
    let between = |two: &[Edge]| {
        let ours = (two[1].statements - two[0].statements) as f64;
        let changed: Changed = two[1].reading.since(&two[0].reading).less(Count::Commits, ours);
        let changed = if timed { changed } else { changed.without_times() };
        LiveCounts {
            unseen_ns: Some((two[1].unanswered_ns - two[0].unanswered_ns) as f64),
            ..figures::counts(&changed, (two[1].at_ns - two[0].at_ns) as f64)
        }
    };
    edges.windows(2).map(between).collect()
}

#[cfg(test)]
mod tests {
    use narrows_engine::Silent;
    use narrows_model::LiveWaitKind;

    use super::super::fake::{Asked, Mood, serve};
    use super::*;

    /// Looks at a server of that mood for a moment.
    fn look(mood: impl FnMut(Asked) -> Mood + Send + 'static) -> Result<Observed, LiveError> {
        let (address, served) = serve(mood);
        let looked = Look::open(&address).unwrap().observe(
            Duration::from_millis(600),
            7,
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
            asked += u32::from(what != Asked::Once);
            if asked % 3 == 2 { Mood::Refuse(codes[asked as usize % 4]) } else { Mood::Answer }
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
        for end in [Mood::Refuse("57014"), Mood::HangUp] {
            let mut edges = 0;
            let seen = look(move |what| {
                if what != Asked::Once && edges == 3 {
                    return end;
                }
                edges += u32::from(what == Asked::Counters);
                Mood::Answer
            });
            let seen = seen.unwrap();
            let log = &seen.log;
            let said = seen.cut_short.as_deref().expect("it ended early");
            let (word, failed) = match end {
                Mood::HangUp => ("broke", 1),
                _ => ("57014", 3),
            };
            assert!(said.contains(word) && !said.contains("raise it"), "{said}");
            assert_eq!(log.cost.unanswered, failed, "{log:#?}");
            // The windows before it, and none that was begun.
            let behind = log.waits.sessions.iter().find(|w| w.kind == LiveWaitKind::Behind);
            assert_eq!(behind.unwrap().windows.len(), 2, "{log:#?}");
            assert!(log.counted.writers.unwrap() > 0.0);
            assert!(log.unknown.iter().any(|u| u.what.starts_with("the rest of the look")));
        }
    }

    #[test]
    fn a_server_silent_from_the_beginning_is_an_error() {
        let silent =
            look(|what| if what == Asked::Once { Mood::Answer } else { Mood::Refuse("57014") });
        let said = silent.unwrap_err().to_string();
        assert!(said.contains("three questions in a row") && said.contains("hint:"), "{said}");
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
                if what == Asked::States {
                    send.send(()).unwrap();
                    return Mood::Refuse(code);
                }
                Mood::Answer
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
            asked += u32::from(what != Asked::Once);
            let mood = match asked {
                // Before the first reading, and in a window.
                1 | 4 => Mood::Refuse("57014"),
                // The window in hand is dropped.
                _ if edges == 4 && what != Asked::Once => Mood::HangUp,
                _ => Mood::Answer,
            };
            if mood == Mood::Answer {
                edges += u32::from(what == Asked::Counters);
            } else {
                std::thread::sleep(LONG);
            }
            mood
        });
        let log = seen.unwrap().log;
        let unseen_ns = log.counted.unseen_ns.unwrap();
        assert!(unseen_ns >= long_ns, "{log:#?}");
        assert!(log.cost.unanswered_ns >= unseen_ns + 2.0 * long_ns, "{log:#?}");
        assert_eq!(log.cost.unanswered, 3);
    }
}
