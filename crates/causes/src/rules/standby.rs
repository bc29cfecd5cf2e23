//! A standby on which statements are cancelled.
//!
//! PostgreSQL documentation: Hot Standby, Handling Query Conflicts; pg_stat_database_conflicts.

use narrows_model::Urgency;

use crate::words::{age, count, joined};
use crate::{CauseDraft, CauseRule, ObservedServer};

pub(super) const RULES: &[CauseRule] = &[CauseRule {
    id: "replay-conflicts",
    urgency: Urgency::Risk,
    has_reason: true,
    what: "Statements of a standby are cancelled because they stand in the way of replay",
    decides: "one cancelled statement or more while observed",
    against: "A client that repeats the statement loses only its time",
    reference: "PostgreSQL documentation: Hot Standby, Handling Query Conflicts; pg_stat_database_conflicts",
    supersedes: &[],
    find: replay_conflicts,
}];

fn replay_conflicts(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(n) = server.seen.counted.replay_conflicts.filter(|n| *n >= 1.0) else {
        return Vec::new();
    };
    let shown = |name: &str| server.setting(name).map(|value| format!("{name} is {value}"));
    let feedback_is_off = server.setting("hot_standby_feedback") == Some("off");
    vec![CauseDraft {
        summary: format!(
            "{} cancelled on this standby: replay had to go on",
            match n.round() {
                1.0 => "1 statement was".to_string(),
                n => format!("{} statements were", count(n)),
            }
        ),
        evidence: joined([
            Some(format!("in {}", age(server.seen.interval_ns))),
            shown("hot_standby_feedback"),
            shown("max_standby_streaming_delay"),
        ]),
        against: "a client that repeats the statement loses only its time".to_string(),
        action: "see which kind it is. confl_snapshot: hot_standby_feedback = on here, and the primary keeps dead rows for as long as the longest statement here takes. confl_lock: DDL or the truncation at the end of a vacuum on the primary (vacuum_truncate = off for that table). All kinds: a longer max_standby_streaming_delay, and the standby falls behind by as much".to_string(),
        statement: Some("SELECT * FROM pg_stat_database_conflicts WHERE datname = current_database()".to_string()),
        undo: match feedback_is_off {
            true => "hot_standby_feedback = off, and reload".to_string(),
            false => "the settings as they were, and reload".to_string(),
        },
        verify: "SELECT datname, conflicts FROM pg_stat_database: it stops rising".to_string(),
        ..CauseDraft::default()
    }]
}
