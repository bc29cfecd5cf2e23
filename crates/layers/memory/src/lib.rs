//! The memory layer: what a dependent load costs on small and on large pages, near and far, how fast a core and a
//! node can read, and what the CPUs of one core do together.
//!
//! Latency and bandwidth are different numbers and neither follows from the other; both are measured on pages
//! whose size and node were verified, by threads that stay where they were put. What could not be obtained is
//! absent, with the reason beside it, never measured under another name.
//!
//! Not here: writes, loaded latency, the full node matrix (one far pair per distance class stands for its class),
//! and any setting of the machine: no huge page is reserved and no prefetcher switched.
//!
//! Methods: one random cycle over cache lines (`cycle.rs`); sums by vector loads (`sum.rs`) in one common window.

mod bandwidth;
mod chase;
mod cycle;
mod error;
mod latency;
mod lookup;
mod mapping;
mod place;
mod placement;
mod siblings;
mod sizing;
mod smaps;
mod smt;
mod sum;

pub use error::MemoryError;
pub use sizing::{Sizing, TooLittle, last_level_bytes};

use std::collections::BTreeMap;

use narrows_engine::{Context, Samples};
use narrows_facts::affinity;
use narrows_model::{
    Better, Layer, Measurement, NumaNode, PlannedStep, Platform, Unit, Unknown, metric,
};
use narrows_observe::Watch;
use narrows_units::{Bytes, Nanos};
use serde_json::{Value, json};

use bandwidth::Readers;
use latency::Cycle;
use mapping::Pages;
use siblings::Siblings;

/// What was measured, and what could not be.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// The measurements.
    pub measurements: Vec<Measurement>,
    /// Ids that are absent, with the reason and what would help.
    pub absent: Vec<Unknown>,
}

/// Measures latency (`memory.latency.4k`, `.2m`, and `memory.latency.far.4k`, `.2m` where there are several nodes)
/// and read bandwidth (`memory.bandwidth.read.nodeN`, `memory.bandwidth.read.core`); where cores have several CPUs also
/// the yield of one of those that `server_cpus` hold (`memory.smt_yield`).
///
/// # Errors
/// Only where nothing at all can be measured, or when asked to stop; all memory is freed then too.
pub fn measure(
    ctx: &Context,
    platform: &Platform,
    server_cpus: &[u32],
    watch: &Watch,
) -> Result<Measured, MemoryError> {
    let allowed = affinity::current();
    let sites = place::sites(platform, &allowed)?;
    let bind = place::several_nodes(platform);
    let mut measured = Measured { measurements: Vec::new(), absent: Vec::new() };
    let node = |id: u32| platform.nodes.iter().find(|node| bind && node.id == id);

    let mut cycle: Option<Cycle> = None;
    for place in place::places(platform, &sites) {
        let sizing = match size(platform, node(place.node), ctx) {
            Ok(sizing) => sizing,
            // Too little on a far node leaves the near one.
            Err(too_little) if !place.id_part.is_empty() => {
                for pages in [Pages::Base, Pages::Huge] {
                    let why = MemoryError::TooLittle(too_little).to_string();
                    measured.leave_out(latency::id(&place, pages), &why);
                }
                continue;
            }
            Err(too_little) => return Err(MemoryError::TooLittle(too_little)),
        };
        if cycle.as_ref().is_none_or(|cycle| cycle.footprint_bytes() != sizing.footprint_bytes) {
            // The old one goes first; both at once may be too much.
            cycle = None;
        }
        let cycle = match &cycle {
            Some(cycle) => cycle,
            None => &*cycle.insert(Cycle::new(sizing.footprint_bytes, ctx)?),
        };
        for pages in [Pages::Base, Pages::Huge] {
            match latency::measure(ctx, &place, bind, pages, &sizing, cycle, watch)? {
                Ok(measurement) => measured.measurements.push(measurement),
                Err(refused) => {
                    measured.leave_out(latency::id(&place, pages), &refused.to_string());
                }
            }
        }
    }
    drop(cycle);

    for readers in readers(&sites, bind) {
        let sizing = match size(platform, node(readers.node), ctx) {
            Ok(sizing) => sizing,
            Err(too_little) => {
                measured.leave_out(readers.id, &MemoryError::TooLittle(too_little).to_string());
                continue;
            }
        };
        match bandwidth::measure(ctx, &readers, &sizing, watch)? {
            Ok(measurement) => measured.measurements.push(measurement),
            Err(refused) => measured.leave_out(readers.id, &refused.to_string()),
        }
    }
    match siblings::siblings(platform, server_cpus) {
        Siblings::Core(cpus) => {
            measured.measurements.push(smt::measure(ctx, platform, &cpus, watch)?);
        }
        Siblings::None => {}
        Siblings::Unknown(unknown) => measured.absent.push(unknown),
    }
    Ok(measured)
}

