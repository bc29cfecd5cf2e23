//! Sessions that share flushes, and the highest rate of commits whose wait stays within a limit.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_engine::rate_search::Goal;
use narrows_layer_wal::{CommitPlan, CommitSizes, Delay, LogGround, commit_rate, planned_commits};
use narrows_model::{BlockDevice, DatabaseChoice, Plan, Platform, Role, RolePath};

use super::target_dirs::TargetDirs;
use crate::failure::Failure;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::log::{CommitGoal, CommitsRequest};
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// The search for that rate.
pub struct Commits {
    dirs: TargetDirs,
    plan: CommitPlan,
    prepared: Prepared,
}

impl Program for Commits {
    type Request = CommitsRequest;

    fn options(request: &CommitsRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &CommitsRequest, _: &dyn Ui) -> Result<Commits> {
        let dirs = TargetDirs::find(&request.place)?;
        let plan = asked(request, &dirs)?;
        let steps = planned_commits(&plan);
        let prepared = dirs.prepared(&request.options, 1, DatabaseChoice::None, steps);
        Ok(Commits { dirs, plan, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.dirs.describe(&self.prepared)
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.dirs.folders()
    }

    fn check(&self) -> Result<()> {
        self.dirs.check()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let space = self.dirs.space(&session.run.id, session.stop)?;
        search(session, &self.dirs, space.ground(), &self.plan)?;
        Ok(Ended::Whole)
    }
}

/// What the goal asks for, everything else by default.
pub fn plan(dirs: &TargetDirs, goal: &CommitGoal, bytes: u64) -> CommitPlan {
    let plan = CommitPlan {
        goal: Goal { quantile: goal.percentile / 100.0, limit_ns: goal.within.0 },
        ..CommitPlan::new(bytes, &dirs.platform.cpu.allowed)
    };
    let plan = match goal.minutes {
        Some(minutes) => plan.within(Duration::from_secs(60 * u64::from(minutes))),
        None => plan,
    };
    let wal = dirs.platform.roles.iter().filter(|path| path.role == Role::Wal);
    let is_cloud = wal.flat_map(RolePath::drives).any(BlockDevice::is_cloud_volume);
    if is_cloud { plan.on_cloud_volume() } else { plan }
}

fn asked(request: &CommitsRequest, dirs: &TargetDirs) -> Result<CommitPlan> {
    let mut plan = plan(dirs, &request.goal, request.bytes);
    plan.arrivals = request.arrivals;
    plan.style = request.style;
    plan.delay = Delay {
        time: Duration::from_nanos(request.commit_delay.0),
        siblings: request.commit_siblings,
    };
    plan.most_sessions = request.most_sessions;
    if let Some(path) = &request.size_histogram {
        plan.sizes = sizes(path)?;
        plan.sizes_from = path.display().to_string();
    }
    Ok(plan)
}

/// Of a file of sizes, bytes: one line for each of a million.
const LONGEST_HISTOGRAM: u64 = 64 << 20;

fn sizes(path: &Path) -> Result<CommitSizes> {
    let shown = path.display();
    let text = narrows_files::read_text(path, LONGEST_HISTOGRAM).map_err(|reason| {
        Failure::hinted(
            format!("cannot read the sizes in {shown}: {reason}"),
            "name a file of lines with two numbers: bytes, and number of commits of that size",
        )
    })?;
    CommitSizes::parse(&text).map_err(|reason| {
        Failure::hinted(
            format!("{shown} is not a histogram of sizes: {reason}"),
            "each line has two numbers, bytes and number of commits of that size: 200 700",
        )
    })
}

/// Searches on that ground and keeps what it gave.
///
/// # Errors
/// What the layer says, or the run file can't be written.
pub fn search(
    session: &mut Session<'_>,
    dirs: &TargetDirs,
    ground: LogGround<'_>,
    plan: &CommitPlan,
) -> Result<()> {
    let ctx = session.context(plan.settings.longest_window);
    let rate = commit_rate(&ctx, ground, &dirs.watch(), plan)?;
    session.run.calibrations.push(rate.calibration);
    session.add(rate.measurements);
    Ok(())
}
