//! The interval: a reading of the counters at each window's edge, and questions in between.

use std::time::Duration;

use narrows_engine::{Phase, Progress, Stop, now_ns};
use narrows_model::{Layer, LiveCost};

use super::counters::{Reading, Statement};
use super::error::MonitorError;
use super::own_reports::OwnReports;
use super::session::SamplingSession;
use super::windows::{Pace, SHORTEST_WINDOW, Took, WINDOWS, WINDOWS_APART, windows};
use crate::wire::WireError;

/// When a look has something to say, if its first window is longer.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

/// How long, in how many windows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    length: Duration,
    windows: u32,
    /// Of these at least so many; the others where what they have by then is not enough.
    least: u32,
    seed: u64,
    /// Whether it ends where the load has changed.
    of_one_load: bool,
    /// Whether what was seen so far is told.
    tells: bool,
}

impl Plan {
    /// An interval of that length; `seed` is that of the times between questions.
    pub(crate) fn new(length: Duration, seed: u64) -> Plan {
        let windows = windows(length);
        Plan { length, windows, least: windows, seed, of_one_load: false, tells: false }
    }

    /// An interval of that length at most, which ends with a window that has enough.
    pub(crate) fn at_most(length: Duration, seed: u64) -> Plan {
        Plan { least: WINDOWS, ..Plan::new(length, seed) }
    }

    /// The same, which also ends where the load has changed and another interval may follow.
    pub(crate) fn of_one_load(self) -> Plan {
        Plan { of_one_load: true, ..self }
    }

    /// The same, which tells what was seen after five seconds and after each window.
    pub(crate) fn told(self) -> Plan {
        Plan { tells: true, ..self }
    }

    /// An interval of so many windows at most, and at least.
    #[cfg(test)]
    pub(crate) fn of_windows(length: Duration, windows: u32, least: u32) -> Plan {
        Plan { length, windows, least, seed: 7, of_one_load: false, tells: false }
    }

    /// Whether it may end after so many windows because the load has changed: as many as it needs at least are left of its length.
    fn may_begin_anew(&self, window: u32) -> bool {
        self.of_one_load && self.windows - window >= self.least
    }

    /// How long it is at least.
    pub(crate) fn least(&self) -> Duration {
        self.length * self.least / self.windows
    }

    /// A window of it, ns.
    pub(crate) fn window_ns(&self) -> f64 {
        self.length.as_nanos() as f64 / f64::from(self.windows)
    }

    /// Whether its windows are long enough for counters of their own.
    pub(crate) fn cuts_counters(&self) -> bool {
        self.length / self.windows >= SHORTEST_WINDOW
    }

    /// Whether states of its windows are repeats of each other.
    pub(crate) fn windows_apart(&self) -> bool {
        self.length / self.windows >= WINDOWS_APART
    }
}

/// What is asked between two edges, and what is read beside the counters at one.
pub(crate) trait Sampler {
    /// Of an edge, beside the counters.
    type MachineReading;

    /// What follows belongs to the next window, of an interval that began at `start_ns`.
    fn next_window(&mut self, start_ns: u64);

    /// The window in hand has ended.
    fn end_window(&mut self, start_ns: u64);

    /// The window in hand doesn't end: it is forgotten.
    fn drop_window(&mut self);

    /// Asks, in an interval that began at `start_ns`; whether what that took says how long to wait before the next question.
    ///
    /// # Errors
    /// The server no longer answers.
    fn ask(&mut self, session: &mut SamplingSession, start_ns: u64) -> Result<bool, WireError>;

    /// Whether what was seen up to these edges is enough, or would not be with so many times as much either. By numbers of what was
    /// seen alone, whatever it was: what ends a look may not lean on what it found.
    fn has_enough(&self, _edges: &[Edge<Self::MachineReading>], _times: f64) -> bool {
        true
    }

    /// Whether the load is another one by now than before.
    fn load_changed(&self, _edges: &[Edge<Self::MachineReading>]) -> bool {
        false
    }

    /// Whether it may be, and some more windows would tell.
    fn load_may_have_changed(&self, _edges: &[Edge<Self::MachineReading>]) -> bool {
        false
    }

    /// What was seen up to these edges, in words, for who waits; `None` where there is nothing yet.
    fn so_far(&self, edges: &[Edge<Self::MachineReading>]) -> Option<String>;

