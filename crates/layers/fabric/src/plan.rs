//! What is divided, and how long that takes: decided and printed before the first operation.

use std::time::Duration;

use narrows_model::{Layer, PlannedStep};
use narrows_units::Bytes;

use crate::operation::SplitOperation;
use crate::throughput;
use crate::window::HostMode;

/// What to divide.
#[derive(Debug, Clone)]
pub struct SplitPlan {
    /// The operations.
    pub operations: Vec<SplitOperation>,
    /// The first bytes of the namespace are used, so many.
    pub region_bytes: u64,
    /// Whether they are written first, so that reads find something.
    pub fills: bool,
    /// An echo on the target's machine, `HOST:PORT`.
    pub echo: Option<String>,
    /// Whether the kernel stamps packets ([`narrows_initiator::stamps::begin`]).
    pub stamps: bool,
    /// Length of a window with one operation in flight.
    pub window: Duration,
    /// Whether target and host are one machine.
    pub same_machine: bool,
    /// The run in which the drive behind the target was measured on the target's machine.
    pub device_run: Option<String>,
    /// What it took there.
    pub device: Vec<DeviceTime>,
}

/// What the drive behind a target takes for an operation, measured on the target's own machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceTime {
    /// The operation.
    pub operation: SplitOperation,
    /// Median latency with one in flight, ns.
    pub median_ns: f64,
}

impl SplitPlan {
    /// What the drive takes for an operation, where its own machine measured that, ns.
    pub(crate) fn device_ns(&self, operation: SplitOperation) -> Option<f64> {
        let of = |time: &&DeviceTime| time.operation == operation;
        self.device.iter().find(of).map(|time| time.median_ns)
    }

    /// Windows of a round with one operation in flight, those of the echo among them.
    fn windows(&self) -> usize {
        let echoes = if self.echo.is_some() && self.stamps { 2 } else { 0 };
        let modes = HostMode::ALL.into_iter().filter(|mode| self.stamps || !mode.stamped);
        self.operations.len() * (modes.count() + echoes)
    }
}

/// The steps; `repeats` rounds. Writes are counted as if each took 20 µs, which few fabrics reach.
pub fn planned_split(plan: &SplitPlan, repeats: u32) -> Vec<PlannedStep> {
    const FAST_WRITE_S: f64 = 20e-6;
    const FILL_BYTES_PER_S: f64 = 400e6;
    let window_s = plan.window.as_secs_f64();
    let repeats = f64::from(repeats);
    let written = |operation: &&SplitOperation| operation.writes;
    let writes_bytes = plan.operations.iter().filter(written).map(|operation| {
        let writes = repeats * HostMode::ALL.len() as f64 * window_s / FAST_WRITE_S;
        (writes * f64::from(operation.bytes)) as u64
    });
    let names: Vec<String> = plan.operations.iter().map(|operation| operation.words()).collect();
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Fabric,
        what,
        expected_s,
        writes_bytes,
    };
    let echo = if plan.echo.is_some() { ", and an echo of the same sizes" } else { "" };
    let fill = plan.fills.then(|| {
        let what = format!("write the first {} of the namespace", Bytes(plan.region_bytes));
        step(what, plan.region_bytes as f64 / FILL_BYTES_PER_S, plan.region_bytes)
    });
    fill.into_iter()
        .chain([
            step(
                format!(
                    "one operation in flight, host sleeping and polling: {}{echo}",
                    names.join(", ")
                ),
                repeats * plan.windows() as f64 * (window_s + 0.02),
                writes_bytes.sum(),
            ),
            step(
                "reads, many in flight".to_string(),
                repeats * throughput::length(plan.window).as_secs_f64(),
                0,
            ),
        ])
        .collect()
}
