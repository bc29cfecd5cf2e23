//! Where this process's control groups are in the file system, in version 1, version 2 and mixtures of both.
//!
//! A process is in one group per hierarchy (`/proc/self/cgroup`); hierarchies are mounted anywhere, in a
//! container often only from the container's own group down (`/proc/self/mountinfo`). Limits of every group on
//! the way to the root apply, so a controller is the list of folders from the own group up to the mount.
//! Methods: cgroups(7), Linux `Documentation/admin-guide/cgroup-v2.rst`.

use crate::{Mount, Source, mounts};

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

/// What is mounted and joined.
#[derive(Debug, Clone, Default)]
pub struct Hierarchies {
    mounts: Vec<Mount>,
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
        let mounts = mounts(source).into_iter().filter(|mount| is_cgroup(&mount.kind)).collect();
        let text = source.text(&format!("/proc/{process}/cgroup")).unwrap_or_default();
        Hierarchies { mounts, memberships: text.lines().filter_map(membership).collect() }
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
    /// it mounted it is there, since a controller can be in one hierarchy only.
    pub fn controller(&self, source: &dyn Source, controller: &str) -> Option<Controller> {
        let v1 = self
            .mounts
            .iter()
            .find(|mount| mount.kind == "cgroup" && has_option(mount, controller))
            .zip(self.path(|names| names.iter().any(|name| name == controller)));
        if let Some((mount, path)) = v1 {
            return Some(Controller {
                version: Version::V1,
                folders: folders(source, mount, path),
            });
        }
        let mount = self.mounts.iter().find(|mount| mount.kind == "cgroup2")?;
        let path = self.path(<[String]>::is_empty)?;
        Some(Controller { version: Version::V2, folders: folders(source, mount, path) })
    }

    /// The paths of all groups this process is in, as `/proc/self/cgroup` writes them.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.memberships.iter().map(|(_, path)| path.as_str())
    }

    fn path(&self, matches: impl Fn(&[String]) -> bool) -> Option<&str> {
        self.memberships.iter().find(|(names, _)| matches(names)).map(|(_, path)| path.as_str())
    }
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

fn folders(source: &dyn Source, mount: &Mount, path: &str) -> Vec<String> {
    let top = mount.mount_point.trim_end_matches('/');
    // Below the mounted part: `/docker/x/y` seen through a mount of `/docker/x` is `/y`. A path that leads above
    // the namespace's root (`/../..`), or one the mount does not show, leaves the mount's top as the nearest.
    let below = path.strip_prefix(mount.root.trim_end_matches('/')).unwrap_or("");
    let mut folder = if below.is_empty() || below.contains("/..") || !below.starts_with('/') {
        top.to_string()
    } else {
        format!("{top}{}", below.trim_end_matches('/'))
    };
    if !source.exists(&folder) {
        folder = top.to_string();
    }
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
    }

    #[test]
    fn nothing_mounted_is_no_controller() {
        let (_root, tree) = tree("", "25 1 8:1 / / rw - ext4 /dev/sda1 rw\n", &[]);
        assert!(Hierarchies::read(&tree).controller(&tree, "cpu").is_none());
        assert!(cpu_stat_files(&tree).is_empty());
    }
}
