//! What `narrows run` wants to know of the memory: latency near and far, read bandwidth of each node and of a CPU, and the
//! yield of a core.

use narrows_engine::Context;
use narrows_facts::affinity;
use narrows_model::{Layer, NumaNode, PlannedStep, Platform};
use narrows_observe::Watch;
use narrows_units::Bytes;

use crate::bandwidth::{self, Member, Team};
use crate::latency::{self, Cycle};
use crate::mapping::{MapError, Pages};
use crate::siblings::{self, Siblings};
use crate::sizing::{self, Amount, Sizing, TooLittle};
use crate::traffic::Traffic;
use crate::{Measured, MemoryError, access_path, smt};

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
    let sites = access_path::sites(platform, &allowed)?;
    let mut measured = Measured::default();
    latencies(ctx, platform, &sites, &PAGES[..2], &mut None, watch, &mut measured)?;
    for team in teams(&sites, access_path::several_nodes(platform)) {
        bandwidths(ctx, platform, &team, &[Traffic::Read], watch, &mut measured)?;
    }
    yield_of_core(ctx, platform, server_cpus, watch, &mut measured)?;
    Ok(measured)
}

/// What [`measure`] will do, and for how long.
pub fn planned(ctx: &Context, platform: &Platform, server_cpus: &[u32]) -> Vec<PlannedStep> {
    let allowed = affinity::current();
    let Ok(sites) = access_path::sites(platform, &allowed) else { return Vec::new() };
    let (Ok(sizing), Ok(of_core)) =
        (size(platform, None, &sites[0].cpus, ctx), size_of_core(ctx, platform, &sites))
    else {
        return Vec::new();
    };
    let gib = sizing.footprint_bytes as f64 / (1u64 << 30) as f64;
    let teams = teams(&sites, false).len() as f64;
    let bandwidth_s = teams * (gib + bandwidth::expected_s(ctx, 1));
    let over = Bytes(sizing.footprint_bytes).iec();
    let mut steps = vec![
        latency_step(ctx, platform, &sites, &of_core, &PAGES[..2]),
        step(format!("read bandwidth over {over}, each node and one CPU"), bandwidth_s),
    ];
    steps.extend(yield_step(ctx, platform, server_cpus));
    steps
}

/// A step that writes nothing.
pub fn step(what: String, expected_s: f64) -> PlannedStep {
    PlannedStep { layer: Layer::Memory, what, expected_s, writes_bytes: 0 }
}

/// What [`latencies`] will do.
pub fn latency_step(
    ctx: &Context,
    platform: &Platform,
    sites: &[access_path::Site],
    sizing: &Sizing,
    kinds: &[Pages],
) -> PlannedStep {
    let gib = sizing.footprint_bytes as f64 / (1u64 << 30) as f64;
    let repeats = f64::from(ctx.repeats.max(1));
    let cells = (kinds.len() * access_path::places(platform, sites).len()) as f64;
    // Building takes about a second per GiB for the cycle and as much for touching, linking and checking; the end of
    // each repeat is checked at about half the cost of walking it.
    let latency_s =
        gib + cells * (2.0 * gib + repeats * latency::repeat_length(ctx).as_secs_f64() * 1.5);
    let over = Bytes(sizing.footprint_bytes).iec();
    let pages =
        if kinds.contains(&Pages::Gib) { "4 KiB, 2 MiB and 1 GiB" } else { "4 KiB and 2 MiB" };
    step(format!("dependent loads over {over}, {pages} pages"), latency_s)
}

/// What [`yield_of_core`] will do, if cores have several CPUs.
pub fn yield_step(ctx: &Context, platform: &Platform, server_cpus: &[u32]) -> Option<PlannedStep> {
    let Siblings::Core(cpus) = siblings::siblings(platform, server_cpus) else { return None };
    let what = format!("{} CPUs of one core, together and alone", cpus.len());
    Some(step(what, smt::expected_s(ctx)))
}

/// Kinds of pages that a load is measured on.
pub const PAGES: [Pages; 3] = [Pages::Base, Pages::Huge, Pages::Gib];

