//! What licences and shares count: cores, sockets, drives, memory.

use narrows_plan::{Description, PlanError, ServerParts};

use super::Reckoning;
use crate::entry::{Figure, ServerEntry};
use crate::sheet::{Basis, Expr, Given, Group, Range};

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
    pub threads_per_core: Option<Expr>,
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
        let mut lines = Lines { r, parts: parts.as_ref() };
        let machines = |parts: &ServerParts| Some(parts.machines.len() as f64);
        let servers = lines.whole("servers", "servers", "", &entry.servers, machines)?;
        let cores =
            lines.whole("cores", "cores of all servers", "cores", &entry.cores, |parts| {
                parts.cores.map(f64::from)
            })?;
        let sockets = lines.whole(
            "sockets",
            "occupied sockets of all servers",
            "sockets",
            &entry.sockets,
            |parts| Some(f64::from(parts.sockets)),
        )?;
        let vcpus =
            lines.whole("vcpus", "vCPUs of all servers", "vCPUs", &entry.vcpus, |_| None)?;
        let drives = lines.whole("drives", "drives", "", &entry.drives, |parts| {
            Some(f64::from(parts.drives)).filter(|drives| *drives > 0.0)
        })?;
        let threads = ("threads_per_core", "threads of a core", "");
        let threads = lines.figure(threads, &entry.threads_per_core, (1.0, 8.0))?;
        let ghz = lines.figure(("ghz", "clock of a core", "GHz"), &entry.ghz, (0.1, 20.0))?;
        let core_ratio = lines.core_ratio(&entry.core_ratio)?;
        let memory = match &entry.memory {
            Some(text) => {
                let bytes = r.reader.size("cost.server: memory", text)?;
                let given = Given::described(Some(bytes.times(1.0 / GIGABYTE)), (0.0, 1e9));
                let line = r.sheet.given((Group::Cost, "server.memory"), "memory", "GB", given);
                r.sheet.shown(&line);
                Some(line)
            }
            None => None,
        };
        if let Some(drives) = &drives {
            r.sheet.shown(drives);
        }
        Ok(Server {
            servers: servers.unwrap_or(Expr::Number(1.0)),
            cores,
            sockets,
            vcpus,
            threads_per_core: threads,
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

/// Lines of the server while they are added.
struct Lines<'r, 'a, 'p> {
    r: &'r mut Reckoning<'a>,
    parts: Option<&'p ServerParts>,
}

impl Lines<'_, '_, '_> {
    /// A count, by hand or of the platform; both where they are the same.
    fn whole(
        &mut self,
        key: &str,
        title: &str,
        unit: &str,
        figure: &Option<Figure>,
        of: impl Fn(&ServerParts) -> Option<f64>,
    ) -> Result<Option<Expr>, PlanError> {
        let there = self.parts.and_then(of);
        let what = format!("cost.server: {key}");
        let value = match figure {
            Some(figure) => {
                let value = self.r.reader.within(&what, figure, 1.0..=MOST)?;
                if value.is_some_and(|value| value.low.fract() != 0.0 || value.high.fract() != 0.0)
                {
                    let hint = "write a whole number";
                    return Err(self.r.reader.source.error(
                        &figure.span(),
                        what,
                        "comes whole",
                        hint,
                    ));
                }
                if let (Some(value), Some(there)) = (value, there)
                    && value != Range::exact(there)
                    && key != "drives"
                {
                    let why = format!(
                        "{} here, and the machines of the platform have {there}",
                        value.value
                    );
                    let hint = "say it in one place";
                    return Err(self.r.reader.source.error(&figure.span(), what, why, hint));
                }
                value
            }
            None => match there {
                Some(there) => Some(Range::exact(there)),
                None => return Ok(None),
            },
        };
        if key == "servers" && value == Some(Range::exact(1.0)) && figure.is_none() {
            return Ok(None);
        }
        let mut given = Given::described(value, (1.0, MOST));
        if figure.is_none() {
            given.source = "the platform described".to_string();
        }
        let key = format!("server.{key}");
        let line = self.r.sheet.given((Group::Cost, &key), title, unit, given);
        if self.r.sheet.value(&line).is_some_and(|changed| changed.fract() != 0.0) {
            self.r.sheet.refuse(format!("{key}: comes whole"));
        }
        Ok(Some(line))
    }

    fn figure(
        &mut self,
        (key, title, unit): (&str, &str, &str),
        figure: &Option<Figure>,
        within: (f64, f64),
    ) -> Result<Option<Expr>, PlanError> {
        let Some(figure) = figure else { return Ok(None) };
        let what = format!("cost.server: {key}");
        let value = self.r.reader.within(&what, figure, within.0..=within.1)?;
        let given = Given::described(value, within);
        let key = format!("server.{key}");
        Ok(Some(self.r.sheet.given((Group::Cost, &key), title, unit, given)))
    }

    /// By hand, or that of the platform's machines.
    fn core_ratio(&mut self, figure: &Option<Figure>) -> Result<Option<Expr>, PlanError> {
        const WITHIN: (f64, f64) = (0.05, 20.0);
        let title = ("core_ratio", "work of a core over one where the run measured", "");
        let there = self.parts.and_then(|parts| parts.core_ratio.clone());
        match (figure, there) {
            (Some(figure), Some((ratio, _))) => {
                let why = format!("the platform's machines have a core_ratio of {ratio}");
                let what = "cost.server: core_ratio";
                Err(self.r.reader.source.error(&figure.span(), what, why, "say it in one place"))
            }
            (Some(_), None) => self.figure(title, figure, WITHIN),
            (None, Some((ratio, source))) => {
                let given = Given {
                    source,
                    basis: Basis::Described,
                    ..Given::described(Some(Range::exact(ratio)), WITHIN)
                };
                let place = (Group::Cost, "server.core_ratio");
                Ok(Some(self.r.sheet.given(place, title.1, "", given)))
            }
            (None, None) => Ok(None),
        }
    }
}
