//! Where a machine's pages lie, and how many cache lines its cores can wait for at once.
//!
//! A core that reads memory waits for a bounded number of lines; by Little's law it gets no more than lines × 64 B
//! over the time of one. Far memory takes longer, so the same cores read less of it.

use narrows_limits::table::Dimension;

use crate::description::{Lines, Pages};
use crate::entry::MachineEntry;
use crate::error::PlanError;
use crate::figures::Reader;

/// Bytes of a line on the processors that are described here.
pub(crate) const LINE_BYTES: f64 = 64.0;

pub(crate) fn pages(
    reader: Reader<'_>,
    entry: &MachineEntry,
    what: &str,
) -> Result<Pages, PlanError> {
    let Some(pages) = &entry.pages else { return Ok(Pages::Near) };
    match pages.get_ref().as_str() {
        "near" => Ok(Pages::Near),
        "spread" => Ok(Pages::Spread),
        "one-node" => Ok(Pages::OneNode),
        other => {
            let why = format!("`{other}` is no place for pages");
            let hint =
                "write near (each core reads its own node), spread (evenly over all) or one-node";
            Err(reader.source.error(&pages.span(), format!("{what}: pages"), why, hint))
        }
    }
}

pub(crate) fn lines(
    reader: Reader<'_>,
    entry: &MachineEntry,
    what: &str,
) -> Result<Option<Lines>, PlanError> {
    let key = |key: &str| format!("{what}: {key}");
    let time = |name: &str, text| reader.figure(&key(name), text, Dimension::Time, &entry.source);
    let near_ns = time("memory_latency", &entry.memory_latency)?;
    let far_ns = time("far_memory_latency", &entry.far_memory_latency)?;
    let per_core = reader.count(&key("lines_per_core"), &entry.lines_per_core, 1)?;
    let given = [
        ("lines_per_core", entry.lines_per_core.as_ref().map(toml::Spanned::span)),
        ("memory_latency", entry.memory_latency.as_ref().map(toml::Spanned::span)),
        ("far_memory_latency", entry.far_memory_latency.as_ref().map(toml::Spanned::span)),
    ];
    let first = given.into_iter().find_map(|(name, at)| Some((name, at?)));
    let Some((name, at)) = first else { return Ok(None) };
    match (per_core, near_ns, &entry.cores) {
        (Some(per_core), Some(near_ns), Some(_)) => Ok(Some(Lines { per_core, near_ns, far_ns })),
        (per_core, near_ns, cores) => {
            let missing = [
                (per_core.is_none(), "lines_per_core = 10"),
                (near_ns.is_none(), "memory_latency = \"90 ns\" with source"),
                (cores.is_none(), "cores"),
            ];
            let missing: Vec<&str> =
                missing.iter().filter(|(absent, _)| *absent).map(|(_, what)| *what).collect();
            let why = "says nothing alone: lines per core, a line's time and cores belong together";
            let hint = format!("add {}", missing.join(", "));
            Err(reader.source.error(&at, key(name), why, hint))
        }
    }
}
