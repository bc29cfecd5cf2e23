//! All of the memory, for `narrows memory`: what [`crate::summary_suite`] measures, latency by footprint and beside loads, and every kind of
//! traffic by one thread, by more, and by all.

use narrows_engine::Context;
use narrows_facts::affinity;
use narrows_model::{Measurement, PlannedStep, Platform, Unknown};
use narrows_observe::Watch;
use narrows_units::Bytes;

use crate::access_path::{self, AccessPath, Site};
use crate::bandwidth::{self, Member, Team};
use crate::kernel::Kernel;
use crate::latency::Cycle;
use crate::mapping::{HUGE, Pages};
use crate::matrix::{self, Extent};
use crate::sizing::Sizing;
use crate::summary_suite::{PAGES, bandwidths, latencies, latency_step, node, size, step, teams};
use crate::summary_suite::{size_of_core, yield_of_core, yield_step};
use crate::traffic::Traffic;
use crate::{Measured, MemoryError, curve, loaded, shape, translation};

/// What a part of the study gave, as soon as it is there.
pub type Keep<'a> = &'a mut dyn FnMut(Vec<Measurement>);

/// Measures everything; what is absent is returned with its reasons.
///
/// # Errors
/// Only where nothing at all can be measured, or when asked to stop; all memory is freed then too.
pub fn study(
    ctx: &Context,
    platform: &Platform,
    extent: Extent,
    watch: &Watch,
    keep: Keep<'_>,
) -> Result<Vec<Unknown>, MemoryError> {
    let study = Study::of(ctx, platform, watch)?;
    let mut parts = Parts { keep, absent: Vec::new() };
    let mut cycle = None;
    parts.add(|measured| {
        latencies(ctx, platform, &study.sites, pages(extent), &mut cycle, watch, measured)
    })?;
    parts.add(|measured| study.beside_loads(cycle.take(), loads(extent), measured))?;
    parts.add(|measured| study.curves(measured))?;
    parts.add(|measured| study.translation(extent, measured))?;
    for (team, kinds) in all_teams(platform, &study.sites, study.bind) {
        parts.add(|measured| bandwidths(ctx, platform, &team, &kinds, watch, measured))?;
    }
    parts.add(|measured| study.matrix(extent, measured))?;
    parts.add(|measured| study.shapes(measured))?;
    parts.add(|measured| yield_of_core(ctx, platform, &affinity::current(), watch, measured))?;
    Ok(parts.absent)
}

/// Measures the matrix of nodes and the placements, and nothing where there is one node.
///
/// # Errors
/// As [`study`].
pub fn matrix_alone(
    ctx: &Context,
    platform: &Platform,
    extent: Extent,
    watch: &Watch,
    keep: Keep<'_>,
) -> Result<Vec<Unknown>, MemoryError> {
    let study = Study::of(ctx, platform, watch)?;
    let mut parts = Parts { keep, absent: Vec::new() };
    parts.add(|measured| study.matrix(extent, measured))?;
    Ok(parts.absent)
}

/// What [`matrix_alone`] will do, and for how long.
pub fn matrix_planned(ctx: &Context, platform: &Platform, extent: Extent) -> Vec<PlannedStep> {
    matrix::planned(ctx, platform, extent)
}

/// What [`study`] will do, and for how long.
pub fn study_planned(ctx: &Context, platform: &Platform, extent: Extent) -> Vec<PlannedStep> {
    let allowed = affinity::current();
    let Ok(sites) = access_path::sites(platform, &allowed) else { return Vec::new() };
    let (Ok(sizing), Ok(of_core)) =
        (size(platform, None, &sites[0].cpus, ctx), size_of_core(ctx, platform, &sites))
    else {
        return Vec::new();
    };
    let gib = |bytes: u64| bytes as f64 / (1u64 << 30) as f64;
    let mut steps = vec![latency_step(ctx, platform, &sites, &of_core, pages(extent))];
    let largest = curve::largest(&sizing);
    let what = format!("the same by footprint, up to {}", Bytes(largest).iec());
    steps.push(step(what, 2.0 * curve::expected_s(ctx, largest)));
    steps.push(translation::planned(ctx, extent == Extent::Whole, of_core.room_bytes));
    let near = &access_path::places(platform, &sites)[0];
    if !loaded::loaders(platform, &sites[0].cpus, near).is_empty() {
        let each = 3.0 * gib(sizing.footprint_bytes) + loaded::expected_s(ctx);
        let (doing, times) = match loads(extent).len() {
            1 => ("read", 1.0),
            n => ("read, and read and write,", n as f64),
        };
        steps.push(step(format!("the same while other CPUs {doing} at a pace"), times * each));
    }
    let teams = all_teams(platform, &sites, false);
    let filled = gib(sizing.doubled_bytes()) * teams.len() as f64;
    let windows: f64 = teams.iter().map(|(_, kinds)| bandwidth::expected_s(ctx, kinds.len())).sum();
    let what = "bandwidth: reads, writes, copies and mixes, by one CPU and by all".to_string();
    steps.push(step(what, filled + windows));
    steps.extend(matrix::planned(ctx, platform, extent));
    let what = "shaped like a database: pages, an index, chains under latches, a contended line";
    steps.push(step(what.to_string(), shape::expected_s(ctx, 2, sizing.footprint_bytes)));
    steps.extend(yield_step(ctx, platform, &allowed));
    steps
}

