//! Which statements sessions were in over time, in slices of equal length. However long a look goes on it takes the same memory:
//! neighbouring slices become one where there are too many, and of the statements of a slice only those found most often are told apart.

use std::collections::BTreeMap;

use narrows_model::{
    ActivityState, StatementGroup, StatementHistory, StatementMoment, StatementSamples,
};

/// About four samples.
const SHORTEST_SLICE_NS: u64 = 1_000_000_000;
/// Statements and states of a slice that are told apart between two rounds of forgetting, and after one.
const MOST_FOUND: usize = 256;
const KEPT_FOUND: usize = 64;

/// The statement, by the collector's number; `None` where none is known.
type Group = Option<u32>;

#[derive(Debug, Clone, Default)]
struct Slice {
    samples: u64,
    found: BTreeMap<(Group, ActivityState), u64>,
    /// Of statements found so seldom that they are no longer told apart.
    others: BTreeMap<ActivityState, u64>,
}

impl Slice {
    fn merge(&mut self, later: Slice) {
        self.samples += later.samples;
        for (state, times) in later.others {
            *self.others.entry(state).or_default() += times;
        }
        for ((group, state), times) in later.found {
            self.add(group, state, times);
        }
    }

    fn add(&mut self, group: Group, state: ActivityState, times: u64) {
        *self.found.entry((group, state)).or_default() += times;
        if self.found.len() > MOST_FOUND {
            self.forget();
        }
    }

    /// Tells apart no longer what was found most seldom; who has no statement stays.
    fn forget(&mut self) {
        let mut times: Vec<u64> = self.found.values().copied().collect();
        times.sort_by(|a, b| b.cmp(a));
        let least = times[KEPT_FOUND];
        let others = &mut self.others;
        self.found.retain(|(group, state), times| {
            let kept = group.is_none() || *times > least;
            if !kept {
                *others.entry(*state).or_default() += *times;
            }
            kept
        });
    }
}

/// Slices so far.
#[derive(Debug, Clone)]
pub(super) struct OverTime {
    slices: Vec<Slice>,
    slice_ns: u64,
    now: usize,
}

impl Default for OverTime {
    fn default() -> OverTime {
        OverTime { slices: Vec::new(), slice_ns: SHORTEST_SLICE_NS, now: 0 }
    }
}

impl OverTime {
    /// A sample, taken that long after the beginning, begins.
    pub(super) fn begin(&mut self, at_ns: u64) {
        while at_ns / self.slice_ns >= StatementHistory::SLICES as u64 {
            let mut merged: Vec<Slice> = Vec::with_capacity(StatementHistory::SLICES);
            for (index, slice) in std::mem::take(&mut self.slices).into_iter().enumerate() {
                match merged.last_mut().filter(|_| index % 2 == 1) {
                    Some(before) => before.merge(slice),
                    None => merged.push(slice),
                }
            }
            self.slices = merged;
            self.slice_ns = self.slice_ns.saturating_mul(2);
        }
        self.now = (at_ns / self.slice_ns) as usize;
        if self.slices.len() <= self.now {
            self.slices.resize(self.now + 1, Slice::default());
        }
        self.slices[self.now].samples += 1;
    }

    /// That many processes in that statement, in the sample that was begun.
    pub(super) fn add(&mut self, group: Group, state: ActivityState, count: u64) {
        if let Some(slice) = self.slices.get_mut(self.now)
            && count > 0
        {
            slice.add(group, state, count);
        }
    }

    /// The same of a statement that nobody tells apart.
    pub(super) fn add_other(&mut self, state: ActivityState, count: u64) {
        if let Some(slice) = self.slices.get_mut(self.now) {
            *slice.others.entry(state).or_default() += count;
        }
    }

