//! Placements of memory, side by side: all CPUs of the machine read, and one CPU of each node walks, on memory that is laid as a
//! server's could be.
//!
//! - **local**: each node's CPUs have theirs on their own node: what a server per node has.
//! - **remote**: on the next node: what a server has that was moved, or bound to CPUs and not to memory.
//! - **interleaved**: page by page on all nodes, by the kernel's policy, as `numactl --interleave=all` does.
//! - **weighted**: on all nodes by the bandwidth that the matrix shows for each; the kernel has such a policy from 6.9 on.
//! - **one node**: all of it on the first node, as a pool has that one process touched ("cyclops").

use std::collections::BTreeMap;
use std::sync::mpsc;

use narrows_engine::{Context, LiveValue, Samples, Window};
use narrows_model::{Layer, Measurement, Platform, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use super::predict::{Known, Mix, Predicted, predict};
use crate::access_path::Site;
use crate::bandwidth::{self, Member, Team};
use crate::chase::Chain;
use crate::latency::Cycle;
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::sizing::{self, Amount, Sizing, TooLittle};
use crate::spread::{Spread, on_small_pages};
use crate::summary_suite::node;
use crate::thread_group::{Failure, GroupWorker, ThreadGroup};
use crate::traffic::Traffic;
use crate::walker::{Paces, Walker};
use crate::{Measured, MemoryError};

/// A way to lay memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Local,
    Remote,
    Interleaved,
    Weighted,
    OneNode,
}

const POLICIES: [Policy; 5] =
    [Policy::Local, Policy::Remote, Policy::Interleaved, Policy::Weighted, Policy::OneNode];

impl Policy {
    fn word(self) -> &'static str {
        match self {
            Policy::Local => "local",
            Policy::Remote => "remote",
            Policy::Interleaved => "interleaved",
            Policy::Weighted => "weighted",
            Policy::OneNode => "one_node",
        }
    }

    /// How the memory of the CPUs of a site lies.
    fn of(self, site: usize, sites: &[Site], memories: &[(u32, f64)]) -> Spread {
        match self {
            Policy::Local => Spread::One(sites[site].node),
            Policy::Remote => Spread::One(sites[(site + 1) % sites.len()].node),
            Policy::Interleaved => {
                Spread::Interleave(memories.iter().map(|(node, _)| *node).collect())
            }
            Policy::Weighted => Spread::Weighted(memories.to_vec()),
            Policy::OneNode => Spread::One(sites[0].node),
        }
    }
}

/// Expected length, s.
pub fn expected_s(ctx: &Context, gib: f64) -> f64 {
    POLICIES.len() as f64
        * (2.0 * gib + 2.0 * ThreadGroup::expected_s(ctx, 1, bandwidth::window_length(ctx)))
}

/// All placements, with what the matrix makes of them.
pub fn measure(
    ctx: &Context,
    (platform, sites): (&Platform, &[Site]),
    known: &Known,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    if sites.len() < 2 {
        let why = "only the CPUs of one node may be used here";
        let needs = "the right to use CPUs of several nodes (taskset, cpuset)";
        measured.cannot("memory.policy".to_string(), why, needs);
        return Ok(());
    }
    let sizing = match size(platform) {
        Ok(sizing) => sizing,
        Err(too_little) => {
            measured.leave_out("memory.policy".to_string(), &MapError::TooLittle(too_little));
            return Ok(());
        }
    };
    let memories = memories(platform, known);
    for policy in POLICIES {
        let spreads: BTreeMap<u32, Spread> = sites
            .iter()
            .enumerate()
            .flat_map(|(at, site)| {
                let spread = policy.of(at, sites, &memories);
                site.cpus.iter().map(move |&cpu| (cpu, spread.clone()))
            })
            .collect();
        let mix = Mix {
            of: (0..sites.len())
                .map(|at| (sites[at].node, policy.of(at, sites, &memories).shares()))
                .collect(),
        };
        let laid = Laid { platform, sites, sizing: &sizing, policy, spreads, mix };
        let predicted = predict(&laid.mix, known);
        for (id, found) in [
            (laid.id("read"), laid.bandwidth(ctx, predicted, watch)?),
            (laid.id("latency"), laid.latency(ctx, predicted, watch)?),
        ] {
            match found {
                Ok(measurement) => measured.measurements.push(measurement),
                Err(refused) => measured.leave_out(id, &refused),
            }
        }
    }
    Ok(())
}

