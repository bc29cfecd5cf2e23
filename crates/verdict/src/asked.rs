//! What one operation of each measured database workload takes, for questions beyond the verdict: would it fit another
//! machine?

use narrows_model::Run;

use crate::Workload;
use crate::demand::Demand;
use crate::estimate::Estimate;

/// Per operation; what wasn't measured is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct PerOperation {
    /// The workload.
    pub workload: Workload,
    /// Operations per second.
    pub rate_per_s: f64,
    /// Processor time of all server processes, ns.
    pub cpu_ns: Option<f64>,
    /// Read requests that the drives completed.
    pub reads: Option<f64>,
    /// Bytes of them together.
    pub read_bytes: Option<f64>,
    /// Write requests that the drives completed.
    pub writes: Option<f64>,
    /// Bytes of them together.
    pub write_bytes: Option<f64>,
}

/// The usable database measurements of a run, in the order of the screen.
pub fn per_operation(run: &Run) -> Vec<PerOperation> {
    let usable = |workload: &Workload| {
        run.measurement(workload.measurement_id()).filter(|measurement| measurement.usable())
    };
    let all = Workload::ALL.into_iter().filter_map(|workload| {
        let demand = Demand::read(usable(&workload)?, workload).ok()?;
        let value = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.value);
        Some(PerOperation {
            workload,
            rate_per_s: demand.rate(),
            cpu_ns: value(demand.cpu.server_ns),
            reads: value(demand.io.device_reads),
            read_bytes: value(demand.io.device_read_bytes),
            writes: value(demand.io.device_writes),
            write_bytes: value(demand.io.device_write_bytes),
        })
    });
    all.collect()
}
