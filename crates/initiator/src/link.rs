//! The connections of a host and a controller, and what is done when they are lost.
//!
//! One thread keeps them: it says that the host lives (Keep Alive), notices that the target doesn't, and makes all
//! connections again where that was asked for ([`Reconnect`]). Nothing of before may come after what is sent then: all
//! sockets are reset first, which throws away what they hold of commands that weren't sent yet. What the target's side holds
//! is the target's to throw away.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use narrows_nvme::feature;
use narrows_nvme::property::{self, Configuration};
use narrows_nvme_tls::Session;

use crate::HostError;
use crate::address::Address;
use crate::admin::{CommandConnection, ConnectionParts};
use crate::association::{
    Credentials, Established, Reached, establish, open_io_connection, open_queue,
};
use crate::queue::HostQueue;
use crate::reconnect::{Outages, Reconnect};

/// Keep Alive is sent that often in the time in which the other side takes silence for the end.
const KEEP_ALIVES: u32 = 3;
/// How long a socket that another thread waits at is tried to be reset, and how often in it: waits end with a heartbeat.
const RESET_TRIES: u32 = 50;
const RESET_PAUSE: Duration = Duration::from_millis(narrows_io::HEARTBEAT_MS);

/// Between two looks whether the admin queue is free.
const LEAVE_PAUSE: Duration = Duration::from_millis(5);

/// An open I/O queue.
#[derive(Debug)]
pub(crate) struct OpenQueue {
    pub(crate) stream: Arc<TcpStream>,
    pub(crate) queue: HostQueue,
    /// What its bytes go through, where they are encrypted.
    pub(crate) tls: Option<Box<Session>>,
    /// Of which of the host's associations, from 0.
    pub(crate) association: u32,
}

/// A queue that a path has, from its beginning to its end.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) number: u16,
    pub(crate) slots: u16,
    pub(crate) entries: u32,
    /// Made again, and not taken yet.
    made: Option<OpenQueue>,
    /// In use, to be reset.
    used: Option<Arc<TcpStream>>,
}

/// What a queue is made by. A path that ends gives its number to the next, which may be of another size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineShape {
    number: u16,
    slots: u16,
    entries: u32,
}

impl Line {
    fn shape(&self) -> LineShape {
        LineShape { number: self.number, slots: self.slots, entries: self.entries }
    }
}

#[derive(Debug)]
enum Phase {
    Connected,
    Lost { since: Instant, how: String },
    GivenUp { lost: String, attempts: u32, last: String },
}

impl Phase {
    /// The error, if the connections won't be made again.
    fn check(&self) -> Result<(), HostError> {
        match self {
            Phase::GivenUp { lost, attempts, last } => Err(HostError::GivenUp {
                lost: lost.clone(),
                attempts: *attempts,
                last: last.clone(),
            }),
            Phase::Connected | Phase::Lost { .. } => Ok(()),
        }
    }
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Counts associations, from 0.
    association: u32,
    /// Of the present association.
    controller: u16,
    in_capsule: u32,
    reconnects: u32,
    disconnected: Duration,
    stalls: Stalls,
    stop: bool,
    lines: Vec<Line>,
    free_queues: VecDeque<u16>,
}

/// Operations that stood still while connections were lost: when each ended, and how long after its submission. Those behind which a
/// longer one ended are left out, so each is shorter than the one before it, however many there were.
#[derive(Debug, Default)]
struct Stalls(VecDeque<(Instant, Duration)>);

impl Stalls {
    fn add(&mut self, ended: Instant, lasted: Duration) {
        while self.0.back().is_some_and(|(_, before)| *before <= lasted) {
            self.0.pop_back();
        }
        self.0.push_back((ended, lasted));
    }

    fn longest_since(&self, since: Instant) -> Duration {
        let first = self.0.iter().find(|(ended, _)| *ended >= since);
        first.map_or(Duration::ZERO, |(_, lasted)| *lasted)
    }
}

