//! What more cores, and cheaper I/O, do to the processors' bound.

use narrows_model::{Bottleneck, metric};

use super::amount::Amount;
use crate::analysis::Analysis;
use crate::bound::Candidate;
use crate::capacity::server_path;
use crate::estimate::Estimate;
use crate::log;
use crate::sharing::sharing;
use crate::threshold::NO_DEMAND_PER_OP;

/// Size of the sequential reads whose cost is measured, bytes.
const SEQUENTIAL_BYTES: f64 = 1024.0 * 1024.0;

/// The processors' bound with more cores; the text is what is assumed.
pub(super) fn more_cores(
    analysis: &Analysis,
    cpu: &Candidate,
    cores: Amount,
) -> Result<(Option<Candidate>, Option<String>), String> {
    if cpu.narrow == Bottleneck::CpuQuota {
        let text = "a quota withholds CPUs: more of them change nothing until it is raised";
        return Ok((Some(cpu.clone()), Some(text.to_string())));
    }
    let set = analysis.demand.cpu.set.unwrap_or(cpu.capacity.value);
    let added = match cores {
        Amount::Factor(factor) => set * (factor - 1.0),
        Amount::More(cores) => cores * cpus_per_core(analysis),
    };
    let capacity = Estimate { value: cpu.capacity.value + added, half: cpu.capacity.half };
    if capacity.value <= 0.0 {
        return Err(format!("the server has only {}, so none would be left", cpus(set)));
    }
    let (growth, assumed) = match sharing(analysis).and_then(|sharing| sharing.ratio) {
        Some(factor) if factor > 1.0 && set > 1.0 => {
            let each = (factor - 1.0) / (set - 1.0);
            let text = format!(
                "sharing, × {factor:.2} at {set:.0} CPUs, is assumed to grow in proportion to them"
            );
            ((1.0 + each * (set + added - 1.0).max(0.0)) / factor, Some(text))
        }
        Some(factor) => {
            let seen = match factor > 1.0 {
                true => format!("sharing, × {factor:.2}, cannot be told to grow from one CPU and"),
                false => format!(
                    "CPU time per operation, for which no sharing was seen on {},",
                    cpus(set)
                ),
            };
            (1.0, Some(format!("{seen} is assumed to stay on more CPUs")))
        }
        None => (
            1.0,
            Some(
                "how CPU time per operation grows with CPUs (sharing) is unknown and left out"
                    .into(),
            ),
        ),
    };
    let more = cpu.changed(capacity, cpu.demand_per_op.times(growth));
    // Who loses by more cores can leave them idle.
    let worse = |more: &Candidate| added > 0.0 && more.rate.value < cpu.rate.value;
    Ok((Some(more.filter(|more| !worse(more)).unwrap_or_else(|| cpu.clone())), assumed))
}

fn cpus(n: f64) -> String {
    if n == 1.0 { "1 CPU".to_string() } else { format!("{n:.0} CPUs") }
}

/// CPUs that a core has: what is counted and scheduled on.
fn cpus_per_core(analysis: &Analysis) -> f64 {
    let cpu = analysis.run.platform().map(|platform| &platform.cpu);
    let cpu = cpu.filter(|cpu| cpu.cores > 0 && cpu.smt_active == Some(true));
    cpu.map_or(1.0, |cpu| (f64::from(cpu.threads) / f64::from(cpu.cores)).max(1.0))
}

/// Processor time of an operation's reads, and of its flushes, ns; `None` where what one takes wasn't measured here.
pub(super) fn io_ns(analysis: &Analysis) -> (Option<f64>, Option<f64>) {
    let (run, demand) = (analysis.run, &analysis.demand);
    let cost = |id: &str| {
        run.measurement(id).filter(|m| m.usable()).and_then(|m| m.value(metric::CPU_PER_OP))
    };
    let known = |each: Option<f64>, n: Option<f64>| {
        // Who does none pays for none.
        if n.is_some_and(|n| n < NO_DEMAND_PER_OP) { Some(0.0) } else { Some(each? * n?) }
    };
    let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
    let reads = if demand.workload.is_scan() {
        let chunks = value(demand.io.device_read_bytes).map(|bytes| bytes / SEQUENTIAL_BYTES);
        known(cost("block.read.sequential.1m.knee"), chunks)
    } else {
        let own = server_path(run, demand).and_then(|id| cost(&id));
        let each = own.or_else(|| cost("block.read.random.8k.knee"));
        known(each, value(demand.io.device_reads.or(demand.io.block_reads)))
    };
    let flush = log::append(run, demand.measurement).and_then(|m| m.value(metric::CPU_PER_OP));
    let flushes = match demand.commits_per_op() {
        Some(_) => demand.measurement.value(metric::FLUSHES_PER_OP),
        None => Some(0.0),
    };
    (reads, known(flush, flushes))
}
