//! Which of our statements the server writes to its log, as the settings of our own session have it, and in how many lines.
//!
//! None of these settings is changed. All of them take a superuser, or who was granted `SET` on them (15 and later); and who logs
//! statements wants to read who asked what, a monitor among them. So that a log isn't filled with our questions, these become rarer.
//!
//! Source: PostgreSQL documentation, "Error Reporting and Logging" and "auto_explain"; pgaudit's README; PostgreSQL source,
//! `check_log_statement`, `check_log_duration` and `errdetail_execute` (an `EXECUTE` is followed by a line with what was prepared).

use std::collections::BTreeMap;
use std::time::Duration;

use crate::wire::Row;

/// What a plan of `auto_explain` takes, and a report of `log_executor_stats` and its like.
const LINES_OF_A_PLAN: f64 = 8.0;
const LINES_OF_STATISTICS: f64 = 10.0;

/// Asks for what holds in our session. Those of extensions are there where they are loaded.
pub(crate) const SQL: &str = "\
SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN ('log_statement', 'log_duration', 'log_min_duration_statement', \
'log_min_duration_sample', 'log_statement_sample_rate', 'log_transaction_sample_rate', 'log_parser_stats', 'log_planner_stats', \
'log_executor_stats', 'log_statement_stats', 'auto_explain.log_min_duration', 'auto_explain.sample_rate', 'pgaudit.log')";

/// How often a statement is logged that takes a time or longer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Threshold {
    at_least: Duration,
    share: f64,
}

/// What the server logs of our statements.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct StatementLog {
    /// Every statement with its text.
    statements: bool,
    /// A line with the duration of every statement.
    durations: bool,
    /// Statements with text and duration.
    timed: Vec<Threshold>,
    plans: Option<Threshold>,
    /// Lines for every statement beside that: audits, statistics.
    others: f64,
    /// The settings that have it so: `log_statement = all`.
    by: Vec<String>,
}

impl StatementLog {
    /// From the answer to [`SQL`].
    pub(crate) fn from_rows(rows: &[Row]) -> StatementLog {
        let pair = |row: &Row| match row.as_slice() {
            [Some(name), Some(value), ..] => Some((name.clone(), value.clone())),
            _ => None,
        };
        Settings(rows.iter().filter_map(pair).collect()).read()
    }

    /// Lines for a statement of ours that took the server that long; in the mean, where it logs a share of them.
    pub(crate) fn lines(&self, sql: &str, took: Duration) -> f64 {
        let text = if sql.starts_with("EXECUTE") { 2.0 } else { 1.0 };
        let reached = |limit: &&Threshold| took >= limit.at_least;
        let unlogged =
            self.timed.iter().filter(reached).fold(1.0, |rest, limit| rest * (1.0 - limit.share));
        let timed = 1.0 - unlogged;
        let statement = match (self.statements, self.durations) {
            // The text comes first, and the duration alone afterwards.
            (true, true) => text + 1.0,
            (true, false) => text + timed,
            (false, true) => text * timed + (1.0 - timed),
            (false, false) => text * timed,
        };
        let plan = self.plans.as_ref().filter(reached).map_or(0.0, |limit| limit.share);
        statement + plan * LINES_OF_A_PLAN + self.others
    }

    /// The settings that have them logged.
    pub(crate) fn by(&self) -> &[String] {
        &self.by
    }
}

struct Settings(BTreeMap<String, String>);

