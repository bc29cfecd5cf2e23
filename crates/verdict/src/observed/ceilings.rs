//! Ceilings that no measurement is behind: what links to the drives carry by their specification, and what an administrator
//! granted.

use narrows_model::{Bottleneck, LimitBasis, LimitShare, Provenance, Unit};

use crate::bound::{BoundLaw, Candidate};
use crate::capacity::Capacities;
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::threshold::NO_DEMAND_PER_OP;

/// What stands beside the measurement as limits: their ids end in `:read` or `:write`.
pub(crate) fn ceilings(found: &mut Capacities, demand: &Demand) {
    found.candidates.extend(demand.measurement.limits.iter().filter_map(|l| ceiling(l, demand)));
}

fn ceiling(limit: &LimitShare, demand: &Demand) -> Option<Candidate> {
    let reads = match limit.id.rsplit_once(':')?.1 {
        "read" => true,
        "write" => false,
        _ => return None,
    };
    let io = &demand.io;
    let (demand_per_op, unit) = match (limit.unit, reads) {
        (Unit::BytesPerS, true) => (io.device_read_bytes, "bytes_per_s"),
        (Unit::BytesPerS, false) => (io.device_write_bytes, "bytes_per_s"),
        (Unit::OpsPerS, true) => (io.device_reads, "reads_per_s"),
        (Unit::OpsPerS, false) => (io.device_writes, "writes_per_s"),
        _ => return None,
    };
    let demand_per_op = demand_per_op.filter(|d| d.value >= NO_DEMAND_PER_OP)?;
    let (place, narrow, provenance) = match limit.basis {
        LimitBasis::Configured if reads => {
            (BoundLaw::ReadLimit, Bottleneck::IoLimit, Provenance::Configured)
        }
        LimitBasis::Configured => {
            (BoundLaw::WriteLimit, Bottleneck::IoLimit, Provenance::Configured)
        }
        LimitBasis::Protocol if reads => {
            (BoundLaw::Link, Bottleneck::ReadBandwidth, Provenance::Limit)
        }
        LimitBasis::Protocol => (BoundLaw::Link, Bottleneck::WriteRate, Provenance::Limit),
        // The signal rate is no ceiling of payload, and what is expected is none at all.
        LimitBasis::Raw | LimitBasis::Expected => return None,
    };
    let label = match limit.basis {
        LimitBasis::Configured => format!("the control group's limit ({})", limit.id),
        _ => format!("the links to the drives ({})", limit.id),
    };
    let capacity = (Estimate::exact(limit.value), unit);
    Candidate::new(place, narrow, label, capacity, demand_per_op, provenance)
}