/// The nodes with memory, each with the most that anybody read from it; all alike where that isn't known of all.
fn memories(platform: &Platform, known: &Known) -> Vec<(u32, f64)> {
    let with_memory = platform.nodes.iter().filter(|node| node.memory_bytes > 0);
    let nodes: Vec<u32> = with_memory.map(|node| node.id).collect();
    let most = |node: &u32| {
        let cells = known.iter().filter(|(cell, _)| cell.to == *node);
        cells.filter_map(|(_, figures)| figures[1]).reduce(f64::max)
    };
    let weights: Option<Vec<f64>> = nodes.iter().map(most).collect();
    match weights {
        Some(weights) => nodes.into_iter().zip(weights).collect(),
        None => nodes.into_iter().map(|node| (node, 1.0)).collect(),
    }
}

/// What may be taken in all, where one node may have to hold all of it.
fn size(platform: &Platform) -> Result<Sizing, TooLittle> {
    let with_memory = platform.nodes.iter().filter(|node| node.memory_bytes > 0);
    let sized: Result<Vec<Sizing>, TooLittle> = with_memory
        .map(|memory| sizing::footprint(platform, node(platform, memory.id), &[], Amount::Small))
        .collect();
    let least = sized?.into_iter().min_by_key(|sizing| sizing.footprint_bytes);
    Ok(least.expect("there are nodes with memory"))
}

/// A placement for all CPUs.
struct Laid<'a> {
    platform: &'a Platform,
    sites: &'a [Site],
    sizing: &'a Sizing,
    policy: Policy,
    /// By CPU.
    spreads: BTreeMap<u32, Spread>,
    mix: Mix,
}