impl Settings {
    fn read(&self) -> StatementLog {
        let mut log = StatementLog::default();
        let mut by = Vec::new();
        let mut holds = |name: &str, yes: bool| {
            if yes {
                by.push(format!("{name} = {}", self.text(name)));
            }
            yes
        };
        // Ours only read: `ddl` and `mod` leave them out.
        log.statements = holds("log_statement", self.text("log_statement") == "all");
        log.durations = holds("log_duration", self.text("log_duration") == "on");
        let sampled = self.number("log_statement_sample_rate").unwrap_or(1.0);
        for (name, share) in
            [("log_min_duration_statement", 1.0), ("log_min_duration_sample", sampled)]
        {
            let limit = self.limit(name, share);
            holds(name, limit.is_some());
            log.timed.extend(limit);
        }
        let transactions = self.number("log_transaction_sample_rate").unwrap_or(0.0);
        if holds("log_transaction_sample_rate", transactions > 0.0) {
            log.timed.push(Threshold { at_least: Duration::ZERO, share: transactions.min(1.0) });
        }
        for (name, reports) in [
            ("log_parser_stats", 3.0),
            ("log_planner_stats", 1.0),
            ("log_executor_stats", 1.0),
            ("log_statement_stats", 1.0),
        ] {
            if holds(name, self.text(name) == "on") {
                log.others += reports * LINES_OF_STATISTICS;
            }
        }
        let share = self.number("auto_explain.sample_rate").unwrap_or(1.0);
        log.plans = self.limit("auto_explain.log_min_duration", share);
        holds("auto_explain.log_min_duration", log.plans.is_some());
        let audited = self.text("pgaudit.log").split(',').map(str::trim);
        if holds("pgaudit.log", audited.into_iter().any(|class| ["all", "read"].contains(&class))) {
            log.others += 1.0;
        }
        log.by = by;
        log
    }

    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.text(name).parse().ok().filter(|n: &f64| n.is_finite())
    }

    /// A limit in ms; `None` where it is off, or holds for none.
    fn limit(&self, name: &str, share: f64) -> Option<Threshold> {
        let ms = self.number(name).filter(|ms| *ms >= 0.0 && share > 0.0)?;
        Some(Threshold { at_least: Duration::from_secs_f64(ms / 1e3), share: share.min(1.0) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    const ASKED: &str = "EXECUTE narrows_activity";

    fn log(settings: &[(&str, &str)]) -> StatementLog {
        let rows: Vec<Row> = settings.iter().map(|(name, value)| row([*name, *value])).collect();
        StatementLog::from_rows(&rows)
    }

    fn lines(settings: &[(&str, &str)], took_ms: u64) -> f64 {
        log(settings).lines(ASKED, Duration::from_millis(took_ms))
    }

    #[test]
    fn a_server_as_it_comes_logs_none_of_ours() {
        let usual = [
            ("log_statement", "none"),
            ("log_duration", "off"),
            ("log_min_duration_statement", "-1"),
            ("log_min_duration_sample", "-1"),
            ("log_statement_sample_rate", "1"),
            ("log_transaction_sample_rate", "0"),
            ("log_executor_stats", "off"),
        ];
        assert_eq!((lines(&usual, 5000), log(&usual).by()), (0.0, &[][..]));
        assert_eq!(lines(&[], 5000), 0.0, "who may not see them is told nothing");
        assert_eq!(lines(&[("log_statement", "mod")], 1), 0.0, "ours change nothing");
    }

    #[test]
    fn lines_follow_the_settings_and_what_a_statement_takes() {
        let all = [("log_statement", "all")];
        assert_eq!(lines(&all, 1), 2.0, "an EXECUTE comes with what was prepared");
        assert_eq!(log(&all).lines("SELECT 1", Duration::ZERO), 1.0);
        assert_eq!(log(&all).by(), ["log_statement = all"]);
        assert_eq!(lines(&[("log_statement", "all"), ("log_duration", "on")], 1), 3.0);
        assert_eq!(lines(&[("log_duration", "on")], 1), 1.0);
        let slow = [("log_min_duration_statement", "100")];
        assert_eq!([99, 100].map(|ms| lines(&slow, ms)), [0.0, 2.0]);
        let sample = [("log_min_duration_sample", "0"), ("log_statement_sample_rate", "0.25")];
        assert_eq!(lines(&sample, 1), 0.5);
        let never = [("log_min_duration_sample", "0"), ("log_statement_sample_rate", "0")];
        assert_eq!((lines(&never, 1), log(&never).by()), (0.0, &[][..]));
        assert_eq!(lines(&[("log_transaction_sample_rate", "0.5")], 1), 1.0);
        assert_eq!(lines(&[("log_parser_stats", "on")], 1), 30.0);
        let plans = [("auto_explain.log_min_duration", "10"), ("auto_explain.sample_rate", "0.5")];
        assert_eq!([9, 10].map(|ms| lines(&plans, ms)), [0.0, 4.0]);
        assert_eq!(lines(&[("pgaudit.log", "ddl, read")], 1), 1.0);
        assert_eq!(lines(&[("pgaudit.log", "write")], 1), 0.0);
    }
}
