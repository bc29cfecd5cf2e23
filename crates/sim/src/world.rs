//! The simulation itself: sessions move from step to step, and every state they are in is accounted.

use narrows_engine::Rng;

use crate::account::{Account, OpenAccount, State, Windows};
use crate::clock::Clock;
use crate::law::{Law, scatter};
use crate::server::{Server, Step};
use crate::station::{Burst, PERIOD_NS, Processors, Queue};

/// Runs the sessions in a closed loop.
pub fn closed(server: &Server, windows: Windows, seed: u64) -> Vec<Account> {
    let mut world = World::new(server, seed);
    for who in 0..server.sessions as usize {
        world.start(who);
    }
    world.run_until(|world| world.account.operations >= windows.warm_up);
    let rate = world.account.operations as f64 / world.clock.now_ns().max(1.0);
    let window_ns = windows.operations as f64 / rate;
    world.sample_every_ns = window_ns / windows.samples as f64;
    world.clock.after(world.sample_every_ns, Event::Sample);
    (0..windows.repeats).map(|_| world.window(window_ns)).collect()
}

/// Runs operations that arrive by a Poisson process, whichever session is free taking the next.
pub fn open(server: &Server, rate_per_s: f64, operations: u64, seed: u64) -> OpenAccount {
    let mut world = World::new(server, seed);
    world.open = Some(Open {
        mean_gap_ns: 1e9 / rate_per_s,
        due_ns: Vec::new(),
        idle: (0..server.sessions as usize).collect(),
        latencies_ns: Vec::new(),
    });
    world.clock.after(0.0, Event::Arrival);
    world.run_until(|world| world.account.operations >= operations);
    let now_ns = world.clock.now_ns();
    let latencies_ns = world.open.take().map_or(Vec::new(), |open| open.latencies_ns);
    OpenAccount { rate_per_s: latencies_ns.len() as f64 / now_ns * 1e9, latencies_ns }
}

#[derive(Debug, Clone, Copy)]
enum Event {
    /// A timed wait of a session is over.
    Wake(usize),
    /// A processor's slice is over; the second figure is the processor time it gave, ns.
    Slice(Burst, f64),
    /// The client is done with a session's work.
    ClientDone(usize),
    ReadDone(usize),
    FlushDone,
    Period,
    Sample,
    Arrival,
}

#[derive(Debug)]
struct Session {
    step: usize,
    state: State,
    /// The wait it was in before it became runnable.
    waited_in: State,
    /// Since when it has been in its state, ns.
    since_ns: f64,
    /// Processor time it got in this window, ns.
    cpu_ns: f64,
    /// When its operation was due (open loop), ns.
    due_ns: f64,
    /// It has not begun its first step.
    is_thinking: bool,
    /// It has a request of its client's and didn't run with it yet.
    is_idle_yet: bool,
}

struct Open {
    mean_gap_ns: f64,
    due_ns: Vec<f64>,
    idle: Vec<usize>,
    latencies_ns: Vec<f64>,
}

struct World<'a> {
    server: &'a Server,
    clock: Clock<Event>,
    rng: Rng,
    sessions: Vec<Session>,
    processors: Processors,
    client: Queue,
    disk: Queue,
    lock: Queue,
    committing: Vec<usize>,
    flushing: Vec<usize>,
    flush_began_ns: Option<f64>,
    account: Account,
    sample_every_ns: f64,
    /// Factor on all service times in this window.
    pace: f64,
    /// Where the last window ended and the next begins, ns.
    window_end_ns: Option<f64>,
    open: Option<Open>,
}

impl<'a> World<'a> {
    fn new(server: &'a Server, seed: u64) -> Self {
        let shared = if server.shared_cpus { server.client_cpus } else { 0 };
        let mut world = World {
            server,
            clock: Clock::new(),
            rng: Rng::new(seed),
            sessions: (0..server.sessions).map(|_| Session::idle()).collect(),
            processors: Processors::new(server.cpus, shared, server.quota_cpus),
            client: Queue::new(server.client_cpus),
            disk: Queue::new(server.disk.channels),
            lock: Queue::new(1),
            committing: Vec::new(),
            flushing: Vec::new(),
            flush_began_ns: None,
            account: Account::default(),
            sample_every_ns: 0.0,
            pace: 1.0,
            window_end_ns: None,
            open: None,
        };
        if world.processors.has_quota() {
            world.clock.after(PERIOD_NS, Event::Period);
        }
        world
    }

