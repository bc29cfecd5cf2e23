//! The first lines: which run, which machine, which drives, which server.

use std::collections::BTreeSet;

use jiff::Timestamp;
use narrows_model::{DatabaseChoice, HostRole, Layer, Platform, Run, Validity, condition, family};

mod others;
mod path;

use crate::print::{self, Units};
use crate::words::counted;

/// The head of a report, in pieces that a view joins.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// `narrows 1.0`, host, date, run id, duration.
    pub run: Vec<String>,
    /// `31 measurements: 30 valid, 1 suspect (?)`.
    pub counts: String,
    /// `INTERRUPTED, partial` and `quick: 3 repeats`.
    pub warnings: Vec<String>,
    /// Processors, memory, kernel, limits.
    pub machine: String,
    /// One per role or per pair of roles on one path.
    pub roles: Vec<String>,
    /// Load of others during the run.
    pub others: String,
    /// The database server; empty without one.
    pub server: String,
}

impl Head {
    pub(crate) fn new(run: &Run, units: Units) -> Self {
        let platform = run.platform();
        Head {
            run: run_pieces(run),
            counts: counts(run),
            warnings: warnings(run),
            machine: platform.map_or("machine unknown".into(), |p| machine(run, p, units)),
            roles: platform.map_or(Vec::new(), path::roles),
            others: others::line(run, units),
            server: server(run),
        }
    }
}

fn run_pieces(run: &Run) -> Vec<String> {
    let mut pieces = vec![format!("{} {}", run.tool.name, run.tool.version)];
    pieces.extend(run.platform().and_then(|p| p.hostname.clone()));
    let started: Option<Timestamp> = run.started_at.parse().ok();
    pieces.push(
        started.map_or_else(
            || run.started_at.clone(),
            |t| t.strftime("%Y-%m-%d %H:%M UTC").to_string(),
        ),
    );
    pieces.push(format!("run {}", run.id));
    let finished: Option<Timestamp> = run.finished_at.as_ref().and_then(|t| t.parse().ok());
    if let (Some(started), Some(finished)) = (started, finished) {
        let seconds = finished.as_second() - started.as_second();
        pieces.push(match seconds {
            s if s < 0 => "clock stepped back".to_string(),
            s if s < 120 => format!("{s} s"),
            s => format!("{} min", (s + 30) / 60),
        });
    }
    pieces
}

fn counts(run: &Run) -> String {
    let of = |validity| run.measurements.iter().filter(|m| m.validity == validity).count();
    let mut parts = vec![format!("{} valid", of(Validity::Valid))];
    match of(Validity::Suspect) {
        0 => {}
        n => parts.push(format!("{n} suspect (?)")),
    }
    match of(Validity::Invalid) {
        0 => {}
        n => parts.push(format!("{n} invalid")),
    }
    let unknown = run.hosts.iter().flat_map(|host| &host.platform.unknown);
    match unknown.filter(|unknown| unknown.as_not_made().is_some()).count() {
        0 => {}
        n => parts.push(format!("{n} more could not be made")),
    }
    format!("{}: {}", counted(run.measurements.len(), "measurement"), parts.join(", "))
}

fn warnings(run: &Run) -> Vec<String> {
    let mut warnings = Vec::new();
    if !run.completed {
        warnings.push("INTERRUPTED, partial".to_string());
    }
    if run.plan.quick {
        warnings.push(format!("quick: {}", counted(run.plan.repeats as usize, "repeat")));
    }
    if run.anonymous {
        warnings.push("without names".to_string());
    }
    if let Some(captured) = run.platform().and_then(|p| p.captured.as_ref()) {
        let day = captured.at.split('T').next().unwrap_or_default();
        let answers = counted(captured.answers.len(), "answer");
        warnings.push(format!("{answers} from a capture of {day}"));
    }
    warnings
}

fn machine(run: &Run, p: &Platform, units: Units) -> String {
    if p.cpu.threads == 0 && p.cpu.model.is_none() {
        return "from a file; no machine was measured".to_string();
    }
    let text = machine_itself(p, units);
    match run.hosts.first().map(|host| host.role) {
        Some(HostRole::Client) => {
            format!("seen from here, the server is on another machine: {text}")
        }
        _ => text,
    }
}

