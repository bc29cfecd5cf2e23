//! All processes at one moment: names, parents, and what each used until then.
//!
//! `/proc/PID/stat` counts processor time in ticks of 10 ms, `/proc/PID/io` the bytes that a process had read from drives and written to
//! them, where it may be read: by root, and of the own user's processes (proc(5)). Two tables a while apart say what each process used
//! between them; what came and went in between is in neither.

use std::collections::BTreeMap;

use crate::process::{self, Stat};

/// The kernel's flag of its own threads (`PF_KTHREAD`, include/linux/sched.h): a name or a number could be anybody's.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// A process at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Its name as the kernel keeps it, at most 15 bytes.
    pub name: String,
    /// Its parent.
    pub parent: u32,
    /// Whether it is a thread of the kernel.
    pub kernel: bool,
    /// Processor time since it began, ns, to 10 ms.
    pub cpu_ns: u64,
    /// When it began, ns since the machine did, to 10 ms: a number that was given again has another.
    pub began_ns: u64,
    /// Its nice value, -20 to 19.
    pub nice: i64,
    /// Its scheduling policy (sched(7)), where the kernel tells it.
    pub policy: Option<u64>,
    /// Bytes that it had read from drives and written to them; absent where that was not asked for or may not be seen.
    pub drive_bytes: Option<(u64, u64)>,
}

/// All processes that can be seen, by number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessTable(BTreeMap<u32, ProcessUsage>);

impl ProcessTable {
    /// Reads it: one small file for each process.
    pub fn read() -> ProcessTable {
        let read = |pid: u32| Some((pid, ProcessUsage::of(Stat::read(pid)?)?));
        process::all().into_iter().filter_map(read).collect()
    }

    /// The same with what each read and wrote: two files for each process.
    pub fn read_with_drive_bytes() -> ProcessTable {
        let mut table = ProcessTable::read();
        for (pid, usage) in &mut table.0 {
            if !usage.kernel {
                usage.drive_bytes = process::drive_bytes(*pid);
            }
        }
        table
    }

    /// The process of that number.
    pub fn get(&self, pid: u32) -> Option<&ProcessUsage> {
        self.0.get(&pid)
    }

    /// The same process in an earlier table: none where its number was another's then, or nobody's.
    pub fn same(&self, pid: u32, now: &ProcessUsage) -> Option<&ProcessUsage> {
        self.get(pid).filter(|before| before.began_ns == now.began_ns)
    }

    /// All, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &ProcessUsage)> {
        self.0.iter().map(|(pid, usage)| (*pid, usage))
    }

    /// Its parent, the parent's parent, and so on, as far as they can be seen.
    pub fn above(&self, pid: u32) -> impl Iterator<Item = u32> {
        let parent = |pid: &u32| {
            let parent = self.get(*pid)?.parent;
            self.get(parent).map(|_| parent)
        };
        // A table that was read while processes ended may have loops in it.
        std::iter::successors(Some(pid), parent).skip(1).take(self.0.len())
    }

    /// Whether a process is one of `roots`, or descends from one of them.
    pub fn descends_from(&self, pid: u32, roots: &[u32]) -> bool {
        roots.contains(&pid) || self.above(pid).any(|above| roots.contains(&above))
    }
}

impl FromIterator<(u32, ProcessUsage)> for ProcessTable {
    fn from_iter<T: IntoIterator<Item = (u32, ProcessUsage)>>(processes: T) -> Self {
        ProcessTable(processes.into_iter().collect())
    }
}

impl ProcessUsage {
    /// A line of `/proc/PID/stat`.
    pub fn parse(text: &str) -> Option<ProcessUsage> {
        ProcessUsage::of(Stat::parse(text, process::tick_ns())?)
    }

    fn of(stat: Stat) -> Option<ProcessUsage> {
        Some(ProcessUsage {
            name: stat.name,
            parent: stat.parent,
            kernel: stat.flags & KERNEL_THREAD != 0,
            cpu_ns: stat.cpu_ns,
            began_ns: stat.began_ns?,
            nice: stat.nice?,
            policy: stat.policy,
            drive_bytes: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_whatever_the_name() {
        // As the kernel writes it (Linux 6.18), with this name in it.
        let line = "77 (a) b (c) R 9 77 77 0 -1 4194304 90 0 0 0 20 5 0 0 20 19 1 0 900 4096 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 \
                    0 0 17 3 0 5 0 0 0 0 0 0 0 0 0 0 0";
        let usage = ProcessUsage::parse(line).unwrap();
        assert_eq!(usage.name, "a) b (c");
        assert_eq!((usage.parent, usage.cpu_ns, usage.began_ns), (9, 250_000_000, 9_000_000_000));
        assert_eq!((usage.nice, usage.policy), (19, Some(5)));
        assert!(!usage.kernel);
        let thread = line.replace("4194304", "2129984");
        assert!(ProcessUsage::parse(&thread).unwrap().kernel, "as of kthreadd");
        assert_eq!(ProcessUsage::parse("77 (x) R"), None);
    }

    #[test]
    fn the_live_table_has_this_process_below_its_parent_and_its_own_bytes() {
        let (own, table) = (std::process::id(), ProcessTable::read_with_drive_bytes());
        let usage = table.get(own).expect("the own process is there");
        assert!(usage.drive_bytes.is_some(), "of the own process they may be read");
        assert!(table.descends_from(own, &[own]));
        assert!(table.descends_from(own, &[usage.parent]));
        assert!(!table.descends_from(usage.parent, &[own]));
    }

    #[test]
    fn a_table_in_which_parents_go_round_has_an_end() {
        let usage = |parent| ProcessUsage {
            name: "x".into(),
            parent,
            kernel: false,
            cpu_ns: 0,
            began_ns: 1,
            nice: 0,
            policy: None,
            drive_bytes: None,
        };
        let table: ProcessTable = [(5, usage(6)), (6, usage(5))].into_iter().collect();
        assert!(!table.descends_from(5, &[9]));
        let other = ProcessUsage { began_ns: 2, ..usage(6) };
        assert_eq!(table.same(5, &other), None, "another process of the same number");
        assert!(table.same(5, &usage(6)).is_some());
    }
}
