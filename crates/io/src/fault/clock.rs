//! The time that delays are measured in.

use std::time::{Duration, Instant};

/// A clock that can be waited on.
pub trait Clock {
    /// Time since some fixed moment, ns.
    fn now_ns(&self) -> u64;

    /// Lets about that much time pass, or returns at once where time is moved by somebody else.
    fn wait_ns(&self, ns: u64);
}

/// The machine's own clock.
#[derive(Debug, Clone, Copy)]
pub struct Monotonic {
    began: Instant,
}

impl Default for Monotonic {
    fn default() -> Self {
        Monotonic { began: Instant::now() }
    }
}

impl Clock for Monotonic {
    fn now_ns(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    fn wait_ns(&self, ns: u64) {
        std::thread::sleep(Duration::from_nanos(ns));
    }
}
