//! A control group whose writes to a drive are limited, version 1 or 2.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const ROOT: &str = "/sys/fs/cgroup";

/// It goes when dropped; who is still in it is sent back to where this process was before.
pub(super) struct Group {
    path: PathBuf,
    home: PathBuf,
}

impl Group {
    /// With at most so many writes a second to the drive `major:minor`.
    pub(super) fn with_writes(drive: &str, per_s: u32) -> io::Result<Group> {
        let root = Path::new(ROOT);
        let version_2 = root.join("cgroup.controllers").exists();
        let (hierarchy, controller) = match version_2 {
            true => (root.to_path_buf(), ""),
            false => (root.join("blkio"), "blkio"),
        };
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let home = hierarchy.join(own_group(&own, controller).unwrap_or_default());
        let path = hierarchy.join(format!("narrows-peers-{}", std::process::id()));
        if version_2 {
            fs::write(root.join("cgroup.subtree_control"), "+io")?;
        }
        fs::create_dir(&path)?;
        let group = Group { path, home };
        let (file, limit) = match version_2 {
            true => ("io.max", format!("{drive} wiops={per_s}")),
            false => ("blkio.throttle.write_iops_device", format!("{drive} {per_s}")),
        };
        fs::write(group.path.join(file), limit)?;
        Ok(group)
    }

    /// Moves a process into it; the processes that it starts later are in it, too.
    pub(super) fn take(&self, pid: u32) -> io::Result<()> {
        fs::write(self.path.join("cgroup.procs"), pid.to_string())
    }

    /// Moves a process back.
    pub(super) fn release(&self, pid: u32) -> io::Result<()> {
        fs::write(self.home.join("cgroup.procs"), pid.to_string())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let left = fs::read_to_string(self.path.join("cgroup.procs")).unwrap_or_default();
        for pid in left.lines().filter_map(|line| line.parse().ok()) {
            let _ = self.release(pid);
        }
        // The last process may take a moment to leave.
        for _ in 0..100 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        eprintln!("could not remove {}", self.path.display());
    }
}

/// This process's group of that controller, below the hierarchy's root; the empty name is version 2's.
fn own_group(listed: &str, controller: &str) -> Option<PathBuf> {
    let path = listed.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let controllers = parts.next()?;
        let path = parts.next()?;
        controllers.split(',').any(|name| name == controller).then_some(path)
    })?;
    Some(PathBuf::from(path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_group_is_found_in_either_version() {
        let listed = "5:blkio:/a/b\n3:cpu,cpuacct:/c\n0::/d\n";
        assert_eq!(own_group(listed, "blkio"), Some("a/b".into()));
        assert_eq!(own_group(listed, "cpuacct"), Some("c".into()));
        assert_eq!(own_group(listed, ""), Some("d".into()));
        assert_eq!(own_group(listed, "io"), None);
    }
}