    /// What looking took so far, ns.
    fn work_ns(&self, session: &SamplingSession) -> u64 {
        session.worked_ns()
    }

    /// Reads what stands beside the counters, where a window ends.
    fn beside(&mut self) -> Self::MachineReading;

    /// The same within a window, which goes on.
    fn beside_within(&mut self) -> Self::MachineReading {
        self.beside()
    }
}

/// A reading at a moment, with what we had asked, and asked in vain, by then.
#[derive(Debug, Clone)]
pub(crate) struct Edge<B> {
    pub(crate) at_ns: u64,
    pub(crate) statements: u64,
    pub(crate) unanswered: u64,
    pub(crate) unanswered_ns: u64,
    /// Time that the server counts as ours in statements, ns.
    pub(crate) active_ns: u64,
    pub(crate) reading: Reading,
    pub(crate) beside: B,
}

/// The interval in progress: a window lies between each two neighbouring edges.
pub(crate) struct PollLoop<S: Sampler> {
    pub(crate) session: SamplingSession,
    statement: Statement,
    pub(crate) sampler: S,
    pub(crate) edges: Vec<Edge<S::MachineReading>>,
    plan: Plan,
    pace: Pace,
    /// What looking had taken when the last question was answered, ns, and lines in the server's log.
    worked: Option<(u64, f64)>,
    reports: OwnReports,
}

impl<S: Sampler> PollLoop<S> {
    /// Reads the first edge.
    ///
    /// # Errors
    /// The statement failed.
    pub(crate) fn begin(
        mut session: SamplingSession,
        statement: Statement,
        sampler: S,
        plan: Plan,
    ) -> Result<PollLoop<S>, MonitorError> {
        let pace = Pace::new(plan.seed);
        let edges = Vec::new();
        let reports = OwnReports::find(&mut session).map_err(MonitorError::silent)?;
        reports.settle(&mut session).map_err(MonitorError::silent)?;
        let worked = None;
        let mut poll = PollLoop { session, statement, sampler, edges, plan, pace, worked, reports };
        poll.edge().map_err(MonitorError::silent)?;
        Ok(poll)
    }

    /// All windows, told as they begin, or those until `stop` is set or the server no longer answers: the window in hand is
    /// then forgotten, those before it stand, and the reason is returned.
    ///
    /// Where the plan tells, `so_far` is called after five seconds, with an edge for that moment that is gone afterwards, and after each window but the last;
    /// where it says that this is the answer, the windows end with the one in hand.
    ///
    /// # Errors
    /// It came to that in the first one.
    pub(crate) fn run(
        &mut self,
        layer: Layer,
        address: &str,
        stop: &Stop,
        progress: &dyn Progress,
        so_far: &mut dyn FnMut(&mut Self) -> bool,
    ) -> Result<Option<WireError>, MonitorError> {
        let plan = self.plan;
        let start_ns = now_ns();
        for window in 1..=plan.windows {
            let mut detail = format!("{address}, window {window} of {}", plan.windows);
            if let Some(so_far) = self.sampler.so_far(&self.edges) {
                detail += &format!(", {so_far}");
            }
            progress.phase(layer, Phase::Measure, &detail);
            let end = (plan.length * window / plan.windows).as_nanos() as u64;
            self.sampler.next_window(start_ns);
            let first = FIRST_ANSWER.as_nanos() as u64;
            let early = match plan.tells && window == 1 && end > first {
                true => self.first_answer(start_ns, start_ns + first, stop, so_far),
                false => Ok(()),
            };
            let asked = early.and_then(|()| self.ask_until(start_ns, start_ns + end, stop));
            if let Err(error) = asked.and_then(|()| self.edge()) {
                self.sampler.drop_window();
                if self.edges.len() < 2 {
                    return Err(MonitorError::silent(error));
                }
                return Ok(Some(error));
            }
            self.sampler.end_window(start_ns);
            let times = f64::from(plan.windows) / f64::from(window);
            let enough = window >= plan.least && self.sampler.has_enough(&self.edges, times);
            let may_begin_anew = plan.may_begin_anew(window);
            let changed = may_begin_anew && self.sampler.load_changed(&self.edges);
            let undecided = may_begin_anew && self.sampler.load_may_have_changed(&self.edges);
            if stop.is_set() || changed || (enough && !undecided) {
                break;
            }
            if plan.tells && window < plan.windows && so_far(self) {
                break;
            }
        }
        Ok(None)
    }

