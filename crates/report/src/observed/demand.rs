//! What the server did per second, and what one transaction takes of each thing.

use narrows_model::{MariaDbProcess, Measurement, Metric, Observation, metric};
use narrows_units::significant;

use crate::document::{Row, Table};
use crate::live::spread;
use crate::print::{Units, count, percent, rate, time};

/// A part of something: whose, how much of it, its share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// Words for it.
    pub(crate) name: &'static str,
    /// In the unit of the whole.
    pub(crate) value: f64,
    /// Of the whole.
    pub(crate) share: f64,
}

/// A row's two figures before they are words, and where its doubt stands.
struct Counted<'a> {
    name: &'a str,
    count: Option<f64>,
    metric: Option<Metric>,
    per_s: fn(Units, f64) -> String,
    each: fn(Units, f64) -> String,
    remark: Vec<Option<String>>,
}

pub(super) fn table(seen: &Observation, of: Option<&Measurement>, units: Units) -> Table {
    let own = |name: Metric, value: Option<f64>| {
        let metric = of.and_then(|m| m.metric(name));
        spread(metric.and_then(|metric| metric.interval_95.as_ref()), value)
    };
    let transactions = seen.per_s(seen.counted.transactions());
    let mut rows = Vec::new();
    if let Some(per_s) = transactions {
        let cells = vec![rate(per_s), String::new(), own(metric::THROUGHPUT, transactions)];
        let remark = join(ended(seen));
        rows.push(Row::figures("transactions", cells, remark));
    }
    for row in
        [processors(seen), hits(seen), reads(seen, units), rows_read(seen), rows_changed(seen)]
            .into_iter()
            .chain([log(seen, units), flushes(seen)])
    {
        let Some(per_s) = seen.per_s(row.count) else { continue };
        let each = seen.per_transaction(row.count);
        let cells = vec![
            (row.per_s)(units, per_s),
            each.map_or_else(|| "-".to_string(), |each| (row.each)(units, each)),
            row.metric.map_or_else(|| spread(None, each), |metric| own(metric, each)),
        ];
        rows.push(Row::figures(row.name, cells, join(row.remark)));
    }
    Table::figures("OBSERVED", ["per second", "per xact", "±95%"], rows).without_unknown()
}

fn join(parts: Vec<Option<String>>) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn over(of: Option<f64>, to: Option<f64>) -> Option<f64> {
    to.filter(|to| *to > 0.0).and_then(|to| Some(of? / to))
}

fn number(value: f64) -> String {
    significant(value, 3)
}

/// How transactions ended, and how many wrote.
fn ended(seen: &Observation) -> Vec<Option<String>> {
    let counted = &seen.counted;
    let rolled_back = over(counted.rollbacks, counted.transactions()).filter(|share| *share > 0.0);
    let connections = seen.per_s(counted.connections).filter(|n| *n > 0.0);
    vec![
        // A savepoint that wrote has an id of its own, so that ids may be more than transactions.
        seen.per_transaction(counted.writers).map(|n| format!("{} wrote", percent(n.min(1.0)))),
        rolled_back.map(|share| format!("{} rolled back", percent(share))),
        connections.map(|per_s| format!("{} connections made", rate(per_s))),
    ]
}

fn mariadb_process(seen: &Observation) -> Option<&MariaDbProcess> {
    seen.consumers.as_ref()?.mariadb.as_ref()?.process.as_ref()
}

/// Of all of the server's processes; the count is in ns.
fn processors(seen: &Observation) -> Counted<'static> {
    let processes = seen.processes.as_ref();
    let mariadb = mariadb_process(seen);
    let cpus = processes.map(|processes| processes.cpus()).or(mariadb.map(|of| of.cpus));
    let serving = processes.map(|processes| {
        let serve = processes.classes.iter().filter(|class| class.class.serves_transactions());
        serve.map(|class| class.cpus).sum()
    });
    Counted {
        name: "CPU",
        count: cpus.map(|cpus| cpus * seen.interval_ns),
        metric: Some(metric::SERVER_CPU_PER_OP),
        per_s: |_, ns| format!("{} CPUs", number(ns / 1e9)),
        each: |_, ns| time(ns),
        remark: vec![
            over(serving, cpus).map(|share| format!("{} of it used by sessions", percent(share))),
            mariadb.map(|of| format!("of {} that its process may run on", count(of.allowed_cpus))),
        ],
    }
}

