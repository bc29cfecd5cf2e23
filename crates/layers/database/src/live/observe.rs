//! The interval: a reading of the counters at each window's edge, and questions in between.

use std::time::Duration;

use narrows_engine::{Phase, Progress, Rng, Stop, now_ns};
use narrows_model::{Layer, LiveCounts, LiveLog, Measurement};

use super::catalog::{self, Catalog};
use super::counts::{Changed, Count, Reading, Statement};
use super::error::LiveError;
use super::server::{self, Missing, Server};
use super::watcher::Watcher;
use super::{figures, standby, waits};
use crate::address::Address;
use crate::wire::WireError;

/// Between two questions, half to one and a half of it: a fixed interval could beat with the load.
const ASK_EVERY: Duration = Duration::from_millis(50);
/// Longer where an answer takes the server long: it works for us for a hundredth of the time at most.
const AT_MOST_OF_TIME: u32 = 100;
/// From so many windows on there are intervals without assumptions.
const WINDOWS: u32 = 6;
/// Sessions report what they counted once a second, so that shorter windows tell nothing of their own.
const SHORTEST_WINDOW: Duration = Duration::from_secs(3);
/// Longer intervals get more windows instead of longer ones.
const LONGEST_WINDOW: Duration = Duration::from_secs(10);
/// But no more than can be kept apart.
const MOST_WINDOWS: u32 = 60;

/// Windows of an interval of that length.
fn windows(length: Duration) -> u32 {
    let by_length = (length.as_secs_f64() / LONGEST_WINDOW.as_secs_f64()).ceil() as u32;
    by_length.clamp(WINDOWS, MOST_WINDOWS)
}

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The server's log, not judged yet.
    pub log: LiveLog,
    /// Its figures by windows.
    pub measurement: Measurement,
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

    /// Looks for that long; ends early, with what was seen, when `stop` is set. `seed` is that of the times between questions.
    ///
    /// # Errors
    /// The server went away meanwhile, or refused a question.
    pub fn observe(
        self,
        length: Duration,
        seed: u64,
        stop: &Stop,
        progress: &dyn Progress,
    ) -> Result<Observed, LiveError> {
        let Look { address, mut watcher, server } = self;
        let catalog = Catalog::from_rows(&watcher.query(catalog::SQL)?);
        let settings = server::settings(&mut watcher)?;
        let synchronous_commit_of = server::synchronous_commit_of(&mut watcher)?;
        let statement = Statement::new(&catalog);
        watcher.query(waits::PREPARE)?;
        let mut sampled = waits::Sampled::default();
        let mut edges = vec![Edge::read(&mut watcher, &statement)?];
        let mut rng = Rng::new(seed);
        let (windows, start_ns) = (windows(length), now_ns());
        for window in 1..=windows {
            let detail = format!("{}, window {window} of {windows}", address);
            progress.phase(Layer::Log, Phase::Measure, &detail);
            let end_ns = start_ns + (length * window / windows).as_nanos() as u64;
            sampled.next_window();
            ask_until(end_ns, &mut watcher, server.sees_others, &mut sampled, &mut rng, stop)?;
            edges.push(Edge::read(&mut watcher, &statement)?);
            if stop.is_set() {
                break;
            }
        }

        let on = |name: &str| settings.iter().find(|s| s.name == name).map(|s| s.value == "on");
        let timed = on("track_wal_io_timing");
        let own = |edges: &[Edge]| counted(edges, timed == Some(true));
        let whole: Vec<Edge> = edges.first().into_iter().chain(edges.last()).cloned().collect();
        let mut counted = own(&whole).pop().unwrap_or_default();
        let long = length / windows >= SHORTEST_WINDOW;
        let cut = if long { own(&edges) } else { vec![counted.clone()] };
        counted.windows = cut.len() as u32;
        let cost = watcher.cost(counted.interval_ns);
        let standbys = standby::followers(&mut watcher, &catalog)?;
        let missing = Missing {
            server: &server,
            flushes: counted.flushes.is_some(),
            written_bytes: counted.written_bytes.is_some(),
            timed,
            activities: on("track_activities") != Some(false),
            standbys_hidden: standbys.iter().any(|standby| standby.state.is_none()),
        };
        let log = LiveLog {
            measurement: super::MEASUREMENT.to_string(),
            address: address.to_string(),
            version: server.version.clone(),
            waits: sampled.waits(),
            unknown: missing.list(),
            verdict: None,
            counted,
            settings,
            synchronous_commit_of,
            standbys,
            cost,
        };
        Ok(Observed { measurement: figures::measurement(&log, &cut), log })
    }
}

/// Asks what processes do until the window ends; without the right to see it only waits.
fn ask_until(
    end_ns: u64,
    watcher: &mut Watcher,
    sees_others: bool,
    sampled: &mut waits::Sampled,
    rng: &mut Rng,
    stop: &Stop,
) -> Result<(), WireError> {
    let mut every = ASK_EVERY;
    loop {
        let left = Duration::from_nanos(end_ns.saturating_sub(now_ns()));
        let pause = every.mul_f64(0.5 + rng.unit_f64());
        if stop.sleep(pause.min(left)).is_err() || pause >= left {
            return Ok(());
        }
        if sees_others {
            let before_ns = watcher.worked_ns();
            sampled.take(&watcher.query(waits::SQL)?);
            let worked = Duration::from_nanos(watcher.worked_ns() - before_ns);
            every = ASK_EVERY.max(worked * AT_MOST_OF_TIME);
        }
    }
}

/// A reading at a moment, with the statements that we had sent by then.
#[derive(Debug, Clone)]
struct Edge {
    at_ns: u64,
    statements: u64,
    reading: Reading,
}

impl Edge {
    fn read(watcher: &mut Watcher, statement: &Statement) -> Result<Edge, WireError> {
        let rows = watcher.query(&statement.sql)?;
        let row = rows.first().ok_or(WireError::Unexpected("no row of its counters"))?;
        let (at_ns, statements) = (now_ns(), watcher.statements());
        Ok(Edge { at_ns, statements, reading: statement.read(row) })
    }
}

/// What was counted between each two neighbouring edges.
fn counted(edges: &[Edge], timed: bool) -> Vec<LiveCounts> {
    let between = |two: &[Edge]| {
        let ours = (two[1].statements - two[0].statements) as f64;
        let changed: Changed = two[1].reading.since(&two[0].reading).less(Count::Commits, ours);
        let changed = if timed { changed } else { changed.without_times() };
        figures::counts(&changed, (two[1].at_ns - two[0].at_ns) as f64)
    };
    edges.windows(2).map(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_cut_into_at_least_six_and_at_most_sixty_windows() {
        let windows = |s| windows(Duration::from_secs(s));
        assert_eq!([3, 30, 60, 90, 3600].map(windows), [6, 6, 6, 9, 60]);
    }
}
