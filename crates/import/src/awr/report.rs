//! What a report says, read from its tables.
//!
//! Means and rates are computed from the report's own totals and counts: what it prints of them is rounded, in versions before 12 to
//! whole milliseconds.

use std::collections::{BTreeMap, BTreeSet};

use super::events;
use super::table::{Numbers, Table, key};
use super::time;

/// Events of which more are no report's, and bounds of one event's histogram.
const MOST_EVENTS: usize = 5_000;
const MOST_BOUNDS: usize = 64;

/// The waits for one event.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Waits {
    pub(super) event: String,
    pub(super) count: f64,
    pub(super) total_s: f64,
    /// The mean as it is printed, s.
    pub(super) printed_mean_s: Option<f64>,
    /// Whether the mean is printed in whole milliseconds.
    pub(super) mean_in_ms: bool,
    /// The server waits for the session and not the session for the server.
    pub(super) idle: bool,
}

/// A report of one instance.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Report {
    pub(super) release: Option<String>,
    pub(super) database: Option<String>,
    pub(super) instance: Option<String>,
    pub(super) cluster: bool,
    pub(super) host: Option<String>,
    pub(super) platform: Option<String>,
    pub(super) snapshots: Option<(String, String)>,
    pub(super) began_unix_s: Option<i64>,
    pub(super) ended_unix_s: Option<i64>,
    /// Length by the line `Elapsed:`, s.
    pub(super) elapsed_s: Option<f64>,
    /// DB time by the line `DB Time:`, s.
    pub(super) head_db_time_s: Option<f64>,
    /// Sessions at the two snapshots, background processes with them.
    pub(super) sessions: Vec<f64>,
    /// Time model, s, by the statistic's key.
    pub(super) time_model: BTreeMap<String, f64>,
    /// Statistics of the operating system by their names.
    pub(super) system: BTreeMap<String, f64>,
    /// CPUs by the line of the host.
    pub(super) host_cpus: Option<f64>,
    pub(super) foreground: Vec<Waits>,
    pub(super) background: Vec<Waits>,
    /// Counts of the instance by the statistic's key.
    pub(super) statistics: BTreeMap<String, f64>,
    /// The load profile per second by the line's key.
    pub(super) per_second: BTreeMap<String, f64>,
    /// Of each event the shares of waits, 0 to 1, below a bound, ns.
    pub(super) histograms: BTreeMap<String, BTreeMap<u64, f64>>,
    pub(super) parameters: Vec<(String, String)>,
}

impl Report {
    /// Reads what the tables hold; what they don't stays empty.
    pub(super) fn read(tables: &[Table]) -> Report {
        let numbers = Numbers::of(tables);
        let mut report = Report::default();
        for table in tables {
            report.heads(table, numbers);
            report.totals(table, numbers);
            report.waits(table, numbers);
            report.rest(table, numbers);
        }
        report
    }

    /// The length of its interval, s: by the snapshots' times where these can be read.
    pub(super) fn interval_s(&self) -> Option<f64> {
        let by_snapshots =
            self.began_unix_s.zip(self.ended_unix_s).map(|(from, to)| (to - from) as f64);
        by_snapshots.filter(|s| *s > 0.0).or(self.elapsed_s).filter(|s| *s > 0.0)
    }

    /// DB time, s.
    pub(super) fn db_time_s(&self) -> Option<f64> {
        self.time_model.get("dbtime").copied().or(self.head_db_time_s).filter(|s| *s > 0.0)
    }

    /// A count of the instance, also where its name is cut.
    pub(super) fn count(&self, name: &str) -> Option<f64> {
        self.statistics.get(&key(name)).copied()
    }

    /// Transactions that ended.
    pub(super) fn transactions(&self) -> Option<f64> {
        Some(self.count("user commits")? + self.count("user rollbacks").unwrap_or(0.0))
    }

    /// CPUs of the host.
    pub(super) fn cpus(&self) -> Option<f64> {
        self.system.get("NUM_CPUS").copied().or(self.host_cpus).filter(|n| *n >= 1.0)
    }

    /// Foreground waits for that event.
    pub(super) fn foreground(&self, event: &str) -> Option<&Waits> {
        self.foreground.iter().find(|waits| events::is(&waits.event, event))
    }

    /// Background waits for that event.
    pub(super) fn background(&self, event: &str) -> Option<&Waits> {
        self.background.iter().find(|waits| events::is(&waits.event, event))
    }

    /// Time in foreground waits that count as DB time, s.
    pub(super) fn waited_s(&self) -> f64 {
        self.foreground.iter().filter(|waits| !waits.idle).map(|waits| waits.total_s).sum()
    }