fn machine_itself(p: &Platform, units: Units) -> String {
    let mut parts = Vec::new();
    let model = p.cpu.model.as_deref().map_or("CPU unknown".to_string(), short_model);
    parts.push(if p.cpu.sockets > 1 { format!("{} × {model}", p.cpu.sockets) } else { model });
    if p.cpu.cores > 0 {
        parts.push(counted(p.cpu.cores as usize, "core"));
    }
    if p.cpu.threads > 0 {
        parts.push(counted(p.cpu.threads as usize, "CPU"));
    }
    if !p.cpu.allowed.is_empty() && p.cpu.allowed.len() < p.cpu.online.len() {
        parts.push(format!("{} of them allowed", p.cpu.allowed.len()));
    }
    if p.nodes.len() > 1 {
        parts.push(format!("{} nodes", p.nodes.len()));
    }
    if p.memory.total_bytes > 0 {
        let kind = dimm_kind(p).map_or(String::new(), |kind| format!(" {kind}"));
        parts.push(format!("{}{kind}", units.bytes(p.memory.total_bytes as f64)));
    }
    if let Some(kernel) = &p.kernel {
        parts.push(format!("Linux {}", kernel.split(['-', '+']).next().unwrap_or(kernel)));
    }
    parts.push(match &p.hypervisor {
        Some(name) => format!("under {name}"),
        None => "no hypervisor seen".to_string(),
    });
    if let Some(container) = &p.container {
        parts.push(format!("in {container}"));
    }
    if let Some(cpus) = p.cgroup.cpu_quota_cpus {
        parts.push(format!("cgroup quota {} CPUs", print::count(cpus)));
    }
    if let Some(bytes) = p.cgroup.memory_limit_bytes {
        parts.push(format!("cgroup memory {}", units.bytes(bytes as f64)));
    }
    parts.join(", ")
}

/// The model name without what every model name says.
fn short_model(model: &str) -> String {
    const NOISE: [&str; 8] = ["(R)", "(TM)", "(r)", "(tm)", "Intel", "AMD", "CPU", "Processor"];
    let mut text = model.split('@').next().unwrap_or(model).to_string();
    for noise in NOISE {
        text = text.replace(noise, " ");
    }
    let words: Vec<&str> = text.split_whitespace().filter(|w| !w.ends_with("-Core")).collect();
    if words.is_empty() { model.trim().to_string() } else { words.join(" ") }
}

/// `DDR5-4800`, only if all filled slots agree.
fn dimm_kind(p: &Platform) -> Option<String> {
    let kinds: BTreeSet<(String, Option<u32>)> = p
        .memory
        .dimms
        .as_ref()?
        .iter()
        .filter(|d| d.size_bytes.is_some())
        .filter_map(|d| Some((d.kind.clone()?, d.configured_mts.or(d.rated_mts))))
        .collect();
    let mut kinds = kinds.into_iter();
    match (kinds.next(), kinds.next()) {
        (Some((kind, Some(mts))), None) => Some(format!("{kind}-{mts}")),
        (Some((kind, None)), None) => Some(kind),
        _ => None,
    }
}

fn server(run: &Run) -> String {
    let database = |key| {
        run.measurements
            .iter()
            .filter(|m| family::DATABASE.has(&m.id))
            .find_map(|m| m.text(key).map(str::to_string))
    };
    let version = database(condition::SERVER_VERSION);
    // A server of ours is started for the layer that measures it, or for a step of the log that says which one it was.
    let started = run.plan.layers.contains(&Layer::Database) || version.is_some();
    let whose = match &run.plan.database {
        DatabaseChoice::None => return String::new(),
        DatabaseChoice::Managed if !started => return String::new(),
        DatabaseChoice::Managed => "private instance".to_string(),
        DatabaseChoice::Url(url) => format!("the server at {url}"),
    };
    let version = match version {
        Some(version) if ["PostgreSQL", "MariaDB"].iter().any(|kind| version.starts_with(kind)) => {
            version
        }
        Some(version) => format!("PostgreSQL {version}"),
        None => "PostgreSQL".to_string(),
    };
    let shared = run.measurements.iter().find_map(|m| m.conditions.get(condition::CPUS_SHARED));
    let server = run.plan.server_cpus.len();
    let client = run.plan.client_cpus.len();
    let all = run.platform().map_or(0, |p| p.cpu.threads as usize);
    let of_all = if server < all { format!(" of {all}") } else { String::new() };
    let on = format!(" on {}{of_all}", counted(server, "CPU"));
    let places = match (server, client, shared) {
        (0, _, _) => String::new(),
        (_, _, Some(true)) => format!("{on}, shared with the load generator"),
        (_, 0, _) => on,
        (_, 1, _) if server + 1 == all => format!("{on}; load generator on the other"),
        _ if server + client == all => format!("{on}; load generator on the other {client}"),
        _ => format!("{on}; load generator on {client} more"),
    };
    format!("{version}, {whose}{places}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_names_lose_their_noise_only() {
        assert_eq!(short_model("AMD EPYC 9354 32-Core Processor"), "EPYC 9354");
        assert_eq!(
            short_model("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz"),
            "Xeon Platinum 8370C"
        );
        assert_eq!(short_model("Neoverse-N1"), "Neoverse-N1");
        assert_eq!(short_model("AMD"), "AMD");
    }
}
