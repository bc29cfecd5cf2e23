//! The server's counters: one statement that reads all that are asked for, and what changed between two readings.

use std::collections::BTreeMap;

use super::catalog::Catalog;
use super::sources::{Count, FUNCTIONS, SOURCES};
use crate::wire::Row;

/// Part of every such statement, and of nobody else's; without literals, so that `pg_stat_statements` has it as it is.
pub(crate) const MARK: &str = "(SELECT sum(numbackends) FROM pg_catalog.pg_stat_database) FROM ";

/// One statement that reads every counter that is asked for and this server has.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    /// With the view that each stands in.
    counts: Vec<(Count, Option<&'static str>)>,
    views: Vec<&'static str>,
    pub(crate) sql: String,
}

impl Statement {
    /// For a server with these views: what is `asked` for. `timed` says whether a setting is on, without which times are zero and not
    /// measured.
    pub(crate) fn new(
        catalog: &Catalog,
        asked: impl Fn(Count) -> bool,
        timed: impl Fn(&str) -> bool,
    ) -> Self {
        let wanted = |count: Count| asked(count) && count.timed_by().is_none_or(&timed);
        let mut counts: Vec<(Count, Option<&'static str>)> = Vec::new();
        let mut views: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
        for source in SOURCES {
            let known = counts.iter().any(|(count, _)| *count == source.count);
            if known || !wanted(source.count) || !catalog.has(source.view, source.columns) {
                continue;
            }
            counts.push((source.count, Some(source.view)));
            match views.iter_mut().find(|(view, _)| *view == source.view) {
                Some((_, columns)) => columns.push(source.sql),
                None => views.push((source.view, vec![source.sql])),
            }
        }
        // In the order of the views, as the columns come.
        counts.sort_by_key(|(_, of)| views.iter().position(|(view, _)| Some(*view) == *of));
        let functions: Vec<_> = FUNCTIONS.into_iter().filter(|(count, _)| wanted(*count)).collect();
        let own: String = functions.iter().map(|(_, sql)| format!(", {sql}")).collect();
        counts.extend(functions.iter().map(|(count, _)| (*count, None)));
        let from: Vec<String> = views
            .iter()
            .map(|(view, columns)| {
                format!(
                    "(SELECT {}, max(stats_reset) FROM pg_catalog.{view}) {view}",
                    columns.join(", ")
                )
            })
            .collect();
        Statement {
            counts,
            sql: format!("SELECT *{own}, {MARK}{}", from.join(", ")),
            views: views.into_iter().map(|(view, _)| view).collect(),
        }
    }

    /// The answer's only row: of each view its counters and when it was reset, then what no view holds.
    pub(crate) fn read(&self, row: &Row) -> Reading {
        let mut cells = row.iter().map(|cell| cell.as_deref());
        let mut next = || cells.next().flatten();
        let mut reading = Reading::default();
        let take = |reading: &mut Reading, count: Count, text: Option<&str>| {
            reading.counts.extend(text.and_then(|text| Some((count, text.parse().ok()?))));
        };
        for view in &self.views {
            for (count, _) in self.counts.iter().filter(|(_, of)| of == &Some(*view)) {
                take(&mut reading, *count, next());
            }
            let reset = next().unwrap_or_default().to_string();
            for (count, _) in self.counts.iter().filter(|(_, of)| of == &Some(*view)) {
                reading.resets.insert(*count, reset.clone());
            }
        }
        for (count, _) in self.counts.iter().filter(|(_, of)| of.is_none()) {
            take(&mut reading, *count, next());
        }
        reading.connected = next().and_then(|text| text.parse().ok());
        reading
    }
}

/// One reading; absent is what this server doesn't count.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reading {
    counts: BTreeMap<Count, f64>,
    /// When what a counter stands in was last reset, in the server's words.
    resets: BTreeMap<Count, String>,
    /// Sessions connected, ours among them.
    pub(crate) connected: Option<f64>,
}

impl Reading {
    /// What changed since `earlier`; a counter that was reset, or went back, is absent.
    pub(crate) fn since(&self, earlier: &Reading) -> Changed {
        let mut changed = Changed::default();
        for (count, now) in &self.counts {
            let Some(then) = earlier.counts.get(count) else { continue };
            if self.resets.get(count) == earlier.resets.get(count) && now >= then {
                changed.counts.insert(*count, now - then);
            } else {
                changed.reset = true;
            }
        }
        changed
    }
}

/// What changed between two readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Changed {
    counts: BTreeMap<Count, f64>,
    /// Whether a counter was reset in between, or went back.
    pub(crate) reset: bool,
}

impl Changed {
    pub(crate) fn get(&self, count: Count) -> Option<f64> {
        self.counts.get(&count).copied()
    }

    /// Less what we did ourselves.
    pub(crate) fn less(&mut self, count: Count, own: f64) {
        if let Some(value) = self.counts.get_mut(&count) {
            *value = (*value - own).max(0.0);
        }
    }

    /// A time, in ns.
    pub(crate) fn ns(&self, count: Count) -> Option<f64> {
        self.get(count).map(|ms| ms * 1e6)
    }

    /// Nothing, for the reason that counters were reset.
    #[cfg(test)]
    pub(crate) fn of_a_reset() -> Changed {
        Changed { reset: true, ..Changed::default() }
    }
}

#[cfg(test)]
#[path = "counters_test.rs"]
mod tests;
