//! The commit log as Markdown: in short, its ladder, its sessions, several of them on one device.

use narrows_model::Validity;
use narrows_units::significant;

use super::{marks, plain, table};
use crate::calibration::exact_time;
use crate::log::{CommitsRow, RungFigures, RungRow, Streams, StreamsRow, signed};
use crate::print::{count, percent, rate, time};
use crate::report::Report;

/// What a reader takes home.
pub(super) fn short(report: &Report, out: &mut String) {
    let Some((first, rest)) = report.short.split_first() else { return };
    out.push_str(&format!("## In short\n\n**{}**\n\n", plain(&first.text)));
    for fact in rest {
        out.push_str(&format!("- {}: {}\n", fact.label, plain(&fact.text)));
    }
    if !rest.is_empty() {
        out.push('\n');
    }
}

/// The tables.
pub(super) fn log(report: &Report, out: &mut String) {
    ladder(report, out);
    commits(report, out);
    if let Some(several) = &report.streams {
        streams(report, several, out);
    }
}

fn cell(ns: Option<f64>) -> String {
    ns.map_or_else(|| "-".to_string(), time)
}

fn ladder(report: &Report, out: &mut String) {
    if report.ladder.is_empty() {
        return;
    }
    let beside = report.ladder.iter().any(|row| row.beside.is_some());
    let rows: Vec<Vec<String>> = report.ladder.iter().map(|row| rung(row, beside)).collect();
    let mut header = vec!["rung", "p50", "adds", "p99", "adds", "p99.9"];
    if beside {
        header.extend(["p50 beside data files", "p99 beside", "p99.9 beside"]);
    }
    header.push("remark");
    let right: Vec<usize> = (1..header.len() - 1).collect();
    out.push_str("## The ladder\n\n");
    table(out, &header, &right, &rows);
}

fn rung(row: &RungRow, beside: bool) -> Vec<String> {
    let both = [row.alone.as_ref(), row.beside.as_ref()];
    let suspect = both.into_iter().flatten().any(|f| f.validity == Validity::Suspect);
    let mut cells = vec![format!("{}{}", plain(&row.name), if suspect { " ?" } else { "" })];
    let [p50, p99, p999] = figures(row.alone.as_ref());
    let added = |pick: fn(&RungFigures) -> Option<f64>| {
        row.alone.as_ref().and_then(pick).map_or_else(String::new, signed)
    };
    cells.extend([p50, added(|f| f.added_p50_ns), p99, added(|f| f.added_p99_ns), p999]);
    if beside {
        cells.extend(figures(row.beside.as_ref()));
    }
    cells.push(format!("{}{}", plain(&row.remark), marks(&row.notes)));
    cells
}

fn figures(figures: Option<&RungFigures>) -> [String; 3] {
    match figures {
        None => ["-"; 3].map(String::from),
        Some(f) if f.validity == Validity::Invalid => ["invalid", "", ""].map(String::from),
        Some(f) => [f.p50_ns, f.p99_ns, f.p999_ns].map(cell),
    }
}

fn commits(report: &Report, out: &mut String) {
    if report.commits.is_empty() {
        return;
    }
    let rows: Vec<Vec<String>> = report.commits.iter().map(sessions).collect();
    let header = [
        "sessions",
        "rate",
        "per write",
        "wait mean",
        "p99",
        "write, flush",
        "wake-up",
        "by the law",
        "",
    ];
    out.push_str("## Sessions that share flushes\n\n");
    table(out, &header, &[0, 1, 2, 3, 4, 5, 6, 7], &rows);
}

fn sessions(row: &CommitsRow) -> Vec<String> {
    let dash = || "-".to_string();
    let mark = if row.validity == Validity::Suspect { " ?" } else { "" };
    let first = match row.validity {
        Validity::Invalid => "invalid".to_string(),
        _ => row.rate_per_s.map_or_else(dash, rate),
    };
    vec![
        format!("{}{mark}", count(row.sessions)),
        first,
        row.commits_per_flush.map_or_else(dash, count),
        cell(row.sync_ns),
        cell(row.sync_p99_ns),
        cell(row.write_ns),
        row.wake_up_share.map_or_else(dash, percent),
        cell(row.model_ns),
        marks(&row.notes),
    ]
}

fn streams(report: &Report, streams: &Streams, out: &mut String) {
    let tail = format!("{} wait", streams.tail());
    let over = format!("over {}", exact_time(streams.target_ns));
    let header =
        ["logs", "bytes", "writes", "p50 wait", &tail, &over, "write, flush", "to alone", ""];
    let rows: Vec<Vec<String>> =
        streams.rows.iter().map(|row| stream(report, streams, row)).collect();
    out.push_str("## Several logs on one device\n\n");
    table(out, &header, &[0, 1, 2, 3, 4, 5, 6, 7], &rows);
}

fn stream(report: &Report, streams: &Streams, row: &StreamsRow) -> Vec<String> {
    let dash = || "-".to_string();
    let mark = match row.validity {
        Validity::Valid => "",
        Validity::Suspect => " ?",
        Validity::Invalid => " invalid",
    };
    let bytes = row.bandwidth_bytes_per_s.map(|b| report.units.bytes_per_s(b));
    vec![
        format!("{}{mark}", count(row.streams)),
        bytes.unwrap_or_else(dash),
        row.writes_per_s.map_or_else(dash, rate),
        cell(row.wait_p50_ns),
        cell(row.tail_ns(streams)),
        row.over_share.map_or_else(dash, percent),
        cell(row.write_ns),
        row.to_alone.map_or_else(dash, |ratio| format!("× {}", significant(ratio, 3))),
        marks(&row.notes),
    ]
}
