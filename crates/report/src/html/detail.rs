//! Behind the answer: distributions, sweeps, time series, and every metric of every measurement.

use std::collections::BTreeSet;

use narrows_model::{LimitBasis, Measurement, Metric, Series, Validity, condition, metric};
use serde_json::Value;

use super::escape::text;
use super::{charts, inventory, table, workload};
use crate::calibration::owner;
use crate::print::{half_width, percent};
use crate::report::Report;
use crate::wide::nearest;
use crate::words;

/// Metrics that say most about a measurement, in this order.
const PRIMARY: [Metric; 4] =
    [metric::THROUGHPUT, metric::BANDWIDTH, metric::COST, metric::LATENCY_MEAN];

fn figure(caption: &str, sub: &str, chart: &str) -> String {
    format!(
        "<figure><figcaption><code>{}</code> <span class=\"soft\">{}</span></figcaption>{chart}</figure>",
        text(caption),
        text(sub)
    )
}

fn drawable(report: &Report) -> impl Iterator<Item = &Measurement> {
    // A calibration's windows and the log's ladder have pictures of their own.
    let elsewhere = |m: &Measurement| {
        owner(&report.run.calibrations, &m.id).is_some() || m.id.starts_with("log.ladder.")
    };
    let usable = |m: &&Measurement| m.validity != Validity::Invalid;
    report.run.measurements.iter().filter(usable).filter(move |m| !elsewhere(m))
}

/// Latency by percentile, small multiples.
pub(super) fn latency(report: &Report) -> String {
    let mut figures = String::new();
    for m in drawable(report) {
        let mut names: BTreeSet<&str> = m.histograms.iter().map(|h| h.name.as_str()).collect();
        names.remove(charts::STRAGGLERS);
        for name in names {
            if let Some(chart) = charts::percentiles(m, name, report.units) {
                let how = m.text(condition::LOOP).map_or(String::new(), |l| format!("{l} loop, "));
                let what = match name {
                    "latency_intended" => "from when each was due".to_string(),
                    name => name.replace('_', " "),
                };
                figures += &figure(&m.id, &format!("{how}{what}"), &chart);
            }
        }
    }
    let elsewhere = !report.run.calibrations.is_empty() || !report.ladder.is_empty();
    if figures.is_empty() && elsewhere {
        return String::new();
    }
    let body = if figures.is_empty() {
        "<p class=\"soft\">No distribution was recorded.</p>".to_string()
    } else {
        format!(
            "<p class=\"soft\">All repeats together in bold, each repeat thin. Percentiles on a scale of nines; a \
             curve ends where fewer than ten samples lie beyond.</p><div class=\"charts\">{figures}</div>"
        )
    };
    format!("<section id=\"latency\"><h2>Latency</h2>{body}</section>")
}

/// What each depth gave.
pub(super) fn sweeps(report: &Report) -> String {
    let mut figures = String::new();
    for m in drawable(report) {
        let names: BTreeSet<&str> =
            m.series.iter().filter(|s| !s.x.is_empty()).map(|s| s.name.as_str()).collect();
        for name in names {
            let series: Vec<&Series> =
                m.series.iter().filter(|s| s.name == name && !s.x.is_empty()).collect();
            let chosen = m.number(condition::DEPTH).or(m.value(metric::DEPTH));
            if let Some(chart) = charts::sweep(&series, chosen, report.units) {
                let what = name.strip_prefix("curve.").unwrap_or(name).replace(['_', '.'], " ");
                figures += &figure(&m.id, &what, &chart);
            }
        }
    }
    section(
        &figures,
        "Sweeps",
        "Each step of the search for the knee; the dashed line is the step that was chosen.",
    )
}

/// What happened inside the windows.
pub(super) fn time_series(report: &Report) -> String {
    let mut figures = String::new();
    for m in drawable(report) {
        let timed = |s: &&Series| s.x.is_empty() && s.interval_ns > 0 && !workload::draws(&s.name);
        let names: BTreeSet<&str> =
            m.series.iter().filter(timed).map(|s| s.name.as_str()).collect();
        for name in names {
            let series: Vec<&Series> =
                m.series.iter().filter(timed).filter(|s| s.name == name).collect();
            if let Some(chart) = charts::over_time(&series, report.units) {
                figures += &figure(&m.id, &name.replace('_', " "), &chart);
            }
        }
    }
    section(&figures, "Over time", "One line per repeat, from the start of its window.")
}

fn section(figures: &str, title: &str, what: &str) -> String {
    if figures.is_empty() {
        return String::new();
    }
    format!(
        "<section><h2>{title}</h2><p class=\"soft\">{what}</p><div class=\"charts\">{figures}</div></section>"
    )
}

