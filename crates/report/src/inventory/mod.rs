//! `narrows platform` for people: what the machine is, block by block, and what could not be learned.

mod devices;
mod nodes;
mod path;
mod processors;
mod stacked;
pub(crate) mod topology;

use narrows_model::{Captured, Finding, Platform};

use crate::document::Entry;
use crate::print::Units;
use crate::words;

/// What is known of the machine as labelled lines, with what the rules find in it.
pub(crate) fn entries(p: &Platform, findings: &[Finding]) -> Vec<Entry> {
    let mut lines = Lines::default();
    if let Some(captured) = &p.captured {
        lines.add("captured", capture(captured));
    }
    machine(p, &mut lines);
    processors::processors(p, &mut lines);
    if let Some(idle) = &p.idle {
        lines.add("idle", stacked::idle(idle));
    }
    memory(p, &mut lines);
    limits(p, &mut lines);
    devices::devices(p, &mut lines);
    for role in &p.roles {
        path::path(role, &mut lines);
    }
    for database in &p.databases {
        let place = database.data_dir.as_deref().unwrap_or("data folder unknown");
        let shares: Vec<&str> = database.shares_role.iter().map(|role| role.word()).collect();
        let shares = match shares.as_slice() {
            [] => String::new(),
            roles => format!(", on the drives of {}", roles.join(" and ")),
        };
        lines.add(
            "database",
            format!("{} runs, process {}, {place}{shares}", database.kind, database.pid),
        );
    }
    for finding in findings {
        let weight = words::severity(finding.severity);
        lines.add("findings", format!("{weight} {}: {}", finding.id, finding.summary));
        lines.add_within("findings", 1, finding.evidence.clone());
        lines.add_within("findings", 1, finding.advice.clone());
    }
    for unknown in &p.unknown {
        lines.add("unknown", format!("{}: {}", unknown.what, unknown.needs));
    }
    lines.entries
}

/// What is from a capture, and when, by what and with which right it was made.
fn capture(captured: &Captured) -> String {
    let by = if captured.privileged { ", by root" } else { "" };
    let what = match captured.answers.as_slice() {
        [] => "all of this".to_string(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} and {} more answers", rest.len()),
    };
    format!("{what}: {} by narrows {}{by}", captured.at, captured.version)
}

#[derive(Default)]
struct Lines {
    entries: Vec<Entry>,
    last: String,
}

impl Lines {
    /// A line under a label that is printed once for all its lines.
    fn add(&mut self, label: &str, text: String) {
        self.add_within(label, 0, text);
    }

    /// The same of what lies within the lines above.
    fn add_within(&mut self, label: &str, depth: usize, text: String) {
        let shown = if self.last == label { "" } else { label };
        self.last = label.to_string();
        self.entries.push(Entry { depth, ..Entry::new(shown, text) });
    }

    fn add_known(&mut self, label: &str, parts: Vec<Option<String>>) {
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            self.add(label, parts.join(", "));
        }
    }
}

fn machine(p: &Platform, lines: &mut Lines) {
    lines.add_known(
        "machine",
        vec![
            p.hostname.clone(),
            p.product.clone(),
            p.os.clone(),
            p.kernel.as_ref().map(|kernel| format!("Linux {kernel}")),
            p.architecture.clone(),
        ],
    );
    lines.add_known(
        "",
        vec![
            Some(match &p.hypervisor {
                Some(name) => {
                    format!("under {name}: topology and caches are those that it presents")
                }
                None => "no hypervisor seen".to_string(),
            }),
            p.container.as_ref().map(|name| format!("in {name}")),
        ],
    );
    let others: Vec<&str> = p
        .clock_sources_available
        .iter()
        .map(String::as_str)
        .filter(|source| Some(*source) != p.clock_source.as_deref())
        .collect();
    if let Some(source) = &p.clock_source {
        let others = if others.is_empty() {
            String::new()
        } else {
            format!(" (also {})", others.join(", "))
        };
        lines.add("clock", format!("{source}{others}"));
    }
}

