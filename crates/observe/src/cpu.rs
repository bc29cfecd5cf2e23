//! Busy time per processor.
//!
//! `/proc/stat` counts in ticks of 10 ms and, on most kernels, by looking at each timer tick who is running, so it is
//! a sample. `/proc/schedstat` has nanoseconds, but adds a task's time only when the task is switched
//! away: a task that runs alone on its processor through the whole window may not show at all. So its figure
//! is taken where the two agree within the sample's error, and the sample otherwise.

use std::collections::BTreeMap;

/// Counters of one processor since boot, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTimes {
    /// In tasks: user, nice and system time.
    pub(crate) tasks_ns: u64,
    /// In interrupts, hard and soft.
    pub(crate) interrupts_ns: u64,
    /// Taken by the hypervisor for others; absent in kernels that don't count it.
    pub(crate) steal_ns: Option<u64>,
}

/// Time between two counters of a processor, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuDelta {
    pub(crate) tasks_ns: u64,
    pub(crate) interrupts_ns: u64,
    pub(crate) steal_ns: Option<u64>,
}

/// The `cpuN` lines of `/proc/stat`; processors that are off-line have none.
pub(crate) fn parse_stat(text: &str, tick_ns: u64) -> BTreeMap<u32, CpuTimes> {
    let mut cpus = BTreeMap::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("cpu") else { continue };
        let mut fields = rest.split(' ');
        // The first line, the sum, has no number after `cpu`.
        let Some(id) = fields.next().and_then(|id| id.parse().ok()) else { continue };
        let ticks: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
        // user nice system idle iowait irq softirq steal guest guest_nice; guest time is within user and nice.
        let [user, nice, system, _idle, _iowait, irq, softirq, rest @ ..] = ticks.as_slice() else {
            continue;
        };
        let times = CpuTimes {
            tasks_ns: (user + nice + system) * tick_ns,
            interrupts_ns: (irq + softirq) * tick_ns,
            steal_ns: rest.first().map(|steal| steal * tick_ns),
        };
        cpus.insert(id, times);
    }
    cpus
}

/// Nanoseconds in tasks per processor, from `/proc/schedstat`; empty for versions with other columns.
pub(crate) fn parse_schedstat(text: &str) -> BTreeMap<u32, u64> {
    const KNOWN: std::ops::RangeInclusive<u32> = 15..=17;
    let version = text.lines().next().and_then(|line| line.strip_prefix("version ")?.parse().ok());
    if !version.is_some_and(|version: u32| KNOWN.contains(&version)) {
        return BTreeMap::new();
    }
    text.lines()
        .filter_map(|line| {
            let mut fields = line.strip_prefix("cpu")?.split_whitespace();
            let id = fields.next()?.parse().ok()?;
            // The seventh counter is time spent running tasks.
            Some((id, fields.nth(6)?.parse().ok()?))
        })
        .collect()
}

/// The time between two readings of one processor, the finer counter used where it can be believed.
pub(crate) fn delta(
    (before, after): (&CpuTimes, &CpuTimes),
    fine: Option<(u64, u64)>,
    window_ns: u64,
    tick_ns: u64,
) -> CpuDelta {
    // Counters of a processor that was off-line for a while may start again.
    let sampled = after.tasks_ns.saturating_sub(before.tasks_ns);
    let steal_ns =
        after.steal_ns.zip(before.steal_ns).map(|(after, before)| after.saturating_sub(before));
    let tolerance = 2 * tick_ns + window_ns / 20;
    let tasks_ns = match fine {
        // The finer counter takes stolen time for the task's own.
        Some((before, after)) if after >= before && steal_ns.unwrap_or(0) == 0 => {
            let fine = after - before;
            if fine.abs_diff(sampled) <= tolerance { fine } else { sampled }
        }
        _ => sampled,
    };
    let interrupts_ns = after.interrupts_ns.saturating_sub(before.interrupts_ns);
    CpuDelta { tasks_ns, interrupts_ns, steal_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn stat_lines_with_and_without_steal() {
        let text =
            "cpu  9 9 9 9 9 9 9 9\ncpu0 1 2 3 100 50 4 5 6 0 0\ncpu2 1 0 0 9 9 0 1\nintr 5\n";
        let cpus = parse_stat(text, 10 * MS);
        assert_eq!(cpus.keys().copied().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(cpus[&0].tasks_ns, 60 * MS);
        assert_eq!(cpus[&0].interrupts_ns, 90 * MS);
        assert_eq!(cpus[&0].steal_ns, Some(60 * MS));
        assert_eq!(cpus[&2].steal_ns, None);
    }

    #[test]
    fn schedstat_of_known_versions_only() {
        let lines =
            "timestamp 42\ncpu0 0 0 1 2 3 4 555 66 7\ndomain0 MC 3 0\ncpu1 0 0 1 2 3 4 777 88 9\n";
        let text = format!("version 15\n{lines}");
        assert_eq!(parse_schedstat(&text), BTreeMap::from([(0, 555), (1, 777)]));
        assert!(parse_schedstat(&format!("version 14\n{lines}")).is_empty());
        assert!(parse_schedstat("").is_empty());
    }

    #[test]
    fn the_finer_counter_is_taken_only_where_it_agrees() {
        let times =
            |tasks, steal| CpuTimes { tasks_ns: tasks, interrupts_ns: 0, steal_ns: Some(steal) };
        let window = 1000 * MS;
        let between = |sampled, steal, fine| {
            delta((&times(0, 0), &times(sampled, steal)), Some((5, 5 + fine)), window, 10 * MS)
                .tasks_ns
        };
        assert_eq!(between(500 * MS, 0, 503 * MS), 503 * MS);
        // One hog that was never switched away: the finer counter missed it.
        assert_eq!(between(1000 * MS, 0, 3 * MS), 1000 * MS);
        // Stolen time looks like work to it.
        assert_eq!(between(500 * MS, 20 * MS, 520 * MS), 500 * MS);
        let without = delta((&times(0, 0), &times(70 * MS, 0)), None, window, 10 * MS);
        assert_eq!(without.tasks_ns, 70 * MS);
    }

    #[test]
    fn counters_that_start_again_give_nothing_rather_than_a_huge_number() {
        let before = CpuTimes { tasks_ns: 100, interrupts_ns: 50, steal_ns: Some(9) };
        let after = CpuTimes { tasks_ns: 10, interrupts_ns: 5, steal_ns: None };
        let delta = delta((&before, &after), Some((7, 3)), 1000, 10);
        assert_eq!(delta, CpuDelta { tasks_ns: 0, interrupts_ns: 0, steal_ns: None });
    }
}
