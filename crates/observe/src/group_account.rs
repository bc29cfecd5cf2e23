//! What all tasks of the machine ran, by its control groups.
//!
//! Time that a CPU was not idle is more than what tasks ran: leaving and entering idleness and interrupts that no timer tick met are in it. Where
//! I/O wakes a CPU thousands of times per second that is a sixth of a CPU and more, which looks like other programs. Control groups
//! count what their tasks ran to the ns, those that ended included (cgroup-v1/cpuacct.rst; cgroup-v2.rst, `cpu.stat`), and one or a dozen small
//! files hold the whole machine. It has to be the whole: a container sees its own group as if it were the root.

use std::collections::BTreeMap;

use narrows_facts::cgroup::{Hierarchies, Version};
use narrows_facts::{Source, process};

use crate::kernel_threads::KTHREADD;

/// Where the account is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GroupAccount {
    /// Version 1: one file for all tasks, threads of the kernel included.
    Whole(String),
    /// Version 2: the root group's own file is made of samples, those of the groups below it are not. Threads of the kernel are in none of them.
    Below(String),
}

/// What it says at one moment, ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GroupTimes {
    Whole(u64),
    Below(BTreeMap<String, u64>),
}

impl GroupAccount {
    /// `None` where the root of the groups can't be seen, or some program is in no group below it. Asked once: nothing puts programs there later.
    pub(crate) fn find(source: &dyn Source) -> Option<GroupAccount> {
        let hierarchies = Hierarchies::read(source);
        // Version 2 has no such controller, and is found by any name.
        let mut groups = hierarchies.controller(source, "cpuacct")?;
        let root = groups.folders.pop()?;
        match groups.version {
            Version::V1 => {
                let file = format!("{root}/cpuacct.usage");
                // In the root alone.
                let whole = source.exists(&format!("{root}/release_agent"));
                (whole && source.number::<u64>(&file).is_some())
                    .then_some(GroupAccount::Whole(file))
            }
            Version::V2 => {
                // What every group but the root has (cgroup-v2.rst, core interface files).
                let below = source.exists(&format!("{root}/cgroup.type"));
                (!below && only_the_kernel_is_in(source, &root))
                    .then_some(GroupAccount::Below(root))
            }
        }
    }

    pub(crate) fn read(&self, source: &dyn Source) -> Option<GroupTimes> {
        match self {
            GroupAccount::Whole(file) => source.number(file).map(GroupTimes::Whole),
            GroupAccount::Below(root) => {
                let names = source.list(root).ok()?.into_iter();
                let usage = |name: String| {
                    let text = source.text(&format!("{root}/{name}/cpu.stat"))?;
                    Some((name, parse_usage_ns(&text)?))
                };
                Some(GroupTimes::Below(names.filter_map(usage).collect()))
            }
        }
    }
}

/// Whether the group holds the kernel's threads and no program. Who sees none of these threads doesn't see who else is there, either.
fn only_the_kernel_is_in(source: &dyn Source, group: &str) -> bool {
    let kernel = process::children(KTHREADD);
    let is_kernel = |pid: u32| pid == KTHREADD || kernel.contains(&pid);
    source
        .text(&format!("{group}/cgroup.procs"))
        .is_some_and(|pids| pids.lines().all(|pid| pid.parse().is_ok_and(is_kernel)))
}

fn parse_usage_ns(stat: &str) -> Option<u64> {
    let us: u64 =
        stat.lines().find_map(|line| line.strip_prefix("usage_usec "))?.trim().parse().ok()?;
    Some(us.saturating_mul(1000))
}

