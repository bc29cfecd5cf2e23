//! Which other programs used the machine's processors, and which of them give way to the server.
//!
//! `/proc/PID/stat` of every process at both ends of the look, in ticks of 10 ms (proc(5)). What came and went in between is in
//! neither.
//!
//! One that runs at a far lower priority takes what the server leaves, and is no bound: the server has its processor back when it
//! wants it. Priorities hold within a control group only; a server that waits for its processors all the same shows a run queue, by
//! which the verdict names the others.

use std::collections::{BTreeMap, BTreeSet};

use narrows_facts::{ProcessTable, ProcessUsage, affinity};
use narrows_model::ProgramUse;

/// From this nice value on a process has a ninth of the weight of an ordinary one or less (kernel, `sched_prio_to_weight`).
const GIVES_WAY: i64 = 10;
/// `SCHED_IDLE` (sched(7)).
const IDLE_POLICY: u64 = 5;
/// Names that are kept.
const NAMED: usize = 3;

fn gives_way(usage: &ProcessUsage) -> bool {
    usage.nice >= GIVES_WAY || usage.policy == Some(IDLE_POLICY)
}

/// What the others used.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OtherPrograms {
    /// The largest, most first.
    pub(crate) programs: Vec<ProgramUse>,
    /// Processor time of those that give way and may run on one of the server's processors, ns.
    pub(crate) yielding_ns: f64,
    /// Processor time of those that are clients of the server, ns; `None` where none could be seen.
    pub(crate) clients_ns: Option<f64>,
}

/// Whom the others are beside.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ServerOnHost<'a> {
    /// The server's main process.
    pub(crate) server: u32,
    /// The processors it may use; none: all.
    pub(crate) allowed: &'a [u32],
    /// Processes that are clients of it.
    pub(crate) clients: Option<&'a BTreeSet<u32>>,
}

impl ServerOnHost<'_> {
    /// Whether a process may run on one of the server's processors; so it is taken where that can't be asked any more.
    fn shares_cpus_with(&self, pid: u32) -> bool {
        let cpus = affinity::of_pid(pid).unwrap_or_default();
        let either_unknown = self.allowed.is_empty() || cpus.is_empty();
        either_unknown || cpus.iter().any(|cpu| self.allowed.contains(cpu))
    }
}

