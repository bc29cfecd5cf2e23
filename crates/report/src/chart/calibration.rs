//! Pictures of a calibration: latency against rate, percentiles, latency over time, interference.

use narrows_model::{Calibration, Measurement, Metric, Run, Validity, metric};

use super::rate_chart::rate_chart;
use super::window_charts::{NamedLine, interference, over_time, percentiles};
use crate::calibration::{RateAnswer, operation, windows};
use crate::document::{Block, Figure};

/// The pictures of one calibration, and why some are missing.
pub(crate) fn figures(run: &Run, c: &Calibration, answer: &RateAnswer) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    match rate_chart(c).filter(|_| !answer.curve.is_empty()) {
        Some(svg) => blocks.push(Block::figure(
            "Latency against rate",
            "the band is where the crossing lies; a cross is a rate whose queue grows",
            svg,
        )),
        None => missing.push(format!("latency against rate: the curve is {}", answer.curve_remark)),
    }
    let mut small = Vec::new();
    match percentiles(run, c) {
        Some(svg) => small.push(Figure::new(
            "Percentiles",
            "at several rates; ten operations lie beyond the end of a line",
            svg,
        )),
        None => missing.push("percentile curves: its windows kept no distribution".to_string()),
    }
    match over_time(run, c) {
        Some(svg) => small.push(Figure::new(
            "Over time",
            "in the windows that the answer rests on; a line per run",
            svg,
        )),
        None => {
            missing
                .push("latency over time: the windows that it rests on kept no series".to_string());
        }
    }
    let lines = beside(run, c);
    match interference(&lines, c).filter(|_| lines.len() > 1) {
        Some(svg) => small.push(Figure::new("Interference", compared(run, c), svg)),
        None => missing.extend(not_compared(c)),
    }
    if let Some(first) = small.first_mut() {
        first.wide = true;
        blocks.push(Block::Figures(small));
    }
    if !missing.is_empty() {
        blocks.push(Block::explanation(format!("Not shown: {}.", missing.join("; "))));
    }
    blocks
}

/// p99 against rate: of this load's operations, and of the same operations with nothing beside them, where the run
/// has that.
fn beside(run: &Run, c: &Calibration) -> Vec<NamedLine> {
    if c.goal.beside.is_none() && operation(c) != "operation" {
        return Vec::new();
    }
    let mut lines = Vec::new();
    if let Some(alone) = reads_alone(run, c) {
        lines.push(NamedLine {
            name: "reads alone".into(),
            strong: false,
            points: of_curve(alone),
        });
    }
    if operation(c) == "operation" {
        let kind = |rate, p99| points(windows(run, c), rate, p99);
        let reads = kind(metric::READ_THROUGHPUT, metric::READ_LATENCY_P99);
        let writes = kind(metric::WRITE_THROUGHPUT, metric::WRITE_LATENCY_P99);
        lines.push(NamedLine { name: "reads".into(), strong: true, points: reads });
        lines.push(NamedLine { name: "writes".into(), strong: false, points: writes });
    } else {
        lines.push(NamedLine {
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
    rate: Metric,
    p99: Metric,
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
