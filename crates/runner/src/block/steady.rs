//! Does the rate of writes last? Rounds until the criteria of SNIA's PTS say so, or can't.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::steady_state::{Ending, WriteState};
use narrows_layer_block::{AccessPattern, Distribution, Mix, SteadyPlan, planned_steady};
use narrows_model::{Plan, Platform};
use serde_json::json;

use super::folder;
use super::target::{self, BlockTarget};
use crate::guard;
use crate::paragraph::paragraphs;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::SteadyRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// SNIA's PTS writes a device through twice before the first round; a file has its blocks written once more, at random
/// places.
const DEVICE_PASSES: f64 = 2.0;
const FILE_PASSES: f64 = 1.0;

/// Rounds of writes.
pub struct Steady {
    target: BlockTarget,
    plan: SteadyPlan,
    prepared: Prepared,
    file_bytes: u64,
}

impl Program for Steady {
    type Request = SteadyRequest;

    fn options(request: &SteadyRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &SteadyRequest, _: &dyn Ui) -> Result<Steady> {
        let target = target::find(&request.target)?;
        let machine = target.machine();
        let plan = plan(request, &target, &machine);
        let file_bytes = request.file_size;
        let region_bytes = match &target {
            BlockTarget::Folder(_) => file_bytes,
            BlockTarget::Device(device) | BlockTarget::Consented(device, _) => {
                device.size_bytes.unwrap_or(0)
            }
            BlockTarget::Remote(namespace) => namespace.bytes(),
        };
        let steps = planned_steady(&plan, region_bytes, target.fill_bytes(file_bytes, 0));
        let prepared =
            Prepared::storage(&target.name(), machine, &request.options, 1, file_bytes, steps);
        Ok(Steady { target, plan, prepared, file_bytes })
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
        self.target.check(self.file_bytes)
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let ctx = session.context(self.plan.round);
        let opened = self.target.open(&ctx, &session.run.id, self.file_bytes, 0)?;
        let watch = folder::watch(session.platform());
        let mut steadied = narrows_layer_block::steady(&ctx, &opened.data, &watch, &self.plan)?;
        opened.close();
        for measurement in &mut steadied.measurements {
            measurement
                .conditions
                .insert(narrows_model::condition::SENTENCE, json!(steadied.sentence));
        }
        // A rate that isn't known to last is no answer to whether it does.
        session.open = steadied.verdict.state != WriteState::Sustained;
        session.add(steadied.measurements);
        Ok(Ended::Whole)
    }
}

fn plan(request: &SteadyRequest, target: &BlockTarget, machine: &Platform) -> SteadyPlan {
    let device = !matches!(target, BlockTarget::Folder(_));
    SteadyPlan {
        block_bytes: request.size,
        mix: Mix::read_percent(request.reads),
        place: AccessPattern::Random(Distribution::OnceEach),
        depth: request.depth,
        round: Duration::from_nanos(request.round.0),
        ending: Ending::WhenShown,
        // Where a file lies on several drives, all of them together take what is written.
        capacity_bytes: folder::capacity_bytes(machine),
        passes: if device { DEVICE_PASSES } else { FILE_PASSES },
        budget_bytes: request.budget,
        access: target.access(),
        cpus: Vec::new(),
    }
}
