//! Group commit as PostgreSQL does it: whoever finds no flush under way leads one for everything that is queued, the
//! others wait and are done if a flush that began after they queued covered them (`XLogFlush`, `LWLockAcquireOrWait`
//! in the PostgreSQL sources; no `commit_delay`).
//!
//! So the log is a batch server: commits per flush grow with the committers, and the flush rate stays near one over
//! the flush time. With `n` committers that do nothing else and a flush of `s`, the rate lies between `n / 2s` (those
//! who ride on a flush miss the next one) and `n / s`.

use std::io;
use std::sync::{Condvar, Mutex};

/// Makes a piece of the log durable.
pub trait Flusher {
    /// Returns when everything from position `from` to `to` (bytes since the log began) is durable; gives the bytes
    /// written for it.
    fn flush(&mut self, from: u64, to: u64) -> io::Result<u64>;
}

/// A log that several threads commit to.
#[derive(Debug)]
pub struct GroupCommit<F> {
    state: Mutex<State>,
    changed: Condvar,
    flusher: Mutex<F>,
}

#[derive(Debug, Default)]
struct State {
    inserted: u64,
    flushed: u64,
    leader: bool,
    failed: Option<(io::ErrorKind, String)>,
}

/// What a commit did besides waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The end of its record.
    pub position: u64,
    /// Bytes of each flush it led; a commit leads at most one.
    pub led_bytes: Option<u64>,
}

impl<F: Flusher> GroupCommit<F> {
    /// An empty log.
    pub fn new(flusher: F) -> Self {
        GroupCommit {
            state: Mutex::new(State::default()),
            changed: Condvar::new(),
            flusher: Mutex::new(flusher),
        }
    }

    /// Appends a record of `bytes` and returns when it is durable. After a failed flush all commits fail: what is
    /// on the medium is unknown then.
    pub fn commit(&self, bytes: u64) -> io::Result<Committed> {
        let mut led_bytes = None;
        let mut state = self.state.lock().expect("no committer panics with the lock");
        state.inserted += bytes;
        let position = state.inserted;
        loop {
            if let Some((kind, message)) = &state.failed {
                return Err(io::Error::new(*kind, message.clone()));
            }
            if state.flushed >= position {
                return Ok(Committed { position, led_bytes });
            }
            if state.leader {
                state = self.changed.wait(state).expect("no committer panics with the lock");
                continue;
            }
            state.leader = true;
            let (from, to) = (state.flushed, state.inserted);
            drop(state);
            let result = self.flusher.lock().expect("no leader panics").flush(from, to);
            state = self.state.lock().expect("no committer panics with the lock");
            state.leader = false;
            match result {
                Ok(written) => {
                    state.flushed = to;
                    led_bytes = Some(written);
                }
                Err(error) => state.failed = Some((error.kind(), error.to_string())),
            }
            self.changed.notify_all();
        }
    }

    /// Everything up to here is durable.
    pub fn flushed(&self) -> u64 {
        self.state.lock().expect("no committer panics with the lock").flushed
    }

    /// The flusher back.
    pub fn into_flusher(self) -> F {
        self.flusher.into_inner().expect("no leader panics")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::{Duration, Instant};

    use super::*;

    /// Takes a fixed time, and publishes what is durable only at the end of it.
    struct Fixed<'a> {
        time: Duration,
        durable: &'a AtomicU64,
        flushes: u64,
    }

