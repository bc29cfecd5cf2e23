//! What a run says of the memory beyond HOW WIDE: what each cache costs, what address translation adds, every kind of traffic, and
//! what traffic does to latency.

mod age;
mod clock;
mod loaded;
mod matrix;
mod placement;
mod shape;
mod touch;
mod traffic;

use narrows_model::{Measurement, Metric, Run, Validity, condition, metric};

pub(crate) use loaded::{PREFIX as LOADED, medians};
pub(crate) use matrix::{Cells, cells};

use crate::live::{Grid, GridRow};
use crate::print::{self, Units, percent};
use crate::sweep::SweepView;

/// The tables, with what follows from them; none where `narrows memory` didn't run.
pub(crate) fn views(run: &Run, units: Units) -> Vec<SweepView> {
    let first = [by_cache(run), traffic::view(run, units), loaded::view(run, units)];
    let last = [
        shape::view(run),
        touch::view(run, units),
        placement::view(run, units),
        age::view(run, units),
        clock::view(run),
    ];
    first
        .into_iter()
        .flatten()
        .chain(matrix::views(run, units))
        .chain(last.into_iter().flatten())
        .collect()
}

/// The curves by their pages: 4 KiB, 2 MiB.
const CURVES: [&str; 2] = ["memory.curve.4k", "memory.curve.2m"];
const LATENCIES: [&str; 2] = ["memory.latency.4k", "memory.latency.2m"];

/// A measurement that may be shown.
fn usable<'a>(run: &'a Run, id: &str) -> Option<&'a Measurement> {
    run.measurement(id).filter(|m| m.validity != Validity::Invalid)
}

/// One dependent load, by where it finds its line.
fn by_cache(run: &Run) -> Option<SweepView> {
    let curves = CURVES.map(|id| usable(run, id));
    if curves.iter().all(Option::is_none) {
        return None;
    }
    let latencies = LATENCIES.map(|id| usable(run, id));
    let ns = |metric: Option<&Metric>| match metric {
        Some(metric) => significant_ns(metric.value),
        None => "-".to_string(),
    };
    let mut rows = Vec::new();
    for (level, name) in
        [metric::COST_L1, metric::COST_L2, metric::COST_L3, metric::COST_L4].iter().enumerate()
    {
        let found = curves.map(|curve| curve.and_then(|curve| curve.metric(name)));
        if found.iter().all(Option::is_none) {
            continue;
        }
        let of = |key: &str| {
            let curve = curves.iter().flatten().next()?;
            curve.conditions.get("caches")?.get(name)?.get(key)?.as_f64()
        };
        let size = of("cache_bytes").map_or(String::new(), |b| format!(", {}", print::size(b)));
        let at = of("read_at_bytes").map_or(String::new(), |b| format!("at {}", print::size(b)));
        rows.push(GridRow {
            name: format!("cache {}{size}", level + 1),
            cells: vec![ns(found[0]), ns(found[1]), translation(found)],
            remark: at,
        });
    }
    let found = latencies.map(|latency| latency.and_then(|latency| latency.metric(metric::COST)));
    let over = latencies.iter().flatten().find_map(|latency| latency.number("footprint_bytes"));
    rows.push(GridRow {
        name: "memory".to_string(),
        cells: vec![ns(found[0]), ns(found[1]), translation(found)],
        remark: over.map_or(String::new(), |bytes| format!("at {}", print::size(bytes))),
    });
    let place = curves.iter().flatten().next().map_or(String::new(), |curve| {
        let cpu = curve.number("cpu").map_or(String::new(), |cpu| format!("CPU {cpu}"));
        let node = curve.number(condition::NODE).map_or(String::new(), |n| format!(", node {n}"));
        format!("  {cpu}{node}")
    });
    Some(SweepView {
        grid: Grid {
            title: format!("A LOAD THAT WAITS FOR THE LAST ONE{place}"),
            columns: ["4 KiB pages", "2 MiB pages", "TLB's"].map(String::from).to_vec(),
            remark: "footprint".to_string(),
            rows,
        },
        sentences: said_of_translation(found).into_iter().chain(on_largest(run)).collect(),
    })
}

/// What a load takes on the largest pages, where they were asked for and had.
fn on_largest(run: &Run) -> Option<String> {
    let cost = usable(run, "memory.latency.1g")?.value(metric::COST)?;
    Some(format!("On 1 GiB pages a load from memory takes {}.", significant_ns(cost)))
}

/// ns with three figures.
fn significant_ns(ns: f64) -> String {
    format!("{} ns", narrows_units::significant(ns, 3))
}

/// What of a load on small pages is address translation: the share by which large ones are faster.
fn translation_share([small, large]: [Option<&Metric>; 2]) -> Option<f64> {
    Some(1.0 - large?.value / small?.value).filter(|share| share.is_finite())
}

fn translation(costs: [Option<&Metric>; 2]) -> String {
    match translation_share(costs) {
        // What the two differ by in either direction without a TLB in it.
        Some(share) if share.abs() < 0.03 => "none".to_string(),
        Some(share) if share < 0.0 => "-".to_string(),
        Some(share) => percent(share),
        None => "-".to_string(),
    }
}

fn said_of_translation(costs: [Option<&Metric>; 2]) -> Vec<String> {
    let bounds = |metric: Option<&Metric>| {
        let interval = metric?.interval_95.as_ref()?;
        Some((interval.low, interval.high))
    };
    match (bounds(costs[0]), bounds(costs[1]), translation_share(costs)) {
        (Some(small), Some(large), Some(share)) => {
            let (least, most) = (1.0 - large.1 / small.0, 1.0 - large.0 / small.1);
            if least > 0.0 {
                vec![format!(
                    "On 4 KiB pages {} of a load from memory is address translation ({} to {}): what huge pages save where so many \
                     bytes are read at random. A larger pool may save more.",
                    percent(share),
                    percent(least),
                    percent(most)
                )]
            } else {
                vec!["Large pages make no difference that these repeats could show.".to_string()]
            }
        }
        (_, None, _) => vec![
            "2 MiB pages were not obtained: what address translation costs is not known."
                .to_string(),
        ],
        _ => Vec::new(),
    }
}
