//! narrows in a container beside the server's: it sees the server's processes, and of the control groups only those below its own.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::group::{Group, Limit};

/// The namespaces' own mounts, which have the container's group at their top. Version 2 has one, version 1 one for each controller.
const MOUNTED: &str = "for c in cpu cpuacct blkio memory; do \
     if [ -d /sys/fs/cgroup/$c ]; then umount /sys/fs/cgroup/$c && mount -t cgroup -o $c none /sys/fs/cgroup/$c || exit 1; fi; done; \
     if [ -e /sys/fs/cgroup/cgroup.controllers ]; then umount /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup || exit 1; fi; exec \"$@\"";

/// The container's control group; it goes when dropped.
pub(super) struct Sidecar {
    group: Group,
}

impl Sidecar {
    /// Without limits of its own.
    pub(super) fn new() -> io::Result<Sidecar> {
        let could = [Limit::Cpus(1.0), Limit::Memory(0), Limit::Reads(String::new(), 0)];
        Ok(Sidecar { group: Group::for_limits("sidecar", &could, false)? })
    }

    /// A program in it, bound to these processors.
    pub(super) fn command(&self, cpus: &[u32], program: &Path) -> Command {
        let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
        let mut command = self.group.command(Path::new("unshare"));
        command.args(["--cgroup", "--mount", "sh", "-c", MOUNTED, "sh"]);
        command.args(["taskset", "-c", &list.join(",")]).arg(program);
        command
    }
}
