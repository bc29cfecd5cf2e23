//! Servers that follow this one; and this one, where it follows another.

use narrows_model::LiveStandby;

use crate::monitor::catalog::Catalog;
use crate::monitor::error::MonitorError;
use crate::monitor::session::SamplingSession;
use crate::wire::{Row, WireError};

/// Those that follow.
///
/// # Errors
/// The statement failed.
pub(super) fn followers(
    session: &mut SamplingSession,
    catalog: &Catalog,
) -> Result<Vec<LiveStandby>, WireError> {
    if !catalog.has("pg_stat_replication", &["write_lag", "flush_lag", "replay_lag", "sync_state"])
    {
        return Ok(Vec::new());
    }
    let rows = session.query(
        "SELECT application_name, state, sync_state, extract(epoch FROM write_lag), \
         extract(epoch FROM flush_lag), extract(epoch FROM replay_lag) \
         FROM pg_catalog.pg_stat_replication ORDER BY application_name",
    )?;
    Ok(rows.into_iter().map(follower).collect())
}

fn follower(row: Row) -> LiveStandby {
    let text = |column: usize| row.get(column).cloned().flatten().filter(|text| !text.is_empty());
    let ns = |column: usize| text(column)?.parse::<f64>().ok().map(|s| s * 1e9);
    LiveStandby {
        name: text(0).unwrap_or_else(|| "unnamed".to_string()),
        state: text(1),
        sync_state: text(2),
        write_lag_ns: ns(3),
        flush_lag_ns: ns(4),
        replay_lag_ns: ns(5),
    }
}

/// A server in recovery is refused with what can be said of it.
///
/// # Errors
/// It is a standby, or a statement failed.
pub(super) fn refuse(session: &mut SamplingSession) -> Result<(), MonitorError> {
    if session.one("SELECT pg_catalog.pg_is_in_recovery()")?.as_deref() != Some("t") {
        return Ok(());
    }
    let version = session.one("SELECT current_setting('server_version')")?.unwrap_or_default();
    // Where nothing was received there is no row, and without rights no host.
    let rows = session.query(
        "SELECT (SELECT coalesce(sender_host || ':' || sender_port, '') FROM pg_catalog.pg_stat_wal_receiver), \
         pg_catalog.pg_last_wal_replay_lsn(), \
         pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_receive_lsn(), pg_catalog.pg_last_wal_replay_lsn()), \
         extract(epoch FROM clock_timestamp() - pg_catalog.pg_last_xact_replay_timestamp())",
    )?;
    let row = rows.into_iter().next().unwrap_or_default();
    let text = |column: usize| row.get(column).cloned().flatten().filter(|text| !text.is_empty());
    let mut known = vec![match text(1) {
        Some(position) => format!("It has replayed WAL up to {position}"),
        None => "It has replayed nothing yet".to_string(),
    }];
    known.extend(text(2).map(|bytes| format!("{bytes} bytes received are not replayed yet")));
    let age = text(3).and_then(|s| s.parse::<f64>().ok());
    known.extend(age.map(|s| format!("the last commit it replayed is {s:.1} s old")));
    Err(MonitorError::Standby {
        version,
        known: format!("{}.", known.join("; ")),
        primary: text(0).map_or(String::new(), |host| format!(", {host}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_role_may_not_see_is_absent() {
        let row = |cells: [Option<&str>; 6]| cells.map(|c| c.map(str::to_string)).to_vec();
        let seen = follower(row([
            Some("db2"),
            Some("streaming"),
            Some("sync"),
            Some("0.00042"),
            Some("0.0011"),
            None,
        ]));
        assert_eq!(seen.write_lag_ns, Some(420_000.0));
        assert_eq!((seen.sync_state.as_deref(), seen.replay_lag_ns), (Some("sync"), None));
        let hidden = follower(row([Some(""), None, None, None, None, None]));
        assert_eq!((hidden.name.as_str(), hidden.state), ("unnamed", None));
    }
}