    /// Asks until then, and tells what was seen.
    fn first_answer(
        &mut self,
        start_ns: u64,
        at_ns: u64,
        stop: &Stop,
        so_far: &mut dyn FnMut(&mut Self) -> bool,
    ) -> Result<(), WireError> {
        self.ask_until(start_ns, at_ns, stop)?;
        if stop.is_set() {
            return Ok(());
        }
        let edge = self.read(S::beside_within)?;
        self.edges.push(edge);
        so_far(self);
        self.edges.pop();
        Ok(())
    }

    /// Asks until the window ends.
    fn ask_until(&mut self, start_ns: u64, end_ns: u64, stop: &Stop) -> Result<(), WireError> {
        self.pace.begin_window(Duration::from_nanos(end_ns.saturating_sub(now_ns())));
        // The edge is no question.
        self.worked = None;
        loop {
            let left = Duration::from_nanos(end_ns.saturating_sub(now_ns()));
            let pause = self.pace.pause();
            if stop.sleep(pause.min(left)).is_err() || pause >= left {
                return Ok(());
            }
            let (before_ns, lines) = self.worked.unwrap_or_else(|| self.worked());
            self.worked = None;
            if self.sampler.ask(&mut self.session, start_ns)? {
                let now = self.worked();
                self.worked = Some(now);
                // With what no account has of it: interrupts, and waking up.
                let work = Duration::from_nanos(now.0.saturating_sub(before_ns)) * 4 / 3;
                self.pace.took(Took { work, lines: now.1 - lines });
            }
        }
    }

    /// Whether another interval may follow.
    pub(crate) fn begins_anew(&self) -> bool {
        self.plan.may_begin_anew(self.edges.len() as u32 - 1)
    }

    fn worked(&self) -> (u64, f64) {
        (self.sampler.work_ns(&self.session), self.session.log_lines())
    }

    /// What looking took over an interval in which states were asked for that often.
    pub(crate) fn cost(&self, interval_ns: f64, asked: u64) -> LiveCost {
        self.session.cost(interval_ns, asked, self.pace.held_by())
    }

    /// Reads everything where a window ends.
    fn edge(&mut self) -> Result<(), WireError> {
        let edge = self.read(S::beside)?;
        self.edges.push(edge);
        Ok(())
    }

