//! The settings a commit depends on, and what can't be learned of it.

use narrows_model::{LiveSetting, Unknown};

use crate::monitor::server::{Server, settings_from};
use crate::monitor::session::SamplingSession;
use crate::wire::WireError;

/// Settings that bear on what a commit costs.
const SETTINGS: &[&str] = &[
    "fsync",
    "synchronous_commit",
    "wal_sync_method",
    "commit_delay",
    "commit_siblings",
    "full_page_writes",
    "wal_compression",
    "wal_buffers",
    "wal_level",
    "wal_writer_delay",
    "synchronous_standby_names",
    "checkpoint_timeout",
    "max_wal_size",
    "checkpoint_completion_target",
    "wal_segment_size",
    "data_checksums",
    "block_size",
    "track_wal_io_timing",
    "track_activities",
];

/// The settings there are.
///
/// # Errors
/// The statement failed.
pub(super) fn settings(session: &mut SamplingSession) -> Result<Vec<LiveSetting>, WireError> {
    let names: Vec<String> = SETTINGS.iter().map(|name| format!("'{name}'")).collect();
    let rows = session.query(&format!(
        "SELECT name, current_setting(name), source FROM pg_catalog.pg_settings WHERE name IN ({})",
        names.join(", ")
    ))?;
    let mut settings = settings_from(rows);
    settings.sort_by_key(|setting| SETTINGS.iter().position(|name| *name == setting.name));
    Ok(settings)
}

/// Roles and databases with a `synchronous_commit` of their own: what our session shows isn't theirs.
///
/// # Errors
/// The statement failed.
pub(super) fn synchronous_commit_of(
    session: &mut SamplingSession,
) -> Result<Vec<String>, WireError> {
    let rows = session.query(
        "SELECT coalesce(r.rolname, 'all roles') || coalesce(' in ' || d.datname, '') || ' = ' || \
         split_part(s, '=', 2) FROM pg_catalog.pg_db_role_setting c \
         LEFT JOIN pg_catalog.pg_roles r ON r.oid = c.setrole \
         LEFT JOIN pg_catalog.pg_database d ON d.oid = c.setdatabase \
         CROSS JOIN LATERAL unnest(c.setconfig) s WHERE s LIKE 'synchronous_commit=%' ORDER BY 1",
    )?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// What can't be learned here, and what it takes.
pub(super) struct Missing<'a> {
    pub(super) server: &'a Server,
    pub(super) flushes: bool,
    pub(super) written_bytes: bool,
    pub(super) timed: Option<bool>,
    pub(super) activities: bool,
    pub(super) standbys_hidden: bool,
    pub(super) standbys_unasked: bool,
    pub(super) cut_short: bool,
}

impl Missing<'_> {
    pub(super) fn list(&self) -> Vec<Unknown> {
        let mut unknown = Vec::new();
        let mut add = |missing: bool, what: &str, needs: String| {
            if missing {
                unknown.push(Unknown { what: what.to_string(), needs });
            }
        };
        let grant = self.server.grant();
        add(!self.server.sees_others, "what sessions wait for", grant.clone());
        add(self.standbys_hidden, "state and lag of standbys", grant);
        add(!self.activities, "which sessions are active", "track_activities = on".to_string());
        add(!self.flushes, "how often WAL is written and flushed", "PostgreSQL 14 or later".into());
        let timing = match self.timed {
            None => "PostgreSQL 14 or later".to_string(),
            Some(_) => "track_wal_io_timing = on, a reading of the clock around each".to_string(),
        };
        add(self.timed != Some(true), "times of WAL writes and flushes", timing);
        add(!self.written_bytes, "bytes of WAL writes", "PostgreSQL 18 or later".into());
        let answers = || "a server that answers within 5 s".to_string();
        add(self.standbys_unasked, "which standbys follow", answers());
        add(self.cut_short, "the rest of the observation, which ended early", answers());
        unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_what_it_takes() {
        let mut server = Server { version: "13.9".into(), user: "app".into(), sees_others: false };
        let missing = Missing {
            server: &server,
            flushes: false,
            written_bytes: false,
            timed: None,
            activities: true,
            standbys_hidden: false,
            standbys_unasked: false,
            cut_short: false,
        };
        let said: Vec<String> =
            missing.list().iter().map(|u| format!("{}: {}", u.what, u.needs)).collect();
        assert_eq!(said.len(), 4, "{said:?}");
        assert_eq!(said[0], "what sessions wait for: GRANT pg_monitor TO app");
        assert!(said.iter().all(|line| !line.contains("track_wal_io_timing")), "{said:?}");
        server.sees_others = true;
        let whole = Missing {
            server: &server,
            flushes: true,
            written_bytes: true,
            timed: Some(true),
            activities: true,
            standbys_hidden: false,
            standbys_unasked: false,
            cut_short: false,
        };
        assert!(whole.list().is_empty());
    }
}
