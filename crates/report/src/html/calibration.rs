//! The answers of a calibration as page sections: the answer with what is beside it, and its pictures.

use narrows_model::{Calibration, Measurement, Run, Validity, metric};

use super::escape::text;
use super::rate_chart::rate_chart;
use super::sections::marks;
use super::table;
use super::window_charts::{Line, interference, over_time, percentiles};
use crate::calibration::{OracleForm, RateAnswer, operation, windows};
use crate::print::{rate, time};
use crate::report::Report;

/// The answers.
pub(super) fn answers(report: &Report) -> String {
    if report.answers.is_empty() {
        return String::new();
    }
    let articles: String = report.answers.iter().map(article).collect();
    format!("<section id=\"answer\"><h2>How many within the limit</h2>{articles}</section>")
}

fn article(answer: &RateAnswer) -> String {
    let lead = match (answer.validity, &answer.rate) {
        (Validity::Invalid, _) => "<span class=\"rate bad\">invalid</span>".to_string(),
        (_, None) => "<span class=\"rate mark\">not found</span>".to_string(),
        (Validity::Suspect, Some(rate)) => {
            format!(
                "<span class=\"rate\">{}</span> <span class=\"mark\">? suspect</span>",
                text(rate)
            )
        }
        (Validity::Valid, Some(rate)) => format!("<span class=\"rate\">{}</span>", text(rate)),
    };
    let mut out = format!(
        "<article class=\"answer\"><header>{lead}<span class=\"phrase\">{}{}</span></header><dl class=\"facts-of\">",
        text(&answer.sentence),
        marks(&answer.notes)
    );
    for fact in &answer.facts {
        out += &format!("<dt>{}</dt><dd>{}</dd>", fact.label, text(&fact.text));
    }
    if let Some(form) = &answer.oracle {
        out += &oracle(form);
    }
    out += &format!("<dt>method</dt><dd>{}</dd></dl></article>", text(&answer.method));
    out
}

fn oracle(form: &OracleForm) -> String {
    let lines: Vec<String> = form
        .lines
        .iter()
        .map(|(name, number, what)| {
            format!(
                "{:<8} = {:<9} <span class=\"soft\">{}</span>",
                text(name),
                text(number),
                text(what)
            )
        })
        .collect();
    format!("<dt>Oracle</dt><dd><pre>{}</pre>{}</dd>", lines.join("\n"), text(&form.differs))
}

/// The pictures, with the curve as a table behind them.
pub(super) fn pictures(report: &Report) -> String {
    let run = &report.run;
    let mut out = String::new();
    for (c, answer) in run.calibrations.iter().zip(&report.answers) {
        if c.validity == Validity::Invalid {
            continue;
        }
        out += &format!("<h3>{}</h3>", text(&title(c)));
        out += &of_one(run, c, answer);
    }
    if out.is_empty() {
        return String::new();
    }
    format!("<section id=\"pictures\"><h2>Latency against rate</h2>{out}</section>")
}

fn title(c: &Calibration) -> String {
    match &c.goal.beside {
        Some(beside) => format!("{} beside {beside}", c.goal.what),
        None => c.goal.what.clone(),
    }
}

fn of_one(run: &Run, c: &Calibration, answer: &RateAnswer) -> String {
    let mut out = String::new();
    let mut missing: Vec<String> = Vec::new();
    match rate_chart(c).filter(|_| !answer.curve.is_empty()) {
        Some(chart) => {
            out += &figure(
                "Latency against rate",
                "the band is where the crossing lies; a cross is a rate whose queue grows",
                &chart,
            )
        }
        None => missing.push(format!("latency against rate: the curve is {}", answer.curve_remark)),
    }
    let mut small = String::new();
    match percentiles(run, c) {
        Some(chart) => {
            small += &figure(
                "Percentiles",
                "at several rates; ten operations lie beyond the end of a line",
                &chart,
            )
        }
        None => missing.push("percentile curves: its windows kept no distribution".to_string()),
    }
    match over_time(run, c) {
        Some(chart) => {
            small += &figure(
                "Over time",
                "in the windows that the answer rests on; a line per run",
                &chart,
            )
        }
        None => {
            missing.push("latency over time: the windows it rests on kept no series".to_string())
        }
    }
    let lines = beside(run, c);
    match interference(&lines, c).filter(|_| lines.len() > 1) {
        Some(chart) => small += &figure("Interference", &compared(run, c), &chart),
        None => missing.extend(not_compared(c)),
    }
    if !small.is_empty() {
        out += &format!("<div class=\"charts wide\">{small}</div>");
    }
    if !missing.is_empty() {
        out += &format!("<p class=\"soft\">Not shown: {}.</p>", text(&missing.join("; ")));
    }
    out + &curve(answer)
}

fn figure(caption: &str, sub: &str, chart: &str) -> String {
    format!(
        "<figure><figcaption>{} <span class=\"soft\">{}</span></figcaption>{chart}</figure>",
        text(caption),
        text(sub)
    )
}

