//! Does a measured demand fit this platform, how far, and what binds?
//!
//! The demand is what one operation took where it was measured: processor time, reads, writes. Processor time carries
//! over only between like processors; nothing here pretends to know how much faster another one is.

use narrows_limits::flow::{FlowError, answer};
use serde::Serialize;

use crate::answer::{Binding, Widen, binding, widen};
use crate::build::build_demand;
use crate::description::Description;
use crate::note::in_words;

/// Requests of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Asked {
    /// Requests for one operation.
    pub per_op: f64,
    /// Bytes of one request.
    pub bytes: f64,
}

/// What one operation of a workload takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    /// The workload.
    pub name: String,
    /// Operations per second where it was measured.
    pub measured_per_s: f64,
    /// Processor time of the server, ns; `None` where it wasn't measured.
    pub cpu_ns: Option<f64>,
    /// Reads of the drives; `None` where they weren't counted.
    pub reads: Option<Asked>,
    /// Writes to the drives; `None` where they weren't counted.
    pub writes: Option<Asked>,
}

/// A demand on a platform.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// The platform.
    pub platform: String,
    /// The workload.
    pub workload: String,
    /// Where it was measured, operations per second.
    pub measured_per_s: f64,
    /// What the platform allows at most, all databases together; absent where nothing described limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_per_s: Option<f64>,
    /// Constraints with less than 5 % left there.
    pub binding: Vec<Binding>,
    /// What widening gives, the best first.
    pub widen: Vec<Widen>,
    /// What was not reckoned with.
    pub notes: Vec<String>,
}

impl Fit {
    /// How many times the measured rate fits; above 1 it fits by what limits are described.
    pub fn times(&self) -> Option<f64> {
        Some(self.ceiling_per_s? / self.measured_per_s)
    }
}

/// One demand on one platform.
///
/// # Errors
/// A database without a way to its data.
pub fn fit(platform: &Description, demand: &Demand) -> Result<Fit, FlowError> {
    let built = build_demand(platform, demand)?;
    let mut fit = Fit {
        platform: platform.name.clone(),
        workload: demand.name.clone(),
        measured_per_s: demand.measured_per_s,
        ceiling_per_s: None,
        binding: Vec::new(),
        widen: Vec::new(),
        notes: in_words(&built.notes),
    };
    for (known, what) in [
        (demand.cpu_ns.is_some(), "processor time"),
        (demand.reads.is_some(), "reads"),
        (demand.writes.is_some(), "writes"),
    ] {
        if !known {
            fit.notes.push(format!("{}: {what} of an operation weren't measured", demand.name));
        }
    }
    if built.network.users.is_empty() {
        fit.notes.push(format!("{}: no [[database]] is described", platform.name));
        return Ok(fit);
    }
    match answer(&built.network) {
        Ok(answer) => {
            fit.ceiling_per_s = Some(answer.total());
            fit.binding = binding(&built.network, &answer);
            fit.widen = widen(&built.network, &answer);
        }
        Err(FlowError::Unlimited(_)) => {
            fit.notes.push(format!("{}: nothing described limits it", demand.name));
        }
        Err(error) => return Err(error),
    }
    Ok(fit)
}
