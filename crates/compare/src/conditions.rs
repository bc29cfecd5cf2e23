//! What else differs between two sides, those first that could explain a result.
//!
//! Inventory, settings of the server, what was obtained and what was planned are compared key by key. What always differs (free
//! memory, counts of interrupts, times) is left out; a list of those that are known to matter says which come first.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{Run, metric};
use serde::Serialize;
use serde_json::Value;

use crate::pairing::shown;
use crate::{ComparedRow, Side};

/// CPUs of a difference in what other programs used that is worth a line.
const OTHERS_CPUS: f64 = 0.05;
/// Longer values lose their end.
const LONGEST: usize = 60;

/// A condition that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConditionDifference {
    /// What it is, `kernel`, `server setting shared_buffers`.
    pub what: String,
    /// Its values on the first side, several where its runs differ.
    pub base: Vec<String>,
    /// On the other.
    pub other: Vec<String>,
    /// Whether it is known to change results of this kind.
    pub could_explain: bool,
}

/// Beginnings of keys that are known to change results, the strongest first, and their names for people.
const KNOWN: [(&str, &str); 35] = [
    ("cgroup.", "control group: "),
    ("cpu.model", "CPU"),
    ("cpu.threads", "CPUs"),
    ("cpu.cores", "cores"),
    ("cpu.smt_active", "SMT"),
    ("server.", "server setting "),
    ("server_version", "server version"),
    ("settings", "settings of the sessions"),
    ("origin", "where the server comes from"),
    ("encryption", "encryption"),
    ("data_checksums", "data checksums"),
    ("plan.server_cpus", "CPUs of the server"),
    ("plan.client_cpus", "CPUs of the load generator"),
    ("plan.shared_buffers_bytes", "shared_buffers, bytes"),
    ("plan.file_bytes", "test file, bytes"),
    ("plan.table_bytes", "table, bytes"),
    ("roles.data.devices", "data drive: "),
    ("roles.wal.devices", "WAL drive: "),
    ("roles.data.file_system", "data file system: "),
    ("roles.wal.file_system", "WAL file system: "),
    ("roles.data.path", "data folder"),
    ("roles.wal.path", "WAL folder"),
    ("method", "I/O method"),
    ("direct", "direct I/O"),
    ("kernel", "kernel"),
    ("hypervisor", "hypervisor"),
    ("container", "container"),
    ("cpu.governor", "frequency governor"),
    ("cpu.max_khz", "highest frequency, kHz"),
    ("cpu.mitigations", "mitigations of CPU vulnerabilities"),
    ("memory.total_bytes", "memory, bytes"),
    ("memory.", "memory: "),
    ("idle.", "idle states: "),
    ("io_uring_disabled", "io_uring_disabled"),
    ("plan.", "plan: "),
];

/// Ends of keys whose values are moments, counts and names of one machine's parts.
const NEVER: [&str; 23] = [
    "ticks_hz",
    "smallest_step_ns",
    "free_bytes",
    "counted_bytes",
    "available_bytes",
    "memory_used_bytes",
    ".free",
    "boot_id",
    "machine",
    "hostname",
    "plan.seed",
    "plan.data_dir",
    "plan.wal_dir",
    "load_1m",
    "client_cpus_sized_by",
    "cpus_by_class",
    "hot_thread_name",
    "sampled_blocked_shares",
    "wait_events",
    "server_build",
    "server_build_options",
    "pages_read_back",
    "plan.database",
];
/// Parts of keys that are left out with all below them.
const NOT_BELOW: [&str; 7] =
    ["interrupts", "unknown", "databases", "plan.steps", "devices.", "busy_", "captured"];

/// All that differs, those that could explain a result first.
pub(crate) fn differences(
    base: &Side<'_>,
    other: &Side<'_>,
    rows: &[ComparedRow],
) -> Vec<ConditionDifference> {
    between(base, other, &rows.iter().map(|row| row.measurement.as_str()).collect())
}

/// The same for these measurements.
pub(crate) fn between(
    base: &Side<'_>,
    other: &Side<'_>,
    compared: &BTreeSet<&str>,
) -> Vec<ConditionDifference> {
    let (ours, theirs) = (values(base, compared), values(other, compared));
    let mut found: Vec<(usize, ConditionDifference)> =
        others_cpus(base, other).into_iter().map(|difference| (0, difference)).collect();
    let one_version = ours.get("narrows") == theirs.get("narrows");
    let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for key in keys {
        let none = BTreeSet::new();
        let (a, b) = (ours.get(key).unwrap_or(&none), theirs.get(key).unwrap_or(&none));
        let (rank, what) = named(key);
        // What another version of narrows did not write down says nothing; of one version it is none.
        let absent = a.is_empty() || b.is_empty();
        if a == b || (absent && !(one_version && rank < KNOWN.len())) {
            continue;
        }
        if rank == KNOWN.len() && (is_figure(a) || is_figure(b)) {
            continue;
        }
        let list = |values: &BTreeSet<String>| match values.is_empty() {
            true => vec!["none".to_string()],
            false => values.iter().map(|value| short(value)).collect(),
        };
        let difference = ConditionDifference {
            what,
            base: list(a),
            other: list(b),
            could_explain: rank < KNOWN.len(),
        };
        found.push((rank + 1, difference));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.what.cmp(&b.1.what)));
    found.dedup_by(|a, b| a.1 == b.1);
    found.into_iter().map(|(_, difference)| difference).collect()
}

/// Whether values are results of a measurement that stand among its conditions: numbers with a fraction, of which each run has another.
fn is_figure(values: &BTreeSet<String>) -> bool {
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
    numbers.is_some_and(|numbers| numbers.iter().any(|number| number.fract() != 0.0))
}

