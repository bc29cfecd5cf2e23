//! Our own counts in the server's counters when these are read, so that they can be taken off again.
//!
//! A session tells what it did once a second at most, half a second before version 15. On a server on which nothing else ends, what was asked to get
//! ready would come as transactions of somebody's.
//!
//! Source: PostgreSQL documentation, "Statistics Functions" (pg_stat_force_next_flush), "The Cumulative Statistics System".

use std::time::Duration;

use super::session::SamplingSession;
use crate::wire::WireError;

/// Whether a session can be asked to tell its counts. By these names pg_stat_statements shows that they are ours.
const PREPARE_CAN_REPORT: &str = "PREPARE narrows_can_report AS SELECT 1 FROM pg_catalog.pg_proc \
    WHERE proname = 'pg_stat_force_next_flush' AND pronamespace = 'pg_catalog'::pg_catalog.regnamespace \
    AND pg_catalog.has_function_privilege(oid, 'EXECUTE')";
const CAN_REPORT: &str = "EXECUTE narrows_can_report";
/// A session that has nothing to tell but its transactions tells nothing, even if it is asked to: so a table is read, too.
const PREPARE_REPORT: &str = "PREPARE narrows_report AS SELECT pg_catalog.pg_stat_force_next_flush() FROM pg_catalog.pg_database LIMIT 1";
const REPORT: &str = "EXECUTE narrows_report";
/// Before version 15 a session keeps its counts for half a second, and what is read may be as old.
const KEPT: Duration = Duration::from_millis(550);

/// How they come there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnReports {
    /// It is asked to tell them after each statement that says so (version 15).
    OnRequest,
    /// By waiting for longer than it keeps them.
    InTime,
}

impl OwnReports {
    /// # Errors
    /// The connection broke.
    pub(super) fn find(session: &mut SamplingSession) -> Result<OwnReports, WireError> {
        let prepared = session.ask_aside(PREPARE_CAN_REPORT)?.is_ok();
        let can = prepared && session.ask_aside(CAN_REPORT)?.is_ok_and(|rows| !rows.is_empty());
        let can = can && session.ask_aside(PREPARE_REPORT)?.is_ok();
        Ok(if can { OwnReports::OnRequest } else { OwnReports::InTime })
    }

    /// What was done to get ready is told before the first reading.
    pub(super) fn settle(self, session: &mut SamplingSession) -> Result<(), WireError> {
        if self == OwnReports::InTime {
            std::thread::sleep(KEPT);
            let _ = session.ask_aside(CAN_REPORT)?;
            std::thread::sleep(KEPT);
        }
        Ok(())
    }

    /// Before a reading.
    pub(super) fn tell(self, session: &mut SamplingSession) -> Result<(), WireError> {
        if self == OwnReports::OnRequest {
            let _ = session.ask_aside(REPORT)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_known_as_ours_in_pg_stat_statements() {
        for (prepared, asked) in [(PREPARE_CAN_REPORT, CAN_REPORT), (PREPARE_REPORT, REPORT)] {
            let name = asked.strip_prefix("EXECUTE ").unwrap();
            assert!(name.starts_with("narrows_"), "{name}");
            assert!(prepared.starts_with(&format!("PREPARE {name} AS ")), "{prepared}");
        }
    }
}
