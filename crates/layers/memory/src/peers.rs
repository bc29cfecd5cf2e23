//! The same chase and the same kernels for `cargo xtask peers`, on small pages, as other programs have them.

use narrows_engine::Context;
use narrows_facts::affinity;
use narrows_model::{Platform, metric};
use narrows_observe::Watch;

use crate::bandwidth::{Member, Team, measure};
use crate::kernel::Kernel;
use crate::mapping::Pages;
use crate::slb::{Hammer, Kit, PAGE, latency};
use crate::summary_suite::{node, size};
use crate::traffic::Traffic;
use crate::{MemoryError, access_path};

/// What a dependent load costs, ns: for each repeat the mean over its loads, over so many bytes of fresh memory on 4 KiB pages.
///
/// # Errors
/// The memory or the CPU can't be had, or when asked to stop.
pub fn chase(ctx: &Context, cpu: u32, bytes: u64) -> Result<Vec<f64>, MemoryError> {
    let hammer = Hammer {
        pages: (bytes / PAGE) as u32,
        loops: 1,
        kit: Kit::Reads2010,
        cpu,
        huge: false,
        seed: ctx.seed,
    };
    let measured = latency(ctx, &hammer, None, &Watch::none())?;
    let m = measured.map_err(|why| MemoryError::Refused { why })?;
    Ok(m.metric(metric::COST_MEAN).map(|cost| cost.samples.clone()).unwrap_or_default())
}

/// Bytes a second of each of these kinds of traffic, by a thread on each of these CPUs; by the word in the ids.
///
/// # Errors
/// The memory or a CPU can't be had, a word is none, or when asked to stop.
pub fn traffics(
    ctx: &Context,
    platform: &Platform,
    cpus: &[u32],
    words: &[&str],
    watch: &Watch,
) -> Result<Vec<f64>, MemoryError> {
    let sites = access_path::sites(platform, &affinity::current())?;
    let on =
        |cpu: u32| sites.iter().find(|site| site.cpus.contains(&cpu)).map_or(0, |site| site.node);
    let members: Vec<Member> = cpus.iter().map(|&cpu| Member { cpu, node: on(cpu) }).collect();
    let sizing = size(platform, node(platform, members[0].node), cpus, ctx)
        .map_err(MemoryError::TooLittle)?;
    let bind = access_path::several_nodes(platform);
    let team = Team { place: "peers".to_string(), members, bind, pages: Pages::Base };
    let all = Traffic::all(Kernel::best());
    let kinds: Vec<Traffic> = words
        .iter()
        .filter_map(|word| all.iter().copied().find(|kind| kind.word() == *word))
        .collect();
    let measured = measure(ctx, &team, &kinds, &sizing, watch)?;
    let measured = measured.map_err(|refused| MemoryError::Refused { why: refused.to_string() })?;
    Ok(measured.iter().filter_map(|m| m.value(metric::BANDWIDTH)).collect())
}
