//! A server that others own, where it runs here: its processes, CPUs and drives.

use narrows_facts::{Live, affinity};
use narrows_model::Platform;
use narrows_observe::Watch;
use narrows_postgres::observe::Monitor;

use crate::observe::drives::{self, OfServer};

/// A server that was found among this machine's processes.
pub struct LocalServer {
    /// Its main process.
    pub postmaster: u32,
    /// The processors it may use.
    pub cpus: Vec<u32>,
    /// Quota of the control groups it is in, processors.
    pub quota_cpus: Option<f64>,
    /// Whether limits of those groups can't be seen from here, so that the quota is unknown.
    pub limits_hidden: bool,
    /// Whether that quota covers us alike.
    pub with_us: bool,
    /// The machine with its folders.
    machine: OfServer,
}

impl LocalServer {
    /// That server, if it runs here.
    pub fn of(look: &Monitor) -> Option<LocalServer> {
        let postmaster = look.postmaster()?;
        let cpus = affinity::of_pid(postmaster).ok().filter(|cpus| !cpus.is_empty())?;
        let process = postmaster.to_string();
        let groups = narrows_platform::cgroup_of(&Live, &process);
        Some(LocalServer {
            postmaster,
            cpus,
            quota_cpus: groups.cpu_quota_cpus,
            limits_hidden: !groups.hidden.is_empty(),
            with_us: narrows_platform::quota_is_ours_too(&Live, &process),
            machine: drives::of_server(look),
        })
    }

    /// Watches it: its control groups, and its own drives where there is a path to its files.
    pub fn watch(&self, here: &Platform, known: &[String]) -> Watch {
        let process = self.postmaster.to_string();
        match self.machine.names() {
            own if own.is_empty() => Watch::in_groups_of(&process, here, known),
            own => Watch::in_groups_of(&process, &self.machine.platform, &own),
        }
    }
}