/// Every measurement with its repeats; the rest of its metrics and its conditions open on demand.
pub(super) fn measurements(report: &Report) -> String {
    let mut out = "<section id=\"measurements\"><h2>Measurements</h2><p class=\"soft\">A dot per repeat, the 95 % \
                   interval as a band, the median as a tick; a strip spans at least ±5 %.</p>"
        .to_string();
    for m in &report.run.measurements {
        out += &measurement(report, m);
    }
    out + "</section>"
}

fn basis(basis: LimitBasis) -> &'static str {
    match basis {
        LimitBasis::Raw => "signal rate",
        LimitBasis::Protocol => "after headers",
        LimitBasis::Expected => "as good systems",
        LimitBasis::Configured => "set",
    }
}

/// Is this normal? What others measured on the same class of part, beside what was measured here.
fn normals(report: &Report, m: &Measurement) -> String {
    if m.normals.is_empty() {
        return String::new();
    }
    let figure = |value: f64, unit| text(&report.units.quantity(value, unit));
    let rows: Vec<Vec<String>> = m
        .normals
        .iter()
        .map(|normal| {
            let range = if normal.low == normal.high {
                figure(normal.low, normal.unit)
            } else {
                format!(
                    "{} to {}",
                    figure(normal.low, normal.unit),
                    figure(normal.high, normal.unit)
                )
            };
            vec![
                text(&normal.what),
                text(&normal.of),
                figure(normal.measured, normal.unit),
                range,
                text(&normal.grade.replace('_', " ")),
                text(&normal.source),
            ]
        })
        .collect();
    let headers = ["is this normal?", "measured on", "here>", "there>", "grade", "source"];
    table(&headers, &rows)
}

fn measurement(report: &Report, m: &Measurement) -> String {
    let class = match m.validity {
        Validity::Valid => "soft",
        Validity::Suspect => "mark",
        Validity::Invalid => "bad",
    };
    let invalid = m.validity == Validity::Invalid;
    let lead = PRIMARY.into_iter().find_map(|metric| m.metric(metric)).or(m.metrics.first());
    let headline = lead.filter(|_| !invalid).map_or(String::new(), |lead| {
        let spread = half_width(lead.interval_95.as_ref())
            .map_or(String::new(), |share| format!("±{}", percent(share)));
        format!(
            "<span class=\"lead strong\">{}</span><span class=\"pm soft\">{spread}</span>{}",
            text(&report.units.quantity(lead.value, lead.unit)),
            charts::repeats(lead, report.units)
        )
    });
    let mut out = format!(
        "<details><summary><code>{}</code>{headline}<span class=\"{class}\">{}</span> <span class=\"soft\">{}</span></summary>",
        text(&m.id),
        if m.validity == Validity::Valid { "" } else { words::validity(m.validity) },
        words::counted(m.repeats as usize, "repeat"),
    );
    let rows: Vec<Vec<String>> = m
        .metrics
        .iter()
        .map(|metric| {
            let interval = metric.interval_95.as_ref().map_or("-".to_string(), |i| {
                format!(
                    "{} to {}",
                    text(&report.units.quantity(i.low, metric.unit)),
                    text(&report.units.quantity(i.high, metric.unit))
                )
            });
            vec![
                text(&metric.name.replace('_', " ")),
                text(&report.units.quantity(metric.value, metric.unit)),
                interval,
                metric.samples.len().to_string(),
                charts::repeats(metric, report.units).to_string(),
            ]
        })
        .collect();
    if invalid {
        out += "<p class=\"bad\">Invalid: these figures are wrong and stand here only to show how.</p>";
    }
    out += &table(&["metric", "value>", "95 % interval>", "n>", "repeats"], &rows);
    if !m.limits.is_empty() {
        let near = lead.and_then(|lead| nearest(m, lead.unit));
        let rows: Vec<Vec<String>> = m
            .limits
            .iter()
            .map(|l| {
                let mark =
                    if near == Some(l) { " <span class=\"strong\">nearest</span>" } else { "" };
                vec![
                    text(&l.id) + mark,
                    basis(l.basis).to_string(),
                    text(&report.units.quantity(l.value, l.unit)),
                    charts::share_bar(l.share).to_string(),
                    percent(l.share),
                    text(&l.source),
                ]
            })
            .collect();
        out += &table(&["limit", "basis", "value>", "", "share>", "source"], &rows);
    }
    out += &normals(report, m);
    let pairs = |map: &std::collections::BTreeMap<String, Value>| {
        let map: serde_json::Map<String, Value> =
            map.iter().map(|(k, v)| (k.clone(), v.clone())).collect();
        inventory::pairs(&map, report.units)
    };
    if !m.workload.is_empty() {
        out += &format!("<h3>Asked for</h3>{}", pairs(&m.workload));
    }
    if !m.conditions.is_empty() {
        out += &format!("<h3>Obtained</h3>{}", pairs(&m.conditions));
    }
    out + "</details>"
}
