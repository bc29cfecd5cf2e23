//! Where a process's control groups are in the file system, in version 1, version 2 and mixtures of both: this process's, or another's.
//!
//! A process is in one group per hierarchy (`/proc/self/cgroup`); hierarchies are mounted anywhere, in a
//! container often only from the container's own group down (`/proc/self/mountinfo`). Limits of every group on
//! the way to the root apply, so a controller is the list of folders from the own group up to the mount. Another process may be in
//! groups that our mounts don't show (in another container of a pod, say): then its own mounts are tried, and where they can't be seen
//! either, its groups are unknown. They are never taken to be ours.
//! Methods: cgroups(7), Linux `Documentation/admin-guide/cgroup-v2.rst`.

use crate::{Mount, Source, mounts, parse_mounts};

/// Which version a controller's folders speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// One hierarchy per controller (`cpu.cfs_quota_us`, `memory.limit_in_bytes`).
    V1,
    /// One hierarchy for all (`cpu.max`, `memory.max`).
    V2,
}

/// A controller's folders for this process, the own group first, the highest visible one last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Controller {
    /// The version of its files.
    pub version: Version,
    /// Folders from the own group up.
    pub folders: Vec<String>,
}

impl Controller {
    /// Of the processor controller: the tightest quota, processors, and its group's folder; `None` where there is none.
    pub fn cpu_quota(&self, source: &dyn Source) -> Option<(f64, &String)> {
        let of = |folder: &String| {
            let (quota, period) = match self.version {
                Version::V2 => {
                    let text = source.text(&format!("{folder}/cpu.max"))?;
                    let mut words = text.split_whitespace();
                    // `max` is not a number, so unlimited ends here.
                    (words.next()?.parse::<f64>().ok()?, words.next()?.parse::<f64>().ok()?)
                }
                Version::V1 => (
                    // -1 is unlimited.
                    source.number::<f64>(&format!("{folder}/cpu.cfs_quota_us"))?,
                    source.number::<f64>(&format!("{folder}/cpu.cfs_period_us"))?,
                ),
            };
            let cpus = quota / period;
            (quota > 0.0 && period > 0.0 && cpus > 0.0 && cpus.is_finite()).then_some(cpus)
        };
        let known = self.folders.iter().filter_map(|folder| Some((of(folder)?, folder)));
        known.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Processors that the calling thread may use at a time: those it is allowed, or fewer where a quota of its control groups leaves
/// less.
pub fn usable_cpus(source: &dyn Source, allowed: usize) -> u32 {
    let cpu = Hierarchies::read(source).controller(source, "cpu");
    let quota = cpu.as_ref().and_then(|cpu| cpu.cpu_quota(source)).map(|(cpus, _)| cpus);
    // A rounded part of a processor is none that another thread could have to itself.
    let quota = quota.map_or(u32::MAX, |cpus| cpus.floor() as u32);
    u32::try_from(allowed).unwrap_or(u32::MAX).min(quota).max(1)
}

/// What is mounted and joined.
#[derive(Debug, Clone, Default)]
pub struct Hierarchies {
    mounts: Vec<Mount>,
    /// Those of another process, seen through its root folder.
    of_process: Vec<Mount>,
    /// Whether it is this process or one in the same groups, whose nearest visible group is its own or holds it.
    own: bool,
    /// (controllers, path) per line; version 2 has no controllers in its line.
    memberships: Vec<(Vec<String>, String)>,
}

impl Hierarchies {
    /// Reads both files; empty where they can't be read.
    pub fn read(source: &dyn Source) -> Self {
        Hierarchies::of(source, "self")
    }

    /// The same of another process, by its number or `self`, as far as its groups can be seen from here.
    pub fn of(source: &dyn Source, process: &str) -> Self {
        let groups = |mounts: Vec<Mount>| -> Vec<Mount> {
            mounts.into_iter().filter(|mount| is_cgroup(&mount.kind)).collect()
        };
        let own = process == "self";
        let mut of_process = Vec::new();
        if !own {
            let text = source.text(&format!("/proc/{process}/mountinfo")).unwrap_or_default();
            of_process = groups(parse_mounts(&text));
            for mount in &mut of_process {
                mount.mount_point = format!("/proc/{process}/root{}", mount.mount_point);
            }
        }
        let text = source.text(&format!("/proc/{process}/cgroup")).unwrap_or_default();
        // Who is in the same groups has the same limits, whatever a mount shows of them.
        let own = own || source.text("/proc/self/cgroup").is_some_and(|ours| ours == text);
        let memberships = text.lines().filter_map(membership).collect();
        Hierarchies { mounts: groups(mounts(source)), of_process, own, memberships }
    }

    /// Whether a version-2 hierarchy is mounted.
    pub fn has_v2(&self) -> bool {
        self.mounts.iter().any(|mount| mount.kind == "cgroup2")
    }

    /// Whether a version-1 hierarchy with a resource controller is mounted; systemd's own named hierarchy is none.
    pub fn has_v1(&self) -> bool {
        self.mounts.iter().any(|mount| {
            mount.kind == "cgroup"
                && ["cpu", "memory", "blkio", "cpuset", "cpuacct"]
                    .iter()
                    .any(|controller| has_option(mount, controller))
        })
    }

    /// The folders that control `controller` (version-1 name, such as `cpu`, `memory`, `blkio`). Where version 1 has
    /// it mounted it is there, since a controller can be in one hierarchy only. `None`: there is none, or it [is hidden](Self::hides).
    pub fn controller(&self, source: &dyn Source, controller: &str) -> Option<Controller> {
        let (version, path, is_one) = self.hierarchy(controller)?;
        let folders = self
            .shown(source, path, &is_one)
            .or_else(|| Some(vec![top(self.nearest(&is_one)?).to_string()]))?;
        Some(Controller { version, folders })
    }

    /// Folders of the group with that path and of those above it, where a mount shows them.
    fn shown(
        &self,
        source: &dyn Source,
        path: &str,
        is_one: impl Fn(&Mount) -> bool,
    ) -> Option<Vec<String>> {
        let mut all = self.mounts.iter().chain(&self.of_process).filter(|mount| is_one(mount));
        all.find_map(|mount| Some(upwards(folder(source, mount, path)?, top(mount))))
    }

    /// What our mounts show of its own group where none shows that itself: the mount holds it or is it.
    fn nearest(&self, is_one: impl Fn(&Mount) -> bool) -> Option<&Mount> {
        self.mounts.iter().filter(|_| self.own).find(|mount| is_one(mount))
    }

    /// Whether the process is in a group of `controller` whose folder can't be seen from here, so that its limits are unknown. A mount from above
    /// the root of our namespace of groups (`/..`) has the folder, by a name that nobody tells us.
    pub fn hides(&self, source: &dyn Source, controller: &str) -> bool {
        let Some((_, path, is_one)) = self.hierarchy(controller) else { return false };
        let unknown = |mount: &Mount| mount.root.starts_with("/..");
        self.shown(source, path, &is_one).is_none() && self.nearest(&is_one).is_none_or(unknown)
    }

    /// The version and the path of the process's group, and which mounts show it.
    fn hierarchy(&self, controller: &str) -> Option<(Version, &str, impl Fn(&Mount) -> bool)> {
        let is_v1 = |mount: &Mount| mount.kind == "cgroup" && has_option(mount, controller);
        let v1 = self
            .mounts
            .iter()
            .any(is_v1)
            .then(|| self.path(|names| names.iter().any(|name| name == controller)))
            .flatten();
        let (version, path) = match v1 {
            Some(path) => (Version::V1, path),
            None if self.has_v2() => (Version::V2, self.path(<[String]>::is_empty)?),
            None => return None,
        };
        let is_one = move |mount: &Mount| match version {
            Version::V1 => mount.kind == "cgroup" && has_option(mount, controller),
            Version::V2 => mount.kind == "cgroup2",
        };
        Some((version, path, is_one))
    }

    /// The paths of all groups this process is in, as `/proc/self/cgroup` writes them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.memberships.iter().map(|(_, path)| path.as_str())
    }

    fn path(&self, matches: impl Fn(&[String]) -> bool) -> Option<&str> {
        self.memberships.iter().find(|(names, _)| matches(names)).map(|(_, path)| path.as_str())
    }
}

/// Whether this process sees its groups from the first namespace of control groups, so that no limit above them is out of sight; `None`
/// where the kernel doesn't say (its inode number there: `include/linux/proc_ns.h`; cgroup_namespaces(7)).
pub fn sees_all_groups(source: &dyn Source) -> Option<bool> {
    source.link("/proc/self/ns/cgroup").ok().map(|link| link == "cgroup:[4026531835]")
}

/// Files whose counters say how often this process was held back by a processor quota: `cpu.stat` of the own group
/// and those above. Empty where there are none.
pub fn cpu_stat_files(source: &dyn Source) -> Vec<String> {
    cpu_stat_files_of(source, "self")
}

/// The same files of another process's groups.
pub fn cpu_stat_files_of(source: &dyn Source, process: &str) -> Vec<String> {
    let Some(controller) = Hierarchies::of(source, process).controller(source, "cpu") else {
        return Vec::new();
    };
    let files = controller.folders.iter().map(|folder| format!("{folder}/cpu.stat"));
    files.filter(|file| throttled(source, file).is_some()).collect()
}

/// The file that counts how long this process's own group was frozen (`cgroup.stat.local` of version 2, Linux 6.18); `None` where nothing
/// does.
pub fn frozen_file(source: &dyn Source) -> Option<String> {
    let group = Hierarchies::read(source).controller(source, "freezer")?;
    let own = group.folders.first().filter(|_| group.version == Version::V2)?;
    let file = format!("{own}/cgroup.stat.local");
    parse_frozen_us(&source.text(&file)?).map(|_| file)
}

/// `frozen_usec` of a `cgroup.stat.local` file: time between freezing and thawing of the group or one above it, µs.
pub fn parse_frozen_us(stat: &str) -> Option<u64> {
    parse_count(stat, "frozen_usec ")
}

fn throttled(source: &dyn Source, file: &str) -> Option<u64> {
    parse_throttled(&source.text(file)?)
}

/// `nr_throttled` of a `cpu.stat` file; absent in groups that can have no quota.
pub fn parse_throttled(cpu_stat: &str) -> Option<u64> {
    parse_count(cpu_stat, "nr_throttled ")
}

/// `nr_periods` of a `cpu.stat` file: periods of the quota in which the group had work.
pub fn parse_periods(cpu_stat: &str) -> Option<u64> {
    parse_count(cpu_stat, "nr_periods ")
}

/// How long the group's threads were kept off their CPUs by the quota, ns, summed over CPUs: `throttled_usec` of version 2,
/// `throttled_time` of version 1. The kernel adds a stop when it ends.
pub fn parse_throttled_ns(cpu_stat: &str) -> Option<u64> {
    parse_count(cpu_stat, "throttled_usec ")
        .map(|us| us.saturating_mul(1000))
        .or_else(|| parse_count(cpu_stat, "throttled_time "))
}

fn parse_count(cpu_stat: &str, name: &str) -> Option<u64> {
    cpu_stat.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok())
}

