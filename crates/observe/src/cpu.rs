//! Busy time per processor.
//!
//! `/proc/stat` has time in tasks, on most kernels a sample: at each timer tick they look who is running. Who wakes behind a
//! tick and sleeps before the next is hardly seen (a server of short requests beside a program of a period of 10 ms: 0.48 to
//! 0.53 of a processor counted, 0.60 used). Idle time in the same file is no sample where an idle processor stops its tick
//! (`CONFIG_NO_HZ_IDLE`): it is measured from each idle moment's begin to its end, so what is left of the window is busy, switches
//! between tasks included. `/proc/schedstat`, where there is one, has nanoseconds, but adds a task's time only when the task is
//! switched away: a task that runs alone on its processor through the whole window may not show at all. So its figure is
//! taken where the two agree.

use std::collections::BTreeMap;

/// Counters of one processor since boot, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTimes {
    /// In tasks: user, nice and system time.
    pub(crate) tasks_ns: u64,
    /// In interrupts, hard and soft.
    pub(crate) interrupts_ns: u64,
    /// Idle, with I/O under way or without.
    pub(crate) idle_ns: u64,
    /// Taken by the hypervisor for others; absent in kernels that don't count it.
    pub(crate) steal_ns: Option<u64>,
}

/// Time between two counters of a processor, ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuDelta {
    pub(crate) tasks_ns: u64,
    pub(crate) interrupts_ns: u64,
    pub(crate) steal_ns: Option<u64>,
    /// In no counter: the processor did not run, or the kernel did not see that it did.
    pub(crate) missing_ns: u64,
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
        let [user, nice, system, idle, iowait, irq, softirq, rest @ ..] = ticks.as_slice() else {
            continue;
        };
        let times = CpuTimes {
            tasks_ns: (user + nice + system) * tick_ns,
            interrupts_ns: (irq + softirq) * tick_ns,
            idle_ns: (idle + iowait) * tick_ns,
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
    let since = |of: fn(&CpuTimes) -> u64| of(after).saturating_sub(of(before));
    let sampled = since(|times| times.tasks_ns);
    let interrupts_ns = since(|times| times.interrupts_ns);
    let idle_ns = since(|times| times.idle_ns);
    let steal_ns =
        after.steal_ns.zip(before.steal_ns).map(|(after, before)| after.saturating_sub(before));
    let stolen_ns = steal_ns.unwrap_or(0);
    // Where much of the window is in no counter the processor was not there.
    let counted_ns = sampled + interrupts_ns + idle_ns + stolen_ns;
    let not_idle = if counted_ns >= window_ns / 2 {
        window_ns.saturating_sub(interrupts_ns + idle_ns + stolen_ns)
    } else {
        sampled
    };
    let tolerance = 2 * tick_ns + window_ns / 20;
    let tasks_ns = match fine {
        // The finer counter takes stolen time for the task's own.
        Some((before, after)) if after >= before && stolen_ns == 0 => {
            let fine = after - before;
            if fine.abs_diff(not_idle) <= tolerance { fine } else { not_idle }
        }
        _ => not_idle,
    };
    let missing_ns = window_ns.saturating_sub(counted_ns);
    CpuDelta { tasks_ns, interrupts_ns, steal_ns, missing_ns }
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
        assert_eq!(cpus[&0].idle_ns, 1500 * MS);
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

    fn times(tasks_ms: u64, idle_ms: u64, steal_ms: u64) -> CpuTimes {
        CpuTimes {
            tasks_ns: tasks_ms * MS,
            interrupts_ns: 0,
            idle_ns: idle_ms * MS,
            steal_ns: Some(steal_ms * MS),
        }
    }

    fn tasks_ms(after: CpuTimes, fine_ms: Option<u64>) -> u64 {
        let fine = fine_ms.map(|ms| (5, 5 + ms * MS));
        delta((&times(0, 0, 0), &after), fine, 1000 * MS, 10 * MS).tasks_ns / MS
    }

    #[test]
    fn the_finer_counter_is_taken_only_where_it_agrees() {
        assert_eq!(tasks_ms(times(500, 500, 0), Some(503)), 503);
        // One hog that was never switched away: the finer counter missed it.
        assert_eq!(tasks_ms(times(1000, 0, 0), Some(3)), 1000);
        // Stolen time looks like work to it.
        assert_eq!(tasks_ms(times(500, 480, 20), Some(520)), 500);
        assert_eq!(tasks_ms(times(70, 930, 0), None), 70);
    }

    #[test]
    fn who_runs_between_two_ticks_is_seen_by_the_idle_time() {
        assert_eq!(tasks_ms(times(480, 400, 0), None), 600);
        assert_eq!(tasks_ms(times(480, 400, 0), Some(597)), 597);
        // It was off-line for most of the window.
        assert_eq!(tasks_ms(times(100, 200, 0), None), 100);
    }

    #[test]
    fn counters_that_start_again_give_nothing_rather_than_a_huge_number() {
        let before = CpuTimes { interrupts_ns: 50, ..times(100, 0, 9) };
        let after = CpuTimes { interrupts_ns: 5, steal_ns: None, ..times(10, 0, 0) };
        let delta = delta((&before, &after), Some((7, 3)), 1000 * MS, 10 * MS);
        let missing_ns = delta.missing_ns;
        assert_eq!(delta, CpuDelta { tasks_ns: 0, interrupts_ns: 0, steal_ns: None, missing_ns });
    }
}
