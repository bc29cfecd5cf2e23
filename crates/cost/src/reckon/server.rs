//! What licences and shares count: cores, sockets, drives, memory.

use narrows_plan::{Description, PlanError};

use super::Reckoning;
use crate::entry::{Figure, ServerEntry};
use crate::sheet::{Expr, Given, Group, Range};

/// More of one thing than any installation has.
const MOST: f64 = 1e6;
const GIGABYTE: f64 = 1e9;

/// What is counted, over all servers of the description; absent where nothing says.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub servers: Expr,
    pub cores: Option<Expr>,
    pub sockets: Option<Expr>,
    pub vcpus: Option<Expr>,
    pub threads_per_core: Expr,
    /// GB of 10^9 bytes.
    pub memory: Option<Expr>,
    pub drives: Option<Expr>,
    pub ghz: Option<Expr>,
    /// Work of one core over that of a core where a run measured.
    pub core_ratio: Option<Expr>,
}

impl Server {
    pub fn described(
        r: &mut Reckoning<'_>,
        entry: Option<&ServerEntry>,
        platform: Option<&Description>,
    ) -> Result<Server, PlanError> {
        let none = ServerEntry::default();
        let entry = entry.unwrap_or(&none);
        let parts = platform.map(Description::server_parts);
        let parts = parts.as_ref();
        let mut line =
            |key: &str, title: &str, unit: &str, figure: &Option<Figure>, else_: Option<f64>| {
                let value = match (figure, else_) {
                    (Some(figure), _) => {
                        Some(r.reader.within(&format!("cost.server: {key}"), figure, 0.0..=MOST)?)
                    }
                    (None, Some(value)) => Some(Some(Range::exact(value))),
                    (None, None) => None,
                };
                let Some(value) = value else { return Ok(None) };
                let given = Given { value, ..Given::described(0.0) };
                let key = format!("server.{key}");
                Ok::<_, PlanError>(Some(r.sheet.given((Group::Cost, &key), title, unit, given)))
            };
        let cores = parts.and_then(|parts| parts.cores).map(f64::from);
        let sockets = parts.map(|parts| f64::from(parts.sockets));
        let drives = parts.map(|parts| f64::from(parts.drives)).filter(|drives| *drives > 0.0);
        let servers = line("servers", "servers", "", &entry.servers, None)?;
        let cores = line("cores", "cores of all servers", "cores", &entry.cores, cores)?;
        let sockets =
            line("sockets", "occupied sockets of all servers", "sockets", &entry.sockets, sockets)?;
        let vcpus = line("vcpus", "vCPUs of all servers", "vCPUs", &entry.vcpus, None)?;
        let threads =
            line("threads_per_core", "threads of a core", "", &entry.threads_per_core, None)?;
        let drives = line("drives", "drives", "drives", &entry.drives, drives)?;
        let ghz = line("ghz", "clock of a core", "GHz", &entry.ghz, None)?;
        let core_ratio = line(
            "core_ratio",
            "work of a core over one where the run measured",
            "",
            &entry.core_ratio,
            None,
        )?;
        let memory = match &entry.memory {
            Some(text) => {
                let bytes = r.reader.size("cost.server: memory", text)?;
                let given =
                    Given { value: Some(bytes.times(1.0 / GIGABYTE)), ..Given::described(0.0) };
                Some(r.sheet.given((Group::Cost, "server.memory"), "memory", "GB", given))
            }
            None => None,
        };
        Ok(Server {
            servers: servers.unwrap_or(Expr::Number(1.0)),
            cores,
            sockets,
            vcpus,
            threads_per_core: threads.unwrap_or(Expr::Number(1.0)),
            memory,
            drives,
            ghz,
            core_ratio,
        })
    }

    /// Cores, or vCPUs where those are what is known, and their name.
    pub fn processors(&self) -> Option<(Expr, &'static str)> {
        let cores = self.cores.clone().map(|cores| (cores, "core"));
        cores.or_else(|| self.vcpus.clone().map(|vcpus| (vcpus, "vCPU")))
    }
}
