//! Sets of numbers that are mostly one run: what was acknowledged, and the gaps in it.

/// A set of numbers as ranges that neither touch nor overlap, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds `from..=to`; nothing if it is empty.
    pub fn add(&mut self, from: u64, to: u64) {
        if from > to {
            return;
        }
        // The usual case: the next one.
        if let Some(last) = self.0.last_mut()
            && from > last.0
            && from <= last.1.saturating_add(1)
        {
            last.1 = last.1.max(to);
            return;
        }
        let apart = |range: &(u64, u64)| range.1.saturating_add(1) < from;
        let start = self.0.partition_point(apart);
        let end = self.0.partition_point(|range| range.0 <= to.saturating_add(1));
        let merged = self.0[start..end]
            .iter()
            .fold((from, to), |merged, range| (merged.0.min(range.0), merged.1.max(range.1)));
        self.0.splice(start..end.max(start), [merged]);
    }

    /// The ranges, ends included.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0.iter().copied()
    }

    /// The largest number.
    pub fn highest(&self) -> Option<u64> {
        self.0.last().map(|range| range.1)
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.iter().map(|(from, to)| to - from + 1).sum()
    }

    /// Whether it holds that number.
    pub fn contains(&self, number: u64) -> bool {
        let at = self.0.partition_point(|range| range.1 < number);
        self.0.get(at).is_some_and(|range| range.0 <= number)
    }

    /// Numbers from 1 to the largest that are not in it.
    pub fn gaps(&self) -> Ranges {
        let mut gaps = Ranges::default();
        let mut next = 1;
        for (from, to) in self.iter() {
            gaps.add(next, from.saturating_sub(1));
            next = to + 1;
        }
        gaps
    }

    /// Those from `first` on.
    pub fn starting_at(&self, first: u64) -> Ranges {
        let mut later = Ranges::default();
        for (from, to) in self.iter() {
            later.add(from.max(first), to);
        }
        later
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all(ranges: &Ranges) -> Vec<(u64, u64)> {
        ranges.iter().collect()
    }

    #[test]
    fn it_holds_what_a_plain_set_holds() {
        let mut chance = narrows_engine::Rng::new(5);
        for _ in 0..200 {
            let (mut ranges, mut oracle) = (Ranges::default(), BTreeSet::new());
            for _ in 0..20 {
                let from = 1 + chance.below(60);
                let to = from + chance.below(6);
                ranges.add(from, to);
                oracle.extend(from..=to);
                let apart = all(&ranges).windows(2).all(|pair| pair[0].1 + 1 < pair[1].0);
                assert!(apart, "{ranges:?}");
            }
            assert_eq!(ranges.count(), oracle.len() as u64);
            assert!((0..80).all(|number| ranges.contains(number) == oracle.contains(&number)));
            assert_eq!(ranges.highest(), oracle.last().copied());
            let gaps = ranges.gaps();
            let highest = ranges.highest().unwrap();
            assert!((1..=highest).all(|number| gaps.contains(number) != oracle.contains(&number)));
            let later = ranges.starting_at(30);
            assert!((1..80).all(|n| later.contains(n) == (n >= 30 && oracle.contains(&n))));
        }
    }

    #[test]
    fn what_comes_in_order_stays_one_range() {
        let mut ranges = Ranges::default();
        for number in 1..=1000 {
            ranges.add(number, number);
        }
        ranges.add(9, 3);
        assert_eq!(all(&ranges), [(1, 1000)]);
        assert_eq!(ranges.gaps(), Ranges::default());
    }
}
