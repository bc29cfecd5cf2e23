//! Demands of the database workloads that a run measured.

use narrows_model::{Run, Workload};
use narrows_plan::{Demand, Log, PartKind, RequestDemand, TimePart};
use narrows_verdict::{Estimate, PerOperation, per_operation};

use super::{MeasuredDemands, amount};

pub(super) fn demands(run: &Run) -> MeasuredDemands {
    let (all, refused) = per_operation(run);
    let threads = threads_per_core(run);
    MeasuredDemands {
        demands: all.iter().map(|op| demand(op, threads)).collect(),
        refused: refused.into_iter().map(|r| format!("{}: {}", r.measurement, r.why)).collect(),
    }
}

fn demand(op: &PerOperation, threads_per_core: f64) -> Demand {
    let log = op.wal_bytes.map(|bytes| Log {
        bytes: amount(bytes),
        flushes: op.flushes.map(amount),
        flush_ns: op.flush_ns.map(amount),
        commits_per_s: op.log_commits_per_s.map(amount),
    });
    Demand {
        name: op.workload.id_word().to_string(),
        unit: "operation",
        rate_per_s: amount(op.rate_per_s),
        sessions: Some(op.sessions),
        observed: op.workload == Workload::Observed,
        think_ns: op.think_ns,
        suspect: op.suspect.clone(),
        scan: op.workload.is_scan(),
        cpu_ns: op.cpu_ns.map(amount),
        threads_per_core,
        reads: requests(op.reads, op.read_bytes),
        read_ns: op.read_ns.map(amount),
        writes: requests(op.writes, op.write_bytes),
        log,
        parts: op.time.as_ref().map(|parts| parts.iter().map(part).collect()),
        unknown: Vec::new(),
    }
}

fn part(part: &narrows_verdict::TimePart) -> TimePart {
    let kind = match part.name {
        "CPU" => PartKind::Cpu,
        "read" => PartKind::Read,
        "flush" => PartKind::Flush,
        _ => PartKind::Other,
    };
    TimePart { kind, name: part.name.to_string(), ns: amount(part.ns) }
}

fn requests(count: Option<Estimate>, bytes: Option<Estimate>) -> Option<RequestDemand> {
    let (count, bytes) = (count?, bytes?);
    let each = if count.value > 0.0 { bytes.value / count.value } else { 0.0 };
    Some(RequestDemand { per_op: amount(count), bytes: each })
}

/// Threads of one core where the server ran; one where it isn't known to have several.
pub(crate) fn threads_per_core(run: &Run) -> f64 {
    let cpu = run.platform().map(|platform| &platform.cpu);
    cpu.filter(|cpu| cpu.smt_active == Some(true) && cpu.cores > 0)
        .map_or(1.0, |cpu| (f64::from(cpu.threads) / f64::from(cpu.cores)).max(1.0))
}
