//! A workload of the catalogue while it is measured: how it runs, how far it got, what its windows gave.

use narrows_engine::{Context, LiveValue};
use narrows_io::{Access, Op, TestFile};
use narrows_model::{Measurement, Series, Unit, condition};
use narrows_observe::Watch;
use serde_json::json;

use crate::BlockError;
use crate::block_workload::{BlockWorkload, Depth, IoPath};
use crate::knee::Knee;
use crate::plan::{BlockPlan, WARM_UP, WriteAllowance};
use crate::record::Record;
use crate::scenario::Region;
use crate::setting::{Setting, run_once};
use crate::steady::write_state;

/// Tries to empty the page cache before a window that needs it empty.
const EVICTIONS: u32 = 3;
/// A window of writes may always have so many.
const FEWEST_WRITES: u64 = 16;

/// A workload with everything decided, and its windows so far.
pub(crate) struct Workload<'a> {
    setting: Setting<'a>,
    knee: Option<Knee>,
    /// How far its windows got in the blocks.
    cursor: u64,
    record: Record,
}

impl<'a> Workload<'a> {
    /// `cell` at its depth: one, that of its `knee`, or one per session of the plan.
    pub(crate) fn new(
        cell: &'a BlockWorkload,
        knee: Option<Knee>,
        seed: u64,
        best: &Access,
        plan: &'a BlockPlan,
    ) -> Self {
        let (depth, generators, cursor) = match (cell.depth, &knee) {
            (Depth::Knee, Some(knee)) => (knee.depth, knee.generators, knee.cursor),
            (Depth::Sessions, _) => (plan.sessions.max(1), 1, 0),
            (Depth::One | Depth::Knee, _) => (1, 1, 0),
        };
        let setting = Setting::new(cell, depth, generators, seed, best, plan);
        Workload { setting, knee, cursor, record: Record::new() }
    }

    /// Of the measurement.
    pub(crate) fn id(&self) -> &'a str {
        &self.setting.cell.id
    }

    /// What its windows so far gave.
    pub(crate) fn so_far(&self) -> Option<LiveValue> {
        self.record.so_far()
    }

    /// One window, with the page cache emptied before where it goes through it.
    ///
    /// # Errors
    /// [`BlockError::Stopped`]; what the file system refused.
    pub(crate) fn window(
        &mut self,
        ctx: &Context<'_>,
        file: &TestFile,
        watch: &Watch,
        allowance: &mut WriteAllowance,
    ) -> Result<(), BlockError> {
        let cell = self.setting.cell;
        if cell.way == IoPath::Buffered {
            empty_cache(file, ctx)?;
        }
        let most = most_operations(cell, file, allowance);
        let stream = self.setting.stream(Region::of(file), self.cursor, most);
        let outcome = run_once(ctx, stream, watch, (WARM_UP, ctx.window))?;
        self.cursor = outcome.cursor;
        if cell.op == Op::Write {
            allowance.used(outcome.issued * u64::from(cell.block_bytes));
        }
        self.record.add(&outcome);
        if cell.way == IoPath::Buffered {
            // Direct I/O beside cached pages takes another way through the kernel.
            let _ = narrows_facts::file::evict(file.buffered_file());
        }
        Ok(())
    }

    /// All windows as one measurement, with what only this file knows: where it comes from, its curve, what its writes are
    /// worth.
    pub(crate) fn into_measurement(
        self,
        file: &TestFile,
        (generator_ns_per_op, capacity_bytes): (Option<f64>, Option<u64>),
    ) -> Measurement {
        let Workload { setting, knee, record, .. } = self;
        let cell = setting.cell;
        let stream = setting.stream(Region::of(file), 0, None);
        let mut measurement = record.into_measurement(cell.id.clone(), &stream);
        measurement.workload.insert(condition::SEED, json!(setting.seed));
        let conditions = &mut measurement.conditions;
        conditions.insert(condition::ROLE, json!("data"));
        if cell.way == IoPath::Direct {
            conditions.insert(condition::METHOD, json!("direct"));
        }
        if let Some(cap) = knee.as_ref().and_then(|knee| knee.capped_at) {
            conditions.insert(condition::DEPTH_CAP, json!(cap));
        }
        if let (IoPath::Best, Some(cost_ns)) = (cell.way, generator_ns_per_op) {
            conditions.insert(condition::GENERATOR_NS_PER_OP, json!(cost_ns));
        }
        if cell.op == Op::Write {
            let block = u64::from(cell.block_bytes);
            let searching = knee.as_ref().map_or(0, |knee| knee.issued * block);
            worth(&mut measurement, file.bytes(), searching, capacity_bytes);
        }
        measurement.series.extend(knee.as_ref().map(curve));
        measurement
    }
}

/// Operations after which the next window closes.
fn most_operations(
    cell: &BlockWorkload,
    file: &TestFile,
    allowance: &WriteAllowance,
) -> Option<u64> {
    let block = u64::from(cell.block_bytes);
    match (cell.op, cell.way) {
        (Op::Write, _) => Some((allowance.next_bytes() / block).max(FEWEST_WRITES)),
        // A block read twice would come from the page cache the second time.
        (Op::Read, IoPath::Buffered) => Some(file.bytes() / block),
        (Op::Read | Op::Trim | Op::Sync, _) => None,
    }
}

/// What the device below does after a capacity's worth of writes is seen only if so much was written: to the file, by
/// the search for the knee, and by the windows.
fn worth(
    measurement: &mut Measurement,
    file_bytes: u64,
    searching: u64,
    capacity_bytes: Option<u64>,
) {
    let written = measurement.number(condition::WRITTEN_BYTES).unwrap_or(0.0) as u64;
    let state = write_state(measurement, file_bytes + searching, Some(file_bytes), capacity_bytes);
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::WRITE_STATE, json!(state.word()));
    conditions.insert(condition::WRITTEN_BYTES, json!(written + searching));
}

/// Throughput by depth, as the search for the knee saw it.
fn curve(knee: &Knee) -> Series {
    Series {
        name: "curve.throughput".to_string(),
        unit: Unit::OpsPerS,
        repeat: 0,
        t0_ns: 0,
        interval_ns: 0,
        x: knee.curve.iter().map(|probe| f64::from(probe.0)).collect(),
        values: knee.curve.iter().map(|probe| probe.1).collect(),
    }
}

/// Empties the page cache of the file, as far as the kernel lets go; what stays is seen before the window.
fn empty_cache(file: &TestFile, ctx: &Context<'_>) -> Result<(), BlockError> {
    let cached = file.buffered_file();
    for _ in 0..EVICTIONS {
        ctx.stop.check()?;
        narrows_facts::file::evict(cached).map_err(|source| {
            narrows_io::Error::system("empty the page cache of", file.path(), source)
        })?;
        if narrows_facts::file::resident_share(cached).is_ok_and(|share| share == 0.0) {
            break;
        }
    }
    Ok(())
}
