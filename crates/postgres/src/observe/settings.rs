//! Settings that aren't the defaults, those that bear on a verdict whatever they are, and how the server was built.

use std::collections::BTreeSet;

use narrows_model::LiveSetting;

use crate::monitor::server::settings_from;
use crate::monitor::session::SamplingSession;
use crate::wire::{Row, WireError};

/// Shown in any case.
const ALWAYS: &[&str] = &[
    "autovacuum",
    "block_size",
    "checkpoint_completion_target",
    "checkpoint_timeout",
    "commit_delay",
    "data_checksums",
    "debug_assertions",
    "debug_io_direct",
    "effective_cache_size",
    "effective_io_concurrency",
    "fsync",
    "full_page_writes",
    "huge_pages",
    "huge_pages_status",
    "io_combine_limit",
    "io_method",
    "io_workers",
    "jit",
    "maintenance_work_mem",
    "max_connections",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "max_wal_size",
    "random_page_cost",
    "shared_buffers",
    "shared_preload_libraries",
    "synchronous_commit",
    "synchronous_standby_names",
    "track_activities",
    "track_io_timing",
    "track_wal_io_timing",
    "wal_buffers",
    "wal_compression",
    "wal_level",
    "wal_segment_size",
    "wal_sync_method",
    "work_mem",
];

/// What stands for a text that may hold what is nobody's business: a command, a host, a password.
const WITHHELD: &str = "(set)";

/// The settings, by name. Texts are shown of those above only; what our own session was given is left out. What initdb(1) wrote into the
/// file although it is the value built in is called the default that it is.
///
/// # Errors
/// The statement failed.
pub(super) fn read(session: &mut SamplingSession) -> Result<Vec<LiveSetting>, WireError> {
    let always: Vec<String> = ALWAYS.iter().map(|name| format!("'{name}'")).collect();
    let always = always.join(", ");
    let rows = session.query(&format!(
        "SELECT name, CASE WHEN vartype <> 'string' OR setting = '' OR name IN ({always}) THEN current_setting(name) \
         ELSE '{WITHHELD}' END, CASE WHEN setting = boot_val THEN 'default' ELSE source END FROM pg_catalog.pg_settings \
         WHERE name IN ({always}) OR source NOT IN ('default', 'override', 'client', 'session') ORDER BY name"
    ))?;
    Ok(settings_from(rows))
}

/// Names of settings that are not what they were, by value; empty where the server can't be asked any more.
pub(super) fn changed_since(before: &[LiveSetting], session: &mut SamplingSession) -> Vec<String> {
    read(session).map(|now| differ(before, &now)).unwrap_or_default()
}

fn differ(before: &[LiveSetting], now: &[LiveSetting]) -> Vec<String> {
    let value = |of: &[LiveSetting], name: &str| {
        of.iter().find(|setting| setting.name == name).map(|setting| setting.value.clone())
    };
    let names: BTreeSet<&str> = before.iter().chain(now).map(|s| s.name.as_str()).collect();
    let changed = names.into_iter().filter(|name| value(before, name) != value(now, name));
    changed.map(str::to_string).collect()
}

/// How it was built, where the role may ask: compiler, its flags, what was configured.
///
/// # Errors
/// The statement failed, for another reason than rights, which are asked for first.
pub fn build(
    mut ask: impl FnMut(&str) -> Result<Vec<Row>, WireError>,
) -> Result<Vec<(String, String)>, WireError> {
    let may = "SELECT pg_catalog.has_table_privilege('pg_catalog.pg_config', 'SELECT') \
               AND pg_catalog.has_function_privilege('pg_catalog.pg_config()', 'EXECUTE')";
    let allowed = ask(may)?.into_iter().flatten().next().flatten();
    if allowed.as_deref() != Some("t") {
        return Ok(Vec::new());
    }
    let rows = ask(
        "SELECT name, setting FROM pg_catalog.pg_config WHERE name IN ('CC', 'CFLAGS', 'CONFIGURE') ORDER BY name",
    )?;
    let pair = |row: Row| {
        let mut row = row.into_iter();
        Some((row.next()??, row.next()??))
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// Whether a switch is on; `None` where there is no such setting.
pub(super) fn on(settings: &[LiveSetting], name: &str) -> Option<bool> {
    settings.iter().find(|setting| setting.name == name).map(|setting| setting.value == "on")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_was_changed_appeared_or_went_is_named() {
        let set = |pairs: &[(&str, &str)]| -> Vec<LiveSetting> {
            let one = |(name, value): &(&str, &str)| LiveSetting {
                name: name.to_string(),
                value: value.to_string(),
                source: "configuration file".to_string(),
            };
            pairs.iter().map(one).collect()
        };
        let before = set(&[("jit", "on"), ("work_mem", "4MB"), ("log_min_duration", "1s")]);
        let now = set(&[("bgwriter_delay", "10ms"), ("jit", "on"), ("work_mem", "64MB")]);
        assert_eq!(differ(&before, &now), ["bgwriter_delay", "log_min_duration", "work_mem"]);
        assert!(differ(&before, &before).is_empty());
    }
}
