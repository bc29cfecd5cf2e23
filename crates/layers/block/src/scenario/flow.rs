//! Streams that keep their share of the operations of a group, by weights: none gets further ahead than its weight says.
//!
//! As fio's `flow`: an operation may start while the stream's part of all operations of the group is not above its part of all weights.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Counts of a group.
#[derive(Debug)]
pub struct FlowGroup {
    /// Operations of all members that are still at work; one more from the beginning, so that somebody may begin.
    operations: AtomicU64,
    /// Weights of all members that are still at work.
    weights: AtomicU64,
}

impl FlowGroup {
    /// Nobody yet.
    pub fn empty() -> Arc<FlowGroup> {
        Arc::new(FlowGroup { operations: AtomicU64::new(1), weights: AtomicU64::new(0) })
    }

    /// A member whose threads have that weight together.
    pub fn join(self: &Arc<Self>, weight: u64, threads: u32, pause: Duration) -> Flow {
        self.weights.fetch_add(weight, Ordering::Relaxed);
        let member = Member {
            group: Arc::clone(self),
            operations: AtomicU64::new(0),
            weight,
            threads: AtomicU32::new(threads),
        };
        Flow { member: Arc::new(member), pause }
    }
}

#[derive(Debug)]
struct Member {
    group: Arc<FlowGroup>,
    operations: AtomicU64,
    weight: u64,
    /// At work.
    threads: AtomicU32,
}

/// A stream's place in a group.
#[derive(Debug, Clone)]
pub struct Flow {
    member: Arc<Member>,
    /// Waited where the share is used up, after what is in flight; zero: until it isn't.
    pub pause: Duration,
}

impl Flow {
    /// Whether an operation may start; it is counted then.
    pub(crate) fn passes(&self) -> bool {
        let (member, group) = (&*self.member, &*self.member.group);
        let own = member.operations.load(Ordering::Relaxed) as f64;
        let all = group.operations.load(Ordering::Relaxed) as f64;
        let weights = group.weights.load(Ordering::Relaxed).max(1) as f64;
        if own / all > member.weight as f64 / weights {
            return false;
        }
        group.operations.fetch_add(1, Ordering::Relaxed);
        member.operations.fetch_add(1, Ordering::Relaxed);
        true
    }

    /// A thread has ended; with the last one the share goes to the others.
    pub(crate) fn leave(&self) {
        let (member, group) = (&*self.member, &*self.member.group);
        if member.threads.fetch_sub(1, Ordering::AcqRel) == 1 {
            group.weights.fetch_sub(member.weight, Ordering::Relaxed);
            group
                .operations
                .fetch_sub(member.operations.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_pass_by_their_weights_and_those_who_stay_get_the_rest() {
        let group = FlowGroup::empty();
        let flows = [1_u64, 8].map(|weight| group.join(weight, 1, Duration::ZERO));
        let mut passed = [0_u64; 2];
        for _ in 0..9000 {
            for (count, flow) in passed.iter_mut().zip(&flows) {
                *count += u64::from(flow.passes());
            }
        }
        assert!(passed[1] >= 8999, "the heavy one is never held back: {passed:?}");
        assert!(passed[0].abs_diff(passed[1] / 8) <= 2, "{passed:?}");
        flows[1].leave();
        assert!((0..100).all(|_| flows[0].passes()), "alone it is not held back");
    }

    #[test]
    fn one_of_the_members_may_always_go() {
        let group = FlowGroup::empty();
        let flows: Vec<Flow> =
            [3, 3, 5, 7].map(|weight| group.join(weight, 1, Duration::ZERO)).into();
        for turn in 0..10_000 {
            let passed = flows.iter().filter(|flow| flow.passes()).count();
            assert!(passed > 0, "all are held back in turn {turn}");
        }
    }
}