fn is_cgroup(kind: &str) -> bool {
    kind == "cgroup" || kind == "cgroup2"
}

fn has_option(mount: &Mount, controller: &str) -> bool {
    mount.options.iter().any(|option| option == controller)
}

/// `4:memory:/a/b` or `0::/a/b`; the path may hold colons.
fn membership(line: &str) -> Option<(Vec<String>, String)> {
    let mut parts = line.splitn(3, ':');
    let _hierarchy = parts.next()?;
    let names = parts.next()?.split(',').filter(|name| !name.is_empty()).map(str::to_string);
    Some((names.collect(), parts.next()?.to_string()))
}

fn top(mount: &Mount) -> &str {
    mount.mount_point.trim_end_matches('/')
}

/// The folder of the group with that path, where the mount shows it.
fn folder(source: &dyn Source, mount: &Mount, path: &str) -> Option<String> {
    // Below the mounted part: `/docker/x/y` seen through a mount of `/docker/x` is `/y`. Paths are told from the root of our
    // namespace of groups, also those of other processes' mounts: what leads above it (`/../x`) is only below a mount that does too.
    let below = path.strip_prefix(mount.root.trim_end_matches('/'))?.trim_end_matches('/');
    let is_below = below.is_empty() || below.starts_with('/');
    let folder = format!("{}{below}", top(mount));
    (is_below && !below.split('/').any(|name| name == "..") && source.exists(&folder))
        .then_some(folder)
}

