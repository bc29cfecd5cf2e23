//! The answer of a calibration and the loads of storage alone, as Markdown.

use narrows_model::Validity;

use super::{marks, plain, table};
use crate::calibration::RateAnswer;
use crate::print::{rate, time};
use crate::report::Report;

/// All answers.
pub(super) fn answers(report: &Report, out: &mut String) {
    for answer in &report.answers {
        one(answer, out);
    }
}

fn one(answer: &RateAnswer, out: &mut String) {
    let start = match (answer.validity, &answer.rate) {
        (Validity::Invalid, _) => "INVALID".to_string(),
        (_, None) => "NOT FOUND".to_string(),
        (Validity::Suspect, Some(rate)) => format!("{} ?", plain(rate)),
        (Validity::Valid, Some(rate)) => plain(rate),
    };
    let sentence = plain(&answer.sentence);
    out.push_str(&format!(
        "## How many within the limit\n\n**{start}** {sentence}{}\n\n",
        marks(&answer.notes)
    ));
    for fact in &answer.facts {
        out.push_str(&format!("- {}: {}\n", fact.label, plain(&fact.text)));
    }
    if !answer.facts.is_empty() {
        out.push('\n');
    }
    if let Some(form) = &answer.oracle {
        let rows: Vec<Vec<String>> = form
            .lines
            .iter()
            .map(|(name, number, what)| vec![plain(name), number.clone(), plain(what)])
            .collect();
        table(out, &["Oracle", "", "what it is"], &[1], &rows);
        out.push_str(&format!("{}\n\n", plain(&form.differs)));
    }
    curve(answer, out);
    out.push_str(&format!("Method: {}\n\n", plain(&answer.method)));
}

fn curve(answer: &RateAnswer, out: &mut String) {
    let remark = format!("{}{}", plain(&answer.curve_remark), marks(&answer.curve_notes));
    if !answer.curve.is_empty() {
        let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
        let rows: Vec<Vec<String>> = answer
            .curve
            .iter()
            .map(|row| {
                vec![
                    rate(row.asked_per_s),
                    rate(row.achieved_per_s),
                    cell(row.latency_p50_ns),
                    cell(row.latency_p99_ns),
                    cell(row.latency_p999_ns),
                    cell(row.cpu_per_op_ns),
                    plain(&row.remark),
                ]
            })
            .collect();
        let header = ["asked", "reached", "p50", "p99", "p99.9", "CPU/op", "remark"];
        table(out, &header, &[0, 1, 2, 3, 4, 5], &rows);
    }
    if !remark.is_empty() && answer.validity != Validity::Invalid {
        out.push_str(&format!("Curve: {remark}\n\n"));
    }
}

/// The loads.
pub(super) fn loads(report: &Report, out: &mut String) {
    if report.loads.is_empty() {
        return;
    }
    let cell = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
    let rows: Vec<Vec<String>> = report
        .loads
        .iter()
        .map(|row| {
            let mark = if row.validity == Validity::Suspect { " ?" } else { "" };
            let bytes = row.bandwidth_bytes_per_s.map(|b| report.units.bytes_per_s(b));
            let first = match row.validity {
                Validity::Invalid => "invalid".to_string(),
                _ => row.rate_per_s.map_or_else(|| "-".to_string(), rate),
            };
            vec![
                format!("{}{mark}", plain(&row.name)),
                first,
                bytes.unwrap_or_else(|| "-".to_string()),
                cell(row.latency_mean_ns),
                cell(row.latency_p50_ns),
                cell(row.latency_p99_ns),
                cell(row.latency_p999_ns),
                cell(row.cpu_per_op_ns),
                format!("{}{}", plain(&row.remark), marks(&row.notes)),
            ]
        })
        .collect();
    out.push_str("## Loads\n\n");
    let header = ["load", "rate", "bytes", "mean", "p50", "p99", "p99.9", "CPU/op", "remark"];
    table(out, &header, &[1, 2, 3, 4, 5, 6, 7], &rows);
}
