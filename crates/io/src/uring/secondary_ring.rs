//! A second, ordinary ring beside a polled one, for what can't be polled for: syncs and trims.
//!
//! A polled ring takes reads and writes only. Executed as plain calls, a sync would hold up the thread, and with it every
//! read and write that is due, for as long as the drive flushes. Here the kernel's own threads wait for it.
//!
//! Entries of this ring point to no memory of ours, so it can be closed at any time.

use std::io;
use std::time::Duration;

use io_uring::{cqueue, squeue};

use super::ring::Ring;
use super::setup;

pub(super) struct Aside {
    ring: Ring<squeue::Entry, cqueue::Entry>,
    in_flight: u32,
    timed_waits: bool,
}

impl Aside {
    /// For up to `depth` operations in flight.
    pub(super) fn new(depth: u32) -> io::Result<Aside> {
        let (ring, _) = setup::build::<squeue::Entry, cqueue::Entry>(depth, false)?;
        let timed_waits = ring.params().is_feature_ext_arg();
        Ok(Aside { ring: Ring::new(ring), in_flight: 0, timed_waits })
    }

    /// Operations submitted and not yet taken.
    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Queues an entry and hands it over.
    ///
    /// # Safety
    /// It points to no memory.
    pub(super) unsafe fn submit(&mut self, entry: &squeue::Entry) {
        // SAFETY: there is nothing that would have to stay valid.
        while !unsafe { self.ring.push(entry) } {
            std::thread::yield_now();
        }
        self.in_flight += 1;
        // What goes wrong here goes wrong again, and is told, when its completion is looked for.
        let _ = self.ring.enter(0);
    }

    /// Gives every completion that is there (`user_data` and result) to `each`; waits for one at most `wait`, where the
    /// kernel knows such waits (5.11).
    ///
    /// # Errors
    /// What entering the kernel gave.
    pub(super) fn take(
        &mut self,
        wait: Duration,
        mut each: impl FnMut(u64, i32),
    ) -> io::Result<()> {
        if self.in_flight == 0 {
            return Ok(());
        }
        if wait.is_zero() || !self.timed_waits {
            self.ring.enter(0)?;
        } else {
            self.ring.enter_within(1, wait)?;
        }
        let in_flight = &mut self.in_flight;
        self.ring.completions(|user_data, result| {
            *in_flight -= 1;
            each(user_data, result);
        });
        Ok(())
    }
}
