//! One row per metric, for spreadsheets and scripts (RFC 4180). Values are unrounded, in the unit of the `unit`
//! column; an interval that does not exist is two empty cells, not zeros. A name that a spreadsheet would take for a formula has
//! a `'` before it.

mod calibration;
mod comparison;
mod observed;

use crate::report::Report;
use crate::words;

const HEADER: [&str; 10] =
    ["measurement", "layer", "validity", "metric", "unit", "value", "low", "high", "n", "samples"];

/// All metrics of all measurements, what servers were seen to do, then the calibrations with their curves and what was
/// predicted of places for the log; invalid ones too, marked as such in `validity`. `samples` are separated by
/// spaces in the order of the repeats; `low` and `high` are the 95 % interval.
pub(crate) fn csv(report: &Report) -> String {
    let mut out = String::new();
    line(&mut out, &HEADER.map(str::to_string));
    for m in &report.run.measurements {
        for metric in &m.metrics {
            let end = |pick: fn(&narrows_model::Interval) -> f64| {
                metric.interval_95.as_ref().map_or(String::new(), |i| pick(i).to_string())
            };
            let samples: Vec<String> = metric.samples.iter().map(f64::to_string).collect();
            line(
                &mut out,
                &[
                    m.id.clone(),
                    m.layer.word().to_string(),
                    words::validity(m.validity).to_string(),
                    metric.name.clone(),
                    unit_word(metric.unit),
                    metric.value.to_string(),
                    end(|i| i.low),
                    end(|i| i.high),
                    metric.samples.len().to_string(),
                    samples.join(" "),
                ],
            );
        }
    }
    for m in &report.run.measurements {
        if let Some(notice) =
            m.workload.get(narrows_model::condition::DERIVED).and_then(|value| value.as_str())
        {
            line(&mut out, &notice_row(m, notice));
        }
    }
    for calibration in &report.run.calibrations {
        calibration::rows(&mut out, calibration);
    }
    for seen in &report.run.observations {
        let of = report.run.measurement(&seen.measurement);
        let validity = of.map_or("valid", |m| words::validity(m.validity));
        observed::rows(&mut out, seen, validity);
    }
    if let Some(comparison) = &report.run.comparison {
        comparison::rows(&mut out, comparison);
    }
    out
}

/// What a measurement's figures must not be taken for, where its workload says so: in the last column.
fn notice_row(m: &narrows_model::Measurement, notice: &str) -> [String; 10] {
    let mut cells: [String; 10] = Default::default();
    cells[0] = m.id.clone();
    cells[1] = m.layer.word().to_string();
    cells[2] = words::validity(m.validity).to_string();
    cells[3] = "derived".to_string();
    cells[9] = notice.to_string();
    cells
}

/// The unit as the run file spells it.
pub(crate) fn unit_word(unit: narrows_model::Unit) -> String {
    match serde_json::to_value(unit) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

fn line(out: &mut String, cells: &[String]) {
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&narrows_units::shown_cell(cell));
    }
    out.push_str("\r\n");
}
