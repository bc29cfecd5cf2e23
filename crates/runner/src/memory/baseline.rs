//! This machine's figures, kept; and later, whether it has aged.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_judge::judge;
use narrows_layer_memory::{age, measure as measure_brief, planned, pool};
use narrows_model::{Plan, Platform, Run, Validity};
use narrows_observe::Watch;
use serde_json::json;

use super::{same_machine, touch};
use crate::exit::not_made;
use crate::failure::Failure;
use crate::prepared::{self, Prepared};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::memory::BaselineRequest;
use crate::session::{Ended, Session};
use crate::store;
use crate::ui::Ui;

const WINDOW: Duration = Duration::from_millis(200);
const REPEATS: u32 = 6;

/// The figures, and what they were before.
pub struct Baseline {
    /// Where they are kept.
    kept: PathBuf,
    then: Option<Run>,
    prepared: Prepared,
}

impl Program for Baseline {
    type Request = BaselineRequest;

    fn options(request: &BaselineRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &BaselineRequest, _: &dyn Ui) -> Result<Baseline> {
        let kept = file()?;
        let platform = narrows_platform::discover(&Live, &[]);
        let then = match kept.exists() && !request.renew {
            true => Some(before(&kept, &platform)?),
            false => None,
        };
        let mut prepared = Prepared::memory(platform, &request.options, REPEATS);
        let stop = Stop::new();
        let ctx = prepared::ahead(&prepared.plan, &stop, WINDOW);
        let mut steps = vec![touch::planned()];
        let platform = &prepared.platform;
        steps.extend(planned(&ctx, platform, &platform.cpu.allowed));
        prepared.plan.steps = steps;
        Ok(Baseline { kept, then, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        measure(session, &self.prepared.platform, self.then.as_ref())
    }

    fn concluded(&mut self, run: &Run, ui: &dyn Ui) -> Result<()> {
        if self.then.is_none() && run.completed { keep(&self.kept, run, ui) } else { Ok(()) }
    }
}

fn file() -> Result<PathBuf> {
    let runs = store::folder()?;
    let folder = runs.parent().map_or(runs.clone(), PathBuf::from);
    Ok(folder.join("baseline").join("memory.narrows.json"))
}

/// The kept one, if it is of this machine.
fn before(kept: &Path, platform: &Platform) -> Result<Run> {
    let hint = "`narrows memory baseline --renew` replaces it";
    let run = store::load(kept).map_err(|error| {
        Failure::hinted(format!("the baseline cannot be read: {error:#}"), hint)
    })?;
    if let Some(other) = run.platform().filter(|other| !same_machine(other, platform)) {
        return Err(Failure::hinted(
            format!(
                "the baseline in {} is of another machine ({})",
                kept.display(),
                other.hostname.as_deref().unwrap_or("without a name")
            ),
            hint,
        ));
    }
    Ok(run)
}

/// Only what may be believed is something to compare with.
fn keep(kept: &Path, run: &Run, ui: &dyn Ui) -> Result<()> {
    let invalid = run.measurements.iter().filter(|m| m.validity == Validity::Invalid).count();
    if invalid > 0 {
        ui.say(&format!("not saved as the baseline: {invalid} of its measurements are invalid"));
        return Ok(());
    }
    let lacking: Vec<(&str, &str)> = not_made(run).collect();
    if let Some((_, why)) = lacking.first() {
        let ids: Vec<&str> = lacking.iter().map(|(id, _)| *id).collect();
        let ids = ids.join(", ");
        ui.say(&format!("not saved as the baseline: {ids} could not be measured: {why}"));
        ui.say(
            "hint: free memory, or raise what limits this process (`ulimit -v`, its control group)",
        );
        return Ok(());
    }
    if let Some(folder) = kept.parent() {
        store::make_folder(folder)?;
    }
    store::write_whole(kept, &run.to_json())?;
    ui.say(&format!("saved as this machine's baseline in {}", kept.display()));
    let suspect = run.measurements.iter().filter(|m| m.validity == Validity::Suspect);
    let disturbed: Vec<&str> = suspect.map(|m| m.id.as_str()).collect();
    if !disturbed.is_empty() {
        let which = disturbed.join(", ");
        ui.say(&format!("disturbed, so no later run can prove age by it: {which}"));
        ui.say("hint: `narrows memory baseline --renew` in a quiet hour replaces the baseline");
    }
    Ok(())
}

fn measure(session: &mut Session<'_>, platform: &Platform, then: Option<&Run>) -> Result<Ended> {
    // Before anything is touched.
    let counters = pool::counted(age::COUNTERS, &pool::counters(&Live), 0);
    session.add([age::state(&Live), counters]);
    let (touched, untouched) = touch::measure(session, platform)?;
    session.add(touched);
    let watch = Watch::new(platform, &[]);
    let ctx = session.context(WINDOW);
    let brief = measure_brief(&ctx, platform, &platform.cpu.allowed, &watch)?;
    session.add(brief.measurements);
    session.unknown(untouched);
    session.unknown(brief.absent);
    if let Some(then) = then {
        // What is compared is judged first: a window that was disturbed says nothing of age.
        judge(&mut session.run);
        let mut since = age::since(&then.measurements, &session.run.measurements);
        since.workload.insert(narrows_model::condition::BASELINE, json!(then.id));
        since.workload.insert(narrows_model::condition::BASELINE_AT, json!(then.started_at));
        session.add([since]);
    }
    Ok(Ended::Whole)
}