/// What a load beside others' traffic needs.
const FURTHER_CORES: &str = "a second core, and the right to use it (taskset, cpuset)";

/// Kinds of pages that a load from memory is measured on.
fn pages(extent: Extent) -> &'static [Pages] {
    if extent == Extent::Whole { &PAGES } else { &PAGES[..2] }
}

/// What a load is measured beside.
fn loads(extent: Extent) -> &'static [Traffic] {
    if extent == Extent::Whole { &loaded::LOADS } else { &loaded::LOADS[..1] }
}

/// Hands over each part as soon as it is there, and gathers what is absent.
struct Parts<'a> {
    keep: Keep<'a>,
    absent: Vec<Unknown>,
}

impl Parts<'_> {
    /// What a part measured before it failed is kept too.
    fn add(
        &mut self,
        part: impl FnOnce(&mut Measured) -> Result<(), MemoryError>,
    ) -> Result<(), MemoryError> {
        let mut measured = Measured::default();
        let outcome = part(&mut measured);
        (self.keep)(measured.measurements);
        self.absent.append(&mut measured.absent);
        outcome
    }
}

/// What all parts need.
struct Study<'a> {
    ctx: &'a Context<'a>,
    platform: &'a Platform,
    watch: &'a Watch,
    sites: Vec<Site>,
    /// Whether nodes have to be asked for.
    bind: bool,
}

impl<'a> Study<'a> {
    fn of(
        ctx: &'a Context<'a>,
        platform: &'a Platform,
        watch: &'a Watch,
    ) -> Result<Self, MemoryError> {
        let sites = access_path::sites(platform, &affinity::current())?;
        Ok(Study { ctx, platform, watch, sites, bind: access_path::several_nodes(platform) })
    }

    /// A CPU of the first node and its own memory.
    fn near(&self) -> AccessPath {
        access_path::places(self.platform, &self.sites).swap_remove(0)
    }

    /// What may be taken on the first node.
    fn size(&self) -> Result<Sizing, MemoryError> {
        let site = &self.sites[0];
        let node = node(self.platform, site.node);
        size(self.platform, node, &site.cpus, self.ctx).map_err(MemoryError::TooLittle)
    }

    fn curves(&self, measured: &mut Measured) -> Result<(), MemoryError> {
        let (place, largest) = (self.near(), curve::largest(&self.size()?));
        let caches = &self.platform.caches;
        for &pages in &PAGES[..2] {
            match curve::measure(self.ctx, &place, self.bind, pages, caches, largest, self.watch)? {
                Ok(measurement) => measured.measurements.push(measurement),
                Err(refused) => measured.leave_out(curve::id(pages), &refused),
            }
        }
        Ok(())
    }

    fn translation(&self, extent: Extent, measured: &mut Measured) -> Result<(), MemoryError> {
        let (place, room_bytes) = (self.near(), self.size()?.room_bytes);
        let thorough = extent == Extent::Whole;
        translation::measure(self.ctx, &place, thorough, room_bytes, self.watch, measured)
    }

    /// Over that cycle, if it fits.
    fn beside_loads(
        &self,
        cycle: Option<Cycle>,
        loads: &[Traffic],
        measured: &mut Measured,
    ) -> Result<(), MemoryError> {
        let place = self.near();
        let id = |load| loaded::id(load, place.node);
        let loaders = loaded::loaders(self.platform, &self.sites[0].cpus, &place);
        if loaders.is_empty() {
            for &load in loads {
                measured.cannot(id(load), "no other core of this node may be used", FURTHER_CORES);
            }
            return Ok(());
        }
        let sizing = self.size()?;
        // Chain and readers together take no more than may be taken, so each has half of it where that is less.
        let each = (sizing.doubled_bytes() / 2 / HUGE * HUGE).max(HUGE);
        let cycle = match cycle.filter(|cycle| cycle.footprint_bytes() == each) {
            Some(cycle) => cycle,
            None => Cycle::new(each, self.ctx)?,
        };
        let near = (&place, self.bind);
        for &load in loads {
            let by = (load, loaders.as_slice());
            match loaded::measure(self.ctx, near, by, &sizing, &cycle, self.watch)? {
                Ok(measurement) => measured.measurements.push(measurement),
                Err(refused) => measured.leave_out(id(load), &refused),
            }
        }
        Ok(())
    }

    fn matrix(&self, extent: Extent, measured: &mut Measured) -> Result<(), MemoryError> {
        matrix::measure(self.ctx, (self.platform, &self.sites), extent, self.watch, measured)
    }

    /// By one CPU and by all of the first node.
    fn shapes(&self, measured: &mut Measured) -> Result<(), MemoryError> {
        let teams = teams(&self.sites[..1], self.bind);
        let machine = (self.platform, self.sites.as_slice());
        shape::measure(self.ctx, machine, &teams, &self.size()?, self.watch, measured)
    }
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
    let spread = access_path::spread(platform, &site.cpus);
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