/// The rank of a key and its name for people.
fn named(key: &str) -> (usize, String) {
    // Whole parts of a key: `direct` is no beginning of `direct_refused`.
    let begins = |beginning: &str| {
        let rest = key.strip_prefix(beginning);
        rest.is_some_and(|r| r.is_empty() || r.starts_with('.') || beginning.ends_with('.'))
    };
    let known = KNOWN.iter().enumerate().find(|(_, (beginning, _))| begins(beginning));
    let Some((rank, (beginning, name))) = known else {
        return (KNOWN.len(), key.replace('_', " "));
    };
    let rest = key[beginning.len()..].trim_start_matches('.');
    let name = if rest.is_empty() {
        name.trim_end_matches([':', ' ']).to_string()
    } else {
        format!("{name}{rest}")
    };
    (rank, name)
}

/// Values by key over all runs of a side.
fn values(side: &Side<'_>, compared: &BTreeSet<&str>) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for run in &side.runs {
        let mut leaf = |key: String, value: &Value| {
            if counts(&key) {
                found.entry(key).or_default().insert(shown(value));
            }
        };
        leaf("narrows".to_string(), &Value::from(run.tool.version.clone()));
        of_run(run, &mut leaf);
        for measurement in &run.measurements {
            if !compared.contains(measurement.id.as_str()) {
                continue;
            }
            for (key, value) in measurement.conditions.iter() {
                match (key, value) {
                    ("server_settings", Value::Object(settings)) => {
                        for (name, value) in settings {
                            leaf(format!("server.{name}"), value);
                        }
                    }
                    (_, Value::Object(_)) => {}
                    _ => leaf(key.to_string(), value),
                }
            }
            if let Some((key, value)) =
                measurement.workload.iter().find(|(key, _)| *key == "settings")
            {
                leaf(key.to_string(), value);
            }
        }
    }
    found
}

fn of_run(run: &Run, leaf: &mut impl FnMut(String, &Value)) {
    let platform = run.platform().and_then(|platform| serde_json::to_value(platform).ok());
    let plan = serde_json::to_value(&run.plan).ok();
    for (value, under) in [(platform, ""), (plan, "plan")] {
        if let Some(value) = value {
            flatten(&value, under, leaf);
        }
    }
}

/// Each value by the path to it. Roles and their devices are named, other lists are numbered.
fn flatten(value: &Value, under: &str, leaf: &mut impl FnMut(String, &Value)) {
    let joined = |name: &str| match under.is_empty() {
        true => name.to_string(),
        false => format!("{under}.{name}"),
    };
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                flatten(value, &joined(name), leaf);
            }
        }
        Value::Array(list) if list.iter().any(|item| item.is_object() || item.is_array()) => {
            for (number, item) in list.iter().enumerate() {
                let role = item.get("role").and_then(Value::as_str);
                let name = role.map_or_else(|| number.to_string(), str::to_string);
                flatten(item, &joined(&name), leaf);
            }
        }
        Value::Null => {}
        _ => leaf(under.to_string(), value),
    }
}

fn counts(key: &str) -> bool {
    // The drives of a role count, the list of all of the machine's does not.
    let below = |part: &&str| {
        key.starts_with(*part) || (*part != "devices." && key.contains(&format!(".{part}")))
    };
    !NEVER.iter().any(|end| key.ends_with(end)) && !NOT_BELOW.iter().any(below)
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

/// What other programs used beside the measurements, where the sides differ.
fn others_cpus(base: &Side<'_>, other: &Side<'_>) -> Option<ConditionDifference> {
    let most = |side: &Side<'_>| {
        let all = side.runs.iter().flat_map(|run| &run.measurements);
        all.filter_map(|measurement| measurement.value(metric::OTHER_CPUS)).fold(0.0, f64::max)
    };
    let (ours, theirs) = (most(base), most(other));
    let line = |cpus: f64| vec![format!("{cpus:.2}")];
    ((ours - theirs).abs() > OTHERS_CPUS).then(|| ConditionDifference {
        what: "CPUs used by other programs, at most".to_string(),
        base: line(ours),
        other: line(theirs),
        could_explain: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_among_conditions_are_no_settings() {
        let of = |values: &[&str]| values.iter().map(|value| value.to_string()).collect();
        assert!(is_figure(&of(&["71.14278", "75"])));
        for settings in [&["8", "16"][..], &["8kB", "1.5"], &["on"], &[]] {
            assert!(!is_figure(&of(settings)), "{settings:?}");
        }
    }

    #[test]
    fn keys_have_names_and_ranks_and_moments_are_left_out() {
        assert_eq!(named("server.shared_buffers").1, "server setting shared_buffers");
        assert_eq!(named("kernel").1, "kernel");
        assert_eq!(named("cgroup.cpu_quota_cpus").1, "control group: cpu_quota_cpus");
        assert!(named("cgroup.cpu_quota_cpus").0 < named("kernel").0);
        assert_eq!(named("direct_refused").1, "direct refused");
        assert_eq!(named("roles.data.devices.0.model").1, "data drive: 0.model");
        let unknown = named("os");
        assert_eq!((unknown.0, unknown.1.as_str()), (KNOWN.len(), "os"));
        for key in [
            "nodes.0.free_bytes",
            "memory.huge_pages.0.free",
            "devices.pci.0.interrupts.count",
            "plan.steps.0.expected_s",
            "unknown.0.what",
            "boot_id",
            "busy_writes_per_s",
        ] {
            assert!(!counts(key), "{key}");
        }
        for key in ["roles.data.devices.0.model", "memory.total_bytes", "kernel", "plan.repeats"] {
            assert!(counts(key), "{key}");
        }
    }
}
