//! Which priority the next operation has. As fio: a number from 0 to 99 is drawn for each operation that has a share at all.

use narrows_engine::Rng;
use narrows_io::Op;

use crate::scenario::{Priorities, PriorityShare};

/// Priorities of one thread's operations.
#[derive(Debug, Clone)]
pub(super) struct PriorityChoice {
    rng: Rng,
    shares: Box<[PriorityShare]>,
    /// By number; number 0 is that of the thread, which no operation names.
    priorities: Box<[u16]>,
}

impl PriorityChoice {
    pub(super) fn new(priorities: &Priorities, seed: u64) -> PriorityChoice {
        let all = std::iter::once(0).chain(priorities.distinct());
        PriorityChoice {
            rng: Rng::new(seed ^ 0x7072_696f),
            shares: priorities.shares.clone().into_boxed_slice(),
            priorities: all.collect(),
        }
    }

    /// Number of the priority of an operation of that kind and length.
    pub(super) fn draw(&mut self, op: Op, bytes: u32) -> u8 {
        let about = |share: &&PriorityShare| {
            share.op == op && share.bytes.is_none_or(|length| length == bytes)
        };
        let mut drawn = None;
        let mut below = 0;
        for share in self.shares.iter().filter(about) {
            let at = *drawn.get_or_insert_with(|| self.rng.below(100));
            below += u64::from(share.percent);
            if at < below {
                return self.number(share.priority);
            }
        }
        0
    }

    fn number(&self, priority: u16) -> u8 {
        let at = self.priorities[1..].iter().position(|other| *other == priority);
        at.map_or(0, |at| at as u8 + 1)
    }

    /// The priority of that number, in the kernel's form; 0: none of its own.
    pub(super) fn of(&self, number: u8) -> u16 {
        self.priorities[usize::from(number)]
    }

    /// All of them, by number.
    pub(super) fn all(&self) -> &[u16] {
        &self.priorities
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(op: Op, bytes: Option<u32>, percent: u8, priority: u16) -> PriorityShare {
        PriorityShare { op, bytes, percent, priority }
    }

    fn counted(choice: &mut PriorityChoice, op: Op, bytes: u32) -> Vec<u32> {
        let mut counts = vec![0; choice.all().len()];
        (0..10_000).for_each(|_| counts[usize::from(choice.draw(op, bytes))] += 1);
        counts
    }

    #[test]
    fn each_kind_and_length_has_its_shares() {
        let shares = vec![
            share(Op::Read, Some(65_536), 25, 1 << 13 | 1),
            share(Op::Read, Some(65_536), 75, 3 << 13 | 2),
            share(Op::Write, None, 20, 1 << 13 | 1),
        ];
        let mut choice = PriorityChoice::new(&Priorities { shares }, 9);
        assert_eq!(choice.all(), [0, 1 << 13 | 1, 3 << 13 | 2]);
        let reads = counted(&mut choice, Op::Read, 65_536);
        assert!(reads[0] == 0 && reads[1].abs_diff(2500) < 200, "{reads:?}");
        assert_eq!(counted(&mut choice, Op::Read, 4096), [10_000, 0, 0], "another length");
        let writes = counted(&mut choice, Op::Write, 4096);
        assert!(writes[2] == 0 && writes[1].abs_diff(2000) < 200, "{writes:?}");
        assert_eq!(counted(&mut choice, Op::Trim, 4096), [10_000, 0, 0]);
    }

    #[test]
    fn all_and_none_are_exact() {
        for percent in [0, 100] {
            let shares = vec![share(Op::Read, None, percent, 1 << 13)];
            let mut choice = PriorityChoice::new(&Priorities { shares }, 1);
            assert_eq!(counted(&mut choice, Op::Read, 1)[1], u32::from(percent) * 100);
        }
    }
}