impl Laid<'_> {
    fn id(&self, what: &str) -> String {
        format!("memory.policy.{what}.{}", self.policy.word())
    }

    /// All placements of as many bytes on the same kind of pages.
    fn map(&self, ctx: &Context, cpu: u32, bytes: u64) -> Result<Mapping, MapError> {
        let nodes = self.platform.nodes.iter().filter(|node| node.memory_bytes > 0).count();
        Mapping::spread(bytes, &self.spreads[&cpu], on_small_pages(bytes, nodes), ctx.stop)
    }

    fn bandwidth(
        &self,
        ctx: &Context,
        predicted: Predicted,
        watch: &Watch,
    ) -> Result<Result<Measurement, MapError>, MemoryError> {
        let members = self
            .sites
            .iter()
            .flat_map(|site| site.cpus.iter().map(|&cpu| Member { cpu, node: site.node }));
        let team = Team {
            place: self.policy.word().to_string(),
            members: members.collect(),
            bind: true,
            pages: Pages::Any,
        };
        let map = |cpu, bytes| self.map(ctx, cpu, bytes);
        let found = bandwidth::measure_on(ctx, &team, &[Traffic::Read], self.sizing, watch, map)?;
        let mut m = match found {
            Ok(mut all) => all.remove(0),
            Err(refused) => return Ok(Err(refused)),
        };
        m.id = self.id("read").into();
        if let Some((least, most)) = predicted.bytes_per_s {
            m.conditions.insert(condition::PREDICTED_BYTES_PER_S, json!([least, most]));
        }
        self.say_shares(&mut m);
        Ok(Ok(m))
    }

    /// One CPU of each node walks, all at the same time; the mean over the nodes.
    fn latency(
        &self,
        ctx: &Context,
        predicted: Predicted,
        watch: &Watch,
    ) -> Result<Result<Measurement, MapError>, MemoryError> {
        let cpus: Vec<u32> =
            self.sites.iter().filter_map(|site| site.cpus.last().copied()).collect();
        let each = (self.sizing.footprint_bytes / cpus.len() as u64).next_multiple_of(HUGE);
        let cycle = Cycle::new(each, ctx)?;
        let ids = [self.id("latency")];
        let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: bandwidth::window_length(ctx) };
        let (share_to, share) = mpsc::channel();
        let prepare = |cpu: u32| {
            let mut chain = Chain::new(self.map(ctx, cpu, each)?);
            let _ = share_to.send(chain.mapping().huge_share);
            chain.link(cycle.links(), ctx.stop).map_err(MapError::Stopped)?;
            // What the linking left in the caches is not to be found there.
            let spare = self.sizing.spare_bytes() / cpus.len() as u64;
            let at = chain
                .displace(self.sizing.cache_bytes, spare, ctx.stop)
                .map_err(MapError::Stopped)?;
            Ok::<_, Failure>(Walking(Walker { cpu, chain, cycle: &cycle, at, stop: ctx.stop }))
        };
        let mut samples = Samples::new();
        let turns = vec![0; ctx.repeats.max(1) as usize];
        let worked = crew.turns(ctx, &turns, watch, prepare, |turn| {
            let costs: f64 = turn.did.iter().map(Paces::ns).sum();
            let mean = costs / turn.did.len() as f64;
            samples.add(metric::COST, mean);
            turn.add_to(&mut samples, turn.did.iter().filter(|did| !did.right).count() as u64);
            samples.so_far(metric::COST).map(LiveValue::Nanos)
        })?;
        if let Err(refused) = worked {
            return Ok(Err(refused));
        }
        let mut m = Measurement::new(&ids[0], Layer::Memory);
        m.repeats = ctx.repeats.max(1);
        m.metrics = samples.into_metrics();
        m.workload.insert(condition::PATTERN, json!("random"));
        m.workload.insert(condition::THREADS, json!(cpus.len()));
        m.workload.insert(condition::CPUS, json!(cpus));
        m.workload.insert(condition::FOOTPRINT_BYTES, json!(each));
        let least = share.try_iter().fold(1.0, f64::min);
        m.conditions.insert(condition::HUGE_PAGE_SHARE_LEAST, json!(least));
        if let Some(ns) = predicted.ns {
            m.conditions.insert(condition::PREDICTED_NS, json!(ns));
        }
        crate::add_sizing(&mut m.conditions, self.sizing, each * cpus.len() as u64);
        self.say_shares(&mut m);
        Ok(Ok(m))
    }

    /// By the CPUs' node, the share of each memory.
    fn say_shares(&self, m: &mut Measurement) {
        let of = |(from, shares): &(u32, Vec<(u32, f64)>)| {
            let shares = shares.iter().map(|(to, share)| (to.to_string(), json!(share)));
            (from.to_string(), serde_json::Value::Object(shares.collect()))
        };
        let all = serde_json::Value::Object(self.mix.of.iter().map(of).collect());
        m.conditions.insert(condition::SHARE_OF_MEMORY_BY_NODE, all);
    }
}

struct Walking<'a>(Walker<'a>);

impl GroupWorker for Walking<'_> {
    type Did = Paces;

    fn work(&mut self, _: usize, window: Window) -> Paces {
        self.0.walk(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_lays_memory_as_its_name_says() {
        let sites = [Site { node: 0, cpus: vec![0] }, Site { node: 4, cpus: vec![1] }];
        let memories = [(0, 3.0), (4, 3.0), (9, 2.0)];
        let shares = |policy: Policy, site| policy.of(site, &sites, &memories).shares();
        assert_eq!(shares(Policy::Local, 1), [(4, 1.0)]);
        assert_eq!(shares(Policy::Remote, 1), [(0, 1.0)]);
        assert_eq!(shares(Policy::Remote, 0), [(4, 1.0)]);
        assert_eq!(shares(Policy::OneNode, 1), [(0, 1.0)]);
        assert_eq!(shares(Policy::Weighted, 0), [(0, 0.375), (4, 0.375), (9, 0.25)]);
        let third = 1.0 / 3.0;
        assert_eq!(shares(Policy::Interleaved, 0), [(0, third), (4, third), (9, third)]);
    }
}
