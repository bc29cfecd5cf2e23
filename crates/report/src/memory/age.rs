//! Whether the memory has aged since the baseline.

use narrows_model::{Key, Measurement, Run, Unit, condition, family};
use narrows_units::significant;
use serde_json::{Map, Value};

use super::{significant_ns, usable};
use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{Units, percent, size};
use crate::words::counted;

/// The table; `None` where nothing was compared.
pub(super) fn view(run: &Run, units: Units) -> Option<AnnotatedTable> {
    let m = usable(run, "memory.baseline.since")?;
    let rows = m.conditions.get(condition::CHANGES)?.iter().filter_map(|change| row(change, units));
    let at = m.text(condition::BASELINE_AT).unwrap_or("?");
    let at = at.get(..16).unwrap_or(at).replace('T', " ");
    let mut table = Table::figures(
        format!("SINCE THE BASELINE  {at}, run {}", m.text(condition::BASELINE).unwrap_or("?")),
        ["then", "now", "ratio", "95%"],
        rows,
    );
    table.rows.extend(states(m));
    Some(AnnotatedTable { table, sentences: age_sentences(m) })
}

fn row(change: &Value, units: Units) -> Option<Row> {
    let number = |key: &str| change.get(key)?.as_f64();
    let told = |value: f64| match change.get("unit").and_then(Value::as_str) {
        Some("bytes_per_s") => units.quantity(value, Unit::BytesPerS),
        _ => significant_ns(value),
    };
    let is = |key: &str| change.get(key) == Some(&Value::Bool(true));
    let sure = change.get("sure") != Some(&Value::Bool(false));
    let remark = match (is("worse"), is("better"), sure) {
        (true, _, true) => "worse",
        (true, _, false) => "? worse, disturbed",
        (_, true, _) => "better",
        (.., false) => "? disturbed",
        _ => "",
    };
    Some(Row::figures(
        name(change.get("id")?.as_str()?),
        [
            told(number("then")?),
            told(number("now")?),
            format!("× {}", significant(number("ratio")?, 3)),
            format!("{} to {}", significant(number("low")?, 3), significant(number("high")?, 3)),
        ],
        remark,
    ))
}

fn name(id: &str) -> String {
    match id {
        "memory.latency.4k" => "load, 4 KiB pages".to_string(),
        "memory.latency.2m" => "load, 2 MiB pages".to_string(),
        "memory.bandwidth.read.core" => "read by one CPU".to_string(),
        id => match family::MEMORY_TOUCH.rest(id) {
            Some(rest) => format!("touching, {}", rest.replace('.', ", ")),
            None => match family::MEMORY_BANDWIDTH_READ_NODE.rest(id) {
                Some(node) => format!("read by node {node}'s CPUs"),
                None => family::MEMORY.rest(id).unwrap_or(id).to_string(),
            },
        },
    }
}

fn number(m: &Measurement, when: Key<Map<String, Value>>, key: Key<f64>) -> Option<f64> {
    m.conditions.get(key.inside(when))
}

/// What was free, and in what pieces.
fn states(m: &Measurement) -> Vec<Row> {
    let rows = [
        ("free, by buddyinfo", condition::FREE_BYTES),
        ("  in blocks of 2 MiB and more", condition::FREE_IN_LARGE_PIECES_BYTES),
        ("huge pages", condition::HUGE_PAGES_BYTES),
        ("  free", condition::HUGE_PAGES_FREE_BYTES),
        ("swap in use", condition::SWAP_USED_BYTES),
    ];
    rows.iter()
        .filter_map(|(name, key)| {
            let (then, now) = (number(m, condition::THEN, *key)?, number(m, condition::NOW, *key)?);
            let ratio = if then > 0.0 {
                format!("× {}", significant(now / then, 3))
            } else {
                "-".to_string()
            };
            (then > 0.0 || now > 0.0)
                .then(|| Row::figures(*name, [size(then), size(now), ratio, String::new()], ""))
        })
        .collect()
}

fn age_sentences(m: &Measurement) -> Vec<String> {
    let reasons: Vec<&str> = m
        .conditions
        .get(condition::REASONS)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let days = |when| number(m, when, condition::UPTIME_S).map(|s| s / 86_400.0);
    let up = match (days(condition::THEN), days(condition::NOW)) {
        (Some(then), Some(now)) => {
            format!(
                " The machine was up {} days then and {} now.",
                significant(then, 2),
                significant(now, 2)
            )
        }
        _ => String::new(),
    };
    let list = |key: Key<[Value]>| m.conditions.get(key);
    let compared = list(condition::CHANGES).map_or(0, <[Value]>::len);
    let mut said = vec![if compared == 0 {
        format!("Nothing could be compared, so there is no statement about age.{up}")
    } else if m.conditions.get(condition::AGED) == Some(true) {
        format!(
            "Aged: what is marked as worse is worse by more than 15 % and beyond its interval.{up}"
        )
    } else {
        format!(
            "Not aged: nothing of {} is worse (more time, lower rate) by more than 15 %, beyond its interval and undisturbed.{up}",
            counted(compared, "figure")
        )
    }];
    let missing =
        list(condition::MISSING).into_iter().flatten().filter_map(|id| Some(name(id.as_str()?)));
    let missing: Vec<String> = missing.collect();
    if !missing.is_empty() {
        said.push(format!(
            "{} of the baseline could not be measured now, so there is no statement about them: {}.",
            counted(missing.len(), "figure"),
            missing.join("; ")
        ));
    }
    let apart = list(condition::NOT_COMPARED).into_iter().flatten().filter_map(|one| {
        Some(format!("{} ({})", name(one.get("id")?.as_str()?), one.get("why")?.as_str()?))
    });
    let apart: Vec<String> = apart.collect();
    if !apart.is_empty() {
        said.push(format!("Not compared: {}.", apart.join("; ")));
    }
    for reason in reasons {
        let share = |when| {
            Some(
                number(m, when, condition::FREE_IN_LARGE_PIECES_BYTES)?
                    / number(m, when, condition::FREE_BYTES)?,
            )
        };
        said.push(match reason {
            "fragmented" => format!(
                "Free memory is more fragmented: {} of it in blocks of 2 MiB and more, {} then. Huge pages reserved at boot are not affected; `echo 1 > /proc/sys/vm/compact_memory` (root) defragments it.",
                share(condition::NOW).map_or("?".to_string(), percent),
                share(condition::THEN).map_or("?".to_string(), percent)
            ),
            "huge pages lost" => "The pool of huge pages is smaller than it was: check vm.nr_hugepages and what set it; reserve it at boot (hugepages= on the kernel command line)."
                .to_string(),
            "huge pages taken" => "Fewer huge pages are free than then: some program uses them, which is what they are for."
                .to_string(),
            "swap used" => "More is in swap than then: what is there is read from a drive when it is needed again.".to_string(),
            "huge pages not obtained any more" => {
                "2 MiB pages were obtained then and are not now: see what is unknown below.".to_string()
            }
            "shared memory less even" => {
                "Shared memory is spread less evenly over the nodes than then: `narrows memory placement` says whose.".to_string()
            }
            other => other.to_string(),
        });
    }
    said
}
