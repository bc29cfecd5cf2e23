//! The screen of a run that names nobody.

use std::path::Path;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_model::{Layer, PlannedStep, Run, Workload};
use narrows_tier_forecast::Proof;

use super::Anonymous;
use crate::plan_document::PlanDocument;
use crate::ui::{Phase, Progress, Ui};

/// Tells everything to another one, without names.
pub(crate) struct AnonymousUi<'a> {
    pub(crate) ui: &'a dyn Ui,
    pub(crate) anonymous: &'a Anonymous,
}

impl Progress for AnonymousUi<'_> {
    fn phase(&self, layer: Layer, phase: Phase, detail: &str) {
        self.ui.phase(layer, phase, &self.anonymous.text(detail));
    }
}

impl Ui for AnonymousUi<'_> {
    fn say(&self, line: &str) {
        self.ui.say(&self.anonymous.text(line));
    }

    fn put(&self, text: &str) {
        self.ui.put(&self.anonymous.text(text));
    }

    fn redraw(&self, line: &str) {
        self.ui.redraw(&self.anonymous.text(line));
    }

    fn end_redraw(&self) {
        self.ui.end_redraw();
    }

    fn so_far(&self, run: &Run) {
        self.ui.so_far(&self.anonymous.run(run));
    }

    fn begin(&self, steps: &[PlannedStep], stop: &Stop) {
        self.ui.begin(steps, stop);
    }

    fn begin_part(&self, workload: Workload, expected_s: f64) {
        self.ui.begin_part(workload, expected_s);
    }

    fn amend_plan(&self, workload: Workload, by_s: f64) {
        self.ui.amend_plan(workload, by_s);
    }

    fn undecided(&self, workload: Workload, less_s: f64, more_s: f64) {
        self.ui.undecided(workload, less_s, more_s);
    }

    fn clear(&self) {
        self.ui.clear();
    }

    fn speaker(&self) -> fn(&str) {
        self.ui.speaker()
    }

    fn print(&self, text: &str) -> Result<()> {
        self.ui.print(&self.anonymous.text(text))
    }

    fn plan(&self, text: &str, document: &PlanDocument) -> Result<()> {
        self.ui.plan(&self.anonymous.text(text), &self.anonymous.plan(document))
    }

    /// Its names were taken out of it before it was judged.
    fn report(&self, run: &Run) -> Result<()> {
        self.ui.report(run)
    }

    /// As the report: it is of the run without names.
    fn tier_proof(&self, proof: &Proof) -> Result<()> {
        self.ui.tier_proof(proof)
    }

    fn report_files(&self, run: &Run, folder: &Path) -> Result<()> {
        self.ui.report_files(run, folder)
    }
}