fn hits(seen: &Observation) -> Counted<'static> {
    let counted = &seen.counted;
    let asked = counted.block_hits.zip(counted.block_reads).map(|(hits, reads)| hits + reads);
    let found = over(counted.block_hits, asked);
    Counted {
        name: "blocks hit",
        count: counted.block_hits,
        metric: Some(metric::BLOCK_HITS_PER_OP),
        per_s: |_, n| rate(n),
        each: |_, n| number(n),
        remark: vec![found.map(|share| format!("hit ratio {}", percent(share)))],
    }
}

fn reads(seen: &Observation, units: Units) -> Counted<'static> {
    let counted = &seen.counted;
    let direct = if seen.report.is_some() { ", direct reads too" } else { "" };
    let drives = seen.processes.as_ref().and_then(|processes| processes.drive_read_bytes);
    let drives = drives.or(mariadb_process(seen).and_then(|of| of.drive_read_bytes));
    Counted {
        name: "blocks read",
        count: counted.block_reads,
        metric: Some(metric::BLOCK_READS_PER_OP),
        per_s: |_, n| rate(n),
        each: |_, n| number(n),
        remark: vec![
            over(counted.read_ns, counted.block_reads)
                .filter(|ns| *ns > 0.0)
                .map(|ns| format!("mean {}", time(ns))),
            seen.report.is_some().then(|| "into the buffer cache".to_string()),
            seen.per_s(drives)
                .map(|bytes| format!("{} from drives{direct}", units.bytes_per_s(bytes))),
        ],
    }
}

fn rows_read(seen: &Observation) -> Counted<'static> {
    Counted {
        name: "rows read",
        count: seen.counted.rows_read,
        metric: None,
        per_s: |_, n| rate(n),
        each: |_, n| number(n),
        remark: Vec::new(),
    }
}

fn rows_changed(seen: &Observation) -> Counted<'static> {
    Counted { name: "rows changed", count: seen.counted.rows_changed, ..rows_read(seen) }
}

fn log(seen: &Observation, units: Units) -> Counted<'static> {
    let without = log_parts(seen).map(|[records, pages]| {
        if pages.value == 0.0 {
            return "no full-page images".to_string();
        }
        let bytes = units.bytes_per_s(seen.per_s(Some(records.value)).unwrap_or(0.0));
        format!("at least {bytes} without full-page images")
    });
    let full = seen.counted.log_buffers_full.filter(|n| *n > 0.0);
    Counted {
        name: match (&seen.report, super::verdict::is_mariadb(seen)) {
            (Some(_), _) => "redo",
            (None, true) => "redo log",
            (None, false) => "WAL",
        },
        count: seen.counted.log_bytes,
        metric: Some(metric::WAL_BYTES_PER_OP),
        per_s: |units, bytes| units.bytes_per_s(bytes),
        each: |units, bytes| units.bytes(bytes),
        remark: vec![without, full.map(|n| format!("wal_buffers full {} times", count(n)))],
    }
}

fn flushes(seen: &Observation) -> Counted<'static> {
    let mean = over(seen.counted.flush_ns, seen.counted.flushes).filter(|ns| *ns > 0.0);
    let (name, of) = match seen.report {
        Some(_) => ("redo writes", "(log file parallel write)"),
        None => ("WAL flushes", "with its write"),
    };
    Counted {
        name,
        count: seen.counted.flushes,
        metric: Some(metric::FLUSHES_PER_OP),
        per_s: |_, n| rate(n),
        each: |_, n| number(n),
        remark: vec![mean.map(|ns| format!("mean {} {of}", time(ns)))],
    }
}

/// The log's bytes: records, and whole pages at their full size, which is more than they take; `None` where one is unknown.
pub(crate) fn log_parts(seen: &Observation) -> Option<[Share; 2]> {
    let page: f64 = seen.setting("block_size")?.value.parse().ok()?;
    let all = seen.counted.log_bytes.filter(|bytes| *bytes > 0.0)?;
    let pages = (seen.counted.full_pages? * page).min(all);
    let share = |name, value| Share { name, value, share: value / all };
    Some([share("records", all - pages), share("full-page images, at most", pages)])
}

/// Who wrote the data files' blocks; empty where nobody did, or not all are known.
pub(crate) fn written_by(seen: &Observation) -> Vec<Share> {
    let counted = &seen.counted;
    let by = [
        ("checkpointer", counted.checkpoint_writes),
        ("background writer", counted.background_writes),
        ("backends themselves", counted.session_writes),
    ];
    let known: Option<Vec<(&'static str, f64)>> =
        by.into_iter().map(|(name, n)| Some((name, n?))).collect();
    let known = known.unwrap_or_default();
    let all: f64 = known.iter().map(|(_, n)| n).sum();
    let parts = known.into_iter().filter(|_| all > 0.0);
    parts.map(|(name, value)| Share { name, value, share: value / all }).collect()
}
