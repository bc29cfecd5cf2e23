//! The highest rate at which a percentile of latency stays within a limit.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::rate_search::Goal;
use narrows_facts::affinity;
use narrows_layer_block::{
    CalibratePlan, CalibrationTarget, LogStream, deepest_by_drives, generator_cpus,
    planned_calibrate,
};
use narrows_model::{BlockDevice, Plan, Platform, RolePath};

use super::folder;
use super::target::{self, BlockTarget};
use crate::failure::Failure;
use crate::guard;
use crate::least_load;
use crate::paragraph::paragraphs;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::CalibrateRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// The log beside the load is written round and round in so much.
const LOG_BYTES: u64 = 64 << 20;

/// The search for that rate.
pub struct Calibrate {
    target: BlockTarget,
    plan: CalibratePlan,
    prepared: Prepared,
    file_bytes: u64,
    log_bytes: u64,
}

impl Program for Calibrate {
    type Request = CalibrateRequest;

    fn options(request: &CalibrateRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &CalibrateRequest, _: &dyn Ui) -> Result<Calibrate> {
        let target = target::find(&request.target)?;
        let machine = target.machine();
        let plan = plan(request, &target, &machine)?;
        let log_bytes = if plan.beside.is_some() { LOG_BYTES } else { 0 };
        let fill_bytes = target.fill_bytes(request.file_size, log_bytes);
        let prepared = Prepared::storage(
            &target.name(),
            machine,
            &request.options,
            1,
            request.file_size,
            planned_calibrate(&plan, fill_bytes),
        );
        Ok(Calibrate { target, plan, prepared, file_bytes: request.file_size, log_bytes })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        let losses = self.target.losses(self.prepared.plan.writes_bytes());
        self.prepared.describe() + &paragraphs(&losses)
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.target.folders()
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        self.target.guard(load_here)?;
        guard::storage(&self.prepared.platform, &self.folders(), load_here, ui)
    }

    fn check(&self) -> Result<()> {
        self.target.check(self.file_bytes + self.log_bytes)
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let ctx = session.context(self.plan.settings.longest_window);
        let opened = self.target.open(&ctx, &session.run.id, self.file_bytes, self.log_bytes)?;
        let watch = folder::watch(session.platform());
        let target = CalibrationTarget { data: opened.data.clone(), log: opened.log.clone() };
        let calibrated = narrows_layer_block::calibrate(&ctx, &target, &watch, &self.plan)?;
        drop(target);
        opened.close();
        session.run.calibrations.push(calibrated.calibration);
        session.add(calibrated.measurements);
        Ok(Ended::Whole)
    }
}

fn plan(
    request: &CalibrateRequest,
    target: &BlockTarget,
    machine: &Platform,
) -> Result<CalibratePlan> {
    let drives = folder::drive_count(machine);
    let writes = request.reads < 100 || request.beside_log;
    if writes && !target.writable() {
        let option = if request.reads < 100 { "--reads" } else { "--beside" };
        return Err(Failure::hinted(
            format!("{option} writes, and --device is read only"),
            format!(
                "narrows block device {} shows what --write-to-device needs and what would be lost",
                target.name()
            ),
        ));
    }
    let plan = CalibratePlan {
        block_bytes: request.size,
        read_percent: request.reads,
        goal: Goal { quantile: request.percentile / 100.0, limit_ns: request.within.0 },
        arrivals: request.arrivals,
        beside: request.beside_log.then(LogStream::default),
        access: target.access(),
        max_depth: request.max_depth.unwrap_or(deepest_by_drives(drives)),
        drives,
        idle: request.idle,
        generator_cpus: generator_cpus(machine, &affinity::current()),
        ..CalibratePlan::default()
    };
    let minutes = request.minutes.map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let time = least_load::wanted().map(|least| least.search).or(minutes);
    let plan = match time {
        Some(time) => plan.within(time),
        None => plan,
    };
    let machine = target.machine();
    let mut drives = machine.roles.iter().flat_map(RolePath::drives);
    Ok(if drives.any(BlockDevice::is_cloud_volume) { plan.on_cloud_volume() } else { plan })
}