    fn heads(&mut self, table: &Table, numbers: Numbers) {
        let first = |name: &str| -> Option<String> {
            let cell = table.rows.first()?.get(table.column(name)?)?.trim();
            (!cell.is_empty()).then(|| cell.to_string())
        };
        if table.has(&["DB Name", "Release"]) && self.release.is_none() {
            self.database = first("DB Name");
            self.release = first("Release");
            self.cluster = first("RAC").is_some_and(|rac| rac.eq_ignore_ascii_case("yes"));
        }
        if table.has(&["Instance", "Startup Time"]) && self.instance.is_none() {
            self.instance = first("Instance");
        }
        if table.has(&["Host Name", "Platform"]) && self.host.is_none() {
            self.host = first("Host Name");
            self.platform = first("Platform");
            self.host_cpus = first("CPUs").and_then(|n| numbers.value(&n));
        }
        let is_first = self.snapshots.is_none() && table.row("beginsnap:").is_some();
        if table.has(&["Snap Id", "Snap Time"]) && is_first {
            self.snapshots(table, numbers);
        }
    }

    fn snapshots(&mut self, table: &Table, numbers: Numbers) {
        let cell = |label: &str, column: &str| -> Option<String> {
            let row = table.row(label)?;
            row.get(table.column(column)?).map(|cell| cell.trim().to_string())
        };
        // A report in text may have the minutes a column further left.
        let minutes = |label: &str| {
            let cells = table.row(label)?.iter().skip(1);
            cells.filter_map(|cell| numbers.value(cell.split('(').next()?)).next()
        };
        let id = |label: &str| cell(label, "Snap Id");
        self.snapshots = id("beginsnap:").zip(id("endsnap:"));
        let at = |label: &str| cell(label, "Snap Time").and_then(|text| time::unix_s(&text));
        self.began_unix_s = at("beginsnap:");
        self.ended_unix_s = at("endsnap:");
        self.elapsed_s = minutes("elapsed:").map(|min| min * 60.0);
        self.head_db_time_s = minutes("dbtime:").map(|min| min * 60.0);
        let sessions = |label: &str| cell(label, "Sessions").and_then(|n| numbers.value(&n));
        self.sessions =
            [sessions("beginsnap:"), sessions("endsnap:")].into_iter().flatten().collect();
    }

    fn totals(&mut self, table: &Table, numbers: Numbers) {
        let mut into =
            |map: fn(&mut Report) -> &mut BTreeMap<String, f64>, name: &str, value: &str| {
                let (label, value) = (table.column(name), table.column(value));
                let Some((label, value)) = label.zip(value) else { return };
                for row in &table.rows {
                    let cells = row.get(label).zip(row.get(value));
                    if let Some((name, number)) =
                        cells.and_then(|(name, n)| Some((name, numbers.value(n)?)))
                    {
                        let name = if name.ends_with("_TIME") || name.starts_with("NUM_") {
                            name.to_string()
                        } else {
                            key(name)
                        };
                        map(self).entry(name).or_insert(number);
                    }
                }
            };
        if table.has(&["Statistic Name", "Time (s)"]) {
            into(|report| &mut report.time_model, "Statistic Name", "Time (s)");
        } else if table.has(&["Statistic", "Value"]) && table.row("busy_time").is_some() {
            into(|report| &mut report.system, "Statistic", "Value");
        } else if table.has(&["Statistic", "Total", "per Second"]) {
            into(|report| &mut report.statistics, "Statistic", "Total");
        }
    }

    fn waits(&mut self, table: &Table, numbers: Numbers) {
        if table.has(&["Event", "Waits", "Waits /txn"]) {
            let foreground = table.column("% DB time").is_some();
            let all = waits(table, numbers);
            let kept = if foreground { &mut self.foreground } else { &mut self.background };
            // The next page of the same table has more of it.
            let known: BTreeSet<String> = kept.iter().map(|waits| waits.event.clone()).collect();
            let new = all.into_iter().filter(|found| !known.contains(&found.event));
            let room = MOST_EVENTS.saturating_sub(known.len());
            kept.extend(new.take(room));
        }
    }

    fn rest(&mut self, table: &Table, numbers: Numbers) {
        if table.has(&["Per Second", "Per Transaction"]) {
            let column = table.column("Per Second").unwrap_or(1);
            for row in &table.rows {
                let cells = row.first().zip(row.get(column));
                if let Some((name, value)) =
                    cells.and_then(|(name, n)| Some((name, numbers.value(n)?)))
                {
                    self.per_second.entry(profile_key(name)).or_insert(value);
                }
            }
        }
        if table.has(&["Parameter Name", "Begin value"]) && self.parameters.is_empty() {
            let of = |row: &Vec<String>| Some((row.first()?.clone(), row.get(1)?.clone()));
            let known = |(name, value): &(String, String)| !name.is_empty() && !value.is_empty();
            self.parameters = table.rows.iter().filter_map(of).filter(known).collect();
        }
        if table.column("Event").is_some()
            && table.header.iter().any(|head| bound_ns(head).is_some())
        {
            self.histogram(table, numbers);
        }
    }

