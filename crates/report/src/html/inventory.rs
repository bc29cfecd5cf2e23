//! Machines and plan, in full: any JSON value as nested tables, so that a new field needs no code here.

use narrows_model::{Finding, Platform};
use narrows_units::Nanos;
use serde_json::{Map, Value};

use super::boxes;
use super::escape::text;
use super::table;
use crate::print::{self, Units};
use crate::report::Report;

pub(super) fn machines(report: &Report) -> String {
    let mut out = "<section id=\"machine\"><h2>Machine</h2>".to_string();
    for host in &report.run.hosts {
        let name = host.platform.hostname.as_deref().unwrap_or("host");
        if report.run.hosts.len() > 1 {
            out += &format!("<h3>{}</h3>", text(name));
        }
        // Findings name no host, so with several of them none is drawn at a box.
        let alone = report.run.hosts.len() == 1;
        let findings = if alone { report.run.findings.as_slice() } else { &[] };
        out += &machine(&host.platform, name, findings, report.units);
    }
    out + "</section>"
}

/// The picture of one machine and all that is known of it.
pub(super) fn machine(
    platform: &Platform,
    name: &str,
    findings: &[Finding],
    units: Units,
) -> String {
    let mut out = String::new();
    if let Some(picture) = boxes::picture(platform, name, findings) {
        out += &picture;
    }
    let Ok(Value::Object(platform)) = serde_json::to_value(platform) else { return out };
    let (nested, flat): (Map<_, _>, Map<_, _>) = platform
        .into_iter()
        .filter(|(_, v)| !v.is_null())
        .partition(|(_, v)| v.is_object() || as_objects(v).is_some());
    out += &pairs(&flat, units);
    for (key, value) in nested {
        out += &format!(
            "<details><summary>{}</summary>{}</details>",
            text(&key.replace('_', " ")),
            show("", &value, units)
        );
    }
    out
}

pub(super) fn plan(report: &Report) -> String {
    let plan = &report.run.plan;
    let mut out = "<section id=\"plan\"><h2>Plan</h2>".to_string();
    if let Ok(Value::Object(mut map)) = serde_json::to_value(plan) {
        map.remove("steps");
        out += &pairs(&map, report.units);
    }
    let rows: Vec<Vec<String>> = plan
        .steps
        .iter()
        .map(|step| {
            vec![
                step.layer.word().to_string(),
                text(&step.what),
                Nanos::from_secs_f64(step.expected_s).to_string(),
                report.units.bytes(step.writes_bytes as f64),
            ]
        })
        .collect();
    if !rows.is_empty() {
        out += &table(&["layer", "step", "expected>", "writes at most>"], &rows);
    }
    out + "</section>"
}

/// Keys and values side by side.
pub(super) fn pairs(map: &Map<String, Value>, units: Units) -> String {
    let mut out = "<div class=\"scroll\"><table class=\"pairs\"><tbody>".to_string();
    for (key, value) in map {
        out += &format!(
            "<tr><td>{}</td><td>{}</td></tr>",
            text(&key.replace('_', " ")),
            show(key, value, units)
        );
    }
    out + "</tbody></table></div>"
}

fn as_objects(value: &Value) -> Option<Vec<&Map<String, Value>>> {
    let items = value.as_array()?;
    if items.is_empty() { None } else { items.iter().map(Value::as_object).collect() }
}

/// A value; the end of its key gives the unit.
fn show(key: &str, value: &Value, units: Units) -> String {
    match value {
        Value::Null => "<span class=\"soft\">not known</span>".to_string(),
        Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_string(),
        Value::String(word) => text(word),
        Value::Number(number) => text(&number_text(key, number, units)),
        Value::Object(map) => pairs(map, units),
        Value::Array(items) => {
            if let Some(objects) = as_objects(value) {
                return objects.into_iter().map(|map| pairs(map, units)).collect();
            }
            if items.is_empty() {
                return "<span class=\"soft\">none</span>".to_string();
            }
            let whole: Option<Vec<u64>> = items.iter().map(Value::as_u64).collect();
            match whole {
                Some(numbers) => text(&ranges(&numbers)),
                None => {
                    let items: Vec<String> = items.iter().map(|v| show("", v, units)).collect();
                    items.join(", ")
                }
            }
        }
    }
}

fn number_text(key: &str, number: &serde_json::Number, units: Units) -> String {
    let Some(value) = number.as_f64() else { return number.to_string() };
    match key.rsplit('_').next() {
        // Sizes of blocks, pages and caches are powers of two.
        Some("bytes")
            if value.fract() == 0.0 && value > 0.0 && (value as u64).is_power_of_two() =>
        {
            print::size(value)
        }
        Some("bytes") => units.bytes(value),
        Some("ns") => print::time(value),
        Some("khz") => format!("{} MHz", print::count(value / 1000.0)),
        _ => number.to_string(),
    }
}

/// `0-3, 8`; the order is kept, only runs are joined.
fn ranges(numbers: &[u64]) -> String {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for &n in numbers {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(n) => *last = n,
            _ => parts.push((n, n)),
        }
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(
            |(first, last)| {
                if first == last { first.to_string() } else { format!("{first}-{last}") }
            },
        )
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn runs_of_numbers_are_joined() {
        assert_eq!(super::ranges(&[0, 1, 2, 3, 8, 10, 11]), "0-3, 8, 10-11");
        assert_eq!(super::ranges(&[u64::MAX]), u64::MAX.to_string());
    }
}
