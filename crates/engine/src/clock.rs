//! One monotonic time line for the process, in nanoseconds, so that threads can compare stamps.

use std::sync::OnceLock;

/// Nanoseconds since the first call in this process (`CLOCK_MONOTONIC`).
///
/// Asked of the system directly: arithmetic on seconds and nanoseconds apart, as the standard library does it, takes
/// twice as long as reading the clock, in a loop that reads it for every operation.
#[inline]
pub fn now_ns() -> u64 {
    static EPOCH: OnceLock<u64> = OnceLock::new();
    let now = monotonic_ns();
    now.saturating_sub(*EPOCH.get_or_init(|| now))
}

#[inline]
fn monotonic_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills `time`, which lives on this stack, and cannot fail for this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
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