/// What others used between two tables, over `ns`: neither the server, nor this program, nor the kernel's threads.
pub(crate) fn others_between(
    before: &ProcessTable,
    now: &ProcessTable,
    of: &ServerOnHost,
    ns: f64,
) -> OtherPrograms {
    let ours = std::process::id();
    let mut by_name: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut yielding_ns, mut clients_ns) = (0, 0);
    for (pid, taken) in now.iter() {
        let then_ns = before.same(pid, taken).map_or(0, |before| before.cpu_ns);
        let used_ns = taken.cpu_ns.saturating_sub(then_ns);
        let is_server = pid == of.server || taken.parent == of.server;
        if used_ns == 0 || is_server || pid == ours || taken.kernel {
            continue;
        }
        *by_name.entry(&taken.name).or_default() += used_ns;
        if of.clients.is_some_and(|clients| clients.contains(&pid)) {
            clients_ns += used_ns;
        }
        if gives_way(taken) && of.shares_cpus_with(pid) {
            yielding_ns += used_ns;
        }
    }
    let cpus = |used_ns: u64| if ns > 0.0 { used_ns as f64 / ns } else { 0.0 };
    let mut programs: Vec<ProgramUse> = by_name
        .into_iter()
        .map(|(name, used_ns)| ProgramUse { name: name.to_string(), cpus: cpus(used_ns) })
        .collect();
    programs.sort_by(|a, b| b.cpus.total_cmp(&a.cpus));
    programs.truncate(NAMED);
    OtherPrograms {
        programs,
        yielding_ns: yielding_ns as f64,
        clients_ns: of.clients.map(|_| clients_ns as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the kernel writes it (Linux 6.18), with these in it.
    fn line(name: &str, parent: u32, ticks: u64, nice: i64, last_cpu: u32, policy: u32) -> String {
        let flags = if parent == 2 || name == "kthreadd" { 2129984 } else { 4194304 };
        format!(
            "77 ({name}) R {parent} 77 77 0 -1 {flags} 90 0 0 0 {ticks} 5 0 0 20 {nice} 1 0 900 4096 100 18446744073709551615 1 1 0 0 0 \
             0 0 0 0 0 0 0 17 {last_cpu} 0 {policy} 0 0 0 0 0 0 0 0 0 0 0"
        )
    }

    fn programs(lines: &[(u32, String)]) -> ProcessTable {
        lines.iter().map(|(pid, line)| (*pid, ProcessUsage::parse(line).unwrap())).collect()
    }

    #[test]
    fn a_far_lower_priority_gives_way() {
        let of = |nice, policy| {
            gives_way(&ProcessUsage::parse(&line("x", 9, 20, nice, 3, policy)).unwrap())
        };
        assert!(of(19, 0));
        assert!(of(0, 5), "SCHED_IDLE");
        assert!(!of(9, 0));
    }

    #[test]
    fn others_are_neither_the_server_nor_the_kernel_nor_us_and_have_names() {
        let ours = std::process::id();
        let at = |ticks: u64| {
            programs(&[
                (2, line("kthreadd", 0, ticks, 0, 0, 0)),
                (20, line("kworker/0:1", 2, ticks, 0, 0, 0)),
                (40, line("postgres", 1, ticks, 0, 0, 0)),
                (41, line("postgres", 40, ticks, 0, 0, 0)),
                (ours, line("narrows", 1, ticks, 0, 0, 0)),
                (50, line("pgbench", 1, ticks * 2, 0, 0, 0)),
                (51, line("pgbench", 1, ticks, 0, 1, 0)),
                (60, line("gzip", 1, ticks, 19, 0, 0)),
                (61, line("gzip", 1, ticks / 2, 19, 1, 0)),
                (70, line("sshd", 1, 7, 0, 0, 0)),
            ])
        };
        let clients = BTreeSet::from([50]);
        let beside = ServerOnHost { server: 40, allowed: &[], clients: Some(&clients) };
        let used = others_between(&at(0), &at(100), &beside, 2e9);
        let named: Vec<(&str, f64)> =
            used.programs.iter().map(|p| (p.name.as_str(), p.cpus)).collect();
        assert_eq!(named, [("pgbench", 1.5), ("gzip", 0.75)]);
        assert_eq!(used.yielding_ns, 1.5e9);
        assert_eq!(used.clients_ns, Some(2e9));
        let without_clients = ServerOnHost { server: 40, ..ServerOnHost::default() };
        let all = others_between(&at(0), &at(100), &without_clients, 2e9);
        assert_eq!((all.yielding_ns, all.clients_ns), (1.5e9, None));
    }

    #[test]
    fn who_may_not_run_where_the_server_does_leaves_it_its_processors() {
        let on = |allowed: &[u32]| {
            ServerOnHost { allowed, ..ServerOnHost::default() }.shares_cpus_with(std::process::id())
        };
        assert!(on(&affinity::current()) && on(&[]));
        assert!(!on(&[9999]));
    }

    #[test]
    fn a_number_that_was_given_again_counts_from_nothing() {
        let before = programs(&[(50, line("make", 1, 90, 0, 0, 0))]);
        let cc = ProcessUsage::parse(&line("cc", 1, 10, 0, 0, 0)).unwrap();
        let later: ProcessTable =
            [(50, ProcessUsage { began_ns: 901, ..cc })].into_iter().collect();
        let used = others_between(&before, &later, &ServerOnHost::default(), 1e9);
        assert_eq!(used.programs, [ProgramUse { name: "cc".into(), cpus: 0.15 }]);
    }
}
