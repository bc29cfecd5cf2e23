//! Settings that aren't the defaults, those that bear on a verdict whatever they are, and how the server was built.

use narrows_model::LiveSetting;

use crate::look::server::settings_from;
use crate::look::watcher::Watcher;
use crate::wire::WireError;

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

/// The settings, by name. Texts are shown of those above only; what our own session was given is left out.
///
/// # Errors
/// The statement failed.
pub(super) fn read(watcher: &mut Watcher) -> Result<Vec<LiveSetting>, WireError> {
    let always: Vec<String> = ALWAYS.iter().map(|name| format!("'{name}'")).collect();
    let always = always.join(", ");
    let rows = watcher.query(&format!(
        "SELECT name, CASE WHEN vartype <> 'string' OR name IN ({always}) THEN current_setting(name) \
         ELSE '{WITHHELD}' END, source FROM pg_catalog.pg_settings \
         WHERE name IN ({always}) OR source NOT IN ('default', 'override', 'client', 'session') ORDER BY name"
    ))?;
    Ok(settings_from(rows))
}

/// How it was built, where the role may ask: compiler, its flags, what was configured.
///
/// # Errors
/// The statement failed, for another reason than rights, which are asked for first.
pub(super) fn build(watcher: &mut Watcher) -> Result<Vec<(String, String)>, WireError> {
    let may = "SELECT pg_catalog.has_table_privilege('pg_catalog.pg_config', 'SELECT') \
               AND pg_catalog.has_function_privilege('pg_catalog.pg_config()', 'EXECUTE')";
    if watcher.one(may)?.as_deref() != Some("t") {
        return Ok(Vec::new());
    }
    let rows = watcher.query(
        "SELECT name, setting FROM pg_catalog.pg_config WHERE name IN ('CC', 'CFLAGS', 'CONFIGURE') ORDER BY name",
    )?;
    let pair = |row: crate::wire::Row| {
        let mut row = row.into_iter();
        Some((row.next()??, row.next()??))
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// Whether a switch is on; `None` where there is no such setting.
pub(super) fn on(settings: &[LiveSetting], name: &str) -> Option<bool> {
    settings.iter().find(|setting| setting.name == name).map(|setting| setting.value == "on")
}
