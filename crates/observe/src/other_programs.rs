//! Which programs of others used the machine while something was measured.
//!
//! All processes are read before the first measurement and at the end of a run, outside of every window: on a machine of thousands of them that takes
//! tens of milliseconds. A process that ended meanwhile took its processor time with it. The bytes of one that was waited for are its
//! parent's from then on, all that it ever moved: what it had moved before the first look is taken off everybody above it, for only one of
//! them has it, and nobody knows which. So what is found is the least.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use narrows_facts::{ProcessTable, ProcessUsage};
use narrows_model::OtherProgram;

/// Of less CPU time than this a program is not worth its name.
const NAMED_CPUS: f64 = 0.01;
/// Nor of fewer bytes per second.
const NAMED_BYTES_PER_S: f64 = 1e6;
/// Names by CPU time, and as many more by bytes.
const NAMED: usize = 3;

/// All processes at one moment.
#[derive(Debug)]
pub struct ProgramCensus {
    at: Instant,
    processes: ProcessTable,
}

impl ProgramCensus {
    /// Reads all processes.
    pub fn take() -> ProgramCensus {
        ProgramCensus { at: Instant::now(), processes: ProcessTable::read_with_drive_bytes() }
    }

    /// The programs that used most since `earlier`, without this one and what it started, and without `tested` and what these started:
    /// the servers that are measured.
    pub fn others_since(&self, earlier: &ProgramCensus, tested: &[u32]) -> Vec<OtherProgram> {
        let passed = self.at.saturating_duration_since(earlier.at);
        let mut own = vec![std::process::id()];
        own.extend(tested);
        others(&earlier.processes, &self.processes, passed, &own)
    }
}

/// What the processes of a program used together.
#[derive(Debug, Default)]
struct Sum {
    cpu_ns: u64,
    /// Read and written; absent while none of them could be seen.
    bytes: Option<(u64, u64)>,
}

impl Sum {
    /// Adds what a process used since then, less `inherited`: what those that ended below it had moved before.
    fn add(&mut self, before: Option<&ProcessUsage>, now: &ProcessUsage, inherited: Moved) {
        self.cpu_ns += now.cpu_ns.saturating_sub(before.map_or(0, |before| before.cpu_ns));
        let then = match before {
            Some(before) => before.drive_bytes,
            None => Some((0, 0)),
        };
        let known = then.zip(now.drive_bytes).zip(inherited);
        if let Some(((then, now), inherited)) = known {
            let sum = self.bytes.get_or_insert_default();
            sum.0 += now.0.saturating_sub(then.0.saturating_add(inherited.0));
            sum.1 += now.1.saturating_sub(then.1.saturating_add(inherited.1));
        }
    }
}

/// Bytes read and written; absent where nobody knows.
type Moved = Option<(u64, u64)>;

/// What the processes that ended since then had moved by then, for everybody above them who may have it now.
fn inherited(before: &ProcessTable, now: &ProcessTable) -> BTreeMap<u32, Moved> {
    let mut of: BTreeMap<u32, Moved> = BTreeMap::new();
    for (pid, ended) in before.iter().filter(|(pid, then)| now.same(*pid, then).is_none()) {
        for above in before.above(pid) {
            let sum = of.entry(above).or_insert(Some((0, 0)));
            *sum = sum
                .zip(ended.drive_bytes)
                .map(|(sum, moved)| (sum.0.saturating_add(moved.0), sum.1.saturating_add(moved.1)));
        }
    }
    of
}

