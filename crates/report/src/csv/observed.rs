//! A server that was looked at, as rows: its counters, its processes at work by class and state, processors by class, and the
//! history with one sample for each slice.

use narrows_model::{ActivityState, ActivityWhere, Interval, Observation};
use serde_json::{Value, to_value};

use super::{line, unit_word};

struct Row<'a> {
    about: &'a str,
    validity: &'static str,
    name: String,
    unit: &'a str,
    value: f64,
    interval: Option<&'a Interval>,
    samples: &'a [f64],
}

/// All rows of one server. They stand under the measurement's id with `.counted`, `.at_work`, `.cpus` and `.history`.
pub(super) fn rows(out: &mut String, seen: &Observation, validity: &'static str) {
    counted(out, seen, validity);
    let about = format!("{}.at_work", seen.measurement);
    for found in &seen.activity.found {
        at_work(out, &about, found, validity);
    }
    processors(out, seen, validity);
    history(out, seen, validity);
}

/// As the run file spells it.
fn word(value: serde_json::Result<Value>) -> String {
    match value {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

fn put(out: &mut String, row: &Row) {
    let end = |pick: fn(&Interval) -> f64| {
        row.interval.map_or(String::new(), |interval| pick(interval).to_string())
    };
    let samples: Vec<String> = row.samples.iter().map(f64::to_string).collect();
    let cells = [
        row.about.to_string(),
        "database".to_string(),
        row.validity.to_string(),
        row.name.clone(),
        row.unit.to_string(),
        row.value.to_string(),
        end(|i| i.low),
        end(|i| i.high),
        row.samples.len().to_string(),
        samples.join(" "),
    ];
    line(out, &cells);
}

/// Sums over the look; the unit is the last part of the name.
fn counted(out: &mut String, seen: &Observation, validity: &'static str) {
    let about = format!("{}.counted", seen.measurement);
    let Ok(Value::Object(counts)) = to_value(seen.counted) else { return };
    for (name, value) in counts {
        let Some(value) = value.as_f64() else { continue };
        let unit = match name.rsplit('_').next() {
            Some("ns") => "ns",
            Some("bytes") => "bytes",
            _ => "count",
        };
        put(out, &Row { validity, about: &about, name, unit, value, interval: None, samples: &[] });
    }
}

fn at_work(out: &mut String, about: &str, found: &ActivityWhere, validity: &'static str) {
    put(
        out,
        &Row {
            validity,
            about,
            name: format!("{}.{}", word(to_value(found.class)), word(to_value(found.state))),
            unit: "count",
            value: found.processes,
            interval: found.interval_95.as_ref(),
            samples: &found.windows,
        },
    );
}

fn processors(out: &mut String, seen: &Observation, validity: &'static str) {
    let Some(processes) = &seen.processes else { return };
    let about = format!("{}.cpus", seen.measurement);
    let classes =
        processes.classes.iter().map(|class| (word(to_value(class.class)), Some(class.cpus)));
    let rest = [
        ("kernel", processes.kernel_cpus),
        ("others_here", processes.other_cpus),
        ("machine", Some(processes.machine_cpus)),
        ("allowed", Some(processes.allowed_cpus)),
    ];
    let rest = rest.into_iter().map(|(who, cpus)| (who.to_string(), cpus));
    let unit = unit_word(narrows_model::Unit::Cpus);
    for (name, value) in classes.chain(rest).filter_map(|(who, cpus)| Some((who, cpus?))) {
        put(
            out,
            &Row {
                validity,
                about: &about,
                name,
                unit: &unit,
                value,
                interval: None,
                samples: &[],
            },
        );
    }
}

/// `at` has the middle of each slice, and each state how many sessions were in it then.
fn history(out: &mut String, seen: &Observation, validity: &'static str) {
    let moments = &seen.activity.history;
    if moments.is_empty() {
        return;
    }
    let about = format!("{}.history", seen.measurement);
    let at: Vec<f64> = moments.iter().map(|moment| moment.at_ns).collect();
    let last = at.last().copied().unwrap_or_default();
    let (name, unit) = ("at".to_string(), "ns");
    put(
        out,
        &Row { validity, about: &about, name, unit, value: last, interval: None, samples: &at },
    );
    for state in ActivityState::ALL {
        let of = |found: &[(ActivityState, f64)]| {
            found.iter().find(|(other, _)| *other == state).map_or(0.0, |(_, n)| *n)
        };
        let samples: Vec<f64> = moments.iter().map(|moment| of(&moment.sessions)).collect();
        if samples.iter().any(|n| *n > 0.0) {
            let value = samples.iter().sum::<f64>() / samples.len() as f64;
            let (name, unit) = (word(to_value(state)), "count");
            put(
                out,
                &Row {
                    validity,
                    about: &about,
                    name,
                    unit,
                    value,
                    interval: None,
                    samples: &samples,
                },
            );
        }
    }
}
