//! A log tier's forecast and its proof: a database with its WAL on storage without the tier and with it, in turns, as
//! [`Placement`] measures two WAL locations.

use std::path::PathBuf;

use anyhow::Result;
use narrows_judge::judge;
use narrows_model::{Plan, Platform, Run};
use narrows_tier_forecast::{Proof, log_proof, sides};
use narrows_verdict::placement::{database_id, place_name};

use crate::exit::Answers;
use crate::log::placement::Placement;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::log::PlacementRequest;
use crate::session::{Ended, Session};
use crate::tiers::refused;
use crate::ui::Ui;

/// The database on both, and what was forecast from the one without the tier.
pub struct LogTierProof {
    placement: Placement,
    /// Whether everything that was planned has run.
    whole: bool,
}

impl Program for LogTierProof {
    type Request = PlacementRequest;

    fn options(request: &PlacementRequest) -> &RunOptions {
        Placement::options(request)
    }

    fn plan(request: &PlacementRequest, ui: &dyn Ui) -> Result<LogTierProof> {
        Ok(LogTierProof { placement: Placement::plan(request, ui)?, whole: false })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        self.placement.planned()
    }

    fn describe(&self) -> String {
        self.placement.describe()
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.placement.folders()
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        self.placement.admit(load_here, ui)
    }

    fn check(&self) -> Result<()> {
        self.placement.check()
    }

    fn server_checks(&self) -> Vec<String> {
        self.placement.server_checks()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let ended = self.placement.run(session)?;
        self.whole = ended == Ended::Whole && super::is_told(session);
        Ok(ended)
    }

    /// The database on both; the emulated log writer is no part of it.
    fn answers(&self) -> Answers {
        Answers::Named([0, 1].map(|at| database_id(&place_name(at))).to_vec())
    }

    fn concluded(&mut self, run: &Run, ui: &dyn Ui) -> Result<()> {
        if self.whole { ui.tier_proof(&of_run(run)?) } else { Ok(()) }
    }
}

/// The forecast and its proof, of a run that has both.
pub(super) fn of_run(run: &Run) -> Result<Proof> {
    let [mut off, mut on] = sides(run).map_err(refused)?;
    judge(&mut off);
    judge(&mut on);
    log_proof(&off, &on).map_err(refused)
}
