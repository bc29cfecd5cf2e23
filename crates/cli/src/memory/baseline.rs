//! `narrows memory baseline`: this machine's figures, kept; and later, whether it has aged.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_judge::judge;
use narrows_layer_memory::{age, measure as measure_brief, planned, pool};
use narrows_model::{Layer, Platform, Run, Validity};
use narrows_observe::Watch;
use serde_json::json;

use crate::args::memory::BaselineArgs;
use crate::exit::{Exit, not_made};
use crate::failure::Failure;
use crate::memory::{same_machine, touch};
use crate::session::{Ended, Prepared, Session};
use crate::stream::say;
use crate::{output, plan, store};

const WINDOW: Duration = Duration::from_millis(200);
const REPEATS: u32 = 6;

/// Runs the command.
pub fn baseline(args: &BaselineArgs) -> Result<Exit> {
    let kept = file()?;
    let platform = narrows_platform::discover(&Live, &[]);
    let then = match kept.exists() && !args.renew {
        true => Some(before(&kept, &platform)?),
        false => None,
    };
    let prepared = prepared(args, platform);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &[], &args.output)?;
    let outcome = measure(&mut session, then.as_ref());
    let exit = session.end(outcome, &args.output, true)?;
    if then.is_none() && session.run.completed {
        keep(&kept, &session.run)?;
    }
    Ok(exit)
}

fn file() -> Result<PathBuf> {
    let runs = store::folder()?;
    let folder = runs.parent().map_or(runs.clone(), PathBuf::from);
    Ok(folder.join("baseline").join("memory.narrows.json"))
}

/// The kept one, if it is of this machine.
fn before(kept: &std::path::Path, platform: &Platform) -> Result<Run> {
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
fn keep(kept: &std::path::Path, run: &Run) -> Result<()> {
    let invalid = run.measurements.iter().filter(|m| m.validity == Validity::Invalid).count();
    if invalid > 0 {
        say!("not kept as the baseline: {invalid} of its measurements are invalid");
        return Ok(());
    }
    let lacking: Vec<(&str, &str)> = not_made(run).collect();
    if let Some((_, why)) = lacking.first() {
        let ids: Vec<&str> = lacking.iter().map(|(id, _)| *id).collect();
        let ids = ids.join(", ");
        say!("not kept as the baseline: {ids} could not be measured: {why}");
        say!(
            "hint: free memory, or raise what limits this process (`ulimit -v`, its control group)"
        );
        return Ok(());
    }
    if let Some(folder) = kept.parent() {
        store::make_folder(folder)?;
    }
    store::write_whole(kept, &run.to_json())?;
    say!("kept as this machine's baseline in {}", kept.display());
    let suspect = run.measurements.iter().filter(|m| m.validity == Validity::Suspect);
    let disturbed: Vec<&str> = suspect.map(|m| m.id.as_str()).collect();
    if !disturbed.is_empty() {
        let which = disturbed.join(", ");
        say!("disturbed, so that no later run can prove age by it: {which}");
        say!("hint: `narrows memory baseline --renew` in a quiet hour replaces the baseline");
    }
    Ok(())
}

fn prepared(args: &BaselineArgs, platform: Platform) -> Prepared {
    let mut prepared = Prepared::new("", platform, &args.output, REPEATS, 0, Vec::new());
    let stop = Stop::new();
    let ctx = plan::ahead(&prepared.plan, &stop, WINDOW);
    prepared.plan.layers = vec![Layer::Memory];
    prepared.plan.steps = vec![touch::planned()];
    let cpus = prepared.platform.cpu.allowed.clone();
    prepared.plan.steps.extend(planned(&ctx, &prepared.platform, &cpus));
    prepared
}

fn measure(session: &mut Session, then: Option<&Run>) -> Result<Ended> {
    let platform = session.run.platform().expect("a run has a machine").clone();
    // Before anything is touched.
    let counters = pool::counted(age::COUNTERS, &pool::counters(&Live), 0);
    session.add([age::state(&Live), counters]);
    let (touched, untouched) = touch::measure(session, &platform)?;
    session.add(touched);
    let watch = Watch::new(&platform, &[]);
    let ctx = session.context(WINDOW);
    let brief = measure_brief(&ctx, &platform, &platform.cpu.allowed, &watch)?;
    session.add(brief.measurements);
    if let Some(host) = session.run.hosts.first_mut() {
        host.platform.unknown.extend(untouched);
        host.platform.unknown.extend(brief.absent);
    }
    if let Some(then) = then {
        // What is compared is judged first: a window that was disturbed says nothing of age.
        judge(&mut session.run);
        let mut since = age::since(&then.measurements, &session.run.measurements);
        since.workload.insert("baseline".into(), json!(then.id));
        since.workload.insert("baseline_at".into(), json!(then.started_at));
        session.add([since]);
    }
    Ok(Ended::Whole)
}
