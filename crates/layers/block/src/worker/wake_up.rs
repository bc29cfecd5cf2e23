//! How early a sleep has to end for the next operation to be sent when it is due: learned from how late this thread's sleeps end.

/// The least, and at first, ns: a timer wakes up to some 50 µs late (`storage.md` 7.8 of the references).
const LEAST_NS: u64 = 100_000;
/// The most, ns. In a guest of a busy host sleeps of 0.1 to 5 ms ended 0.13 to 0.26 ms late at the 99th percentile (measured); what is much
/// later is a stop of the machine, which no thread that sleeps can foresee.
const MOST_NS: u64 = 500_000;
/// So much earlier after a wake-up that was too late, and later after each other, ns: at rest one of 401 is too late.
const EARLIER_NS: u64 = 20_000;
const LATER_NS: u64 = EARLIER_NS / 400;

/// How long before it is needed a thread's sleep ends; the rest is spent spinning.
#[derive(Debug)]
pub(super) struct WakeUp {
    early_ns: u64,
}

impl WakeUp {
    pub(super) fn new() -> Self {
        WakeUp { early_ns: LEAST_NS }
    }

    /// Before the time that matters, ns.
    #[inline]
    pub(super) fn early_ns(&self) -> u64 {
        self.early_ns
    }

    /// A sleep that was to end at `asked_ns` ended at `woke_ns`.
    #[inline]
    pub(super) fn woke(&mut self, asked_ns: u64, woke_ns: u64) {
        let was_late = woke_ns.saturating_sub(asked_ns) > self.early_ns;
        self.early_ns = if was_late {
            (self.early_ns + EARLIER_NS).min(MOST_NS)
        } else {
            (self.early_ns - LATER_NS).max(LEAST_NS)
        };
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::Rng;

    use super::*;

    /// After so many sleeps that end late by up to `most_ns`, evenly.
    fn learned(most_ns: u64, sleeps: u32) -> WakeUp {
        let (mut wake_up, mut rng) = (WakeUp::new(), Rng::new(1));
        for at in 0..u64::from(sleeps) {
            wake_up.woke(at, at + rng.below(most_ns));
        }
        wake_up
    }

    #[test]
    fn sleeps_end_as_early_as_nearly_all_of_them_are_late() {
        assert_eq!(learned(60_000, 10_000).early_ns(), LEAST_NS, "early enough as it is");
        for most_ns in [200_000, 400_000] {
            let early_ns = learned(most_ns, 20_000).early_ns();
            assert!((most_ns * 9 / 10..most_ns + 2 * EARLIER_NS).contains(&early_ns), "{early_ns}");
        }
        assert!(learned(400_000, 200).early_ns() > 300_000, "within a warm-up");
        assert!(learned(5_000_000, 20_000).early_ns() <= MOST_NS);
    }

    #[test]
    fn a_stop_of_the_machine_is_forgotten() {
        let mut wake_up = WakeUp::new();
        wake_up.woke(0, 50_000_000);
        assert_eq!(wake_up.early_ns(), LEAST_NS + EARLIER_NS);
        for at in 0..500 {
            wake_up.woke(at, at + 20_000);
        }
        assert_eq!(wake_up.early_ns(), LEAST_NS);
    }
}
