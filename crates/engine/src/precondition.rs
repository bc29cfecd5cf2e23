//! Progress of preconditioning: how much is still to be written before a write figure can be called sustained.
//!
//! SNIA's workload-independent preconditioning writes twice the capacity in 128 KiB sequential requests; once is the
//! least that leaves no block unwritten. This only counts; who writes, and whether the user agreed, is the
//! caller's.

use std::time::Duration;

/// Bytes still to be written against bytes written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precondition {
    target_bytes: u64,
    written_bytes: u64,
    elapsed: Duration,
    /// Bytes per second of the latest step: a rate that fell says more of what is left than the mean.
    latest_per_s: Option<f64>,
}

impl Precondition {
    /// SNIA's: twice the capacity.
    pub const SNIA_PASSES: f64 = 2.0;

    /// A medium to be written so many times over.
    pub fn new(capacity_bytes: u64, passes: f64) -> Self {
        Precondition {
            target_bytes: (capacity_bytes as f64 * passes.max(0.0)).ceil() as u64,
            written_bytes: 0,
            elapsed: Duration::ZERO,
            latest_per_s: None,
        }
    }

    /// A step: so much was written in that time.
    pub fn wrote(&mut self, bytes: u64, took: Duration) {
        self.written_bytes = self.written_bytes.saturating_add(bytes);
        self.elapsed += took;
        if took > Duration::ZERO && bytes > 0 {
            self.latest_per_s = Some(bytes as f64 / took.as_secs_f64());
        }
    }

    /// Bytes written so far.
    pub fn written_bytes(&self) -> u64 {
        self.written_bytes
    }

    /// Bytes to be written in all.
    pub fn target_bytes(&self) -> u64 {
        self.target_bytes
    }

    /// Bytes left.
    pub fn left_bytes(&self) -> u64 {
        self.target_bytes.saturating_sub(self.written_bytes)
    }

    /// The share done, in [0, 1].
    pub fn share(&self) -> f64 {
        if self.target_bytes == 0 {
            return 1.0;
        }
        (self.written_bytes as f64 / self.target_bytes as f64).min(1.0)
    }

    /// Whether all was written.
    pub fn done(&self) -> bool {
        self.left_bytes() == 0
    }

    /// How long the rest takes at the pace of the latest step; `None` before the first.
    pub fn left(&self) -> Option<Duration> {
        let seconds = self.left_bytes() as f64 / self.latest_per_s?;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Time spent so far.
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_told_by_the_latest_pace() {
        let mut fill = Precondition::new(1000, Precondition::SNIA_PASSES);
        assert_eq!((fill.left(), fill.left_bytes(), fill.share()), (None, 2000, 0.0));
        fill.wrote(500, Duration::from_secs(1));
        assert_eq!(fill.left(), Some(Duration::from_secs(3)));
        fill.wrote(500, Duration::from_secs(5));
        assert_eq!((fill.left(), fill.share()), (Some(Duration::from_secs(10)), 0.5));
        fill.wrote(1500, Duration::from_secs(5));
        assert!(fill.done() && fill.share() == 1.0 && fill.left() == Some(Duration::ZERO));
        assert_eq!((fill.written_bytes(), fill.elapsed()), (2500, Duration::from_secs(11)));
    }

    #[test]
    fn nothing_to_write_is_done() {
        assert!(Precondition::new(0, 2.0).done());
        assert_eq!(Precondition::new(0, 2.0).share(), 1.0);
    }
}