    fn run_until(&mut self, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            let Some(event) = self.clock.advance() else { return };
            self.handle(event);
        }
    }

    /// One window: counters from zero, service times with the window's own pace.
    fn window(&mut self, window_ns: f64) -> Account {
        let start_ns = self.window_end_ns.unwrap_or(self.clock.now_ns());
        self.pace = scatter(&mut self.rng, self.server.scatter);
        self.account = Account::default();
        for session in &mut self.sessions {
            session.since_ns = session.since_ns.max(start_ns);
            session.cpu_ns = 0.0;
        }
        let end_ns = start_ns + window_ns;
        while self.clock.next_ns().is_some_and(|at_ns| at_ns < end_ns) {
            if let Some(event) = self.clock.advance() {
                self.handle(event);
            }
        }
        // Who waits for a processor across the end has waited until the end.
        let waiting = self.sessions.iter().filter(|s| s.state == State::RunQueue);
        let waited_ns: f64 = waiting.map(|s| end_ns - s.since_ns).sum();
        let mut account = std::mem::take(&mut self.account);
        account.run_queue_ns += waited_ns;
        for session in &self.sessions {
            if session.is_in_a_statement() {
                account.in_statements_ns += end_ns - session.since_ns;
            } else if session.is_idle_yet {
                account.idle_yet_ns += end_ns - session.since_ns;
            }
        }
        account.window_ns = window_ns;
        self.window_end_ns = Some(end_ns);
        account.hottest_ns = self.sessions.iter().map(|s| s.cpu_ns).fold(0.0, f64::max);
        account
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Wake(who) => self.proceed(who),
            Event::Slice(burst, ran_ns) => self.slice_over(burst, ran_ns),
            Event::ClientDone(who) => {
                if let Some(next) = self.client.leave() {
                    self.serve_client(next);
                }
                self.proceed(who);
            }
            Event::ReadDone(who) => {
                self.account.reads += 1;
                if let Some(next) = self.disk.leave() {
                    self.serve_read(next);
                }
                self.proceed(who);
            }
            Event::FlushDone => self.flush_done(),
            Event::Period => {
                self.processors.refill();
                self.clock.after(PERIOD_NS, Event::Period);
                self.dispatch();
            }
            Event::Sample => {
                for session in &self.sessions {
                    let sticks = self.server.labels_stick && session.state == State::RunQueue;
                    let state = if sticks { session.waited_in } else { session.state };
                    self.account.samples[state as usize] += 1;
                    self.account.samples_idle_yet += u64::from(session.is_idle_yet && !sticks);
                }
                self.clock.after(self.sample_every_ns, Event::Sample);
            }
            Event::Arrival => self.arrive(),
        }
    }

    fn draw(&mut self, law: Law) -> f64 {
        law.draw_ns(&mut self.rng) * self.pace
    }

    fn set(&mut self, who: usize, state: State) {
        let now_ns = self.clock.now_ns();
        let session = &mut self.sessions[who];
        let spent_ns = now_ns - session.since_ns;
        if session.state == State::RunQueue {
            self.account.run_queue_ns += spent_ns;
        }
        if session.is_in_a_statement() {
            self.account.in_statements_ns += spent_ns;
        } else if session.is_idle_yet {
            self.account.idle_yet_ns += spent_ns;
        }
        session.is_idle_yet = state == State::RunQueue && session.state == State::Client;
        if state == State::RunQueue && session.state != State::Running {
            session.waited_in = session.state;
        }
        session.state = state;
        session.since_ns = now_ns;
    }

    fn start(&mut self, who: usize) {
        self.sessions[who].step = 0;
        match self.server.think {
            Some(think) => {
                let ns = self.draw(think);
                self.set(who, State::Client);
                self.sessions[who].is_thinking = true;
                self.clock.after(ns, Event::Wake(who));
            }
            None => self.enter(who),
        }
    }

    /// The current step is done: enters the next, or ends the operation.
    fn proceed(&mut self, who: usize) {
        if std::mem::take(&mut self.sessions[who].is_thinking) {
            return self.enter(who);
        }
        self.sessions[who].step += 1;
        if self.sessions[who].step < self.server.steps.len() {
            return self.enter(who);
        }
        self.account.operations += 1;
        let now_ns = self.clock.now_ns();
        let due_ns = self.sessions[who].due_ns;
        let Some(open) = &mut self.open else { return self.start(who) };
        open.latencies_ns.push(now_ns - due_ns);
        if open.due_ns.is_empty() {
            open.idle.push(who);
            self.set(who, State::Idle);
        } else {
            let due_ns = open.due_ns.remove(0);
            self.sessions[who].due_ns = due_ns;
            self.start(who);
        }
    }

    fn arrive(&mut self) {
        let now_ns = self.clock.now_ns();
        let Some(open) = &mut self.open else { return };
        let gap_ns = self.rng.exponential(open.mean_gap_ns);
        match open.idle.pop() {
            Some(who) => {
                self.sessions[who].due_ns = now_ns;
                self.start(who);
            }
            None => open.due_ns.push(now_ns),
        }
        self.clock.after(gap_ns, Event::Arrival);
    }

    fn enter(&mut self, who: usize) {
        match self.server.steps[self.sessions[who].step] {
            Step::Client(law) => {
                self.set(who, State::Client);
                if self.server.shared_cpus {
                    let left_ns = self.draw(law);
                    self.processors.enter(Burst::new(who, left_ns, true));
                    self.dispatch();
                } else if self.client.enter(who) {
                    self.serve_client(who);
                }
            }
            Step::Wire(law) => {
                let ns = self.draw(law);
                self.set(who, State::Client);
                self.clock.after(ns, Event::Wake(who));
            }
            Step::Pause(law) => {
                let ns = self.draw(law);
                self.set(who, State::Other);
                self.clock.after(ns, Event::Wake(who));
            }
            Step::Cpu(law) => {
                let left_ns = self.draw(law);
                self.set(who, State::RunQueue);
                self.processors.enter(Burst::new(who, left_ns, false));
                self.dispatch();
            }
            Step::Read => {
                self.set(who, State::Read);
                if self.disk.enter(who) {
                    self.serve_read(who);
                }
            }
            Step::Lock => {
                self.set(who, State::Lock);
                if self.lock.enter(who) {
                    self.proceed(who);
                }
            }
            Step::Unlock => {
                if let Some(next) = self.lock.leave() {
                    self.clock.after(0.0, Event::Wake(next));
                }
                self.proceed(who);
            }
            Step::Commit if !self.server.synchronous_commit => self.proceed(who),
            Step::Commit => {
                self.set(who, State::Flush);
                self.committing.push(who);
                if self.flush_began_ns.is_none() {
                    self.flush();
                }
            }
        }
    }

    fn dispatch(&mut self) {
        while let Some((mut burst, run_ns)) = self.processors.dispatch(self.server.slice_ns) {
            burst.stretch = self.stretch(&burst);
            let slower = self.slower(&burst) * burst.stretch;
            if !burst.is_client {
                self.set(burst.who, State::Running);
            }
            self.clock.after(run_ns * slower, Event::Slice(burst, run_ns));
        }
    }

    /// Others take their share of each of the server's processors: a slice lasts so many times longer.
    fn slower(&self, burst: &Burst) -> f64 {
        if burst.on_lent {
            return 1.0;
        }
        let set = f64::from(self.server.cpus);
        set / (set - self.server.taken_cpus).max(1e-9)
    }

    /// What running beside others does to processor time itself: the sibling of a core, and sharing.
    fn stretch(&self, burst: &Burst) -> f64 {
        if burst.is_client {
            return 1.0;
        }
        let (own, lent) = self.processors.busy();
        let sharing = if own + lent > 1 { self.server.sharing } else { 1.0 };
        let (busy, set) =
            if burst.on_lent { (lent, self.server.client_cpus) } else { (own, self.server.cpus) };
        // Whole cores are taken first, as a scheduler does.
        let is_beside = busy > set.div_ceil(2);
        match self.server.smt_yield.filter(|_| is_beside) {
            Some(both) => sharing * 2.0 / both,
            None => sharing,
        }
    }

    fn slice_over(&mut self, mut burst: Burst, ran_ns: f64) {
        self.processors.release(&burst);
        burst.left_ns -= ran_ns;
        let on_cpu_ns = ran_ns * burst.stretch;
        if burst.is_client {
            self.account.client_cpu_ns += on_cpu_ns;
        } else {
            self.account.cpu_ns += on_cpu_ns;
            self.sessions[burst.who].cpu_ns += on_cpu_ns;
            // What others took of the slice was waiting, whatever the state's name was.
            self.account.run_queue_ns += on_cpu_ns * (self.slower(&burst) - 1.0);
        }
        if burst.left_ns > 1e-6 {
            if !burst.is_client {
                self.set(burst.who, State::RunQueue);
            }
            self.processors.enter(burst);
            if self.processors.has_quota() {
                self.account.throttled += 1;
            }
        } else {
            self.proceed(burst.who);
        }
        self.dispatch();
    }

    fn serve_client(&mut self, who: usize) {
        let Step::Client(law) = self.server.steps[self.sessions[who].step] else { return };
        let ns = self.draw(law);
        self.account.client_cpu_ns += ns;
        self.clock.after(ns, Event::ClientDone(who));
    }

    fn serve_read(&mut self, who: usize) {
        let ns = self.draw(self.server.disk.service);
        self.clock.after(ns, Event::ReadDone(who));
    }

    fn flush(&mut self) {
        let log = self.server.log;
        self.flushing = std::mem::take(&mut self.committing);
        let further = (self.flushing.len() - 1) as f64 * log.per_commit_ns;
        let ns = self.draw(log.flush) + further + log.inside_ns;
        self.flush_began_ns = Some(self.clock.now_ns());
        self.clock.after(ns, Event::FlushDone);
    }

    fn flush_done(&mut self) {
        if let Some(began_ns) = self.flush_began_ns.take() {
            self.account.flushes += 1;
            self.account.flush_ns += self.clock.now_ns() - began_ns;
        }
        // The next leader starts at once; those just served are not among its followers.
        let served = std::mem::take(&mut self.flushing);
        if !self.committing.is_empty() {
            self.flush();
        }
        for who in served {
            self.proceed(who);
        }
    }
}

impl Session {
    fn idle() -> Self {
        Session {
            step: 0,
            state: State::Idle,
            waited_in: State::Idle,
            since_ns: 0.0,
            cpu_ns: 0.0,
            due_ns: 0.0,
            is_thinking: false,
            is_idle_yet: false,
        }
    }

    /// What its server would say.
    fn is_in_a_statement(&self) -> bool {
        !matches!(self.state, State::Client | State::Idle) && !self.is_idle_yet
    }
}
