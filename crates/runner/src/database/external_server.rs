//! Somebody's server, as far as it shows before a load begins: whether it may be measured, and where it runs if that is here.

use anyhow::{Context as _, Result};
use narrows_facts::{Live, affinity};
use narrows_observe::Watch;
use narrows_postgres::observe::Monitor;
use narrows_postgres::{Admitted, admit};

use crate::observe::drives::{self, OfServer};
use crate::resolve::Resolved;
use crate::split;

/// A server that was found among this machine's processes.
pub struct Found {
    /// Its main process.
    pub postmaster: u32,
    /// The processors it may use.
    pub cpus: Vec<u32>,
    /// Quota of the control groups it is in, processors.
    pub quota_cpus: Option<f64>,
    /// Whether that quota covers us alike.
    pub with_us: bool,
    /// The machine with its folders.
    machine: OfServer,
}

impl Found {
    fn of(look: &Monitor) -> Option<Found> {
        let postmaster = look.postmaster()?;
        let cpus = affinity::of_pid(postmaster).ok().filter(|cpus| !cpus.is_empty())?;
        let process = postmaster.to_string();
        Some(Found {
            postmaster,
            cpus,
            quota_cpus: narrows_platform::cgroup_of(&Live, &process).cpu_quota_cpus,
            with_us: narrows_platform::quota_is_ours_too(&Live, &process),
            machine: drives::of_server(look),
        })
    }

    /// Watches it: its control groups, and its own drives where there is a path to its files.
    pub fn watch(&self, resolved: &Resolved, known: &[String]) -> Watch {
        let process = self.postmaster.to_string();
        match self.machine.names() {
            own if own.is_empty() => Watch::in_groups_of(&process, &resolved.platform, known),
            own => Watch::in_groups_of(&process, &self.machine.platform, &own),
        }
    }
}

/// Asks the server that was named, now and not after minutes of other layers; the plan learns where it runs. `None` where
/// none was named.
///
/// # Errors
/// Whatever would keep it from being measured.
pub fn ask(resolved: &mut Resolved) -> Result<Option<Admitted>> {
    let Some(address) = resolved.address.clone() else { return Ok(None) };
    let cannot = || format!("{address} cannot be measured");
    let admitted = admit(&address).with_context(cannot)?;
    if !address.is_local() {
        return Ok(Some(admitted));
    }
    resolved.found = Found::of(&Monitor::open(&address).with_context(cannot)?);
    if let Some(found) = &resolved.found {
        resolved.split = split::around(&found.cpus, &resolved.platform);
        resolved.plan.server_cpus = found.cpus.clone();
        resolved.plan.client_cpus = resolved.split.client.clone();
    }
    Ok(Some(admitted))
}
