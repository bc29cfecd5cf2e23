//! What a run says of the memory beyond HARDWARE: what each cache costs, what address translation adds, every kind of traffic, and
//! what traffic does to latency.

mod age;
mod clock;
mod loaded;
mod matrix;
mod placement;
mod shape;
mod touch;
mod traffic;
mod translation;

use narrows_model::{Measurement, MetricValue, Run, Validity, condition, metric};

pub(crate) use loaded::{medians, usable as loaded};
pub(crate) use matrix::{Cells, cells};

use crate::document::{AnnotatedTable, Remarks, Row, Table};
use crate::notes::{NoteMark, Notes};
use crate::print::{self, Units, percent};

/// The tables, with what follows from them; none where `narrows memory` didn't run. Whatever speaks against a table's figures has its
/// footnote in the title.
pub(crate) fn views(run: &Run, units: Units, notes: &mut Notes) -> Vec<AnnotatedTable> {
    let mut all = Vec::new();
    for (prefixes, tables) in tables(run, units) {
        let doubtful: Vec<&str> = run
            .measurements
            .iter()
            .filter(|m| m.validity == Validity::Suspect && shows(prefixes, &m.id))
            .map(|m| m.id.as_str())
            .collect();
        for (at, mut table) in tables.into_iter().enumerate() {
            if at == 0 {
                table.table.title += &in_words(&notes.marks(run, &doubtful));
            }
            all.push(table);
        }
    }
    all
}

/// The tables of each kind, and the prefixes of the measurements that they show.
type Tables = (&'static [&'static str], Vec<AnnotatedTable>);

fn tables(run: &Run, units: Units) -> Vec<Tables> {
    let one = |table: Option<AnnotatedTable>| table.into_iter().collect();
    vec![
        (&["memory.curve.", "memory.latency.", "memory.translation."], one(by_cache(run))),
        (&["memory.bandwidth."], one(traffic::view(run, units))),
        (&["memory.loaded."], loaded::views(run, units).collect()),
        (&["memory.matrix.", "memory.policy."], matrix::views(run, units)),
        (&["memory.shape."], one(shape::view(run))),
        (&["memory.touch."], one(touch::view(run, units))),
        (&["memory.placement."], one(placement::view(run, units))),
        (&["memory.baseline."], one(age::view(run, units))),
        (&["clock."], one(clock::view(run))),
    ]
}

/// Reads by some of a node's CPUs are on the page only.
fn shows(prefixes: &[&str], id: &str) -> bool {
    prefixes.iter().any(|prefix| id.starts_with(prefix)) && !id.contains(".read.cpus")
}

/// Whether one of the tables has this measurement.
pub(crate) fn shown(run: &Run, units: Units, id: &str) -> bool {
    tables(run, units).iter().any(|(prefixes, tables)| !tables.is_empty() && shows(prefixes, id))
}

fn in_words(marks: &[NoteMark]) -> String {
    marks.iter().map(|NoteMark(number)| format!(" [{number}]")).collect()
}

/// A figure with the mark of what it rests on.
fn marked<'a>(figure: String, of: impl IntoIterator<Item = &'a Measurement>) -> String {
    let doubtful = of.into_iter().any(|m| m.validity == Validity::Suspect);
    if doubtful && figure != "-" { figure + " ?" } else { figure }
}

/// The curves by their pages: 4 KiB, 2 MiB.
const CURVES: [&str; 2] = ["memory.curve.4k", "memory.curve.2m"];
const LATENCIES: [&str; 2] = ["memory.latency.4k", "memory.latency.2m"];

/// A measurement that may be shown.
fn usable<'a>(run: &'a Run, id: &str) -> Option<&'a Measurement> {
    run.measurement(id).filter(|m| m.validity != Validity::Invalid)
}

