//! A live server's log: counters, states, verdict.

use narrows_model::{
    Interval, LiveCost, LiveLog, LivePace, LiveSetting, LiveStandby, LiveVerdict, LiveWait,
    LiveWaitKind, Measurement, Metric, Run, Validity, metric,
};
use narrows_units::significant;

use crate::document::{Answer, Block, Entry, Facts, Inline, List, Row, Style, Table};
use crate::notes::Notes;
use crate::print::{Units, half_width, percent, plus_minus, rate, size, time};
use crate::section::{heading_of, printed};
use crate::words::{LOOKED_LEGEND, counted};

/// Every live log of the run.
pub(crate) fn views(run: &Run, units: Units, notes: &mut Notes) -> Vec<Vec<Block>> {
    run.live_logs.iter().map(|log| view(run, log, units, notes)).collect()
}

fn dash() -> String {
    "-".to_string()
}

/// What it counted, what sessions were doing, what bounds commits once it is judged, and what would change it.
fn view(run: &Run, log: &LiveLog, units: Units, notes: &mut Notes) -> Vec<Block> {
    let of = run.measurement(&log.measurement);
    let seconds = significant(log.counted.interval_ns / 1e9, 3);
    let heading = format!("PostgreSQL {}, {}, observed for {seconds} s", log.version, log.address);
    let validity = of.map_or(Validity::Valid, |m| m.validity);
    let heading = heading_of(heading, validity, &notes.marks(run, &[&log.measurement]));
    let tables = [Some(counts(log, of, units)), states(log)].into_iter().flatten();
    let mut blocks: Vec<Block> = std::iter::once(heading).chain(tables.map(Block::Table)).collect();
    if let Some(verdict) = &log.verdict {
        let answer = Answer {
            lead: Inline::of(Style::Strong, "BOTTLENECK OF A COMMIT"),
            suspect: false,
            sentence: Inline::of(Style::Strong, bottleneck(verdict)),
            grade: Some(printed(verdict.grade)),
        };
        let texts = |of: &[String]| of.iter().map(|text| text.as_str().into()).collect();
        let why = List::new(verdict.sentences.iter().map(String::as_str), 3);
        let lead = ("It would change with".to_string(), "or".to_string());
        let changes = List { lead, items: texts(&verdict.changes), at: (3, 6) };
        blocks.extend([Block::Gap, Block::Answer(answer), Block::List(why), Block::List(changes)]);
        blocks.push(Block::explanation(LOOKED_LEGEND));
    }
    blocks.push(Block::Facts(Facts { entries: remarks(log), labels: Style::Strong, at: (0, 10) }));
    blocks
}

/// `FLUSHES, one after the other`, and the CPUs where it may be these.
fn bottleneck(verdict: &LiveVerdict) -> String {
    let cpus = if verdict.or_cpus { "CPU or " } else { "" };
    format!("{cpus}{}", verdict.bound.words())
}

fn counts(log: &LiveLog, of: Option<&Measurement>, units: Units) -> Table {
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
            .map(|bytes| format!("{} of WAL each", units.bytes(bytes))),
        // Sessions report their commits up to a second late, so that it may be the smaller number.
        counted.per_s(counted.commits).map(|all| format!("commits reported: {}", rate(all))),
        counted
            .ids_per_commit()
            .and(counted.per_s(counted.writers))
            .map(|ids| format!("transaction ids: {}", rate(ids))),
    ]);
    let bytes = join(vec![
        counted.per_writer(counted.records).map(|n| format!("{} records per transaction", two(n))),
        over(pages, counted.log_bytes).map(|share| match share {
            0.0 => "no full-page images".to_string(),
            share => format!("full-page images at most {}", percent(share.min(1.0))),
        }),
        counted.checkpoints.filter(|n| *n > 0.0).map(counted_checkpoints),
    ]);
    let writes = join(vec![
        over(counted.written_bytes, counted.writes)
            .map(|bytes| format!("{} each", size(bytes)))
            .or_else(|| {
                over(counted.log_bytes, counted.writes)
                    .map(|bytes| format!("at least {} of WAL each", size(bytes)))
            }),
        over(counted.write_ns, counted.writes).map(|ns| format!("mean {}", time(ns))),
        counted
            .buffers_full
            .filter(|n| *n > 0.0)
            .map(|n| format!("{n:.0} because wal_buffers was full")),
    ]);
    let flushes = join(vec![
        over(counted.wrote(), durable).map(|n| format!("{} commits each", two(n))),
        over(counted.flush_ns, counted.flushes).map(|ns| format!("mean {}", time(ns))),
        over(counted.session_flushes, counted.flushes)
            .map(|share| format!("{} by sessions", percent(share))),
        method.starts_with("open_").then(|| format!("{method}: each write is durable")),
    ]);
    let per_writer = counted.per_s(counted.wrote());
    let log = counted.per_s(counted.log_bytes);
    let flushed = counted.per_s(durable);
    let of_writers = [per_s(counted.wrote()), around(metric::WRITING_TRANSACTIONS, per_writer)];
    let of_log = [log.map_or_else(dash, |b| units.bytes_per_s(b)), around(metric::LOG_RATE, log)];
    let of_flushes = [per_s(durable), around(metric::FLUSH_RATE, flushed)];
    Table::figures(
        "WAL",
        ["per second", "±95%"],
        [
            Row::figures("transactions that wrote", of_writers, writers),
            Row::figures("WAL", of_log, bytes),
            Row::figures("writes", [per_s(counted.writes), dash()], writes),
            Row::figures("flushes", of_flushes, flushes),
        ],
    )
}

