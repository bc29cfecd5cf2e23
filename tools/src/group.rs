//! A control group with limits, version 1 or 2, for what is planted. It goes when dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const ROOT: &str = "/sys/fs/cgroup";
const PREFIX: &str = "narrows-planted-";
/// A group that used up its quota waits for up to a period: a short one.
const PERIOD_US: f64 = 10_000.0;

/// What a group may have. Drives are named `major:minor`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Limit {
    /// So many processors.
    Cpus(f64),
    /// So many reads a second from a drive.
    Reads(String, u32),
    /// So many writes a second to a drive.
    Writes(String, u32),
    /// So many bytes of memory, page cache with it.
    Memory(u64),
    /// None, but it can be frozen.
    Freezer,
}

impl Limit {
    /// The controller in version 1, where each has a hierarchy, and in version 2.
    fn controller(&self) -> (&'static str, &'static str) {
        match self {
            Limit::Cpus(_) => ("cpu", "cpu"),
            Limit::Reads(..) | Limit::Writes(..) => ("blkio", "io"),
            Limit::Memory(_) => ("memory", "memory"),
            Limit::Freezer => ("freezer", ""),
        }
    }

    /// Files and what to write to them.
    fn files(&self, version_2: bool) -> Vec<(&'static str, String)> {
        match (self, version_2) {
            (Limit::Cpus(cpus), true) => {
                vec![("cpu.max", format!("{:.0} {PERIOD_US:.0}", cpus * PERIOD_US))]
            }
            (Limit::Cpus(cpus), false) => vec![
                ("cpu.cfs_period_us", format!("{PERIOD_US:.0}")),
                ("cpu.cfs_quota_us", format!("{:.0}", cpus * PERIOD_US)),
            ],
            (Limit::Reads(drive, per_s), true) => {
                vec![("io.max", format!("{drive} riops={per_s}"))]
            }
            (Limit::Reads(drive, per_s), false) => {
                vec![("blkio.throttle.read_iops_device", format!("{drive} {per_s}"))]
            }
            (Limit::Writes(drive, per_s), true) => {
                vec![("io.max", format!("{drive} wiops={per_s}"))]
            }
            (Limit::Writes(drive, per_s), false) => {
                vec![("blkio.throttle.write_iops_device", format!("{drive} {per_s}"))]
            }
            (Limit::Memory(bytes), true) => vec![("memory.max", bytes.to_string())],
            (Limit::Memory(bytes), false) => vec![("memory.limit_in_bytes", bytes.to_string())],
            (Limit::Freezer, _) => Vec::new(),
        }
    }
}

/// One folder in each hierarchy that it needs; who is still in it when it is dropped is sent back.
#[derive(Debug)]
pub(crate) struct Group {
    version_2: bool,
    places: Vec<Controller>,
}

#[derive(Debug)]
struct Controller {
    controller: &'static str,
    path: PathBuf,
    /// Where its members are: itself, or a group without limits below it.
    members: PathBuf,
    home: PathBuf,
}

impl Group {
    /// With these limits. `below`: its members are in a group below it that has no limits of its own.
    pub(crate) fn with(name: &str, limits: &[Limit], below: bool) -> io::Result<Group> {
        let group = Group::for_limits(name, limits, below)?;
        group.limit(limits)?;
        Ok(group)
    }

    /// A group that could have these limits and has none yet.
    pub(crate) fn for_limits(name: &str, limits: &[Limit], below: bool) -> io::Result<Group> {
        let root = Path::new(ROOT);
        let version_2 = root.join("cgroup.controllers").exists();
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let mut group = Group { version_2, places: Vec::new() };
        for limit in limits {
            let (first, second) = limit.controller();
            if version_2 && !second.is_empty() {
                fs::write(root.join("cgroup.subtree_control"), format!("+{second}"))?;
            }
            let (hierarchy, controller) =
                if version_2 { (root.to_path_buf(), "") } else { (root.join(first), first) };
            if !group.places.iter().any(|place| place.controller == controller) {
                let home = hierarchy.join(own_group(&own, controller).unwrap_or_default());
                let path = hierarchy.join(format!("{PREFIX}{}-{name}", std::process::id()));
                sweep(&hierarchy);
                group.make(Controller { controller, members: path.clone(), path, home }, below)?;
            }
        }
        Ok(group)
    }