/// What association, paths and keeper share.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) address: Address,
    credentials: Credentials,
    pub(crate) reached: Reached,
    admin: Mutex<CommandConnection>,
    admin_socket: Mutex<Arc<TcpStream>>,
    state: Mutex<State>,
    changed: Condvar,
    /// The connections aren't there, as far as is known.
    lost: AtomicBool,
    tells_service_time: AtomicBool,
}

impl Link {
    pub(crate) fn new(
        address: &Address,
        credentials: Credentials,
        established: Established,
    ) -> Link {
        let Established { admin, controller, reached } = established;
        let state = State {
            phase: Phase::Connected,
            association: 0,
            controller,
            in_capsule: reached.controller.in_capsule_bytes(),
            reconnects: 0,
            disconnected: Duration::ZERO,
            stalls: Stalls::default(),
            stop: false,
            lines: Vec::new(),
            free_queues: (1..=reached.queues.min(u32::from(u16::MAX)) as u16).collect(),
        };
        Link {
            address: address.clone(),
            credentials,
            reached,
            admin_socket: Mutex::new(Arc::clone(admin.stream())),
            admin: Mutex::new(admin),
            state: Mutex::new(state),
            changed: Condvar::new(),
            lost: AtomicBool::new(false),
            tells_service_time: AtomicBool::new(false),
        }
    }

