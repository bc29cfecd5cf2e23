//! Every node's CPUs and every node's memory: what a load costs and how much can be read, cell by cell; and what that makes of the
//! ways in which a server's memory can be laid.
//!
//! A cell's memory is bound before the first touch and verified page by page; its latency is a walk by one CPU, its bandwidth reads
//! by all of the node's. Which cells, and which of them again, is in `survey.rs`; placements are in `policy.rs` and what they should
//! give in `predict.rs`.
//!
//! Not here: machines with one node, whose only cell is [`crate::summary_suite`]'s.

mod policy;
mod predict;
mod survey;

use std::collections::{BTreeMap, BTreeSet};

use narrows_engine::{Context, Rng};
use narrows_facts::affinity;
use narrows_model::{Measurement, PlannedStep, Platform, Validity, metric};
use narrows_observe::Watch;
use serde_json::json;

pub use self::predict::{Known, Mix, Predicted, predict};
pub use self::survey::NodePair;
use self::survey::{Class, Figures, Surveyed, filled, survey};
use crate::access_path::{self, AccessPath, Site};
use crate::bandwidth::{self, Member, Team};
use crate::latency::{self, Cycle};
use crate::mapping::{MapError, Mapping, Pages};
use crate::sizing::{self, Amount, Sizing};
use crate::summary_suite::{node, step};
use crate::traffic::Traffic;
use crate::{Measured, MemoryError};

/// How much of the matrix is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Some cells for each distance, and what they make suspicious.
    Classes,
    /// All cells.
    Whole,
}

/// Bytes of 2 MiB pages that are asked for to see whether there are any.
const PROBE: u64 = 32 << 20;
/// Repeats of a cell; what differs is looked at again.
const REPEATS: u32 = 3;

/// What [`measure`] will do.
pub fn planned(ctx: &Context, platform: &Platform, extent: Extent) -> Vec<PlannedStep> {
    let cells = cells(platform, &with_cpus(platform, &affinity::current()));
    if !access_path::several_nodes(platform) {
        return Vec::new();
    }
    let Ok(sizing) = sizing::footprint(platform, None, &[], Amount::Small) else {
        return Vec::new();
    };
    let gib = sizing.footprint_bytes as f64 / (1u64 << 30) as f64;
    let short = short(ctx);
    let windows = f64::from(REPEATS) * 2.0 * short.window.as_secs_f64();
    let each = 3.0 * gib + windows + 0.2;
    let classes: BTreeSet<Class> = cells.iter().map(|(_, class)| *class).collect();
    let (count, what) = match extent {
        Extent::Whole => (cells.len(), format!("all {} cells of the matrix of nodes", cells.len())),
        Extent::Classes => {
            let count = cells.len().min(4 * classes.len());
            (
                count,
                format!("{count} of the {} cells of the matrix of nodes, by distance", cells.len()),
            )
        }
    };
    let policies = policy::expected_s(ctx, gib);
    vec![
        step(what, count as f64 * each),
        step("placements of memory on the nodes, side by side".to_string(), policies),
    ]
}

/// The cells, and the placements with what the cells make of them.
///
/// # Errors
/// When asked to stop, or when a thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    (platform, sites): (&Platform, &[Site]),
    extent: Extent,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    if !access_path::several_nodes(platform) {
        return Ok(());
    }
    let short = short(ctx);
    let rows = with_cpus(platform, &affinity::current());
    // All cells on the same kind of pages: their difference would be taken for the nodes'.
    let huge = Mapping::new(PROBE, Pages::Huge, None, ctx.stop).is_ok();
    let pages = if huge { Pages::Huge } else { Pages::Base };
    let (cycle, absent) = (None, BTreeMap::new());
    let mut looker = Looker { ctx: &short, platform, sites: rows, pages, watch, cycle, absent };
    let mut rng = Rng::new(ctx.seed);
    let whole = extent == Extent::Whole;
    let (cells, mut surveyed) = (cells(platform, &looker.sites), Vec::new());
    let ended = survey(&cells, whole, &mut rng, &mut surveyed, |cell| looker.look(cell));
    for (id, refused) in std::mem::take(&mut looker.absent) {
        measured.leave_out(id, &refused);
    }
    drop(looker);
    let known: Known = surveyed.iter().map(|s| (s.cell, s.figures())).collect();
    // What was measured before a stop is kept.
    measured.measurements.extend(surveyed.into_iter().flat_map(pair_measurements));
    ended?;
    policy::measure(ctx, (platform, sites), &filled(&known, &cells), watch, measured)
}

