//! Every kind of traffic by one CPU and by all.

use narrows_model::{Measurement, Run, Unit, condition, family, metric};

use super::{marked, usable};
use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{Units, half_width, plus_minus};
use crate::words::counted;

const PREFIX: &str = "memory.bandwidth.";

/// Word in the id, and name.
const KINDS: [(&str, &str); 9] = [
    ("read", "read"),
    ("mix_3_1", "3 reads to 1 write"),
    ("triad", "triad: 2 reads to 1 write"),
    ("mix_1_1", "1 read to 1 write"),
    ("write", "write"),
    ("stream", "write past the caches"),
    ("copy", "copy"),
    ("stream_copy", "copy past the caches"),
    ("stream_triad", "triad past the caches"),
];

/// The table; `None` where only reads were measured.
pub(super) fn view(run: &Run, units: Units) -> Option<AnnotatedTable> {
    let of = |kind: &str, place: &str| usable(run, &format!("{PREFIX}{kind}.{place}"));
    let places = places(run);
    if !KINDS.iter().skip(1).any(|(kind, _)| places.iter().any(|place| of(kind, place).is_some())) {
        return None;
    }
    let mut columns = Vec::new();
    for place in &places {
        columns.push(heading(place, of("read", place)));
        columns.push("±95%".to_string());
    }
    let rows = KINDS.iter().filter_map(|(kind, name)| {
        let found: Vec<Option<&Measurement>> = places.iter().map(|place| of(kind, place)).collect();
        if found.iter().all(Option::is_none) {
            return None;
        }
        let mut cells = Vec::new();
        for m in &found {
            let metric = m.and_then(|m| m.metric(metric::BANDWIDTH));
            let dash = || "-".to_string();
            let figure = metric.map_or_else(dash, |m| units.quantity(m.value, Unit::BytesPerS));
            cells.push(marked(figure, *m));
            let width = metric.and_then(|m| half_width(m.interval_95.as_ref()));
            cells.push(width.map_or_else(dash, plus_minus));
        }
        Some(Row::figures(*name, cells, ""))
    });
    let method = places.iter().find_map(|place| of("read", place)?.text(condition::METHOD));
    let method = method.map_or(String::new(), |method| format!("  {}", method.to_uppercase()));
    let table = Table::figures(format!("BANDWIDTH{method}"), columns, rows);
    let convention = "Bytes read and written, each once. Before a plain store most CPUs fetch the line, which is not counted; with stores past the caches they do not."
        .to_string();
    Some(AnnotatedTable { table, sentences: vec![convention] })
}

/// One CPU, then nodes, then all of them: as many as a line holds.
fn places(run: &Run) -> Vec<String> {
    const MOST: usize = 3;
    let read = run.measurements.iter().filter_map(|m| family::MEMORY_BANDWIDTH_READ.rest(&m.id));
    let mut places: Vec<String> =
        read.filter(|place| !place.starts_with("cpus")).map(String::from).collect();
    places.sort_by_key(|place| match place.as_str() {
        "core" => (0, 0),
        "all" => (1, 0),
        node => (2, node.trim_start_matches("node").parse().unwrap_or(u32::MAX)),
    });
    places.truncate(MOST);
    places
}

fn heading(place: &str, m: Option<&Measurement>) -> String {
    let threads = m.and_then(|m| m.number(condition::THREADS));
    match (place, threads) {
        ("core", _) => "one CPU".to_string(),
        ("all", Some(n)) => counted(n as usize, "CPU"),
        ("all", None) => "all CPUs".to_string(),
        (node, Some(n)) => {
            format!("{}, {}", node.replace("node", "node "), counted(n as usize, "CPU"))
        }
        (node, None) => node.replace("node", "node "),
    }
}
