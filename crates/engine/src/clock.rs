//! One monotonic time line for the process, in nanoseconds, so that threads can compare stamps.

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since the first call in this process (`CLOCK_MONOTONIC`).
#[inline]
pub fn now_ns() -> u64 {
    static EPOCH: OnceLock<Instant> = OnceLock::new();
    EPOCH.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    #[test]
    fn time_does_not_go_back() {
        let mut last = super::now_ns();
        for _ in 0..10_000 {
            let now = super::now_ns();
            assert!(now >= last);
            last = now;
        }
    }
}