/// The nodes whose CPUs may be used, those without memory of their own too.
fn with_cpus(platform: &Platform, allowed: &[u32]) -> Vec<Site> {
    let nodes = platform.nodes.iter().map(|node| Site {
        node: node.id,
        cpus: node.cpus.iter().copied().filter(|cpu| allowed.contains(cpu)).collect(),
    });
    nodes.filter(|site| !site.cpus.is_empty()).collect()
}

fn short<'a>(ctx: &Context<'a>) -> Context<'a> {
    Context { repeats: REPEATS, quick: true, ..*ctx }
}

/// All of them, with what each should be like.
fn cells(platform: &Platform, sites: &[Site]) -> Vec<(NodePair, Class)> {
    let mut all = Vec::new();
    for site in sites {
        for memory in platform.nodes.iter().filter(|node| node.memory_bytes > 0) {
            let class = Class {
                distance: access_path::distance(platform, site.node, memory.id),
                near: site.node == memory.id,
                memory_only: memory.cpus.is_empty(),
                cpus: site.cpus.len(),
            };
            all.push((NodePair { from: site.node, to: memory.id }, class));
        }
    }
    all
}

/// Latency and bandwidth of a cell, each with its reason where it could not be had.
struct PairMeasurements {
    latency: Option<Measurement>,
    bandwidth: Option<Measurement>,
}

impl Figures for PairMeasurements {
    fn figures(&self) -> [Option<f64>; 2] {
        let value = |m: &Option<Measurement>, name| m.as_ref()?.value(name);
        [value(&self.latency, metric::COST), value(&self.bandwidth, metric::BANDWIDTH)]
    }
}

struct Looker<'a> {
    ctx: &'a Context<'a>,
    platform: &'a Platform,
    /// Where reads come from.
    sites: Vec<Site>,
    pages: Pages,
    watch: &'a Watch,
    /// The last one; cells on nodes with as much room share it.
    cycle: Option<Cycle>,
    /// By id, so that a cell that was refused in both looks is absent once.
    absent: BTreeMap<String, MapError>,
}

impl Looker<'_> {
    fn look(&mut self, cell: NodePair) -> Result<PairMeasurements, MemoryError> {
        let id = |what: &str| format!("memory.matrix.{what}.from{}.to{}", cell.from, cell.to);
        let ids = [id("latency"), id("read")];
        let (on, by) = (node(self.platform, cell.to), &self.site(cell.from).cpus);
        let sizing = match sizing::footprint(self.platform, on, by, Amount::Small) {
            Ok(sizing) => sizing,
            Err(too_little) => {
                self.absent.extend(ids.map(|id| (id, MapError::TooLittle(too_little))));
                return Ok(PairMeasurements { latency: None, bandwidth: None });
            }
        };
        let mut look = PairMeasurements {
            latency: self.latency(cell, &ids[0], &sizing)?,
            bandwidth: self.bandwidth(cell, &ids[1], &sizing)?,
        };
        let found = [(&mut look.latency, &ids[0]), (&mut look.bandwidth, &ids[1])];
        for (m, id) in found.into_iter().filter_map(|(m, id)| Some((m.as_mut()?, id))) {
            m.id = id.into();
            m.workload.insert(narrows_model::condition::CPU_NODE, json!(cell.from));
            if let Some(distance) = access_path::distance(self.platform, cell.from, cell.to) {
                m.conditions.insert(narrows_model::condition::DISTANCE, json!(distance));
            }
        }
        Ok(look)
    }

    fn site(&self, node: u32) -> &Site {
        self.sites.iter().find(|site| site.node == node).expect("cells are from sites")
    }

    fn latency(
        &mut self,
        cell: NodePair,
        id: &str,
        sizing: &Sizing,
    ) -> Result<Option<Measurement>, MemoryError> {
        if self.cycle.as_ref().is_none_or(|c| c.footprint_bytes() != sizing.footprint_bytes) {
            // The old one goes first; both at once may be too much.
            self.cycle = None;
            self.cycle = Some(Cycle::new(sizing.footprint_bytes, self.ctx)?);
        }
        let cycle = self.cycle.as_ref().expect("it was just made");
        let place = AccessPath {
            cpu: *self.site(cell.from).cpus.last().expect("a site has CPUs"),
            cpu_node: cell.from,
            node: cell.to,
            distance: access_path::distance(self.platform, cell.from, cell.to),
            id_part: String::new(),
        };
        let measured =
            latency::measure(self.ctx, &place, true, self.pages, sizing, cycle, self.watch)?;
        Ok(self.or_absent(id, measured))
    }

    fn bandwidth(
        &mut self,
        cell: NodePair,
        id: &str,
        sizing: &Sizing,
    ) -> Result<Option<Measurement>, MemoryError> {
        let site = self.site(cell.from);
        let team = Team {
            place: format!("from{}.to{}", cell.from, cell.to),
            members: site.cpus.iter().map(|&cpu| Member { cpu, node: cell.to }).collect(),
            bind: true,
            pages: self.pages,
        };
        let measured = bandwidth::measure(self.ctx, &team, &[Traffic::Read], sizing, self.watch)?;
        let measured = measured.map(|mut all| all.remove(0));
        Ok(self.or_absent(id, measured))
    }

    fn or_absent(
        &mut self,
        id: &str,
        measured: Result<Measurement, MapError>,
    ) -> Option<Measurement> {
        measured.map_err(|why| self.absent.insert(id.to_string(), why)).ok()
    }
}

