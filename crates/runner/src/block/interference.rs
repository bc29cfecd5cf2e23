//! What writes do to reads, rate by rate.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_layer_block::{
    InterferenceGround, InterferencePlan, Region, interference as set_beside, planned_interference,
};
use narrows_model::{Plan, Platform};

use super::folder;
use super::target::{self, BlockTarget};
use crate::exit::Answers;
use crate::guard;
use crate::paragraph::paragraphs;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::InterferenceRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// The log is written round and round in so much.
const LOG_BYTES: u64 = 64 << 20;

/// Reads alone, beside random writes, and beside a log.
pub struct Interference {
    target: BlockTarget,
    plan: InterferencePlan,
    prepared: Prepared,
    data_bytes: u64,
    written_bytes: u64,
}

impl Program for Interference {
    type Request = InterferenceRequest;

    fn options(request: &InterferenceRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &InterferenceRequest, _: &dyn Ui) -> Result<Interference> {
        let target = target::find(&request.target)?;
        let machine = target.machine();
        let plan = plan(request, &target, folder::drive_count(&machine));
        let data_bytes = request.file_size;
        // What is written, at random or as a log, has a quarter of what is read, and the log's part besides.
        let written_bytes = (data_bytes / 4).next_multiple_of(1 << 20) + LOG_BYTES;
        let prepared = Prepared::storage(
            &target.name(),
            machine,
            &request.options,
            plan.rounds,
            data_bytes,
            planned_interference(&plan, target.fill_bytes(data_bytes, written_bytes)),
        );
        Ok(Interference { target, plan, prepared, data_bytes, written_bytes })
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
        self.target.check(self.data_bytes + self.written_bytes)
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let ctx = session.context(self.plan.window);
        let opened =
            self.target.open(&ctx, &session.run.id, self.data_bytes, self.written_bytes)?;
        let watch = folder::watch(session.platform());
        let written: &Region = opened.log.as_ref().expect("it was asked for");
        let ground = InterferenceGround {
            reads: opened.data.clone(),
            writes: written.part(LOG_BYTES, written.bytes() - LOG_BYTES)?,
            log: written.part(0, LOG_BYTES)?,
        };
        let measurements = set_beside(&ctx, &ground, &watch, &self.plan)?;
        drop(ground);
        opened.close();
        session.add(measurements);
        Ok(Ended::Whole)
    }

    fn answers(&self) -> Answers {
        Answers::Table
    }
}

fn plan(request: &InterferenceRequest, target: &BlockTarget, drives: u32) -> InterferencePlan {
    let plan = InterferencePlan {
        block_bytes: request.size,
        budget_bytes: request.budget,
        access: target.access(),
        drives,
        ..InterferencePlan::default()
    };
    match request.minutes {
        Some(minutes) => plan.within(Duration::from_secs(60 * u64::from(minutes))),
        None => plan,
    }
}