/// Every place on each of these kinds of pages, over that cycle where it fits; the last one is left there.
pub fn latencies(
    ctx: &Context,
    platform: &Platform,
    sites: &[access_path::Site],
    kinds: &[Pages],
    cycle: &mut Option<Cycle>,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let bind = access_path::several_nodes(platform);
    for place in access_path::places(platform, sites) {
        let sizing = match size(platform, node(platform, place.node), &[place.cpu], ctx) {
            Ok(sizing) => sizing,
            // Too little on a far node leaves the near one.
            Err(too_little) if !place.id_part.is_empty() => {
                for &pages in kinds {
                    let refused = MapError::TooLittle(too_little);
                    measured.leave_out(latency::id(&place, pages), &refused);
                }
                continue;
            }
            Err(too_little) => return Err(MemoryError::TooLittle(too_little)),
        };
        if cycle.as_ref().is_none_or(|cycle| cycle.footprint_bytes() != sizing.footprint_bytes) {
            // The old one goes first; both at once may be too much.
            *cycle = None;
        }
        let cycle = match &*cycle {
            Some(cycle) => cycle,
            None => &*cycle.insert(Cycle::new(sizing.footprint_bytes, ctx)?),
        };
        for &pages in kinds {
            match latency::measure(ctx, &place, bind, pages, &sizing, cycle, watch)? {
                Ok(measurement) => measured.measurements.push(measurement),
                Err(refused) => {
                    measured.leave_out(latency::id(&place, pages), &refused);
                }
            }
        }
    }
    Ok(())
}

/// All kinds of traffic of a team.
pub fn bandwidths(
    ctx: &Context,
    platform: &Platform,
    team: &Team,
    kinds: &[Traffic],
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    let nodes = team.members.iter().map(|member| node(platform, member.node));
    let cpus = team.cpus();
    // The node with the least room decides.
    let sized = nodes.map(|node| size(platform, node, &cpus, ctx)).reduce(|a, b| match (a, b) {
        (Ok(a), Ok(b)) => Ok(if a.footprint_bytes <= b.footprint_bytes { a } else { b }),
        (Err(too_little), _) | (_, Err(too_little)) => Err(too_little),
    });
    let found = match sized.expect("a team has members") {
        Ok(sizing) => bandwidth::measure(ctx, team, kinds, &sizing, watch)?,
        Err(too_little) => Err(MapError::TooLittle(too_little)),
    };
    match found {
        Ok(found) => measured.measurements.extend(found),
        Err(refused) => {
            kinds.iter().for_each(|kind| measured.leave_out(team.id(*kind), &refused));
        }
    }
    Ok(())
}

/// The yield of a core of the server's, where cores have several CPUs.
pub fn yield_of_core(
    ctx: &Context,
    platform: &Platform,
    server_cpus: &[u32],
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    match siblings::siblings(platform, server_cpus) {
        Siblings::Core(cpus) => {
            measured.measurements.push(smt::measure(ctx, platform, &cpus, watch)?);
        }
        Siblings::None => {}
        Siblings::Unknown(unknown) => measured.absent.push(unknown),
    }
    Ok(())
}

/// The node of that number where pages have to be asked for by node.
pub fn node(platform: &Platform, id: u32) -> Option<&NumaNode> {
    let several = access_path::several_nodes(platform);
    platform.nodes.iter().find(|node| several && node.id == id)
}

/// The footprint on a node, for walks by these CPUs.
pub fn size(
    platform: &Platform,
    node: Option<&NumaNode>,
    cpus: &[u32],
    ctx: &Context,
) -> Result<Sizing, TooLittle> {
    let amount = if ctx.quick { Amount::Small } else { Amount::Full };
    sizing::footprint(platform, node, cpus, amount)
}

/// The footprint of one CPU's walk, as [`latencies`] plans it.
pub fn size_of_core(
    ctx: &Context,
    platform: &Platform,
    sites: &[access_path::Site],
) -> Result<Sizing, TooLittle> {
    size(platform, None, &[access_path::places(platform, sites)[0].cpu], ctx)
}

/// All CPUs of each node on its own memory, and one CPU alone.
pub fn teams(sites: &[access_path::Site], bind: bool) -> Vec<Team> {
    let all = |site: &access_path::Site| -> Vec<Member> {
        site.cpus.iter().map(|&cpu| Member { cpu, node: site.node }).collect()
    };
    let mut teams: Vec<Team> = sites
        .iter()
        .map(|site| Team {
            place: format!("node{}", site.node),
            members: all(site),
            bind,
            pages: Pages::Any,
        })
        .collect();
    let one = all(&sites[0]).pop().into_iter().collect();
    teams.push(Team { place: "core".to_string(), members: one, bind, pages: Pages::Any });
    teams
}
