//! What everybody else used of the CPUs during an experiment, by the kernel's account of all processes: the control of what clean runs say of others.

use std::collections::BTreeMap;
use std::time::Instant;

use narrows_facts::process;
use serde::{Deserialize, Serialize};

/// Names by CPU time.
const NAMED: usize = 3;
/// Of fewer CPUs than this nobody is worth a name.
const NAMED_CPUS: f64 = 0.005;

/// Processes at one moment, by number: their name, and the CPU time that they have used, ns.
#[derive(Debug)]
pub(super) struct Processes {
    at: Instant,
    of: BTreeMap<u32, (String, u64)>,
}

/// Of the CPUs, on average over the experiment. What began and ended within it is not in them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Others {
    pub cpus: f64,
    /// Names and their CPUs, the most first.
    pub most: Vec<(String, f64)>,
}

impl Processes {
    /// All but this program, which waits for the experiment.
    pub(super) fn read() -> Processes {
        let pids = process::all().into_iter().filter(|pid| *pid != std::process::id());
        let of = pids.filter_map(|pid| Some((pid, (process::name(pid)?, process::cpu_ns(pid)?))));
        Processes { at: Instant::now(), of: of.collect() }
    }

    /// What they used since then.
    pub(super) fn since(&self, before: &Processes) -> Others {
        let passed = self.at.duration_since(before.at).as_secs_f64();
        let mut by_name: BTreeMap<&str, f64> = BTreeMap::new();
        for (pid, (name, now)) in &self.of {
            let then = before.of.get(pid).filter(|(then, _)| then == name).map_or(0, |(_, ns)| *ns);
            *by_name.entry(name).or_default() += now.saturating_sub(then) as f64 / 1e9 / passed;
        }
        let mut most: Vec<(String, f64)> =
            by_name.iter().map(|(name, cpus)| (name.to_string(), *cpus)).collect();
        most.retain(|(_, cpus)| *cpus >= NAMED_CPUS);
        most.sort_by(|a, b| b.1.total_cmp(&a.1));
        most.truncate(NAMED);
        Others { cpus: by_name.values().sum(), most }
    }
}

impl Others {
    pub(super) fn in_words(&self) -> String {
        let names: Vec<String> =
            self.most.iter().map(|(name, cpus)| format!("{name} {:.1} %", 100.0 * cpus)).collect();
        let names =
            if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        format!("others used {:.1} % of a CPU{names}", 100.0 * self.cpus)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_was_used_since_is_summed_by_name_and_what_a_number_stood_for_before_does_not_count() {
        let at = Instant::now();
        let of = |list: &[(u32, &str, u64)]| {
            list.iter().map(|(pid, name, ns)| (*pid, (name.to_string(), *ns))).collect()
        };
        let before = Processes {
            at,
            of: of(&[(2, "kworker", 5_000_000_000), (3, "cron", 1), (4, "gone", 7)]),
        };
        let now = Processes {
            at: at + Duration::from_secs(10),
            of: of(&[
                (2, "kworker", 5_500_000_000),
                (3, "backup", 1_000_000_000),
                (5, "kworker", 500_000_000),
                (6, "idle", 0),
            ]),
        };
        let others = now.since(&before);
        assert!((others.cpus - 0.2).abs() < 1e-9);
        let names: Vec<&str> = others.most.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["backup", "kworker"]);
        assert_eq!(others.in_words(), "others used 20.0 % of a CPU: backup 10.0 %, kworker 10.0 %");
    }
}
