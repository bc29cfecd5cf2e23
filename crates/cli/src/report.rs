//! `narrows report`: any view of a stored run.

use anyhow::Result;
use narrows_model::Run;

use crate::args::{Format, ReportArgs};
use crate::exit::Exit;
use crate::{output, store};

/// Renders the run again.
pub fn report(args: &ReportArgs) -> Result<Exit> {
    let path = store::find(&args.run)?;
    let mut run = store::load(&path)?;
    if args.rejudge {
        judge(&mut run);
    }
    let format = if args.html { Format::Html } else { args.format };
    match &args.output {
        Some(path) => {
            store::write_whole(path, &output::render(&run, format, args.units, false))?;
            eprintln!("wrote {}", path.display());
        }
        None => output::print(&output::render(&run, format, args.units, output::colour()))?,
    }
    Ok(Exit::Done)
}

/// Limits, findings, verdicts: everything that follows from what was measured.
pub fn judge(run: &mut Run) {
    narrows_limits::attach(run);
    // What was found while running (a layer that could not run) is evidence and stays.
    run.findings.retain(|finding| finding.id.starts_with("absent-"));
    run.findings.extend(narrows_validity::check(run));
    run.apply_findings();
    run.verdicts = narrows_verdict::judge(run);
    run.durability = narrows_validity::durability::of_run(run);
}