    fn histogram(&mut self, table: &Table, numbers: Numbers) {
        let bounds: Vec<(usize, u64)> = table
            .header
            .iter()
            .enumerate()
            .filter_map(|(at, head)| Some((at, bound_ns(head)?)))
            .collect();
        for row in &table.rows {
            let Some(event) = row.first().filter(|event| !event.is_empty()) else { continue };
            if self.histograms.len() >= MOST_EVENTS && !self.histograms.contains_key(event) {
                continue;
            }
            let points = self.histograms.entry(event.clone()).or_default();
            let mut below = 0.0;
            for (column, bound) in bounds.iter().take(MOST_BOUNDS) {
                let share = row.get(*column).and_then(|cell| numbers.value(cell)).unwrap_or(0.0);
                below += share / 100.0;
                if points.len() < MOST_BOUNDS {
                    points.entry(*bound).or_insert_with(|| below.min(1.0));
                }
            }
        }
    }
}

/// `Redo size (bytes):` and `Redo size:` are one line.
fn profile_key(label: &str) -> String {
    let name = label.split('(').next().unwrap_or(label);
    let key = key(name.trim_end_matches([':', ' ']));
    // `Logical reads:` up to 11.2, `Logical read (blocks):` later.
    key.trim_end_matches('s').to_string()
}

fn waits(table: &Table, numbers: Numbers) -> Vec<Waits> {
    let column = |names: &[&str]| names.iter().find_map(|name| table.column(name));
    let time = column(&["Total Wait Time (s)", "Time(s)", "Total Wait Time (sec)"]);
    let mean = column(&["Avg wait", "Avg wait (ms)", "Wait Avg(ms)"]);
    let share = column(&["% DB time", "% bg time"]);
    let mean_in_ms = mean.is_some_and(|at| key(&table.header[at]).contains("(ms)"));
    let of = |row: &Vec<String>| {
        let cell = |at: Option<usize>| row.get(at?).map(String::as_str);
        let event = row.first().filter(|event| !event.is_empty())?.clone();
        let count = numbers.value(cell(table.column("Waits"))?)?;
        let printed_s = numbers.value(cell(time)?)?;
        let printed_mean_s = cell(mean).and_then(|text| numbers.seconds(text, 1e-3));
        let idle = cell(share).is_none_or(|text| text.trim().is_empty());
        let total_s = total_s(count, printed_s, printed_mean_s);
        Some(Waits { event, count, total_s, printed_mean_s, mean_in_ms, idle })
    };
    table.rows.iter().filter_map(of).collect()
}

/// The total is printed in whole seconds; the mean tells it better where it has more digits and agrees.
fn total_s(count: f64, printed_s: f64, mean_s: Option<f64>) -> f64 {
    let by_mean = mean_s.map_or(printed_s, |mean| mean * count);
    if printed_s.fract() == 0.0 && (by_mean - printed_s).abs() <= 0.5 { by_mean } else { printed_s }
}

/// `<8us`, `<=1s`, `<1/8s`, `< 2m`: an upper bound of waits, ns. A report's second has 1024 ms, its minute 64 of them.
fn bound_ns(head: &str) -> Option<u64> {
    let bound = head.split_whitespace().collect::<String>();
    let bound = bound.strip_prefix("<=").or_else(|| bound.strip_prefix('<'))?.to_string();
    let digits = bound.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit_ns = match &bound[digits.len()..] {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1024e6,
        "m" => 64.0 * 1024e6,
        _ => return None,
    };
    let number = match digits.split_once('/') {
        Some((part, whole)) => part.parse::<f64>().ok()? / whole.parse::<f64>().ok()?,
        None => digits.parse::<f64>().ok()?,
    };
    (number.is_finite() && number > 0.0).then_some((number * unit_ns) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_histograms_are_read() {
        for (head, ns) in [
            ("<1ms", Some(1_000_000)),
            ("<=1s", Some(1_024_000_000)),
            ("<1/8s", Some(128_000_000)),
            ("< 2m", Some(131_072_000_000)),
            ("<512us", Some(512_000)),
            (">=512us", None),
            ("Waits", None),
            ("<1/0s", None),
        ] {
            assert_eq!(bound_ns(head), ns, "{head}");
        }
    }

    #[test]
    fn totals_come_from_what_has_more_digits() {
        assert_eq!(total_s(3_583.0, 35.0, Some(9.77e-3)), 3_583.0 * 9.77e-3);
        // A mean of whole milliseconds says less than the total.
        assert_eq!(total_s(21_628_695.0, 16_407.0, Some(1e-3)), 16_407.0);
        assert_eq!(total_s(10.0, 12.5, Some(1.0)), 12.5);
        assert_eq!(total_s(10.0, 12.0, None), 12.0);
    }

    #[test]
    fn lines_of_the_load_profile_have_one_key_in_all_versions() {
        assert_eq!(profile_key("Redo size (bytes):"), profile_key("Redo size:"));
        assert_eq!(profile_key("Logical read (blocks):"), profile_key("Logical reads:"));
        assert_eq!(profile_key("DB Time(s):"), "dbtime");
    }
}
