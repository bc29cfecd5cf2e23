//! A rate that must be reached in every cycle.

use std::time::Duration;

use super::{Done, KINDS};

/// So long nobody is judged.
const SETTLE_NS: u64 = 2_000_000_000;

/// Rates that must be reached, by reads, writes and trims; of a kind that has moved nothing none is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinimumRate {
    /// Operations per second; bytes go before them.
    pub operations: [Option<u64>; KINDS],
    /// Bytes per second.
    pub bytes: [Option<u64>; KINDS],
    /// Over which time.
    pub cycle: Duration,
}

/// A rate that was not reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Missed {
    /// Reads, writes, trims.
    pub kind: usize,
    /// Bytes per second, or operations.
    pub counts_bytes: bool,
    /// What was asked for.
    pub wanted: u64,
    /// What there was.
    pub got: u64,
    /// Seconds since its window began.
    pub after_s: f64,
}

#[derive(Debug)]
pub(super) struct Judging {
    rule: MinimumRate,
    /// When something last came back that was judged, ns.
    judged_ns: u64,
    /// When the cycle began and what had been done then, by kind.
    cycles: [Option<(u64, u64)>; KINDS],
    missed: Option<Missed>,
}

impl Judging {
    pub(super) fn of(rule: MinimumRate) -> Judging {
        Judging { rule, judged_ns: 0, cycles: [None; KINDS], missed: None }
    }

    pub(super) fn missed(&self) -> Option<Missed> {
        self.missed
    }

    /// Whether their time is over. As in fio a rate is taken when something comes back: what takes longer than a cycle is judged by its own
    /// time.
    pub(super) fn look(&mut self, done: &[Done]) -> bool {
        let now_ns = done.iter().map(|one| one.told_ns).max().unwrap_or(0);
        if std::mem::replace(&mut self.judged_ns, now_ns) == now_ns {
            return false;
        }
        let began_ns = done.iter().map(|one| one.began_ns).filter(|at| *at > 0).min();
        let Some(began_ns) = began_ns else { return false };
        if now_ns < began_ns + SETTLE_NS || done.iter().all(|one| one.ended) {
            return false;
        }
        for kind in 0..KINDS {
            let sum = |of: fn(&Done) -> &[u64; KINDS]| done.iter().map(|one| of(one)[kind]).sum();
            let (operations, bytes): (u64, u64) =
                (sum(|one| &one.operations), sum(|one| &one.bytes));
            let counts_bytes = self.rule.bytes[kind].is_some();
            let wanted = self.rule.bytes[kind].or(self.rule.operations[kind]);
            let (Some(wanted), 1..) = (wanted, operations) else { continue };
            let so_far = if counts_bytes { bytes } else { operations };
            if let Some((since_ns, before)) = self.cycles[kind] {
                let passed_ns = now_ns.saturating_sub(since_ns);
                if passed_ns < (self.rule.cycle.as_nanos() as u64).max(1) {
                    continue;
                }
                let moved = u128::from(so_far.saturating_sub(before));
                let got = (moved * 1_000_000_000 / u128::from(passed_ns)) as u64;
                if got < wanted {
                    let after_s = (now_ns - began_ns) as f64 / 1e9;
                    self.missed = Some(Missed { kind, counts_bytes, wanted, got, after_s });
                    return true;
                }
            }
            self.cycles[kind] = Some((now_ns, so_far));
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn done(at_ms: u64, operations: u64, ended: bool) -> [Done; 1] {
        let each = [0, operations, 0];
        [Done {
            began_ns: 1,
            told_ns: 1 + at_ms * MS,
            ended,
            operations: each,
            bytes: each.map(|n| n * 4096),
            latency_sum_ns: 0,
        }]
    }

    fn judging(cycle_ms: u64) -> Judging {
        let cycle = Duration::from_millis(cycle_ms);
        Judging::of(MinimumRate {
            operations: [None; KINDS],
            bytes: [Some(1 << 40), Some(409_600), None],
            cycle,
        })
    }

    #[test]
    fn each_cycle_is_judged_by_its_own_rate() {
        let mut judging = judging(500);
        // A hundred writes a second are just enough; reads that there are none of owe nothing.
        for half in 1..20 {
            assert!(!judging.look(&done(half * 500, 50 * half, false)), "{half}");
        }
        assert!(judging.look(&done(10_000, 50 * 19 + 49, false)));
        let missed = judging.missed().unwrap();
        assert_eq!((missed.kind, missed.wanted, missed.got), (1, 409_600, 401_408));
        assert!((missed.after_s - 10.0).abs() < 1e-6);
    }

    #[test]
    fn looks_within_a_cycle_and_what_has_ended_are_not_judged() {
        let mut judging = judging(1000);
        assert!(!judging.look(&done(2000, 1, false)));
        assert!(!judging.look(&done(2999, 2, false)), "not yet");
        assert!(!judging.look(&done(3000, 3, true)), "it is through");
        assert!(judging.look(&done(3001, 3, false)));
        let mut two = self::judging(1000);
        let both =
            |at_ms, operations| [done(2000, 1000, true), done(at_ms, operations, false)].concat();
        assert!(!two.look(&both(2000, 1)));
        assert!(two.look(&both(3001, 2)), "the one that goes on is judged");
    }

    #[test]
    fn what_takes_longer_than_a_cycle_is_judged_when_it_comes_back() {
        let mut judging = judging(1000);
        judging.rule.bytes[1] = Some(1024);
        let all = [(2500, 1), (2500, 1), (5777, 2), (5777, 2), (9054, 3), (12_331, 4)];
        for (at_ms, operations) in all {
            assert!(
                !judging.look(&done(at_ms, operations, false)),
                "one in 3.3 s is 1250 a second"
            );
        }
        assert!(judging.look(&done(17_000, 5, false)));
        assert_eq!(judging.missed().unwrap().got, 877);
    }
}