/// No ± of something else: an interval of the median window can lie beside the mean that is printed.
pub(crate) fn spread(interval: Option<&Interval>, value: Option<f64>) -> String {
    let holds = |i: &&Interval| value.is_some_and(|value| (i.low..=i.high).contains(&value));
    half_width(interval.filter(holds)).map_or_else(dash, plus_minus)
}

fn counted_checkpoints(n: f64) -> String {
    counted(n.round() as usize, "checkpoint")
}

/// Where sessions at work were found; `None` where that could not be seen.
fn states(log: &LiveLog) -> Option<Table> {
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
    let row = |wait: &LiveWait| {
        Row::figures(
            wait.kind.words().to_string(),
            cells(wait.backends, spread(wait.interval_95.as_ref(), Some(wait.backends))),
            match wait.kind {
                LiveWaitKind::Lock => names(&waits.locks),
                LiveWaitKind::Elsewhere => names(&waits.elsewhere),
                _ => String::new(),
            },
        )
    };
    let (log_rows, rest): (Vec<&LiveWait>, Vec<&LiveWait>) =
        waits.sessions.iter().partition(|wait| wait.kind.is_log());
    let all: f64 = log_rows.iter().map(|wait| wait.backends).sum();
    let mut rows: Vec<Row> = log_rows.into_iter().map(row).collect();
    rows.push(Row::figures("WAL in total", cells(all, dash()), ""));
    rows.extend(rest.into_iter().map(row));
    Some(Table::figures("ACTIVE SESSIONS", ["sessions", "±95%", "per commit", "share"], rows))
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

/// Settings, standbys, what looking took.
fn remarks(log: &LiveLog) -> Vec<Entry> {
    let joined = |texts: Vec<String>, by: &str| Some(texts.join(by)).filter(|all| !all.is_empty());
    let settings = SHOWN.iter().filter_map(|name| log.setting(name)).map(setting).collect();
    let standbys = log.standbys.iter().map(standby).collect();
    let all = [
        ("settings", joined(settings, ", ")),
        ("standbys", joined(standbys, "; ")),
        ("sampling", Some(looking(&log.cost))),
    ];
    all.into_iter().filter_map(|(label, text)| Some(Entry::new(label, text?))).collect()
}

/// `fsync on`, and whether only our session has it.
pub(crate) fn setting(setting: &LiveSetting) -> String {
    let whose = if setting.is_ours() { " (narrows' session)" } else { "" };
    let value = if setting.value.is_empty() { "''" } else { &setting.value };
    format!("{} {value}{whose}", setting.name)
}

/// What looking took.
pub(crate) fn looking(cost: &LiveCost) -> String {
    let unanswered = match cost.unanswered {
        0 => String::new(),
        n => format!(" ({n} not answered, {} lost)", time(cost.unanswered_ns)),
    };
    let took = match cost.processors {
        Some(share) => format!("{} of one CPU, narrows' and the server's", percent(share)),
        None => format!("{} of one CPU", percent(cost.share)),
    };
    let mut text = format!("took {} queries{unanswered} and {took}", cost.statements);
    if let Some(lines) = cost.log_lines_per_min {
        let by = cost.logged_by.join(", ");
        text += &format!(
            "; about {} lines per minute in the server's log ({by})",
            significant(lines, 2)
        );
    }
    let held = match cost.paced_by {
        Some(LivePace::Processor) => {
            format!("{} of a CPU", percent(LivePace::PROCESSOR_SHARE))
        }
        Some(LivePace::LogLines) => {
            format!("{} lines per minute there", LivePace::LOG_LINES_PER_MIN)
        }
        None => return text + "; nothing was changed",
    };
    let rate = cost.questions_per_s.map_or(String::new(), |n| significant(n, 2));
    let usual = LivePace::USUAL_PER_S;
    text + &format!(
        "; samples were limited to {held}, at least one per window: {rate} per second instead of {usual}; nothing was changed"
    )
}

fn standby(standby: &LiveStandby) -> String {
    let words = |text: &Option<String>| text.clone().unwrap_or_else(|| "not visible".into());
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