    /// With these statements told apart, by their numbers and ids, most first; `same` says which number is another's statement too. `None`
    /// where nobody asked.
    pub(super) fn history(
        &self,
        listed: &[(u32, String)],
        same: &BTreeMap<u32, u32>,
    ) -> Option<StatementHistory> {
        let listed = &listed[..listed.len().min(StatementHistory::LISTED)];
        let statement = |group: Group| match group {
            None => StatementGroup::Unknown,
            Some(group) => listed
                .iter()
                .position(|(of, _)| of == same.get(&group).unwrap_or(&group))
                .map_or(StatementGroup::Others, |at| StatementGroup::Listed(at as u32)),
        };
        let moment = |(index, slice): (usize, &Slice)| {
            let mut found: BTreeMap<(StatementGroup, ActivityState), u64> = BTreeMap::new();
            for ((group, state), times) in &slice.found {
                *found.entry((statement(*group), *state)).or_default() += times;
            }
            for (state, times) in &slice.others {
                *found.entry((StatementGroup::Others, *state)).or_default() += times;
            }
            let found = found.into_iter();
            StatementMoment {
                at_ns: (index as f64 + 0.5) * self.slice_ns as f64,
                samples: slice.samples,
                found: found
                    .map(|((statement, state), times)| StatementSamples {
                        statement,
                        state,
                        count: times,
                    })
                    .collect(),
            }
        };
        let asked = self.slices.iter().enumerate().filter(|(_, slice)| slice.samples > 0);
        let moments: Vec<StatementMoment> = asked.map(moment).collect();
        let statements = listed.iter().map(|(_, id)| id.clone()).collect();
        (!moments.is_empty()).then_some(StatementHistory { statements, moments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;
    use ActivityState::{Lock, Running};

    fn listed(groups: &[u32]) -> Vec<(u32, String)> {
        groups.iter().map(|group| (*group, format!("q{group}"))).collect()
    }

    #[test]
    fn each_slice_has_its_statements_by_what_they_waited_for() {
        let mut over_time = OverTime::default();
        for quarter in 0..12 {
            over_time.begin(quarter * S / 4);
            over_time.add(Some(7), Running, 2);
            if quarter >= 8 {
                over_time.add(Some(9), Lock, 2);
                // The same statement, before the server gave it an id.
                over_time.add(Some(8), Lock, 1);
            }
            over_time.add(None, Running, 1);
            over_time.add(Some(1), Running, 1);
        }
        let history = over_time.history(&listed(&[7, 9]), &BTreeMap::from([(8, 9)])).unwrap();
        assert_eq!(history.statements, ["q7", "q9"]);
        let places: Vec<f64> = history.moments.iter().map(|moment| moment.at_ns).collect();
        assert_eq!(places, [0.5e9, 1.5e9, 2.5e9]);
        let mean =
            |at: usize, statement| history.moments[at].mean(|found| found.statement == statement);
        assert_eq!([0, 1, 2].map(|at| mean(at, StatementGroup::Listed(1))), [0.0, 0.0, 3.0]);
        assert_eq!([0, 1, 2].map(|at| mean(at, StatementGroup::Listed(0))), [2.0, 2.0, 2.0]);
        assert_eq!((mean(0, StatementGroup::Others), mean(2, StatementGroup::Unknown)), (1.0, 1.0));
        assert_eq!(history.times(|found| found.state == Lock), 12);
        assert_eq!(OverTime::default().history(&listed(&[7]), &BTreeMap::new()), None);
    }

    #[test]
    fn a_long_look_has_as_many_slices_and_loses_nothing() {
        let mut over_time = OverTime::default();
        for second in 0..1000 {
            over_time.begin(second * S);
            over_time.add(Some(3), Running, 2);
            over_time.add(Some(4 + second as u32 % 2), Lock, 1);
        }
        let history = over_time.history(&listed(&[3]), &BTreeMap::new()).unwrap();
        assert_eq!((history.moments.len(), history.moments[0].samples), (63, 16));
        assert_eq!(history.moments[0].at_ns, 8e9);
        assert_eq!(history.times(|found| found.statement == StatementGroup::Listed(0)), 2000);
        assert_eq!(history.times(|found| found.statement == StatementGroup::Others), 1000);
        // A clock that jumps by a year takes no more.
        over_time.begin(365 * 86_400 * S);
        let slices = over_time.history(&listed(&[3]), &BTreeMap::new()).unwrap().moments.len();
        assert!(
            slices <= StatementHistory::SLICES
                && over_time.slices.len() <= StatementHistory::SLICES
        );
        over_time.begin(u64::MAX);
        assert!(over_time.slices.len() <= StatementHistory::SLICES);
    }

    #[test]
    fn statements_of_a_slice_are_bounded_and_the_largest_stays_told_apart() {
        let mut over_time = OverTime::default();
        for sample in 0..100 {
            over_time.begin(sample * S / 100);
            for rare in 0..100 {
                over_time.add(Some(1000 + sample as u32 * 100 + rare), Running, 1);
            }
            over_time.add(Some(5), Lock, 4);
            over_time.add(None, Running, 1);
        }
        assert!(over_time.slices[0].found.len() <= MOST_FOUND + 1);
        let history = over_time.history(&listed(&[5]), &BTreeMap::new()).unwrap();
        assert_eq!(history.times(|found| found.statement == StatementGroup::Listed(0)), 400);
        assert_eq!(history.times(|found| found.statement == StatementGroup::Unknown), 100);
        assert_eq!(history.times(|found| found.statement == StatementGroup::Others), 10_000);
    }
}
