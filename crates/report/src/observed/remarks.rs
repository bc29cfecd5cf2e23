//! What stands under everything else: settings, build, where capacities come from, what looking took.

use narrows_model::{LiveSetting, Observation, ObservedProcesses};

use crate::document::Entry;
use crate::live::{looking, setting};

/// Settings that say nothing of how fast a server is; the page has them.
const OF_NO_WEIGHT: [&str; 22] = [
    "DateStyle",
    "IntervalStyle",
    "TimeZone",
    "application_name",
    "archive_command",
    "bonjour",
    "client_",
    "cluster_name",
    "config_file",
    "data_directory",
    "default_text_search_config",
    "dynamic_library_path",
    "event_source",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "lc_",
    "listen_addresses",
    "log_",
    "port",
    "stats_temp_directory",
    "unix_socket_",
];

/// Where a value that nobody chose comes from (PostgreSQL documentation: `pg_settings`, `source`).
const NOT_CHOSEN: [&str; 2] = ["default", "override"];

/// Whether somebody chose that value.
pub(crate) fn changed(setting: &LiveSetting) -> bool {
    !NOT_CHOSEN.contains(&setting.source.as_str())
}

/// Who used the processors, most first, without those that used next to none: the server's processes by class, the kernel on
/// nobody's account, others.
pub(crate) fn used_by(processes: &ObservedProcesses) -> Vec<(&'static str, f64)> {
    let own = processes.classes.iter().map(|class| (class.class.words(), class.cpus));
    let all = own.chain(processes.beside_server());
    let mut users: Vec<(&'static str, f64)> = all.filter(|(_, cpus)| *cpus >= 0.005).collect();
    users.sort_by(|a, b| b.1.total_cmp(&a.1));
    users
}

pub(super) fn remarks(seen: &Observation) -> Vec<Entry> {
    let build = seen.build.iter().find(|(name, _)| name == "CFLAGS");
    let all = [
        ("capacities", seen.capacities_from.join("; ")),
        ("settings", settings(seen)),
        ("built", build.map_or(String::new(), |(_, flags)| flags_of_weight(flags))),
        ("report", contradictions(seen)),
        ("sampling", if seen.report.is_some() { String::new() } else { looking(&seen.cost) }),
    ];
    let known = all.into_iter().filter(|(_, text)| !text.is_empty());
    known.map(|(label, text)| Entry::new(label, text)).collect()
}

/// What doesn't agree in the server's own report.
fn contradictions(seen: &Observation) -> String {
    let said = seen.report.iter().flat_map(|report| &report.contradictions);
    let said: Vec<&str> = said.map(String::as_str).collect();
    if said.is_empty() { String::new() } else { format!("contradicts itself: {}", said.join("; ")) }
}

/// Without warnings and debugging information, which cost nothing at run time; the page has all.
fn flags_of_weight(flags: &str) -> String {
    let weighty =
        flags.split_whitespace().filter(|flag| !flag.starts_with("-W") && !flag.starts_with("-g"));
    weighty.collect::<Vec<_>>().join(" ")
}

fn settings(seen: &Observation) -> String {
    let weighty = |name: &str| !OF_NO_WEIGHT.iter().any(|prefix| name.starts_with(prefix));
    let chosen = seen.settings.iter().filter(|setting| changed(setting));
    let (shown, rest): (Vec<_>, Vec<_>) = chosen.partition(|setting| weighty(&setting.name));
    let mut texts: Vec<String> = shown.into_iter().map(setting).collect();
    if texts.is_empty() {
        return String::new();
    }
    if !rest.is_empty() {
        texts.push(format!("and {} irrelevant ones omitted", rest.len()));
    }
    let which = if seen.report.is_some() { "in the report" } else { "changed settings" };
    format!("{which}: {}", texts.join(", "))
}