    /// Reads everything; asked again where it stays unanswered.
    fn read(
        &mut self,
        beside: fn(&mut S) -> S::MachineReading,
    ) -> Result<Edge<S::MachineReading>, WireError> {
        self.reports.tell(&mut self.session)?;
        let rows = loop {
            if let Some(rows) = self.session.ask(&self.statement.sql)? {
                break rows;
            }
        };
        let row = rows.first().ok_or(WireError::Unexpected("no row of its counters"))?;
        let reading = self.statement.read(row);
        let beside = beside(&mut self.sampler);
        Ok(Edge {
            at_ns: now_ns(),
            statements: self.session.statements(),
            unanswered: self.session.unanswered(),
            unanswered_ns: self.session.unanswered_ns(),
            active_ns: self.session.active_ns(),
            reading,
            beside,
        })
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::Silent;

    use super::*;
    use crate::monitor::catalog::{self, Catalog};
    use crate::monitor::fake::server::{FakeServerTraits, MonitorStatement, serve};

    /// Has enough after so many windows; finds another load after so many others, and says that there may be one after so many at first.
    struct Told {
        may_change_after: usize,
        changed_after: usize,
        enough_after: usize,
    }

    impl Sampler for Told {
        type MachineReading = ();

        fn next_window(&mut self, _: u64) {}

        fn end_window(&mut self, _: u64) {}

        fn drop_window(&mut self) {}

        fn ask(&mut self, _: &mut SamplingSession, _: u64) -> Result<bool, WireError> {
            Ok(false)
        }

        fn has_enough(&self, edges: &[Edge<()>], _: f64) -> bool {
            edges.len() > self.enough_after
        }

        fn load_changed(&self, edges: &[Edge<()>]) -> bool {
            edges.len() > self.changed_after
        }

        fn load_may_have_changed(&self, edges: &[Edge<()>]) -> bool {
            (self.may_change_after..self.may_change_after + 3).contains(&(edges.len() - 1))
        }

        fn so_far(&self, _: &[Edge<()>]) -> Option<String> {
            None
        }

        fn beside(&mut self) {}
    }

    /// Windows that it takes, and whether another interval may follow.
    fn windows_of(plan: Plan, sampler: Told) -> (usize, bool) {
        windows_until(plan, sampler, &mut |_| false)
    }

    fn windows_until(
        plan: Plan,
        sampler: Told,
        so_far: &mut dyn FnMut(&mut PollLoop<Told>) -> bool,
    ) -> (usize, bool) {
        let (address, served) = serve(FakeServerTraits::default(), |_| None);
        let mut session = SamplingSession::open(&address).unwrap();
        let catalog = Catalog::from_rows(&session.query(catalog::SQL).unwrap());
        let statement = Statement::new(&catalog, |_| true, |_| false);
        let mut poll = PollLoop::begin(session, statement, sampler, plan).unwrap();
        poll.run(Layer::Database, "a server", &Stop::new(), &Silent, so_far).unwrap();
        let taken = (poll.edges.len() - 1, poll.begins_anew());
        drop(poll);
        served.join().unwrap();
        taken
    }

    #[test]
    fn our_own_counts_are_told_before_each_reading() {
        let (asked, told) = std::sync::mpsc::channel();
        let (address, served) = serve(FakeServerTraits::default(), move |what| {
            let _ = asked.send(what);
            None
        });
        let mut session = SamplingSession::open(&address).unwrap();
        let catalog = Catalog::from_rows(&session.query(catalog::SQL).unwrap());
        let statement = Statement::new(&catalog, |_| true, |_| false);
        let sampler = Told { may_change_after: 99, changed_after: 99, enough_after: 99 };
        let plan = Plan::of_windows(Duration::from_millis(60), 3, 3);
        let _ = told.try_iter().count();
        let mut poll = PollLoop::begin(session, statement, sampler, plan).unwrap();
        poll.run(Layer::Database, "a server", &Stop::new(), &Silent, &mut |_| false).unwrap();
        drop(poll);
        served.join().unwrap();
        use MonitorStatement::{Counters, Once};
        // Whether it can be asked to, with what is prepared for it, and then four readings.
        let pairs = [Once, Counters].into_iter().cycle().take(8);
        let wanted: Vec<_> = [Once; 3].into_iter().chain(pairs).collect();
        assert_eq!(told.try_iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn an_interval_ends_with_the_window_in_hand_where_that_is_the_answer() {
        let plan = || Plan::of_windows(Duration::from_millis(240), 12, 6).told();
        let sampler = || Told { may_change_after: 99, changed_after: 99, enough_after: 99 };
        let mut asked = 0;
        let mut answer = |poll: &mut PollLoop<Told>| {
            asked += 1;
            assert_eq!(poll.edges.len(), asked + 1);
            asked == 3
        };
        assert_eq!(windows_until(plan(), sampler(), &mut answer).0, 3);
        // Not after the last one, whose end is the answer anyway.
        let mut times = 0;
        let mut never = |_: &mut PollLoop<Told>| {
            times += 1;
            false
        };
        assert_eq!(windows_until(plan(), sampler(), &mut never).0, 12);
        assert_eq!(times, 11);
    }

    #[test]
    fn an_interval_ends_with_the_load_where_there_is_time_for_another() {
        let plan = |windows| Plan::of_windows(Duration::from_millis(240), windows, 6);
        let told = |changed_after, enough_after| Told {
            may_change_after: changed_after - 2,
            changed_after,
            enough_after,
        };
        assert_eq!(windows_of(plan(12).of_one_load(), told(4, 12)), (4, true));
        assert_eq!(windows_of(plan(12).of_one_load(), told(6, 6)), (6, true));
        // It has enough, and another load may have come: it goes on until that is known.
        assert_eq!(windows_of(plan(20).of_one_load(), told(8, 6)), (8, true));
        let no_change = Told { may_change_after: 5, changed_after: 99, enough_after: 6 };
        assert_eq!(windows_of(plan(20).of_one_load(), no_change), (8, true));
        // Six windows would not be left.
        assert_eq!(windows_of(plan(12).of_one_load(), told(7, 9)), (9, false));
        assert_eq!(windows_of(plan(9).of_one_load(), told(4, 6)), (6, false));
        // Not where it isn't asked for.
        assert_eq!(windows_of(plan(12), told(4, 8)), (8, false));
    }
}
