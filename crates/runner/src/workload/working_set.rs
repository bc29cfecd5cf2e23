//! What of a table a workload touches.

use narrows_layer_database::Source;

use crate::database::server::Tables;
use crate::database::sizes::CACHED_SHARE;
use crate::request::database::{WorkingSet, WorkloadRequest};
use crate::resolved::Resolved;

/// What the database layer is to make.
pub fn tables(request: &WorkloadRequest, resolved: &Resolved) -> Tables {
    let plan = &resolved.plan;
    let usual = plan.shared_buffers_bytes / CACHED_SHARE;
    let cached_bytes = match request.working_set {
        Some(WorkingSet::Bytes(bytes)) => bytes,
        Some(WorkingSet::OfPool(share)) => (plan.shared_buffers_bytes as f64 * share) as u64,
        None => usual,
    };
    Tables {
        planned_errors: false,
        entropy_percent: request.entropy_percent,
        cached_bytes,
        private: request.private.then_some(plan.sessions),
    }
}

/// Bytes of the table that keys are drawn from, where that was said.
pub fn working_set_bytes(request: &WorkloadRequest, resolved: &Resolved) -> Option<u64> {
    request.working_set.map(|_| tables(request, resolved).cached_bytes)
}

/// Bytes that keys are drawn from; all of the table for a scan.
pub fn touched_bytes(request: &WorkloadRequest, resolved: &Resolved) -> u64 {
    let whole = request.task.source == Source::Drive || request.task.is_scan();
    match working_set_bytes(request, resolved) {
        Some(bytes) => bytes,
        None if whole => resolved.plan.table_bytes,
        None => tables(request, resolved).cached_bytes,
    }
}