    /// Sets the limits of a group that has a folder for them.
    pub(crate) fn limit(&self, limits: &[Limit]) -> io::Result<()> {
        for limit in limits {
            let controller = if self.version_2 { "" } else { limit.controller().0 };
            let place = self.places.iter().find(|place| place.controller == controller);
            let place = place.ok_or_else(|| io::Error::other(format!("no group for {limit:?}")))?;
            for (file, value) in limit.files(self.version_2) {
                let path = place.path.join(file);
                fs::write(&path, &value).map_err(|reason| {
                    io::Error::new(reason.kind(), format!("{} = {value}: {reason}", path.display()))
                })?;
            }
        }
        Ok(())
    }

    fn make(&mut self, mut place: Controller, below: bool) -> io::Result<()> {
        fs::create_dir(&place.path)?;
        if below {
            place.members = place.path.join("below");
            if let Err(error) = fs::create_dir(&place.members) {
                let _ = fs::remove_dir(&place.path);
                return Err(error);
            }
        }
        self.places.push(place);
        Ok(())
    }

    /// Moves a process into it; the processes that it starts later are in it, too. One that has ended meanwhile is none.
    pub(crate) fn take(&self, pid: u32) -> io::Result<()> {
        let procs = self.places.iter().map(|place| place.members.join("cgroup.procs"));
        procs.into_iter().try_for_each(|procs| match fs::write(procs, pid.to_string()) {
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(()),
            moved => moved,
        })
    }

    /// Moves a process back.
    pub(crate) fn release(&self, pid: u32) -> io::Result<()> {
        let procs = self.places.iter().map(|place| place.home.join("cgroup.procs"));
        procs.into_iter().try_for_each(|procs| fs::write(procs, pid.to_string()))
    }

    /// A program that begins in it.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut script = String::new();
        for place in &self.places {
            script += &format!("echo $$ > '{}' && ", place.members.join("cgroup.procs").display());
        }
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{script}exec \"$@\""), "sh"]).arg(program);
        command
    }

    /// Stops all its members, or lets them go on.
    pub(crate) fn freeze(&self, frozen: bool) -> io::Result<()> {
        let (file, value) = match (self.version_2, frozen) {
            (true, frozen) => ("cgroup.freeze", if frozen { "1" } else { "0" }),
            (false, true) => ("freezer.state", "FROZEN"),
            (false, false) => ("freezer.state", "THAWED"),
        };
        let freezers =
            self.places.iter().filter(|place| ["", "freezer"].contains(&place.controller));
        freezers.into_iter().try_for_each(|place| fs::write(place.path.join(file), value))
    }
}

/// What a run that was killed left, if nobody is in it any more.
fn sweep(hierarchy: &Path) {
    for folder in fs::read_dir(hierarchy).into_iter().flatten().flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        let Some(owner) = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()) else {
            continue;
        };
        if Path::new("/proc").join(owner).exists() {
            continue;
        }
        let path = folder.path();
        // Only one of these two files is there, and only where it can be frozen.
        for (file, value) in [("freezer.state", "THAWED"), ("cgroup.freeze", "0")] {
            if path.join(file).exists() {
                let _ = fs::write(path.join(file), value);
            }
        }
        let _ = fs::remove_dir(path.join("below"));
        let _ = fs::remove_dir(path);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.freeze(false);
        for place in &self.places {
            let left = fs::read_to_string(place.members.join("cgroup.procs")).unwrap_or_default();
            for pid in left.lines().filter_map(|line| line.parse().ok()) {
                let _ = self.release(pid);
            }
            place.remove();
        }
    }
}

impl Controller {
    fn remove(&self) {
        // The last process may take a moment to leave.
        for _ in 0..100 {
            if self.members != self.path {
                let _ = fs::remove_dir(&self.members);
            }
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

    #[test]
    fn limits_are_written_as_each_version_has_them() {
        let half = Limit::Cpus(0.5);
        assert_eq!(half.files(true), [("cpu.max", "5000 10000".to_string())]);
        let first = [("cpu.cfs_period_us", "10000"), ("cpu.cfs_quota_us", "5000")];
        assert_eq!(half.files(false), first.map(|(file, value)| (file, value.to_string())));
        let reads = Limit::Reads("254:0".into(), 500);
        assert_eq!(reads.files(true), [("io.max", "254:0 riops=500".to_string())]);
        assert_eq!(
            reads.files(false),
            [("blkio.throttle.read_iops_device", "254:0 500".to_string())]
        );
    }
}
