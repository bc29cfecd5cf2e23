//! The sharing factor: what an operation's processor time grows by when others run beside it.

use narrows_model::{Run, Sharing, metric};

use crate::Workload;
use crate::demand::Demand;
use crate::threshold::SHARING;

/// Processor time per operation at this load over that of a lone session (a lone worker, for scans), less what
/// threads of a core cost each other. Below 1 is possible: on a virtual machine a lone session wakes an idle
/// processor for every operation and pays for it.
pub(crate) fn sharing(run: &Run, demand: &Demand) -> Option<Sharing> {
    let alone_id = match demand.workload {
        Workload::ScanMany => Workload::ScanOne.measurement_id().to_string(),
        Workload::ScanOne => return None,
        other => format!("{}.alone", other.measurement_id()),
    };
    let alone = run.measurement(&alone_id).filter(|m| m.usable())?;
    let alone_ns_per_op = alone.value(metric::SERVER_CPU_PER_OP).filter(|ns| *ns > 0.0)?;
    let loaded_ns_per_op = demand.cpu.server_ns?.value;
    let smt_factor = match run.platform()?.cpu.smt_active {
        Some(false) => Some(1.0),
        // The yield of these cores' threads is not measured, so the factor can't be told from sharing.
        Some(true) | None => None,
    };
    let ratio = smt_factor.map(|smt| loaded_ns_per_op / alone_ns_per_op / smt);
    Some(Sharing {
        loaded_ns_per_op,
        alone_ns_per_op,
        smt_factor,
        ratio,
        limits_scaling: ratio.is_some_and(|ratio| ratio > SHARING),
    })
}
