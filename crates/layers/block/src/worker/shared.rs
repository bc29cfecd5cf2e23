//! What the threads of one window share.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use narrows_engine::{Gate, Stop};

/// What the threads of one window share.
pub(crate) struct Shared<'a> {
    pub gate: Gate,
    pub stop: &'a Stop,
    /// End of the window; only ever moved forward in time, by those who must close early.
    end_ns: AtomicU64,
    /// Threads that have not reached the end of what they had to do.
    going: AtomicU32,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(threads: u32, stop: &'a Stop) -> Self {
        Shared {
            gate: Gate::new(threads as usize),
            stop,
            end_ns: AtomicU64::new(u64::MAX),
            going: AtomicU32::new(threads),
        }
    }

    /// The window ends at `at_ns` for everybody, unless it ended before.
    pub(crate) fn close(&self, at_ns: u64) {
        self.end_ns.fetch_min(at_ns, Ordering::Relaxed);
    }

    /// End of the window.
    #[inline]
    pub(crate) fn end_ns(&self) -> u64 {
        self.end_ns.load(Ordering::Relaxed)
    }

    /// A thread has done all it had to do; the last one closes the window.
    pub(crate) fn done(&self, at_ns: u64) {
        if self.going.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.close(at_ns);
        }
    }
}
