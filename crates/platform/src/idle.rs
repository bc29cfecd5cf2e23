//! Idle states (Linux `Documentation/admin-guide/pm/cpuidle.rst`).

use narrows_facts::Source;
use narrows_model::{Idle, IdleState};

const IDLE: &str = "/sys/devices/system/cpu/cpuidle";

/// `None` where no driver manages them, as in most virtual machines.
pub(crate) fn read(source: &dyn Source, online: &[u32]) -> Option<Idle> {
    let text = |file: &str| source.text(&format!("{IDLE}/{file}")).filter(|text| text != "none");
    let driver = text("current_driver");
    let cpu = online.first()?;
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle");
    let mut names = source.list(&folder).unwrap_or_default();
    names.retain(|name| name.starts_with("state"));
    names.sort_by_key(|name| (name.len(), name.clone()));
    let states: Vec<IdleState> = names
        .iter()
        .filter_map(|name| {
            let file = |file: &str| format!("{folder}/{name}/{file}");
            Some(IdleState {
                name: source.text(&file("name"))?,
                latency_us: source.number(&file("latency")),
                disabled: source.number::<u32>(&file("disable")).is_some_and(|off| off != 0),
            })
        })
        .collect();
    (driver.is_some() || !states.is_empty()).then(|| Idle {
        driver,
        governor: text("current_governor").or_else(|| text("current_governor_ro")),
        states,
    })
}