/// A group's folder and those above it, up to the top of the mount.
fn upwards(mut folder: String, top: &str) -> Vec<String> {
    let mut folders = vec![folder.clone()];
    while folder.len() > top.len() {
        let end = folder.rfind('/').unwrap_or(0).max(top.len());
        folder.truncate(end);
        folders.push(folder.clone());
    }
    folders
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Tree;

    fn tree(cgroup: &str, mountinfo: &str, folders: &[&str]) -> (tempfile::TempDir, Tree) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/self")).unwrap();
        fs::write(root.path().join("proc/self/cgroup"), cgroup).unwrap();
        fs::write(root.path().join("proc/self/mountinfo"), mountinfo).unwrap();
        for folder in folders {
            fs::create_dir_all(root.path().join(&folder[1..])).unwrap();
        }
        let tree = Tree::new(root.path());
        (root, tree)
    }

    #[test]
    fn version_2_from_the_own_group_to_the_root() {
        let (_root, tree) = tree(
            "0::/user.slice/a.scope\n",
            "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            &["/sys/fs/cgroup/user.slice/a.scope"],
        );
        let found = Hierarchies::read(&tree);
        assert!(found.has_v2() && !found.has_v1());
        let cpu = found.controller(&tree, "cpu").unwrap();
        assert_eq!(cpu.version, Version::V2);
        assert_eq!(
            cpu.folders,
            ["/sys/fs/cgroup/user.slice/a.scope", "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"]
        );
    }

    #[test]
    fn a_container_sees_its_own_group_as_the_top() {
        let (_root, tree) = tree(
            "4:cpu,cpuacct:/docker/abc\n3:memory:/docker/abc\n0::/../../x\n",
            "40 1 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n\
             41 1 0:31 / /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n\
             42 1 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
            &["/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"],
        );
        let found = Hierarchies::read(&tree);
        assert!(found.has_v1() && found.has_v2());
        let cpu = found.controller(&tree, "cpu").unwrap();
        assert_eq!(
            (cpu.version, cpu.folders.as_slice()),
            (Version::V1, ["/sys/fs/cgroup/cpu,cpuacct".to_string()].as_slice())
        );
        // The path is the host's, which this mount does not show.
        assert_eq!(found.controller(&tree, "memory").unwrap().folders, ["/sys/fs/cgroup/memory"]);
        // Not mounted by version 1, so it is version 2's, and its path leads out of the namespace.
        let io = found.controller(&tree, "blkio").unwrap();
        assert_eq!((io.version, io.folders[0].as_str()), (Version::V2, "/sys/fs/cgroup/unified"));
    }

    #[test]
    fn a_group_below_a_mount_from_above_its_namespace_is_hidden() {
        let mounted =
            |root: &str| format!("38 31 0:35 {root} /cg/blkio rw - cgroup cgroup rw,blkio\n");
        for (root, hides) in [("/..", true), ("/../..", true), ("/", false)] {
            let (_root, tree) = tree("7:blkio:/\n", &mounted(root), &["/cg/blkio"]);
            assert_eq!(Hierarchies::read(&tree).hides(&tree, "blkio"), hides, "{root}");
        }
        let (root, tree) = tree("7:blkio:/\n", &mounted("/"), &["/cg/blkio"]);
        assert_eq!(sees_all_groups(&tree), None);
        fs::create_dir(root.path().join("proc/self/ns")).unwrap();
        let link = root.path().join("proc/self/ns/cgroup");
        for (to, all) in [("cgroup:[4026531835]", true), ("cgroup:[4026532190]", false)] {
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(to, &link).unwrap();
            assert_eq!(sees_all_groups(&tree), Some(all));
        }
    }

    #[test]
    fn the_own_groups_file_counts_how_long_it_was_frozen_where_version_2_freezes() {
        let v2 = "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n";
        let (root, tree) = tree("0::/a/b\n", v2, &["/cg/a/b"]);
        assert_eq!(frozen_file(&tree), None);
        fs::write(root.path().join("cg/a/b/cgroup.stat.local"), "frozen_usec 0\n").unwrap();
        let own = "/cg/a/b/cgroup.stat.local";
        assert_eq!(frozen_file(&tree).as_deref(), Some(own));
    }

    #[test]
    fn a_quota_leaves_fewer_processors_than_are_allowed() {
        let quotas = |own: &str, above: &str| {
            let (root, tree) =
                tree("0::/pod/us\n", "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n", &["/cg/pod/us"]);
            fs::write(root.path().join("cg/pod/us/cpu.max"), own).unwrap();
            fs::write(root.path().join("cg/pod/cpu.max"), above).unwrap();
            usable_cpus(&tree, 128)
        };
        assert_eq!(quotas("max 100000\n", "max 100000\n"), 128);
        assert_eq!(quotas("max 100000\n", "200000 100000\n"), 2);
        assert_eq!(quotas("380000 100000\n", "1600000 100000\n"), 3);
        assert_eq!(quotas("50000 100000\n", "max 100000\n"), 1, "never none");
        let (_root, bare) = tree("", "", &["/proc/self"]);
        assert_eq!(usable_cpus(&bare, 7), 7);
    }

    #[test]
    fn another_process_has_groups_of_its_own() {
        let (root, tree) = tree(
            "0::/us\n",
            "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
            &["/cg/us", "/cg/them", "/proc/77"],
        );
        fs::write(root.path().join("proc/77/cgroup"), "0::/them\n").unwrap();
        fs::write(root.path().join("cg/them/cpu.stat"), "nr_periods 9\nnr_throttled 4\n").unwrap();
        let cpu = Hierarchies::of(&tree, "77").controller(&tree, "cpu").unwrap();
        assert_eq!(cpu.folders, ["/cg/them", "/cg"]);
        assert_eq!(cpu_stat_files_of(&tree, "77"), ["/cg/them/cpu.stat"]);
        assert!(cpu_stat_files(&tree).is_empty());
    }

    /// A container's view of another one in its pod, as Kubernetes with containerd makes it.
    #[test]
    fn a_sidecar_does_not_take_its_own_group_for_the_servers() {
        let pod = "/kubepods.slice/kubepods-pod1.slice";
        // With namespaces of groups: the other's path leads above our root, and its own mount's root does too.
        let (root, private) = tree(
            "0::/\n",
            "30 1 0:26 / /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
            &["/sys/fs/cgroup", "/proc/77"],
        );
        fs::write(root.path().join("proc/77/cgroup"), "0::/../cri-containerd-b.scope\n").unwrap();
        fs::write(root.path().join("sys/fs/cgroup/cpu.max"), "50000 100000\n").unwrap();
        let unseen = Hierarchies::of(&private, "77");
        assert_eq!(unseen.controller(&private, "cpu"), None);
        assert!(unseen.hides(&private, "cpu"));
        assert!(cpu_stat_files_of(&private, "77").is_empty());
        assert!(!Hierarchies::read(&private).hides(&private, "cpu"));
        // With the right to look through its root.
        let seen = "/proc/77/root/sys/fs/cgroup";
        fs::create_dir_all(root.path().join(&seen[1..])).unwrap();
        fs::write(
            root.path().join("proc/77/mountinfo"),
            "40 1 0:26 /../cri-containerd-b.scope /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
        )
        .unwrap();
        let found = Hierarchies::of(&private, "77");
        assert_eq!(found.controller(&private, "cpu").unwrap().folders, [seen]);
        assert!(!found.hides(&private, "cpu"));
        // Without such namespaces, in version 1: paths are the node's, and each container mounts its own group.
        let (root, shared) = tree(
            &format!("4:cpu,cpuacct:{pod}/a\n"),
            &format!("40 1 0:30 {pod}/a /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu,cpuacct\n"),
            &["/sys/fs/cgroup/cpu", "/proc/78"],
        );
        fs::write(root.path().join("proc/78/cgroup"), format!("4:cpu,cpuacct:{pod}/ab\n")).unwrap();
        assert!(Hierarchies::of(&shared, "78").hides(&shared, "cpu"));
        // On the node all of it is there.
        let (root, node) = tree(
            "0::/system.slice/ssh.service\n",
            "30 1 0:26 / /cg rw - cgroup2 cgroup rw\n",
            &[&format!("/cg{pod}/b"), "/cg/system.slice/ssh.service", "/proc/79"],
        );
        fs::write(root.path().join("proc/79/cgroup"), format!("0::{pod}/b\n")).unwrap();
        let server = Hierarchies::of(&node, "79");
        let expected =
            [format!("/cg{pod}/b"), format!("/cg{pod}"), "/cg/kubepods.slice".into(), "/cg".into()];
        assert_eq!(server.controller(&node, "cpu").unwrap().folders, expected);
        // In the same container, whose mounts show the node's paths of nobody.
        fs::write(root.path().join("proc/79/cgroup"), "0::/docker/us\n").unwrap();
        assert!(Hierarchies::of(&node, "79").hides(&node, "cpu"));
        fs::write(root.path().join("proc/self/cgroup"), "0::/docker/us\n").unwrap();
        assert_eq!(Hierarchies::of(&node, "79").controller(&node, "cpu").unwrap().folders, ["/cg"]);
        // A group that has been removed meanwhile, and one above a namespace in the midst of a path.
        fs::write(root.path().join("proc/79/cgroup"), "0::/gone\n").unwrap();
        assert!(Hierarchies::of(&node, "79").hides(&node, "cpu"));
        fs::write(root.path().join("proc/79/cgroup"), "0::/system.slice/../x\n").unwrap();
        assert!(Hierarchies::of(&node, "79").hides(&node, "cpu"));
    }

    #[test]
    fn throttling_is_read_where_it_is_counted() {
        let (root, tree) =
            tree("0::/a/b\n", "30 1 0:26 / /cg rw - cgroup2 cgroup2 rw\n", &["/cg/a/b"]);
        fs::write(root.path().join("cg/cpu.stat"), "usage_usec 5\n").unwrap();
        fs::write(
            root.path().join("cg/a/cpu.stat"),
            "usage_usec 5\nnr_periods 9\nnr_throttled 4\n",
        )
        .unwrap();
        assert_eq!(cpu_stat_files(&tree), ["/cg/a/cpu.stat"]);
        assert_eq!(parse_throttled("nr_periods 1\nnr_throttled 12\n"), Some(12));
        assert_eq!(parse_throttled("usage_usec 12\n"), None);
        assert_eq!(parse_throttled_ns("nr_throttled 1\nthrottled_usec 45\n"), Some(45_000));
        assert_eq!(parse_frozen_us("frozen_usec 2000123\n"), Some(2_000_123));
        assert_eq!(parse_frozen_us("populated 1\n"), None);
        assert_eq!(parse_throttled_ns("nr_throttled 1\nthrottled_time 45\n"), Some(45));
        assert_eq!(parse_throttled_ns("nr_throttled 1\n"), None);
    }

    #[test]
    fn nothing_mounted_is_no_controller() {
        let (_root, tree) = tree("", "25 1 8:1 / / rw - ext4 /dev/sda1 rw\n", &[]);
        assert!(Hierarchies::read(&tree).controller(&tree, "cpu").is_none());
        assert!(cpu_stat_files(&tree).is_empty());
    }
}