/// One dependent load, by where it finds its line.
fn by_cache(run: &Run) -> Option<AnnotatedTable> {
    let curves = CURVES.map(|id| usable(run, id));
    if curves.iter().all(Option::is_none) {
        return None;
    }
    let latencies = LATENCIES.map(|id| usable(run, id));
    let ns = |metric: Option<&MetricValue>, of: Option<&Measurement>| match metric {
        Some(metric) => marked(significant_ns(metric.value), of),
        None => "-".to_string(),
    };
    let mut rows = Vec::new();
    for (level, name) in
        [metric::COST_L1, metric::COST_L2, metric::COST_L3, metric::COST_L4].into_iter().enumerate()
    {
        let found = curves.map(|curve| curve.and_then(|curve| curve.metric(name)));
        if found.iter().all(Option::is_none) {
            continue;
        }
        let of = |key: &str| {
            let curve = curves.iter().flatten().next()?;
            curve.conditions.get(condition::CACHES)?.get(name.name)?.get(key)?.as_f64()
        };
        let size = of("cache_bytes").map_or(String::new(), |b| format!(", {}", print::size(b)));
        let at = of("read_at_bytes").map_or(String::new(), |b| format!("at {}", print::size(b)));
        rows.push(Row::figures(
            format!("cache {}{size}", level + 1),
            [ns(found[0], curves[0]), ns(found[1], curves[1]), translation(found)],
            at,
        ));
    }
    let found = latencies.map(|latency| latency.and_then(|latency| latency.metric(metric::COST)));
    let over =
        latencies.iter().flatten().find_map(|latency| latency.number(condition::FOOTPRINT_BYTES));
    rows.push(Row::figures(
        "memory",
        [ns(found[0], latencies[0]), ns(found[1], latencies[1]), translation(found)],
        over.map_or(String::new(), |bytes| format!("at {}", print::size(bytes))),
    ));
    let place = curves.iter().flatten().next().map_or(String::new(), |curve| {
        let cpu = curve.number(condition::CPU).map_or(String::new(), |cpu| format!("CPU {cpu}"));
        let node = curve.number(condition::NODE).map_or(String::new(), |n| format!(", node {n}"));
        format!("  {cpu}{node}")
    });
    Some(AnnotatedTable {
        table: Table::figures(
            format!("LATENCY OF DEPENDENT LOADS{place}"),
            ["4 KiB pages", "2 MiB pages", "TLB's"],
            rows,
        )
        .remarked("footprint", Remarks::Behind(2)),
        sentences: said_of_translation(found)
            .into_iter()
            .chain(translation::of_pools(run))
            .chain(on_largest(run))
            .collect(),
    })
}

/// What a load takes on the largest pages, where they were asked for and had.
fn on_largest(run: &Run) -> Option<String> {
    let cost = usable(run, "memory.latency.1g")?.value(metric::COST)?;
    Some(format!("With 1 GiB pages a load from memory takes {}.", significant_ns(cost)))
}

/// ns with three figures.
fn significant_ns(ns: f64) -> String {
    format!("{} ns", narrows_units::significant(ns, 3))
}

/// What of a load on small pages is address translation: the share by which large ones are faster.
fn translation_share([small, large]: [Option<&MetricValue>; 2]) -> Option<f64> {
    Some(1.0 - large?.value / small?.value).filter(|share| share.is_finite())
}

fn translation(costs: [Option<&MetricValue>; 2]) -> String {
    match translation_share(costs) {
        // What the two differ by in either direction without a TLB in it.
        Some(share) if share.abs() < 0.05 => "none".to_string(),
        Some(share) if share < 0.0 => "-".to_string(),
        Some(share) => percent(share),
        None => "-".to_string(),
    }
}

fn said_of_translation(costs: [Option<&MetricValue>; 2]) -> Vec<String> {
    let bounds = |metric: Option<&MetricValue>| {
        let interval = metric?.interval_95.as_ref()?;
        Some((interval.low, interval.high))
    };
    match (bounds(costs[0]), bounds(costs[1]), translation_share(costs)) {
        (Some(small), Some(large), Some(share)) => {
            let (least, most) = (1.0 - large.1 / small.0, 1.0 - large.0 / small.1);
            if least > 0.0 {
                vec![format!(
                    "With 4 KiB pages {} of a load from memory is address translation ({} to {}) at this footprint: what huge pages save where that much memory is read at random.",
                    percent(share),
                    percent(least),
                    percent(most)
                )]
            } else {
                vec![format!(
                    "With 4 KiB pages {} of a load from memory would be address translation by the medians; these repeats differ too much to decide.",
                    percent(share)
                )]
            }
        }
        (_, None, _) => vec![
            "2 MiB pages were not obtained: the cost of address translation is unknown."
                .to_string(),
        ],
        _ => Vec::new(),
    }
}
