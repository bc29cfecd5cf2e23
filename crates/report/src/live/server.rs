//! A live server's log: counters, states, verdict.

use narrows_model::{
    Interval, LiveCost, LiveLog, LiveSetting, LiveStandby, LiveWait, LiveWaitKind, Measurement,
    Metric, Run, Validity, metric,
};
use narrows_units::significant;

use super::{Grid, GridRow, LiveView};
use crate::notes::Notes;
use crate::print::{Units, half_width, percent, rate, size, time};
use crate::words::counted;

/// Every live log of the run.
pub(crate) fn views(run: &Run, units: Units, notes: &mut Notes) -> Vec<LiveView> {
    run.live_logs.iter().map(|log| view(run, log, units, notes)).collect()
}

fn dash() -> String {
    "-".to_string()
}

fn view(run: &Run, log: &LiveLog, units: Units, notes: &mut Notes) -> LiveView {
    let of = run.measurement(&log.measurement);
    let seconds = significant(log.counted.interval_ns / 1e9, 3);
    let verdict = log.verdict.as_ref();
    LiveView {
        heading: format!("PostgreSQL {}, {}, looked at for {seconds} s", log.version, log.address),
        suspect: of.is_some_and(|m| m.validity == Validity::Suspect),
        notes: notes.marks(run, &[&log.measurement]),
        grids: [Some(counts(log, of, units)), states(log)].into_iter().flatten().collect(),
        phrase: verdict.map_or(String::new(), |verdict| verdict.bound.words().to_string()),
        grade: verdict.map(|verdict| verdict.grade),
        sentences: verdict.map_or(Vec::new(), |verdict| verdict.sentences.clone()),
        changes: verdict.map_or(Vec::new(), |verdict| verdict.changes.clone()),
        remarks: remarks(log),
    }
}

fn counts(log: &LiveLog, of: Option<&Measurement>, units: Units) -> Grid {
    let counted = &log.counted;
    let around = |name: Metric, value: Option<f64>| {
        spread(of.and_then(|m| m.metric(name)).and_then(|m| m.interval_95.as_ref()), value)
    };
    let per_s = |count| counted.per_s(count).map_or_else(dash, rate);
    let join =
        |parts: Vec<Option<String>>| parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let over =
        |of: Option<f64>, to: Option<f64>| to.filter(|to| *to > 0.0).and_then(|to| Some(of? / to));
    let two = |value: f64| significant(value, 2);
    let method = log.sync_method();
    let durable = counted.durable(method);
    let page: Option<f64> = log.setting("block_size").and_then(|s| s.value.parse().ok());
    let pages = counted.full_pages.zip(page).map(|(pages, bytes)| pages * bytes);
    let writers = join(vec![
        counted
            .per_writer(counted.log_bytes)
            .map(|bytes| format!("{} of log each", units.bytes(bytes))),
        // Sessions report their commits up to a second late, so that it may be the smaller number.
        counted.per_s(counted.commits).map(|all| format!("commits reported: {}", rate(all))),
        counted
            .ids_per_commit()
            .and(counted.per_s(counted.writers))
            .map(|ids| format!("transaction ids: {}", rate(ids))),
    ]);
    let bytes = join(vec![
        counted.per_writer(counted.records).map(|n| format!("{} records a transaction", two(n))),
        over(pages, counted.log_bytes).map(|share| match share {
            0.0 => "no whole pages".to_string(),
            share => format!("whole pages {} at most", percent(share.min(1.0))),
        }),
        counted.checkpoints.filter(|n| *n > 0.0).map(counted_checkpoints),
    ]);
    let writes = join(vec![
        over(counted.written_bytes, counted.writes)
            .map(|bytes| format!("{} each", size(bytes)))
            .or_else(|| {
                over(counted.log_bytes, counted.writes)
                    .map(|bytes| format!("{} of log or more each", size(bytes)))
            }),
        over(counted.write_ns, counted.writes).map(|ns| format!("mean {}", time(ns))),
        counted.buffers_full.filter(|n| *n > 0.0).map(|n| format!("{n:.0} for full buffers")),
    ]);
    let flushes = join(vec![
        over(counted.wrote(), durable).map(|n| format!("{} commits each", two(n))),
        over(counted.flush_ns, counted.flushes).map(|ns| format!("mean {}", time(ns))),
        over(counted.session_flushes, counted.flushes)
            .map(|share| format!("{} by sessions", percent(share))),
        method.starts_with("open_").then(|| format!("{method}: each write is durable")),
    ]);
    let row = |name: &str, value: String, spread: String, remark: String| GridRow {
        name: name.to_string(),
        cells: vec![value, spread],
        remark,
    };
    Grid {
        title: "LIVE LOG".to_string(),
        columns: vec!["per second".to_string(), "±95%".to_string()],
        remark: String::new(),
        rows: vec![
            row(
                "transactions that wrote",
                per_s(counted.wrote()),
                around(metric::WRITING_TRANSACTIONS, counted.per_s(counted.wrote())),
                writers,
            ),
            row(
                "log",
                counted.per_s(counted.log_bytes).map_or_else(dash, |b| units.bytes_per_s(b)),
                around(metric::LOG_RATE, counted.per_s(counted.log_bytes)),
                bytes,
            ),
            row("writes", per_s(counted.writes), dash(), writes),
            row(
                "flushes",
                per_s(durable),
                around(metric::FLUSH_RATE, counted.per_s(durable)),
                flushes,
            ),
        ],
    }
}