fn curve(answer: &RateAnswer) -> String {
    if answer.curve.is_empty() {
        return String::new();
    }
    let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    let rows: Vec<Vec<String>> = answer
        .curve
        .iter()
        .map(|row| {
            vec![
                format!("<span class=\"strong\">{}</span>", text(&rate(row.asked_per_s))),
                text(&rate(row.achieved_per_s)),
                cell(row.latency_p50_ns),
                cell(row.latency_p99_ns),
                cell(row.latency_p999_ns),
                cell(row.cpu_per_op_ns),
                text(&row.remark),
            ]
        })
        .collect();
    let headers = ["asked>", "reached>", "p50>", "p99>", "p99.9>", "CPU/op>", ""];
    let remark = text(&answer.curve_remark);
    let remark = format!("{remark}{}", marks(&answer.curve_notes));
    format!("{}<p class=\"soft\">{remark}</p>", table(&headers, &rows))
}

/// p99 against rate: of this load's operations, and of the same operations with nothing beside them, where the run
/// has that.
fn beside(run: &Run, c: &Calibration) -> Vec<Line> {
    if c.goal.beside.is_none() && operation(c) != "operation" {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if let Some(alone) = reads_alone(run, c) {
        lines.push(Line { name: "reads alone".into(), strong: false, points: of_curve(alone) });
    }
    if operation(c) == "operation" {
        let kind = |rate, p99| points(windows(run, c), rate, p99);
        let reads = kind(metric::READ_THROUGHPUT, metric::READ_LATENCY_P99);
        let writes = kind(metric::WRITE_THROUGHPUT, metric::WRITE_LATENCY_P99);
        lines.push(Line { name: "reads".into(), strong: true, points: reads });
        lines.push(Line { name: "writes".into(), strong: false, points: writes });
    } else {
        lines.push(Line {
            name: format!("{}s, beside", operation(c)),
            strong: true,
            points: of_curve(c),
        });
    }
    lines.retain(|line| line.points.len() > 1);
    lines
}

/// The same reads with nothing beside them.
fn reads_alone<'a>(run: &'a Run, c: &Calibration) -> Option<&'a Calibration> {
    run.calibrations.iter().find(|other| {
        other.goal.beside.is_none()
            && operation(other) == "read"
            && other.goal.block_bytes == c.goal.block_bytes
            && other.validity != Validity::Invalid
    })
}

fn of_curve(c: &Calibration) -> Vec<(f64, f64)> {
    let steady = c.curve.iter().filter(|point| point.bounded && !point.sentinel);
    let mut points: Vec<(f64, f64)> =
        steady.filter_map(|point| Some((point.achieved_per_s, point.latency_p99_ns?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn points<'a>(
    windows: impl Iterator<Item = &'a Measurement>,
    rate: &str,
    p99: &str,
) -> Vec<(f64, f64)> {
    let usable = windows.filter(|m| m.validity != Validity::Invalid);
    let mut points: Vec<(f64, f64)> =
        usable.filter_map(|m| Some((m.value(rate)?, m.value(p99)?))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

fn compared(run: &Run, c: &Calibration) -> String {
    match reads_alone(run, c) {
        Some(_) => "p99 against rate, with and without what runs beside".to_string(),
        None => "p99 of reads and of writes; this run has no reads alone to compare them with"
            .to_string(),
    }
}

/// Why there is no picture of interference; nothing of commits, which have a ladder instead.
fn not_compared(c: &Calibration) -> Option<String> {
    let why = match operation(c) {
        // Commits have the ladder's load beside them, or nothing.
        "commit" => return None,
        "operation" => "interference: its windows do not tell reads and writes apart",
        _ if c.goal.beside.is_some() => {
            "interference: this run has not the same load with nothing beside it"
        }
        _ => {
            "interference of reads and writes: nothing else ran (narrows block interference shows it)"
        }
    };
    Some(why.to_string())
}

/// The loads of a run of storage alone.
pub(super) fn loads(report: &Report) -> String {
    if report.loads.is_empty() {
        return String::new();
    }
    let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    let rows: Vec<Vec<String>> = report
        .loads
        .iter()
        .map(|row| {
            let mark = match row.validity {
                Validity::Suspect => " <span class=\"mark\">?</span>",
                _ => "",
            };
            let first = match row.validity {
                Validity::Invalid => "<span class=\"bad\">invalid</span>".to_string(),
                _ => row.rate_per_s.map_or_else(|| "-".to_string(), |per_s| text(&rate(per_s))),
            };
            let bytes = row.bandwidth_bytes_per_s.map(|b| text(&report.units.bytes_per_s(b)));
            vec![
                format!("{}{mark}", text(&row.name)),
                format!("<span class=\"strong\">{first}</span>"),
                bytes.unwrap_or_else(|| "-".to_string()),
                cell(row.latency_mean_ns),
                cell(row.latency_p50_ns),
                cell(row.latency_p99_ns),
                cell(row.latency_p999_ns),
                cell(row.cpu_per_op_ns),
                format!("{}{}", text(&row.remark), marks(&row.notes)),
            ]
        })
        .collect();
    let headers = ["", "rate>", "bytes>", "mean>", "p50>", "p99>", "p99.9>", "CPU/op>", "remark"];
    format!("<section id=\"loads\"><h2>Loads</h2>{}</section>", table(&headers, &rows))
}
