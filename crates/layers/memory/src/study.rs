//! All of the memory, for `narrows memory`: what [`crate::brief`] measures, latency by footprint and beside loads, and every kind of
//! traffic by one thread, by more, and by all.

use narrows_engine::Context;
use narrows_facts::affinity;
use narrows_model::{Measurement, PlannedStep, Platform, Unknown};
use narrows_observe::Watch;
use narrows_units::Bytes;

use crate::bandwidth::{self, Member, Team};
use crate::brief::{bandwidths, latencies, latency_step, node, size, step, teams};
use crate::brief::{yield_of_core, yield_step};
use crate::kernel::Kernel;
use crate::latency::Cycle;
use crate::mapping::{HUGE, Pages};
use crate::place::{self, Site};
use crate::traffic::Traffic;
use crate::{Measured, MemoryError, curve, loaded, shape};

/// Both kinds of pages that curves are walked on.
const PAGES: [Pages; 2] = [Pages::Base, Pages::Huge];

/// What a part of the study gave, as soon as it is there.
pub type Keep<'a> = &'a mut dyn FnMut(Vec<Measurement>);

/// Measures everything; what is absent is returned with its reasons.
///
/// # Errors
/// Only where nothing at all can be measured, or when asked to stop; all memory is freed then too.
pub fn study(
    ctx: &Context,
    platform: &Platform,
    watch: &Watch,
    keep: Keep<'_>,
) -> Result<Vec<Unknown>, MemoryError> {
    let allowed = affinity::current();
    let sites = place::sites(platform, &allowed)?;
    let bind = place::several_nodes(platform);
    let mut absent = Vec::new();
    let mut part = |part: &mut dyn FnMut(&mut Measured) -> Result<(), MemoryError>| {
        let mut measured = Measured::default();
        let outcome = part(&mut measured);
        keep(measured.measurements);
        absent.append(&mut measured.absent);
        outcome
    };
    part(&mut |measured| latencies(ctx, platform, &sites, watch, measured))?;
    part(&mut |measured| curves(ctx, platform, &sites, watch, measured))?;
    part(&mut |measured| beside_loads(ctx, platform, &sites, watch, measured))?;
    for (team, kinds) in all_teams(platform, &sites, bind) {
        part(&mut |measured| bandwidths(ctx, platform, &team, &kinds, watch, measured))?;
    }
    part(&mut |measured| shapes(ctx, platform, &sites, watch, measured))?;
    part(&mut |measured| yield_of_core(ctx, platform, &allowed, watch, measured))?;
    Ok(absent)
}

/// What [`study`] will do, and for how long.
pub fn study_planned(ctx: &Context, platform: &Platform) -> Vec<PlannedStep> {
    let allowed = affinity::current();
    let Ok(sites) = place::sites(platform, &allowed) else { return Vec::new() };
    let Ok(sizing) = size(platform, None, ctx) else { return Vec::new() };
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let mut steps = vec![latency_step(ctx, platform, &sites, &sizing)];
    let largest = sizing.footprint_bytes / 2;
    let what = format!("the same by footprint, up to {}", Bytes(largest).iec());
    steps.push(step(what, 2.0 * curve::expected_s(ctx, largest)));
    let near = &place::places(platform, &sites)[0];
    if !loaded::loaders(platform, &sites[0].cpus, near).is_empty() {
        let what = "the same while other CPUs read at a pace".to_string();
        steps.push(step(what, 3.0 * gib(sizing.footprint_bytes) + loaded::expected_s(ctx)));
    }
    let teams = all_teams(platform, &sites, false);
    let filled = gib(sizing.doubled_bytes()) * teams.len() as f64;
    let windows: f64 = teams.iter().map(|(_, kinds)| bandwidth::expected_s(ctx, kinds.len())).sum();
    let what = "bandwidth: reads, writes, copies and mixes, by one CPU and by all".to_string();
    steps.push(step(what, filled + windows));
    let what = "shaped like a database: pages, an index, chains under latches, a contended line";
    steps.push(step(what.to_string(), shape::expected_s(ctx, 2, sizing.footprint_bytes)));
    steps.extend(yield_step(ctx, platform, &allowed));
    steps
}

/// Those of the brief with all traffic; all nodes together where there are several; and reads by numbers of CPUs between one and all.
fn all_teams(platform: &Platform, sites: &[Site], bind: bool) -> Vec<(Team, Vec<Traffic>)> {
    let kinds = Traffic::all(Kernel::best());
    let mut all: Vec<(Team, Vec<Traffic>)> =
        teams(sites, bind).into_iter().map(|team| (team, kinds.clone())).collect();
    if sites.len() > 1 {
        let members = sites
            .iter()
            .flat_map(|site| site.cpus.iter().map(|&cpu| Member { cpu, node: site.node }))
            .collect();
        all.push((Team { place: "all".to_string(), members, bind, pages: Pages::Any }, kinds));
    }
    let site = &sites[0];
    let spread = place::spread(platform, &site.cpus);
    let mut threads = 2;
    while threads < site.cpus.len() {
        let members =
            spread[..threads].iter().map(|&cpu| Member { cpu, node: site.node }).collect();
        let place = format!("cpus{threads}.node{}", site.node);
        all.push((Team { place, members, bind, pages: Pages::Any }, vec![Traffic::Read]));
        threads *= 2;
    }
    all
}

/// Up to half of the footprint, which the latency itself is measured at.
fn curves(
    ctx: &Context,
    platform: &Platform,
    sites: &[Site],
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let bind = place::several_nodes(platform);
    let place = &place::places(platform, sites)[0];
    let sizing = size(platform, node(platform, place.node), ctx).map_err(MemoryError::TooLittle)?;
    let largest = sizing.footprint_bytes / 2;
    for pages in PAGES {
        match curve::measure(ctx, place, bind, pages, &platform.caches, largest, watch)? {
            Ok(measurement) => measured.measurements.push(measurement),
            Err(refused) => measured.leave_out(curve::id(pages), &refused.to_string()),
        }
    }
    Ok(())
}

fn beside_loads(
    ctx: &Context,
    platform: &Platform,
    sites: &[Site],
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let bind = place::several_nodes(platform);
    let place = &place::places(platform, sites)[0];
    let loaders = loaded::loaders(platform, &sites[0].cpus, place);
    if loaders.is_empty() {
        measured.leave_out(loaded::id(place.node), "no other core of this node may be used");
        return Ok(());
    }
    let sizing = size(platform, node(platform, place.node), ctx).map_err(MemoryError::TooLittle)?;
    // Chain and readers together take no more than may be taken, so each has half of it where that is less.
    let each = (sizing.doubled_bytes() / 2 / HUGE * HUGE).max(HUGE);
    let cycle = Cycle::new(each, ctx)?;
    match loaded::measure(ctx, (place, bind), &loaders, &sizing, &cycle, watch)? {
        Ok(measurement) => measured.measurements.push(measurement),
        Err(refused) => measured.leave_out(loaded::id(place.node), &refused.to_string()),
    }
    Ok(())
}

/// By one CPU and by all of the first node.
fn shapes(
    ctx: &Context,
    platform: &Platform,
    sites: &[Site],
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let bind = place::several_nodes(platform);
    let first = &sites[..1];
    let sizing =
        size(platform, node(platform, first[0].node), ctx).map_err(MemoryError::TooLittle)?;
    shape::measure(ctx, (platform, sites), &teams(first, bind), &sizing, watch, measured)
}