fn others(
    before: &ProcessTable,
    now: &ProcessTable,
    passed: Duration,
    own: &[u32],
) -> Vec<OtherProgram> {
    let seconds = passed.as_secs_f64();
    if seconds <= 0.0 {
        return Vec::new();
    }
    let inherited = inherited(before, now);
    let mut sums: BTreeMap<(&str, bool), Sum> = BTreeMap::new();
    for (pid, usage) in now.iter().filter(|(pid, _)| !now.descends_from(*pid, own)) {
        let sum = sums.entry((usage.name.as_str(), usage.kernel)).or_default();
        let inherited = inherited.get(&pid).copied().unwrap_or(Some((0, 0)));
        sum.add(before.same(pid, usage), usage, inherited);
    }
    let mut programs: Vec<OtherProgram> = sums
        .into_iter()
        .map(|((name, kernel), sum)| OtherProgram {
            name: name.to_string(),
            kernel,
            cpus: sum.cpu_ns as f64 / 1e9 / seconds,
            read_bytes_per_s: sum.bytes.map(|(read, _)| read as f64 / seconds),
            write_bytes_per_s: sum.bytes.map(|(_, written)| written as f64 / seconds),
        })
        .collect();
    let bytes = |program: &OtherProgram| {
        program.read_bytes_per_s.unwrap_or(0.0) + program.write_bytes_per_s.unwrap_or(0.0)
    };
    programs.sort_by(|a, b| bytes(b).total_cmp(&bytes(a)));
    let mut by_bytes = programs.clone();
    by_bytes.retain(|program| bytes(program) >= NAMED_BYTES_PER_S);
    by_bytes.truncate(NAMED);
    programs.retain(|program| program.cpus >= NAMED_CPUS);
    programs.sort_by(|a, b| b.cpus.total_cmp(&a.cpus));
    programs.truncate(NAMED);
    let more = by_bytes.into_iter().filter(|program| !programs.contains(program));
    let more: Vec<OtherProgram> = more.collect();
    programs.extend(more);
    programs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(name: &str, parent: u32, cpu_ms: u64, bytes: Option<(u64, u64)>) -> ProcessUsage {
        ProcessUsage {
            name: name.into(),
            parent,
            kernel: parent == 2 || name == "kthreadd",
            cpu_ns: cpu_ms * 1_000_000,
            began_ns: 1,
            nice: 0,
            policy: None,
            drive_bytes: bytes,
        }
    }

    #[test]
    fn programs_are_summed_by_name_without_ours_and_the_tested_server() {
        let table = |share: u64| -> ProcessTable {
            [
                (1, usage("init", 0, 5, Some((0, 0)))),
                (2, usage("kthreadd", 0, 0, None)),
                (3, usage("kdamond.0", 2, share * 2, None)),
                (10, usage("narrows", 1, share * 50, Some((share << 20, 0)))),
                (11, usage("postgres", 10, share * 50, Some((share << 20, 0)))),
                (20, usage("mariadbd", 1, share * 50, None)),
                (21, usage("mariadbd", 20, share * 50, None)),
                (30, usage("backup", 1, share, Some((0, share * 100_000)))),
                (31, usage("backup", 1, share, Some((0, share * 100_000)))),
                (32, usage("backup", 1, share, None)),
                (40, usage("sshd", 1, 7, Some((9, 9)))),
                (50, usage("dd", 1, 0, Some((share * 200_000, 0)))),
                (60, usage("a", 1, share * 5, None)),
                (61, usage("b", 1, share * 4, None)),
            ]
            .into_iter()
            .collect()
        };
        let seen = others(&table(0), &table(100), Duration::from_secs(1), &[10, 20]);
        let named: Vec<_> = seen
            .iter()
            .map(|p| (p.name.as_str(), p.kernel, p.cpus, p.read_bytes_per_s, p.write_bytes_per_s))
            .collect();
        // Three by CPU time, then those of many bytes that are not among them.
        assert_eq!(
            named,
            [
                ("a", false, 0.5, None, None),
                ("b", false, 0.4, None, None),
                ("backup", false, 0.3, Some(0.0), Some(2e7)),
                ("dd", false, 0.0, Some(2e7), Some(0.0)),
            ]
        );
        let seen = others(&table(0), &table(2), Duration::from_secs(1), &[10, 20, 60, 61, 30]);
        assert!(seen.is_empty(), "{seen:?} are not worth their names");
        let kernel = others(&table(0), &table(100), Duration::from_secs(1), &[1]);
        assert_eq!((kernel.len(), kernel[0].kernel), (1, true));
    }

    #[test]
    fn what_an_ended_child_had_moved_before_is_nobodys_now() {
        let table = |processes: &[(u32, ProcessUsage)]| -> ProcessTable {
            processes.iter().cloned().collect()
        };
        let written = |bytes| Some((0, bytes));
        // A backup of hours ends, and its shell has waited for it: all of its bytes are the shell's now, and 3 MB are of this second.
        let before = |child| {
            table(&[
                (1, usage("init", 0, 0, written(0))),
                (7, usage("sh", 1, 0, written(10))),
                (8, usage("backup", 7, 0, child)),
            ])
        };
        let after = table(&[
            (1, usage("init", 0, 0, written(0))),
            (7, usage("sh", 1, 0, written(10 + 900_000_000_000 + 3_000_000))),
        ]);
        let second = Duration::from_secs(1);
        let seen = others(&before(written(900_000_000_000)), &after, second, &[]);
        assert_eq!(seen.len(), 1);
        assert_eq!((seen[0].name.as_str(), seen[0].write_bytes_per_s), ("sh", Some(3e6)));
        // Where they could not be seen before, nobody knows.
        assert!(others(&before(None), &after, second, &[]).is_empty());
    }

    #[test]
    fn what_began_meanwhile_counts_whole_and_no_time_gives_nothing() {
        let none = ProcessTable::default();
        let one: ProcessTable =
            [(9, usage("cc", 1, 500, Some((0, 3_000_000))))].into_iter().collect();
        let seen = others(&none, &one, Duration::from_secs(1), &[]);
        assert_eq!((seen[0].cpus, seen[0].write_bytes_per_s), (0.5, Some(3e6)));
        assert!(others(&none, &one, Duration::ZERO, &[]).is_empty());
        let census = ProgramCensus::take();
        let of_us = |program: &OtherProgram| program.name.starts_with("other_programs");
        assert!(!ProgramCensus::take().others_since(&census, &[]).iter().any(of_us));
    }
}