    pub(crate) fn admin(&self) -> MutexGuard<'_, CommandConnection> {
        self.admin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the connections are lost as far as the admin queue or a path has shown.
    #[inline]
    pub(crate) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Acquire)
    }

    pub(crate) fn reconnects(&self) -> bool {
        self.address.reconnect.is_some()
    }

    pub(crate) fn tell_service_time(&self) {
        self.tells_service_time.store(true, Ordering::Relaxed);
    }

    pub(crate) fn outages(&self) -> Outages {
        let state = self.state();
        let lasting = match &state.phase {
            Phase::Lost { since, .. } => Some(since.elapsed()),
            Phase::Connected | Phase::GivenUp { .. } => None,
        };
        let disconnected = state.disconnected + lasting.unwrap_or_default();
        Outages {
            reconnects: state.reconnects,
            disconnected_ns: u64::try_from(disconnected.as_nanos()).unwrap_or(u64::MAX),
            disconnected: lasting.is_some(),
        }
    }

    /// An operation has ended that stood still while the connections were lost, so long after its submission.
    pub(crate) fn report_stall(&self, lasted: Duration) {
        self.state().stalls.add(Instant::now(), lasted);
    }

    /// The longest such of those that ended since then.
    pub(crate) fn longest_stall_since(&self, since: Instant) -> Duration {
        self.state().stalls.longest_since(since)
    }

    /// Takes a free queue for a path.
    pub(crate) fn take_number(&self) -> Option<u16> {
        self.state().free_queues.pop_front()
    }

    /// A path ends.
    pub(crate) fn give_back(&self, number: u16) {
        let mut state = self.state();
        state.lines.retain(|line| line.number != number);
        state.free_queues.push_back(number);
    }

    /// A path begins: its queue, or nothing where that comes with the connections that are being made again.
    pub(crate) fn open_line(
        &self,
        number: u16,
        slots: u16,
        entries: u32,
    ) -> Result<Option<OpenQueue>, HostError> {
        let (association, controller, in_capsule) = {
            let mut state = self.state();
            state.phase.check()?;
            state.lines.push(Line { number, slots, entries, made: None, used: None });
            if !matches!(state.phase, Phase::Connected) {
                return Ok(None);
            }
            (state.association, state.controller, state.in_capsule)
        };
        let opened = self.open_queue(controller, number, slots, entries);
        match opened {
            Ok(ConnectionParts { stream, mut queue, tls }) => {
                queue.set_in_capsule(in_capsule);
                let mut state = self.state();
                if state.association != association || !matches!(state.phase, Phase::Connected) {
                    reset(&stream);
                    return Ok(None);
                }
                if let Some(line) = state.line(number) {
                    line.used = Some(Arc::clone(&stream));
                }
                Ok(Some(OpenQueue { stream, queue, tls, association }))
            }
            Err(error) if self.reconnects() && error.is_of_connection() => {
                self.report_loss(association, &error);
                Ok(None)
            }
            Err(error) => {
                // A controller that has ended meanwhile refuses its queues, as it should: they come with the next one.
                let state = self.state();
                state.phase.check()?;
                let is_over =
                    state.association != association || !matches!(state.phase, Phase::Connected);
                if self.reconnects() && is_over { Ok(None) } else { Err(error) }
            }
        }
    }

    fn open_queue(
        &self,
        controller: u16,
        number: u16,
        slots: u16,
        entries: u32,
    ) -> Result<ConnectionParts, HostError> {
        let most = self.reached.max_data;
        open_queue(&self.address, &self.credentials, controller, (number, slots, entries), most)
    }

    /// A queue for one command after another, which is not made again when its connection is lost.
    pub(crate) fn open_commands(&self, number: u16) -> Result<CommandConnection, HostError> {
        let (controller, in_capsule) = {
            let state = self.state();
            state.phase.check()?;
            (state.controller, state.in_capsule)
        };
        let (queue, most) = ((number, 1, 2), self.reached.max_data);
        let opened = open_io_connection(&self.address, &self.credentials, controller, queue, most);
        let mut connection = opened?;
        connection.set_in_capsule(in_capsule);
        connection.answer_within(Duration::from_secs(self.address.io_timeout_s.into()))?;
        Ok(connection)
    }

    /// The queue of a path once it was made again.
    ///
    /// # Errors
    /// It won't be.
    pub(crate) fn take_made(&self, number: u16) -> Result<Option<OpenQueue>, HostError> {
        let mut state = self.state();
        state.phase.check()?;
        if !matches!(state.phase, Phase::Connected) {
            return Ok(None);
        }
        let Some(line) = state.line(number) else { return Ok(None) };
        let made = line.made.take();
        if let Some(made) = &made {
            line.used = Some(Arc::clone(&made.stream));
        }
        Ok(made)
    }

    /// Sleeps until something changes, no longer than `limit`.
    pub(crate) fn wait(&self, limit: Duration) {
        let state = self.state();
        // Early or not, the caller looks.
        let _ = self.changed.wait_timeout(state, limit);
    }

    /// A connection of an association failed: all of them are lost, unless that is known.
    pub(crate) fn report_loss(&self, association: u32, error: &HostError) {
        let mut state = self.state();
        if state.association != association || !matches!(state.phase, Phase::Connected) {
            return;
        }
        state.phase = Phase::Lost { since: Instant::now(), how: error.to_string() };
        self.lost.store(true, Ordering::Release);
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the keeper's work.
    pub(crate) fn stop(&self) {
        self.state().stop = true;
        self.changed.notify_all();
    }

    /// Shuts the controller down, if the target answers that in time; where it doesn't answer what was sent before either, the
    /// admin connection ends without.
    pub(crate) fn take_leave(&self, limit: Duration) {
        let begun = Instant::now();
        loop {
            match self.admin.try_lock() {
                Ok(mut admin) => {
                    let _ = admin.answer_within(limit);
                    // A target that is gone needs no leave.
                    let _ = admin.set_property(property::CC, Configuration::ENABLED.shutdown().0);
                    admin.say_goodbye();
                    return;
                }
                Err(TryLockError::Poisoned(_)) => break,
                Err(TryLockError::WouldBlock) if begun.elapsed() >= limit => break,
                Err(TryLockError::WouldBlock) => std::thread::sleep(LEAVE_PAUSE),
            }
        }
        let socket = self.admin_socket.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = socket.shutdown(std::net::Shutdown::Both);
    }

    /// What the keeper does until it is stopped, or the connections are lost for good.
    pub(crate) fn keep(&self) {
        let timeout = Duration::from_secs(self.address.keep_alive_s.into());
        let every = timeout / KEEP_ALIVES;
        let _ = self.admin().answer_within(timeout - every);
        while let Some(lost) = self.sleep_until_lost(every) {
            if !lost {
                let association = self.state().association;
                let answered = self.admin().keep_alive();
                if let Err(error) = answered {
                    self.report_loss(association, &error);
                }
                continue;
            }
            let Some(reconnect) = self.address.reconnect else { return };
            self.reset_all();
            if !self.make_again(reconnect) {
                return;
            }
            let _ = self.admin().answer_within(timeout - every);
        }
    }

    /// Whether the connections are lost, after so long or as soon as they are; nothing when it is time to stop.
    fn sleep_until_lost(&self, limit: Duration) -> Option<bool> {
        let state = self.state();
        let goes_on = |state: &mut State| !state.stop && matches!(state.phase, Phase::Connected);
        let waited = self.changed.wait_timeout_while(state, limit, goes_on);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (!state.stop).then(|| !matches!(state.phase, Phase::Connected))
    }

    /// Whether it is time to stop, after so long at most.
    fn sleep_until_stop(&self, limit: Duration) -> bool {
        let state = self.state();
        let waited = self.changed.wait_timeout_while(state, limit, |state| !state.stop);
        waited.unwrap_or_else(PoisonError::into_inner).0.stop
    }

    /// Resets every socket, the admin queue's first: a target ends what it has of a host with that.
    fn reset_all(&self) {
        let admin = self.admin_socket.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sockets = vec![Arc::clone(&admin)];
        drop(admin);
        for line in &mut self.state().lines {
            let made = line.made.take().map(|made| made.stream);
            sockets.extend(line.used.take().into_iter().chain(made));
        }
        for _ in 0..RESET_TRIES {
            sockets.retain(|socket| !reset(socket));
            if sockets.is_empty() {
                return;
            }
            std::thread::sleep(RESET_PAUSE);
        }
    }

    /// Makes the connections again, as often as may be; whether they are there.
    fn make_again(&self, reconnect: Reconnect) -> bool {
        let mut last = HostError::Closed("before it was tried");
        let mut attempts = 0;
        while attempts < reconnect.attempts() {
            if self.sleep_until_stop(reconnect.delay()) {
                return false;
            }
            attempts += 1;
            match self.attempt() {
                Ok(()) => return true,
                Err(error) => last = error,
            }
            if last.is_for_good() {
                break;
            }
        }
        let mut state = self.state();
        let lost = match &state.phase {
            Phase::Lost { how, .. } => how.clone(),
            Phase::Connected | Phase::GivenUp { .. } => String::new(),
        };
        state.phase = Phase::GivenUp { lost, attempts, last: last.to_string() };
        drop(state);
        self.changed.notify_all();
        false
    }

    /// One attempt: the admin queue, that the same namespace is there, then all queues in use.
    fn attempt(&self) -> Result<(), HostError> {
        let queues = u16::try_from(self.reached.queues).unwrap_or(u16::MAX);
        let established = establish(&self.address, &self.credentials, queues)?;
        let Established { mut admin, controller, reached } = established;
        self.reached.check_same(&reached)?;
        if self.tells_service_time.load(Ordering::Relaxed) {
            admin.set_feature(feature::SERVICE_TIME, 1)?;
        }
        let next = self.state().association + 1;
        let mut made: Vec<(LineShape, OpenQueue)> = Vec::new();
        loop {
            // Paths may have begun or ended meanwhile.
            let missing = {
                let mut state = self.state();
                let missing = state.missing(made.iter().map(|(shape, _)| *shape));
                if missing.is_none() {
                    self.connected(&mut state, admin, controller, &reached, made);
                    break;
                }
                missing
            };
            let Some(shape) = missing else { break };
            // What was made for a path that has ended makes room for another with its number.
            made.retain(|(its, _)| its.number != shape.number);
            let LineShape { number, slots, entries } = shape;
            let opened = self.open_queue(controller, number, slots, entries)?;
            let ConnectionParts { stream, mut queue, tls } = opened;
            queue.set_in_capsule(reached.controller.in_capsule_bytes());
            made.push((shape, OpenQueue { stream, queue, tls, association: next }));
        }
        self.changed.notify_all();
        Ok(())
    }

    fn connected(
        &self,
        state: &mut State,
        admin: CommandConnection,
        controller: u16,
        reached: &Reached,
        made: Vec<(LineShape, OpenQueue)>,
    ) {
        for (shape, open) in made {
            if let Some(line) = state.line(shape.number) {
                line.made = Some(open);
            }
        }
        let socket = Arc::clone(admin.stream());
        *self.admin_socket.lock().unwrap_or_else(PoisonError::into_inner) = socket;
        *self.admin() = admin;
        state.controller = controller;
        state.in_capsule = reached.controller.in_capsule_bytes();
        state.association += 1;
        state.reconnects += 1;
        if let Phase::Lost { since, .. } = &state.phase {
            state.disconnected += since.elapsed();
        }
        state.phase = Phase::Connected;
        self.lost.store(false, Ordering::Release);
    }
}