impl GroupTimes {
    /// What tasks ran since then, ns, this program's included, less `kernel_ns`, what the kernel's threads did, where that is known. `None` where a
    /// group is gone and took its time with it, and where the kernel's threads are wanted and not in it.
    pub(crate) fn since(&self, before: &GroupTimes, kernel_ns: Option<u64>) -> Option<u64> {
        match (before, self) {
            (GroupTimes::Whole(before), GroupTimes::Whole(now)) => {
                Some(now.checked_sub(*before)?.saturating_sub(kernel_ns.unwrap_or(0)))
            }
            (GroupTimes::Below(before), GroupTimes::Below(now)) => {
                kernel_ns?;
                before.keys().all(|name| now.contains_key(name)).then_some(())?;
                let used = |(name, ns): (&String, &u64)| {
                    ns.checked_sub(before.get(name).copied().unwrap_or(0))
                };
                now.iter().map(used).sum()
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use narrows_facts::Tree;
    use tempfile::TempDir;

    use super::*;

    const V1: &str = "30 1 0:1 / /g/cpuacct rw - cgroup cgroup rw,cpuacct\n";
    const V2: &str = "30 1 0:1 / /g rw - cgroup2 cgroup rw\n";

    /// A machine of these files.
    fn machine(files: &[(&str, &str)]) -> (TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let tree = Tree::new(folder.path());
        (folder, tree)
    }

    fn v1(also: &[(&str, &str)]) -> (TempDir, Tree) {
        let files = [
            ("proc/self/mountinfo", V1),
            ("proc/self/cgroup", "2:cpuacct:/\n"),
            ("g/cpuacct/cpuacct.usage", "7000\n"),
        ];
        machine(&[&files, also].concat())
    }

    fn v2(procs: &str, also: &[(&str, &str)]) -> (TempDir, Tree) {
        let files = [
            ("proc/self/mountinfo", V2),
            ("proc/self/cgroup", "0::/user.slice\n"),
            ("g/cgroup.procs", procs),
            ("g/cpu.stat", "usage_usec 999\n"),
            ("g/user.slice/cgroup.type", "domain\n"),
            ("g/user.slice/cpu.stat", "usage_usec 40\nuser_usec 30\n"),
            ("g/system.slice/cpu.stat", "usage_usec 5\n"),
        ];
        machine(&[&files, also].concat())
    }

    #[test]
    fn one_file_has_all_tasks_where_the_root_of_version_1_can_be_seen() {
        let (_folder, tree) = v1(&[("g/cpuacct/release_agent", "\n")]);
        let account = GroupAccount::find(&tree).unwrap();
        assert_eq!(account, GroupAccount::Whole("/g/cpuacct/cpuacct.usage".to_string()));
        let now = account.read(&tree).unwrap();
        assert_eq!(now.since(&GroupTimes::Whole(1000), Some(500)), Some(5500));
        assert_eq!(now.since(&GroupTimes::Whole(8000), None), None, "it began anew");
        // A container's own group has no such file.
        assert_eq!(GroupAccount::find(&v1(&[]).1), None);
    }

    #[test]
    fn the_groups_below_the_root_of_version_2_are_summed() {
        let (_folder, tree) = v2("2\n", &[]);
        let account = GroupAccount::find(&tree).unwrap();
        let now = account.read(&tree).unwrap();
        let of = |list: &[(&str, u64)]| {
            GroupTimes::Below(list.iter().map(|(name, ns)| (name.to_string(), *ns)).collect())
        };
        assert_eq!(now, of(&[("system.slice", 5000), ("user.slice", 40_000)]));
        // One that is new counts whole; the kernel's threads are in none of them.
        assert_eq!(now.since(&of(&[("user.slice", 30_000)]), Some(900)), Some(15_000));
        assert_eq!(now.since(&of(&[("user.slice", 30_000)]), None), None);
        // One that is gone took its time with it.
        assert_eq!(now.since(&of(&[("a.slice", 1), ("user.slice", 30_000)]), Some(0)), None);
    }

    #[test]
    fn no_sum_is_made_of_a_part_of_the_machine() {
        // A program that is in the root itself, one of another namespace of processes, no thread of the kernel, and a container's own group.
        let own = format!("2\n{}\n", std::process::id());
        let group = [("g/cgroup.type", "domain\n")];
        for (_folder, tree) in [v2(&own, &[]), v2("2\n0\n", &[]), v2("", &[]), v2("2\n", &group)] {
            assert_eq!(GroupAccount::find(&tree), None);
        }
        // Of version 1, whose groups have no files of version 2, and nobody in the one that looks like the root.
        let (_folder, tree) =
            v1(&[("g/cpuacct/cgroup.procs", ""), ("g/cpuacct/a/cpu.stat", "nr_periods 0\n")]);
        assert_eq!(GroupAccount::find(&tree), None);
    }
}
