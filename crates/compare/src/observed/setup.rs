//! What else differs between two looks: the server, its version, what may be seen of it, its settings.

use std::collections::BTreeSet;

use narrows_model::LiveSetting;
use serde::Serialize;

use super::Observed;

/// Something that is not the same in both looks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ObservedDifference {
    /// `server`, `version`, `database`, or `setting work_mem`.
    pub what: String,
    /// Of the first look.
    pub base: String,
    /// Of the other.
    pub other: String,
    /// Whether it is a setting.
    pub setting: bool,
}

impl ObservedDifference {
    fn of(what: &str, base: String, other: String) -> Option<ObservedDifference> {
        let what = what.to_string();
        (base != other).then_some(ObservedDifference { what, base, other, setting: false })
    }
}

/// Whether both looks were at one server, as far as its address and machine tell.
pub(super) fn one_server(base: &Observed<'_>, other: &Observed<'_>) -> bool {
    server(base) == server(other)
}

/// The address without the database and who asked. A server on a machine of its own is told by the address alone.
fn server(seen: &Observed<'_>) -> String {
    let address = &seen.of.address;
    let rest = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let (host, options) = rest.split_once('/').unwrap_or((rest, ""));
    let socket = options.split_once("host=").map_or("", |(_, socket)| socket);
    let seen_from_here = seen.of.processes.is_some();
    let machine = seen.run.platform().and_then(|platform| platform.hostname.as_deref());
    let machine = machine.filter(|_| seen_from_here).unwrap_or_default();
    let machine = if host.starts_with(machine) { "" } else { machine };
    let mut parts: Vec<&str> = [host, socket, machine].to_vec();
    parts.retain(|part| !part.is_empty());
    parts.join(" on ")
}

/// `15.20 (Debian 15.20-0+deb12u1)` as `15.20`.
pub(super) fn version<'a>(seen: &Observed<'a>) -> &'a str {
    seen.of.version.split(" (").next().unwrap_or_default()
}

/// All of it, settings last.
pub(super) fn differences(base: &Observed<'_>, other: &Observed<'_>) -> Vec<ObservedDifference> {
    let database = |seen: &Observed<'_>| {
        seen.of.consumers.as_ref().map(|consumers| consumers.database.clone()).unwrap_or_default()
    };
    let cpus = |seen: &Observed<'_>| {
        let processes = seen.of.processes.as_ref();
        let most = processes.map(|p| p.quota_cpus.unwrap_or(f64::INFINITY).min(p.allowed_cpus));
        most.map_or("unknown".to_string(), |cpus| format!("{cpus:.4}"))
    };
    let cpus =
        |seen: &Observed<'_>| cpus(seen).trim_end_matches('0').trim_end_matches('.').to_string();
    let states = |seen: &Observed<'_>| match seen.of.activity.samples {
        0 => "not seen".to_string(),
        _ => "seen".to_string(),
    };
    let found = [
        ObservedDifference::of("server", server(base), server(other)),
        ObservedDifference::of("version", version(base).into(), version(other).into()),
        ObservedDifference::of("database", database(base), database(other)),
        ObservedDifference::of("CPUs of the server", cpus(base), cpus(other)),
        ObservedDifference::of("what sessions do", states(base), states(other)),
    ];
    found.into_iter().flatten().chain(settings(base, other)).collect()
}

/// Settings of the server with other values. One that a look doesn't list has its default there.
fn settings(base: &Observed<'_>, other: &Observed<'_>) -> Vec<ObservedDifference> {
    let all = |seen: &Observed<'_>| -> Vec<LiveSetting> {
        seen.of.settings.iter().filter(|setting| !setting.is_ours()).cloned().collect()
    };
    let (ours, theirs) = (all(base), all(other));
    let names: BTreeSet<&str> =
        ours.iter().chain(&theirs).map(|setting| setting.name.as_str()).collect();
    let value = |of: &[LiveSetting], name: &str| {
        let setting = of.iter().find(|setting| setting.name == name);
        setting.map_or("the default".to_string(), |setting| setting.value.clone())
    };
    // What only our own session was given in one look says nothing of the server.
    let ours_alone =
        |seen: &Observed<'_>, name: &str| seen.of.setting(name).is_some_and(LiveSetting::is_ours);
    let differs = names.into_iter().filter_map(|name| {
        let (a, b) = (value(&ours, name), value(&theirs, name));
        let said = a != b && !ours_alone(base, name) && !ours_alone(other, name);
        said.then(|| ObservedDifference {
            what: name.to_string(),
            base: a,
            other: b,
            setting: true,
        })
    });
    differs.collect()
}
