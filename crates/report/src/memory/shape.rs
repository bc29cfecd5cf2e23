//! Work shaped like a database's, by one CPU and by all of a node.

use narrows_model::{Measurement, Run, condition, family, metric};
use narrows_units::significant;

use super::{marked, significant_ns, usable};
use crate::document::{AnnotatedTable, Row, Table};
use crate::print::rate;
use crate::words::counted;

const PREFIX: &str = "memory.shape.";

/// Word in the id, and name.
const KINDS: [(&str, &str); 6] = [
    ("page_copy.4k", "8 KiB page copied, 4 KiB pages"),
    ("page_copy.2m", "  on 2 MiB pages"),
    ("index_descent.4k", "index descended, 4 KiB pages"),
    ("index_descent.2m", "  on 2 MiB pages"),
    ("chains_even", "hash chains, all alike"),
    ("chains_hot", "  one hot"),
];

/// The table; `None` where none was measured.
pub(super) fn view(run: &Run) -> Option<AnnotatedTable> {
    let found = run.measurements.iter().filter_map(|m| m.id.strip_prefix(PREFIX));
    let node = found.filter_map(|rest| rest.rsplit_once(".node")).map(|(_, node)| node).next()?;
    let all = format!("node{node}");
    let of = |kind: &str, place: &str| usable(run, &format!("{PREFIX}{kind}.{place}"));
    let per_s = |m: Option<&Measurement>| m?.value(metric::THROUGHPUT);
    let rows = KINDS.iter().filter_map(|(kind, name)| {
        let (one, many) = (of(kind, "core"), of(kind, &all));
        one.or(many)?;
        let dash = || "-".to_string();
        let cost = one.and_then(|m| m.value(metric::COST));
        let gain = per_s(many).zip(per_s(one)).map(|(many, one)| times(many / one));
        let cells = vec![
            marked(cost.map_or_else(dash, significant_ns), one),
            marked(per_s(one).map_or_else(dash, rate), one),
            marked(per_s(many).map_or_else(dash, rate), many),
            marked(gain.unwrap_or_else(dash), one.into_iter().chain(many)),
        ];
        Some(Row::figures(*name, cells, ""))
    });
    let threads = KINDS.iter().find_map(|(kind, _)| of(kind, &all)?.number(condition::THREADS));
    let several = threads.is_some_and(|threads| threads > 1.0);
    let threads = counted(threads.unwrap_or(1.0) as usize, "CPU");
    let table = Table::figures(
        "SHAPED LIKE A DATABASE",
        ["each, one CPU".to_string(), "one CPU".to_string(), threads, "to one".to_string()],
        rows,
    );
    let mut sentences: Vec<String> = pages(&of, &all).into_iter().collect();
    if several {
        sentences.extend([hot(&of, &all), company(&of, &all)].into_iter().flatten());
    }
    sentences.extend(lines(run));
    Some(AnnotatedTable { table, sentences })
}

fn times(ratio: f64) -> String {
    format!("× {}", significant(ratio, 3))
}

/// What large pages are worth, by all CPUs.
fn pages<'a>(of: &impl Fn(&str, &str) -> Option<&'a Measurement>, all: &str) -> Option<String> {
    let gain = |kind: &str| {
        let per_s = |page: &str| of(&format!("{kind}.{page}"), all)?.value(metric::THROUGHPUT);
        Some(per_s("2m")? / per_s("4k")?)
    };
    Some(format!(
        "With 2 MiB pages an index is descended {} and a page copied {} as fast as with 4 KiB pages.",
        times(gain("index_descent")?),
        times(gain("page_copy")?)
    ))
}

/// What one hot chain does to more CPUs, with a hit ratio that doesn't know it.
fn hot<'a>(of: &impl Fn(&str, &str) -> Option<&'a Measurement>, all: &str) -> Option<String> {
    let gain = |kind: &str| {
        let per_s = |place: &str| of(kind, place)?.value(metric::THROUGHPUT);
        Some(per_s(all)? / per_s("core")?)
    };
    let many = of("chains_hot", all)?;
    let threads = counted(many.number(condition::THREADS)? as usize, "CPU");
    Some(format!(
        "With {} of the lookups in one chain {threads} do {} of what one does, with all chains alike {}: the hit ratio is 100 % in \
         both.",
        crate::print::percent(many.number(condition::SHARE_OF_THE_HOT_CHAIN)?),
        times(gain("chains_hot")?),
        times(gain("chains_even")?)
    ))
}

/// From here on more CPUs do more than as many do alone, and not by chance.
const BEYOND: f64 = 1.1;

/// That CPUs in company are faster than one alone, where they are: an expert would doubt the measurement otherwise.
fn company<'a>(of: &impl Fn(&str, &str) -> Option<&'a Measurement>, all: &str) -> Option<String> {
    let beyond = |(kind, _): &(&str, &str)| {
        let (one, many) = (of(kind, "core")?, of(kind, all)?);
        let per_s = |m: &Measurement| m.value(metric::THROUGHPUT);
        Some(per_s(many)? / per_s(one)? / many.number(condition::THREADS)?)
    };
    let most = KINDS.iter().filter_map(beyond).reduce(f64::max)?;
    (most > BEYOND).then(|| {
        format!(
            "With other CPUs busy a CPU did up to {} of what one did alone, in windows some seconds apart: either the machine changed between them, or its caches are faster under load, as where their clock follows it. This test cannot tell which.",
            times(most)
        )
    })
}

/// How long a line takes between cores, by distance.
fn lines(run: &Run) -> Option<String> {
    let of = |m: &Measurement| {
        let distance = family::MEMORY_SHAPE_LINE.rest(&m.id)?;
        let to = match distance {
            "core" => "the other CPU of the core".to_string(),
            "cache" => "a core at the same last cache".to_string(),
            "node" => "another core of the node".to_string(),
            far => match far.strip_prefix("far.d") {
                Some(distance) => format!("another node (distance {distance})"),
                None => "another node".to_string(),
            },
        };
        Some(format!("{} to {to}", significant_ns(m.value(metric::COST)?)))
    };
    let said: Vec<String> = run
        .measurements
        .iter()
        .filter(|m| m.validity != narrows_model::Validity::Invalid)
        .filter_map(of)
        .collect();
    (!said.is_empty()).then(|| format!("A contended line travels in {}.", said.join(", ")))
}