impl State {
    fn line(&mut self, number: u16) -> Option<&mut Line> {
        self.lines.iter_mut().find(|line| line.number == number)
    }

    /// A line for which none of these queues was made.
    fn missing(&self, made: impl Iterator<Item = LineShape> + Clone) -> Option<LineShape> {
        let mut lines = self.lines.iter().map(Line::shape);
        lines.find(|shape| !made.clone().any(|made| made == *shape))
    }
}

/// Ends a connection so that nothing it holds is sent any more; whether that is done. While another thread waits at it, some
/// kernels refuse.
pub(crate) fn reset(stream: &TcpStream) -> bool {
    let done = rustix::net::connect_unspec(stream).is_ok();
    // Whoever waits at it wakes up.
    let _ = stream.shutdown(std::net::Shutdown::Both);
    done
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_queue_that_was_made_for_a_path_that_ended_is_not_the_next_ones_of_another_size() {
        let line = |number, slots| Line { number, slots, entries: 2, made: None, used: None };
        let mut state = State {
            phase: Phase::Connected,
            association: 0,
            controller: 1,
            in_capsule: 0,
            reconnects: 0,
            disconnected: Duration::ZERO,
            stalls: Stalls::default(),
            stop: false,
            lines: vec![line(1, 4), line(2, 4)],
            free_queues: VecDeque::new(),
        };
        let made: Vec<LineShape> = state.lines.iter().map(Line::shape).collect();
        assert_eq!(state.missing(made.iter().copied()), None);
        assert_eq!(state.missing(made.iter().take(1).copied()), Some(made[1]));
        state.lines[1] = line(2, 64);
        assert_eq!(state.missing(made.iter().copied()), Some(state.lines[1].shape()));
    }

    #[test]
    fn the_longest_stall_is_that_of_those_that_ended_since() {
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let of = Duration::from_millis;
        let mut stalls = Stalls::default();
        assert_eq!(stalls.longest_since(begin), Duration::ZERO);
        for (ended, lasted) in [(10, 5), (20, 3), (30, 8), (40, 2), (50, 2)] {
            stalls.add(at(ended), of(lasted));
        }
        for (since, longest) in [(0, 8), (30, 8), (31, 2), (50, 2), (51, 0)] {
            assert_eq!(stalls.longest_since(at(since)), of(longest), "since {since}");
        }
        assert_eq!(stalls.0.len(), 2, "what a longer one stands for is not kept");
    }

    #[test]
    fn what_a_socket_holds_is_not_sent_after_its_reset() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        // As much as both kernels take.
        stream.set_nonblocking(true).unwrap();
        let mut sent = 0;
        while let Ok(went) = (&stream).write(&[7; 65536]) {
            sent += went;
        }
        assert!(reset(&stream));
        let mut came = 0;
        let end = loop {
            match other.read(&mut [0; 65536]) {
                Ok(0) => panic!("an end in order, after {came} of {sent} bytes"),
                Ok(bytes) => came += bytes,
                Err(error) => break error,
            }
        };
        assert_eq!(end.kind(), ErrorKind::ConnectionReset);
        assert!(came < sent, "{came} of {sent}");
    }
}
