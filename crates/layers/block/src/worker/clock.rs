//! The loop's view of time, so that tests can run it on a simulated device by a simulated clock.

use std::time::Duration;

use narrows_engine::now_ns;

/// A time line in ns.
pub(super) trait Clock {
    /// Now.
    fn now_ns(&self) -> u64;

    /// Gives the processor away until then, at the latest; may return early.
    fn sleep_until(&self, at_ns: u64);

    /// One turn of waiting without giving the processor away.
    fn spin(&self) {
        std::hint::spin_loop();
    }
}

/// The machine's.
#[derive(Debug, Clone, Copy)]
pub(super) struct Monotonic;

impl Clock for Monotonic {
    #[inline]
    fn now_ns(&self) -> u64 {
        now_ns()
    }

    fn sleep_until(&self, at_ns: u64) {
        std::thread::sleep(Duration::from_nanos(at_ns.saturating_sub(now_ns())));
    }
}