/// What [`measure`] will do, and for how long.
pub fn planned(ctx: &Context, platform: &Platform, server_cpus: &[u32]) -> Vec<PlannedStep> {
    let allowed = affinity::current();
    let Ok(sites) = place::sites(platform, &allowed) else { return Vec::new() };
    let Ok(sizing) = size(platform, None, ctx) else { return Vec::new() };
    let gib = sizing.footprint_bytes as f64 / (1u64 << 30) as f64;
    let repeats = f64::from(ctx.repeats.max(1));
    let cells = 2.0 * place::places(platform, &sites).len() as f64;
    // Building takes about a second per GiB for the cycle and as much for touching, linking and checking; the end of
    // each repeat is checked at about half the cost of walking it.
    let latency_s =
        gib + cells * (2.0 * gib + repeats * latency::repeat_length(ctx).as_secs_f64() * 1.5);
    let windows = readers(&sites, false).len() as f64;
    let bandwidth_s =
        windows * (gib + repeats * (bandwidth::repeat_length(ctx).as_secs_f64() + 0.1));
    let step = |what: String, expected_s| PlannedStep {
        layer: Layer::Memory,
        what,
        expected_s,
        writes_bytes: 0,
    };
    let over = Bytes(sizing.footprint_bytes).iec();
    let mut steps = vec![
        step(format!("dependent loads over {over}, 4 KiB and 2 MiB pages"), latency_s),
        step(format!("read bandwidth over {over}, each node and one CPU"), bandwidth_s),
    ];
    if let Siblings::Core(cpus) = siblings::siblings(platform, server_cpus) {
        let what = format!("{} CPUs of one core, together and alone", cpus.len());
        steps.push(step(what, smt::expected_s(ctx)));
    }
    steps
}

fn readers(sites: &[place::Site], bind: bool) -> Vec<Readers> {
    let mut readers: Vec<Readers> = sites
        .iter()
        .map(|site| Readers {
            id: format!("memory.bandwidth.read.node{}", site.node),
            node: site.node,
            bind,
            cpus: site.cpus.clone(),
        })
        .collect();
    let first = &sites[0];
    readers.push(Readers {
        id: "memory.bandwidth.read.core".to_string(),
        node: first.node,
        bind,
        cpus: first.cpus.last().copied().into_iter().collect(),
    });
    readers
}

fn size(platform: &Platform, node: Option<&NumaNode>, ctx: &Context) -> Result<Sizing, TooLittle> {
    sizing::footprint(platform, node, ctx.quick)
}

impl Measured {
    fn leave_out(&mut self, id: String, why: &str) {
        let needs = if why.contains("2 MiB pages") {
            "transparent huge pages (`madvise` or `always`), or a pool of huge pages with room for the footprint"
        } else {
            "see the reason"
        };
        // Without the hint, which is for a whole layer that gave nothing.
        let why = why.lines().next().unwrap_or_default();
        self.absent.push(Unknown { what: format!("{id}: {why}"), needs: needs.to_string() });
    }
}

fn add_sizing(conditions: &mut BTreeMap<String, Value>, sizing: &Sizing) {
    if let Some(times) = sizing.times_cache() {
        conditions.insert("footprint_over_llc".into(), json!(times));
    }
    if let Some(bytes) = sizing.cache_bytes {
        conditions.insert("llc_bytes".into(), json!(bytes));
    }
    if let Some(what) = sizing.limited_by {
        conditions.insert("footprint_limited_by".into(), json!(what));
        conditions.insert("footprint_wanted_bytes".into(), json!(sizing.wanted_bytes));
    }
}

fn add_sentinel(samples: &mut Samples, before: Nanos, after: Nanos) {
    let drift = after.0 as f64 / before.0 as f64 - 1.0;
    samples.add(metric::SENTINEL_DRIFT, Unit::Ratio, Better::Neither, drift);
}

#[cfg(test)]
mod tests;