/// The last look's measurements, with what the first one gave and whether they are unlike their class.
fn pair_measurements(surveyed: Surveyed<PairMeasurements>) -> impl Iterator<Item = Measurement> {
    let Surveyed { looks, doubt, off, of_class, .. } = surveyed;
    let before: Vec<[Option<f64>; 2]> =
        looks[..looks.len() - 1].iter().map(Figures::figures).collect();
    let last = looks.into_iter().next_back();
    let both = last.map(|look| [look.latency, look.bandwidth]).into_iter().flatten();
    both.enumerate().filter_map(move |(kind, m)| {
        let mut m = m?;
        let firsts: Vec<f64> = before.iter().filter_map(|figures| figures[kind]).collect();
        if !firsts.is_empty() && doubt.is_some_and(|ratios| ratios[kind].is_some()) {
            m.conditions.insert(narrows_model::condition::LOOKED_AT_BEFORE, json!(firsts));
        }
        if let Some(ratio) = off.and_then(|ratios| ratios[kind]) {
            m.conditions.insert(narrows_model::condition::OVER_ITS_DISTANCE, json!(ratio));
            m.conditions.insert(narrows_model::condition::CELLS_OF_ITS_DISTANCE, json!(of_class));
        }
        Some(m)
    })
}

/// What a run's cells say of this machine, the unmeasured ones by the median of their class; empty where it measured none.
pub fn known_of(measurements: &[Measurement], platform: &Platform) -> Known {
    let measured = known(measurements);
    if measured.is_empty() {
        return measured;
    }
    let allowed: Vec<u32> = platform.nodes.iter().flat_map(|node| node.cpus.clone()).collect();
    filled(&measured, &cells(platform, &with_cpus(platform, &allowed)))
}

/// The cells that a run measured, without those that are invalid: an outlier that was seen twice is what it is.
fn known(measurements: &[Measurement]) -> Known {
    let mut known = Known::new();
    for (kind, (prefix, name)) in
        [("memory.matrix.latency.", metric::COST), ("memory.matrix.read.", metric::BANDWIDTH)]
            .into_iter()
            .enumerate()
    {
        for m in measurements.iter().filter(|m| m.validity != Validity::Invalid) {
            let cell = m.id.strip_prefix(prefix).and_then(|rest| {
                let (from, to) = rest.strip_prefix("from")?.split_once(".to")?;
                Some(NodePair { from: from.parse().ok()?, to: to.parse().ok()? })
            });
            if let Some(cell) = cell {
                known.entry(cell).or_default()[kind] = m.value(name);
            }
        }
    }
    known
}
