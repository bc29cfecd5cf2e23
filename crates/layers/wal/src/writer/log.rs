//! A log that many threads commit to, with a real flush: who leads, who rides along, who is woken.
//!
//! Two ways. [`Style::Leader`] is PostgreSQL's: whoever finds no flush under way leads one for everything queued, the others
//! sleep and all wake when it returns; those it covered are done, of the others one leads the next (`XLogFlush`,
//! `LWLockAcquireOrWait`). [`Style::Writer`] is Oracle's: one thread writes, a commit posts it and waits to be posted, and
//! only those that a write covered are woken.
//!
//! [`Delay`] is `commit_delay` with `commit_siblings`: who is about to lead waits so that more can join, if so many others
//! are committing.

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use narrows_engine::now_ns;

use super::queue::{Batch, Queue};

/// Makes a piece of the log durable.
pub trait Flusher {
    /// Returns when everything from position `from` to `to` (bytes since the log began) is durable; gives the bytes
    /// written for it.
    fn flush(&mut self, from: u64, to: u64) -> io::Result<u64>;

    /// How long the last flush took without the write before it, ns; `None` where they are one.
    fn last_flush_ns(&self) -> Option<u64> {
        None
    }
}

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// One of those who commit.
    Leader,
    /// A thread that does nothing else.
    Writer,
}

impl Style {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Style::Leader => "leader",
            Style::Writer => "writer",
        }
    }
}

/// A wait before a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delay {
    /// So long.
    pub time: Duration,
    /// If at least so many others are committing.
    pub siblings: u32,
}

/// One flush as it went. Times are those of [`now_ns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flushed {
    /// What it covered.
    pub batch: Batch,
    /// When its write began.
    pub begun_ns: u64,
    /// When it returned.
    pub durable_ns: u64,
    /// Of that time the flush without its write, ns, where it is known.
    pub flush_ns: Option<u64>,
    /// Bytes written for it.
    pub bytes: u64,
}

/// A log that several threads commit to.
#[derive(Debug)]
pub struct CommitLog<F> {
    style: Style,
    delay: Delay,
    state: Mutex<State>,
    /// Everybody in the leader's way; in the writer's way those of flushes with an even and an odd number.
    done: [Condvar; 2],
    posted: Condvar,
    flusher: Mutex<F>,
}

#[derive(Debug, Default)]
struct State {
    queue: Queue,
    failed: Option<(io::ErrorKind, String)>,
    /// No more flushes; the writer's thread ends.
    closed: bool,
    delaying: bool,
    history: Vec<Flushed>,
}

impl State {
    fn failure(&self) -> Option<io::Error> {
        let (kind, message) = self.failed.as_ref()?;
        Some(io::Error::new(*kind, message.clone()))
    }
}

impl<F: Flusher> CommitLog<F> {
    /// An empty log.
    pub fn new(flusher: F, style: Style, delay: Delay) -> Self {
        CommitLog {
            style,
            delay,
            state: Mutex::new(State::default()),
            done: [Condvar::new(), Condvar::new()],
            posted: Condvar::new(),
            flusher: Mutex::new(flusher),
        }
    }

    /// Who writes.
    pub fn style(&self) -> Style {
        self.style
    }

    /// Appends a record of `bytes` and returns when it is durable; gives the end of its record. After a failed flush all
    /// commits fail: what is on the medium is unknown then.
    pub fn commit(&self, bytes: u64) -> io::Result<u64> {
        match self.style {
            Style::Leader => self.commit_or_lead(bytes),
            Style::Writer => self.post_and_wait(bytes),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no committer panics with the lock")
    }

    fn commit_or_lead(&self, bytes: u64) -> io::Result<u64> {
        let mut state = self.lock();
        let position = state.queue.arrive(bytes);
        loop {
            if let Some(error) = state.failure() {
                return Err(error);
            }
            if state.queue.covers(position) {
                return Ok(position);
            }
            if state.queue.busy() || state.delaying {
                state = self.done[0].wait(state).expect("no committer panics with the lock");
                continue;
            }
            state = self.delayed(state);
            state = self.flush(state);
            self.done[0].notify_all();
        }
    }

    fn post_and_wait(&self, bytes: u64) -> io::Result<u64> {
        let mut state = self.lock();
        let position = state.queue.arrive(bytes);
        let done = &self.done[(state.queue.next_number() % 2) as usize];
        self.posted.notify_one();
        loop {
            if let Some(error) = state.failure() {
                return Err(error);
            }
            if state.queue.covers(position) {
                return Ok(position);
            }
            state = done.wait(state).expect("no committer panics with the lock");
        }
    }

    /// The writer's thread: flushes whatever is posted until [`CommitLog::close`].
    pub fn write(&self) {
        let mut state = self.lock();
        loop {
            while state.queue.waiting() == 0 && !state.closed && state.failed.is_none() {
                state = self.posted.wait(state).expect("no committer panics with the lock");
            }
            if state.failed.is_some() || (state.closed && state.queue.waiting() == 0) {
                return;
            }
            state = self.delayed(state);
            let number = state.queue.next_number();
            state = self.flush(state);
            if state.failed.is_some() {
                self.done.iter().for_each(Condvar::notify_all);
                return;
            }
            self.done[(number % 2) as usize].notify_all();
        }
    }

    /// Ends the writer's thread once nothing is queued.
    pub fn close(&self) {
        self.lock().closed = true;
        self.posted.notify_all();
    }

    /// Lets the next writer's thread begin.
    pub fn reopen(&self) {
        self.lock().closed = false;
    }

    /// Waits for others to join, where that was asked for and others are there.
    fn delayed<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let others = state.queue.pending().saturating_sub(1);
        if self.delay.time.is_zero() || others < u64::from(self.delay.siblings) {
            return state;
        }
        state.delaying = true;
        drop(state);
        std::thread::sleep(self.delay.time);
        state = self.lock();
        state.delaying = false;
        state
    }

    fn flush<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let Some(batch) = state.queue.begin() else { return state };
        drop(state);
        let begun_ns = now_ns();
        let mut flusher = self.flusher.lock().expect("no leader panics");
        let result = flusher.flush(batch.from, batch.to);
        let durable_ns = now_ns();
        let flush_ns = flusher.last_flush_ns();
        drop(flusher);
        state = self.lock();
        match result {
            Ok(bytes) => {
                state.queue.end();
                state.history.push(Flushed { batch, begun_ns, durable_ns, flush_ns, bytes });
            }
            Err(error) => state.failed = Some((error.kind(), error.to_string())),
        }
        state
    }

    /// Everything up to here is durable.
    pub fn flushed(&self) -> u64 {
        self.lock().queue.flushed()
    }

    /// Commits that wait, those of the flush that is under way among them.
    #[cfg(test)]
    pub(super) fn pending(&self) -> u64 {
        self.lock().queue.pending()
    }

    /// The flushes since this was last asked, in their order.
    pub fn take_history(&self) -> Vec<Flushed> {
        std::mem::take(&mut self.lock().history)
    }

    /// Room for so many flushes, so that no window pays for memory.
    pub fn reserve(&self, flushes: usize) {
        self.lock().history.reserve(flushes);
    }

    /// The flusher back.
    pub fn into_flusher(self) -> F {
        self.flusher.into_inner().expect("no leader panics")
    }
}