    impl Flusher for Fixed<'_> {
        fn flush(&mut self, from: u64, to: u64) -> io::Result<u64> {
            assert_eq!(from, self.durable.load(Ordering::SeqCst), "flushes follow each other");
            assert!(to > from, "a flush is never empty");
            std::thread::sleep(self.time);
            self.durable.store(to, Ordering::SeqCst);
            self.flushes += 1;
            Ok(to - from)
        }
    }

    /// Ten commits by each of four threads; counts those acknowledged before they were durable.
    fn early(commit: impl Fn() -> u64 + Sync, durable: &AtomicU64) -> u64 {
        let early = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let position = commit();
                        let late = durable.load(Ordering::SeqCst) < position;
                        early.fetch_add(u64::from(late), Ordering::SeqCst);
                    }
                });
            }
        });
        early.into_inner()
    }

    /// Runs `committers` in a closed loop, checks every acknowledgement; gives commits, flushes, led flushes, time.
    fn run(committers: u64, each: u64, time: Duration) -> (u64, u64, u64, Duration) {
        let durable = AtomicU64::new(0);
        let log = GroupCommit::new(Fixed { time, durable: &durable, flushes: 0 });
        let led = AtomicU64::new(0);
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..committers {
                scope.spawn(|| {
                    for _ in 0..each {
                        let committed = log.commit(100).unwrap();
                        let durable = durable.load(Ordering::SeqCst);
                        assert!(
                            durable >= committed.position,
                            "acknowledged {} with {durable} durable",
                            committed.position
                        );
                        led.fetch_add(u64::from(committed.led_bytes.is_some()), Ordering::SeqCst);
                    }
                });
            }
        });
        let elapsed = began.elapsed();
        let led = led.into_inner();
        assert_eq!(log.flushed(), committers * each * 100);
        (committers * each, log.into_flusher().flushes, led, elapsed)
    }

    #[test]
    fn one_committer_pays_every_flush() {
        let (commits, flushes, led, elapsed) = run(1, 50, Duration::from_micros(500));
        assert_eq!((commits, flushes, led), (50, 50, 50));
        assert!(elapsed >= Duration::from_micros(50 * 500));
    }

    #[test]
    fn many_committers_obey_the_batch_law() {
        let time = Duration::from_millis(2);
        for committers in [2, 8, 64] {
            let (commits, flushes, led, elapsed) = run(committers, 30, time);
            assert_eq!(led, flushes, "every flush has one leader");
            let per_flush = commits as f64 / flushes as f64;
            // The upper bounds hold however slow the machine is: nobody commits twice in a flush, and flushes don't
            // overlap.
            assert!(per_flush <= committers as f64, "{committers}: {per_flush}");
            assert!(elapsed >= time * flushes as u32);
            // The lower bound needs threads that queue again within a flush; a quarter of it even on a busy machine.
            assert!(per_flush >= committers as f64 / 8.0, "{committers}: {per_flush}");
        }
    }

    /// Holds each flush until a given number of committers has queued, so that batches are exact.
    struct Waiting<'a> {
        queued: &'a AtomicU64,
        wanted: u64,
        sizes: Vec<u64>,
    }

    impl Flusher for Waiting<'_> {
        fn flush(&mut self, from: u64, to: u64) -> io::Result<u64> {
            while self.queued.load(Ordering::SeqCst) < self.wanted {
                std::thread::yield_now();
            }
            // Long enough for those who announced themselves to take the lock.
            std::thread::sleep(Duration::from_millis(50));
            self.sizes.push(to - from);
            Ok(to - from)
        }
    }

    #[test]
    fn followers_who_queued_during_a_flush_share_the_next() {
        let queued = AtomicU64::new(0);
        let log = GroupCommit::new(Waiting { queued: &queued, wanted: 10, sizes: Vec::new() });
        std::thread::scope(|scope| {
            for _ in 0..10 {
                scope.spawn(|| {
                    queued.fetch_add(1, Ordering::SeqCst);
                    log.commit(7).unwrap();
                });
            }
        });
        let sizes = log.into_flusher().sizes;
        // The first flush takes those who were there when it began, the second everybody else.
        assert_eq!(sizes.iter().sum::<u64>(), 70);
        assert!(sizes.len() <= 2, "{sizes:?}");
    }

    #[test]
    fn a_failed_flush_fails_every_commit_it_would_have_covered() {
        struct Failing;
        impl Flusher for Failing {
            fn flush(&mut self, _: u64, _: u64) -> io::Result<u64> {
                std::thread::sleep(Duration::from_millis(10));
                Err(io::Error::other("drive gone"))
            }
        }
        let log = GroupCommit::new(Failing);
        let acknowledged = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    if log.commit(1).is_ok() {
                        acknowledged.store(true, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(!acknowledged.load(Ordering::SeqCst));
        assert_eq!(log.flushed(), 0);
        assert!(log.commit(1).unwrap_err().to_string().contains("drive gone"));
    }

    #[test]
    fn the_check_of_acknowledgements_catches_a_log_that_is_early() {
        let durable = AtomicU64::new(0);
        let log = GroupCommit::new(Fixed {
            time: Duration::from_millis(5),
            durable: &durable,
            flushes: 0,
        });
        assert_eq!(early(|| log.commit(10).unwrap().position, &durable), 0);
        // A log that gives the position at once and flushes later.
        let position = AtomicU64::new(0);
        let hasty = || position.fetch_add(10, Ordering::SeqCst) + 10;
        assert_eq!(early(hasty, &AtomicU64::new(0)), 40);
    }
}