/// No ± of something else: an interval of the median window can lie beside the mean that is printed.
pub(crate) fn spread(interval: Option<&Interval>, value: Option<f64>) -> String {
    let holds = |i: &&Interval| value.is_some_and(|value| (i.low..=i.high).contains(&value));
    half_width(interval.filter(holds)).map_or_else(dash, |share| format!("±{}", percent(share)))
}

fn counted_checkpoints(n: f64) -> String {
    counted(n.round() as usize, "checkpoint")
}

/// Where sessions at work were found; `None` where that could not be seen.
fn states(log: &LiveLog) -> Option<Grid> {
    let waits = &log.waits;
    let active = waits.active().filter(|active| *active > 0.0)?;
    let writers = log.counted.per_s(log.counted.wrote()).filter(|rate| *rate > 0.0);
    let cells = |sessions: f64, spread: String| {
        vec![
            significant(sessions, 3),
            spread,
            writers.map_or_else(dash, |rate| time(sessions / rate * 1e9)),
            percent(sessions / active),
        ]
    };
    let names = |of: &[(String, f64)]| {
        of.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let row = |wait: &LiveWait| GridRow {
        name: wait.kind.words().to_string(),
        cells: cells(wait.backends, spread(wait.interval_95.as_ref(), Some(wait.backends))),
        remark: match wait.kind {
            LiveWaitKind::Lock => names(&waits.locks),
            LiveWaitKind::Elsewhere => names(&waits.elsewhere),
            _ => String::new(),
        },
    };
    let (log_rows, rest): (Vec<&LiveWait>, Vec<&LiveWait>) =
        waits.sessions.iter().partition(|wait| wait.kind.is_log());
    let all: f64 = log_rows.iter().map(|wait| wait.backends).sum();
    let mut rows: Vec<GridRow> = log_rows.into_iter().map(row).collect();
    rows.push(GridRow {
        name: "the log in all".to_string(),
        cells: cells(all, dash()),
        remark: String::new(),
    });
    rows.extend(rest.into_iter().map(row));
    Some(Grid {
        title: "SESSIONS AT WORK".to_string(),
        columns: ["sessions", "±95%", "per commit", "of the time"].map(str::to_string).to_vec(),
        remark: String::new(),
        rows,
    })
}

/// Settings that a reader of a commit's cost asks for first.
const SHOWN: [&str; 9] = [
    "fsync",
    "synchronous_commit",
    "wal_sync_method",
    "commit_delay",
    "full_page_writes",
    "wal_compression",
    "wal_buffers",
    "checkpoint_timeout",
    "max_wal_size",
];

fn remarks(log: &LiveLog) -> Vec<(String, String)> {
    let mut remarks = Vec::new();
    let settings: Vec<String> =
        SHOWN.iter().filter_map(|name| log.setting(name)).map(setting).collect();
    if !settings.is_empty() {
        remarks.push(("SETTINGS".to_string(), settings.join(", ")));
    }
    if !log.standbys.is_empty() {
        let standbys: Vec<String> = log.standbys.iter().map(standby).collect();
        remarks.push(("STANDBYS".to_string(), standbys.join("; ")));
    }
    remarks.push(("LOOKING".to_string(), looking(&log.cost)));
    remarks
}

fn setting(setting: &LiveSetting) -> String {
    let whose = if setting.is_ours() { " (our session's)" } else { "" };
    format!("{} {}{whose}", setting.name, setting.value)
}

/// What looking took.
pub(crate) fn looking(cost: &LiveCost) -> String {
    let unanswered = match cost.unanswered {
        0 => String::new(),
        n => format!(" ({n} not answered, {} lost)", time(cost.unanswered_ns)),
    };
    let took = match cost.processors {
        Some(share) => format!("{} of one processor, ours and the server's", percent(share)),
        None => format!("{} of one processor", percent(cost.share)),
    };
    format!("took {} statements{unanswered} and {took}; nothing was changed", cost.statements)
}

fn standby(standby: &LiveStandby) -> String {
    let words = |text: &Option<String>| text.clone().unwrap_or_else(|| "not to be seen".into());
    let lag = |name: &str, ns: Option<f64>| ns.map(|ns| format!(", {name} after {}", time(ns)));
    let mut text = format!("{} {}", standby.name, words(&standby.state));
    if let Some(state) = &standby.sync_state {
        text += &format!(", {state}");
    }
    let lags = [
        lag("written", standby.write_lag_ns),
        lag("flushed", standby.flush_lag_ns),
        lag("applied", standby.replay_lag_ns),
    ];
    for part in lags {
        text += &part.unwrap_or_default();
    }
    text
}
