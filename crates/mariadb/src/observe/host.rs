//! The server's process, where it runs on this machine: what it takes of the CPUs and of the drives, which the server itself does not say.
//!
//! Who listens at the socket is the server, unless that was opened for it (systemd's socket activation), which its name tells.

use narrows_facts::{affinity, process};
use narrows_model::MariaDbProcess;

use crate::connection::Connection;

/// As the kernel names it, also before version 10.5.
const NAMES: [&str; 2] = ["mariadbd", "mysqld"];

/// The process.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerProcess {
    pid: u32,
}

/// What it had taken at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProcessMoment {
    cpu_ns: u64,
    /// Where this may be seen.
    read_bytes: Option<u64>,
}

impl ServerProcess {
    /// The one at the other end; `None` where it can't be seen.
    pub(super) fn find(session: &Connection) -> Option<ServerProcess> {
        ServerProcess::of(session.listener()?)
    }

    fn of(pid: u32) -> Option<ServerProcess> {
        let name = process::name(pid)?;
        NAMES.contains(&name.trim()).then_some(ServerProcess { pid })
    }

    pub(super) fn taken(self) -> Option<ProcessMoment> {
        let read_bytes = process::drive_bytes(self.pid).map(|(read, _)| read);
        Some(ProcessMoment { cpu_ns: process::cpu_ns(self.pid)?, read_bytes })
    }

    /// Between two moments that are `ns` apart.
    pub(super) fn use_of(
        self,
        from: &ProcessMoment,
        to: &ProcessMoment,
        ns: f64,
    ) -> Option<MariaDbProcess> {
        let allowed = affinity::of_pid(self.pid).ok().filter(|cpus| !cpus.is_empty())?;
        used(from, to, ns).map(|used| MariaDbProcess { allowed_cpus: allowed.len() as f64, ..used })
    }
}

/// A process that went away and another that has its number since are none.
fn used(from: &ProcessMoment, to: &ProcessMoment, ns: f64) -> Option<MariaDbProcess> {
    let cpu_ns = to.cpu_ns.checked_sub(from.cpu_ns).filter(|_| ns > 0.0)?;
    let read = to.read_bytes.zip(from.read_bytes);
    Some(MariaDbProcess {
        cpus: cpu_ns as f64 / ns,
        drive_read_bytes: read.and_then(|(now, then)| Some(now.checked_sub(then)? as f64)),
        ..MariaDbProcess::default()
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn what_a_process_takes_is_a_difference_and_a_count_that_went_back_is_none() {
        let at = |cpu_ns, read_bytes| ProcessMoment { cpu_ns, read_bytes };
        let of = used(&at(1_000, Some(50)), &at(4_000, Some(90)), 6_000.0).unwrap();
        assert_eq!((of.cpus, of.drive_read_bytes), (0.5, Some(40.0)));
        assert_eq!(used(&at(1, None), &at(2, Some(9)), 1.0).unwrap().drive_read_bytes, None);
        assert_eq!(used(&at(2, None), &at(1, None), 1.0), None);
    }

    #[test]
    fn who_listens_is_known_and_is_no_server_by_another_name() {
        let (one, _other) = UnixStream::pair().unwrap();
        assert_eq!(process::listener(&one), Some(std::process::id()));
        assert!(ServerProcess::of(std::process::id()).is_none());
    }
}
