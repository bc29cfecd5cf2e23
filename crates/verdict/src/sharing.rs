//! The sharing factor: what an operation's CPU time grows by when others run beside it.
//!
//! Two things make it grow. CPUs of one core slow each other down whatever they do (SMT), by a factor that is measured
//! on these cores: `n / yield`, where `yield` is what the `n` CPUs of a core do together over what one does alone. What
//! remains is sharing (memory, coherence, locks) or a clock that falls as more CPUs work. How far it can fall is what the highest
//! clock is over the sustained one; only what goes beyond that is called sharing.

use narrows_model::{Run, Sharing, condition, metric};

use crate::Workload;
use crate::analysis::Analysis;
use crate::bound::BoundLaw;
use crate::threshold::SHARING;

/// CPU time per operation at this load over that of a lone session (a lone worker, for scans), less what CPUs of a core
/// cost each other. Below 1 is possible: on a virtual machine a lone session wakes an idle CPU for every operation and
/// pays for it.
pub(crate) fn sharing(analysis: &Analysis) -> Option<Sharing> {
    let (run, demand) = (analysis.run, &analysis.demand);
    let alone_id = match demand.workload {
        Workload::ScanMany => Workload::ScanOne.measurement_id().to_string(),
        Workload::ScanOne => return None,
        other => format!("{}.alone", other.measurement_id()),
    };
    let alone = run.measurement(&alone_id).filter(|m| m.usable())?;
    let alone_ns_per_op = alone.value(metric::SERVER_CPU_PER_OP).filter(|ns| *ns > 0.0)?;
    let loaded_ns_per_op = demand.cpu.server_ns?.value;
    let smt_factor = smt_factor(analysis);
    let ratio = smt_factor.map(|smt| loaded_ns_per_op / alone_ns_per_op / smt);
    let clock_factor = clock_factor(run);
    let limits_scaling =
        ratio.zip(clock_factor).is_some_and(|(ratio, clock)| ratio > SHARING * clock);
    Some(Sharing {
        loaded_ns_per_op,
        alone_ns_per_op,
        smt_factor,
        clock_factor,
        ratio,
        limits_scaling,
    })
}

/// The most by which the clock can be higher for a lone session than for all: the highest over the one that is sustained. `None`
/// where the machine does not tell, as in virtual machines: then nobody knows whether an operation takes longer or its clock is
/// slower.
fn clock_factor(run: &Run) -> Option<f64> {
    let cpu = &run.platform()?.cpu;
    let (base, most) = (cpu.base_khz.filter(|khz| *khz > 0)?, cpu.max_khz?);
    Some((most as f64 / base as f64).max(1.0))
}

/// What the CPUs of a core cost each other at this operating point; `None` where it can't be known: no yield was
/// measured, cores differ, the client has a part of the server's cores, or the CPUs are not all busy, so that nobody
/// knows how often a core's CPUs worked at the same time.
fn smt_factor(analysis: &Analysis) -> Option<f64> {
    let run = analysis.run;
    let cpu = &run.platform()?.cpu;
    if !cpu.smt_active? {
        return Some(1.0);
    }
    let server = &run.plan.server_cpus;
    let used: Vec<&Vec<u32>> =
        cpu.cores_threads.iter().filter(|core| core.iter().any(|id| server.contains(id))).collect();
    let cpus_of = |core: &Vec<u32>| core.iter().filter(|id| server.contains(id)).count();
    let each = cpus_of(used.first()?);
    if used.iter().any(|core| cpus_of(core) != each) {
        return None;
    }
    if each == 1 {
        // The siblings idle, unless they are where the load comes from.
        let client = &run.plan.client_cpus;
        let beside = |core: &&Vec<u32>| core.iter().any(|id| client.contains(id));
        return (!used.iter().any(beside)).then_some(1.0);
    }
    let rate = analysis.demand.rate();
    analysis.bound(BoundLaw::Cpu).filter(|bound| bound.is_saturated(rate))?;
    Some(each as f64 / smt_yield(run, each)?)
}

/// The yield of cores with that many CPUs in use.
fn smt_yield(run: &Run, cpus: usize) -> Option<f64> {
    let m = run.measurement("memory.smt_yield").filter(|m| m.usable())?;
    m.number(condition::THREADS).filter(|measured| *measured == cpus as f64)?;
    m.value(metric::SMT_YIELD).filter(|value| *value > 0.0)
}