fn memory(p: &Platform, lines: &mut Lines) {
    let memory = &p.memory;
    let bytes = |bytes: u64| Units::Si.bytes(bytes as f64);
    let on_off = |on: bool| if on { "on" } else { "off" };
    lines.add_known(
        "memory",
        vec![
            Some(match memory.total_bytes {
                0 => "size unknown".to_string(),
                total => bytes(total),
            }),
            memory.available_bytes.map(|free| format!("{} available", bytes(free))),
            Some(match memory.swap_bytes {
                0 => "no swap".to_string(),
                swap => format!("{} of swap", bytes(swap)),
            }),
            memory
                .transparent_huge_pages
                .as_ref()
                .map(|thp| format!("transparent huge pages {thp}")),
            memory.numa_balancing.map(|on| format!("NUMA balancing {}", on_off(on))),
            memory
                .free_page_reporting
                .filter(|&reports| reports)
                .map(|_| "the hypervisor takes free memory back".to_string()),
        ],
    );
    for pool in memory.huge_pages.iter().filter(|pool| pool.total > 0) {
        let size = Units::Iec.bytes(pool.page_bytes as f64);
        lines.add("", format!("{} huge pages of {size}, {} free", pool.total, pool.free));
    }
    for dimm in memory.dimms.iter().flatten() {
        let place = dimm.locator.as_deref().unwrap_or("a slot");
        lines.add(
            "modules",
            match dimm.size_bytes {
                None => format!("{place}: empty"),
                Some(size) => {
                    let kind = dimm.kind.as_deref().unwrap_or("");
                    let rate = match (dimm.configured_mts, dimm.rated_mts) {
                        (Some(now), Some(rated)) if now < rated => {
                            format!(" {now} MT/s of {rated}")
                        }
                        (Some(mts), _) | (None, Some(mts)) => format!(" {mts} MT/s"),
                        (None, None) => String::new(),
                    };
                    format!("{place}: {} {kind}{rate}", Units::Iec.bytes(size as f64))
                }
            },
        );
    }
}

fn limits(p: &Platform, lines: &mut Lines) {
    let cgroup = &p.cgroup;
    let mut parts = vec![
        cgroup.cpu_quota_cpus.map(|cpus| format!("{cpus:.2} CPUs")),
        cgroup.cpu_weight.map(|weight| format!("CPU weight {weight}")),
        cgroup.memory_limit_bytes.map(|bytes| format!("memory {}", Units::Si.bytes(bytes as f64))),
    ];
    for limit in &cgroup.io_limits {
        parts.push(Some(format!("{} {} {}/s", limit.device, limit.kind, limit.value)));
    }
    if parts.iter().all(Option::is_none) {
        parts = vec![Some("none".into())];
    }
    lines.add_known("cgroup", parts);
    let io_uring = match p.io_uring_disabled {
        Some(0) => Some("io_uring allowed".to_string()),
        Some(1) => Some("io_uring for privileged groups only".to_string()),
        Some(_) => Some("io_uring off".to_string()),
        None => None,
    };
    lines.add_known(
        "kernel",
        vec![io_uring, p.perf_event_paranoid.map(|level| format!("perf_event_paranoid {level}"))],
    );
}

/// Lines as a screen shows them, without labels.
#[cfg(test)]
fn texts(lines: &Lines) -> Vec<String> {
    let text = |entry: &Entry| format!("{}{}", "  ".repeat(entry.depth), entry.text.text());
    lines.entries.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{FileSystem, Role, RolePath};

    #[test]
    fn a_file_system_in_memory_is_called_what_it_is() {
        let role = RolePath {
            role: Role::Wal,
            path: "/dev/shm".into(),
            file_system: FileSystem {
                kind: "tmpfs".into(),
                volatile: true,
                ..FileSystem::default()
            },
            devices: Vec::new(),
        };
        let p = Platform { roles: vec![role], ..Platform::default() };
        let entries = entries(&p, &[]);
        assert!(entries.iter().any(|entry| entry.text.text().contains("survives a power failure")));
    }
}
