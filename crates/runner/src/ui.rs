//! What a run tells the people who wait for it, as whoever started it shows it: the command on a terminal.
//!
//! A program says what is so; where it stands, in which colour and format, and that nothing in it steers a terminal, is decided behind
//! this.

use std::path::Path;

use anyhow::Result;
use narrows_model::{PlannedStep, Run, Workload};
use narrows_tier_forecast::Proof;

pub use narrows_engine::{Phase, Progress, Stop, share_done};

use crate::plan_document::PlanDocument;

/// Where a run tells things. Phases are told by [`Progress`].
pub trait Ui: Progress {
    /// A line that stays: a note or a warning. A hint may stand on a second one.
    fn say(&self, line: &str);

    /// Whole lines that stay, with their ends: a plan.
    fn put(&self, text: &str);

    /// A line that replaces the one before, where that can be; else nothing.
    fn redraw(&self, line: &str);

    /// Goes on below such a line.
    fn end_redraw(&self);

    /// What a run that goes on has so far, not judged yet: an answer that stays, and that a later one refines.
    fn so_far(&self, run: &Run);

    /// A run of these steps begins, which ends early where `stop` is set.
    fn begin(&self, steps: &[PlannedStep], stop: &Stop);

    /// A part of the step of that workload begins, which should take so many seconds: what came before it has ended. A step that holds
    /// less takes so much longer; what never begins of one leaves the plan when it ends.
    fn begin_part(&self, workload: Workload, expected_s: f64);

    /// The step of that workload will take so many seconds more than is planned, or less.
    fn amend_plan(&self, workload: Workload, by_s: f64);

    /// It is not known yet whether the step of that workload takes what is planned, or so many seconds less, or so many more; with
    /// zeros it is known.
    fn undecided(&self, workload: Workload, less_s: f64, more_s: f64);

    /// Takes away what was drawn of the progress.
    fn clear(&self);

    /// How a thread says a line that outlives the run.
    fn speaker(&self) -> fn(&str);

    /// The answer itself, to whoever reads the output.
    ///
    /// # Errors
    /// It can't be written.
    fn print(&self, text: &str) -> Result<()>;

    /// The plan of a dry run as the answer: its text, or its document where a format for programs was asked for.
    ///
    /// # Errors
    /// It can't be written.
    fn plan(&self, text: &str, document: &PlanDocument) -> Result<()>;

    /// The report of a run as the answer, in the format that was asked for.
    ///
    /// # Errors
    /// It can't be written.
    fn report(&self, run: &Run) -> Result<()>;

    /// A tier's forecast and its proof as the answer, in the format that was asked for.
    ///
    /// # Errors
    /// It can't be written.
    fn tier_proof(&self, proof: &Proof) -> Result<()>;

    /// The report in every format, as files of a folder.
    ///
    /// # Errors
    /// One can't be written.
    fn report_files(&self, run: &Run, folder: &Path) -> Result<()>;
}
