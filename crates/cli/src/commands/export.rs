//! `narrows export`: figures of runs for other programs. `narrows diff`: what differs between runs besides their figures.

use anyhow::Result;
use narrows_report::export;
use narrows_runner::failure::Failure;
use narrows_runner::{compared, histograms, store};

use crate::args::export::{DiffArgs, ExportArgs, ExportForm};
use crate::stream::say;
use crate::{Exit, output};

/// Writes the runs in the form that was asked for.
pub fn export(args: &ExportArgs) -> Result<Exit> {
    let runs = match args.runs.as_slice() {
        [] => vec![store::load(&store::find_or_newest(None)?)?],
        named => compared::runs(named)?,
    };
    let text = match args.form {
        ExportForm::Openmetrics => export::openmetrics(&runs),
        ExportForm::Csv => export::tidy(&runs),
        ExportForm::Hdr => match runs.as_slice() {
            [run] => histograms::log(run)?,
            more => {
                return Err(Failure::hinted(
                    format!("--as hdr: {} runs, and a log is of one", more.len()),
                    "name one run: narrows list",
                ));
            }
        },
    };
    match &args.output {
        Some(path) => {
            store::write_whole(path, &text)?;
            say!("wrote {}", path.display());
        }
        None => output::print(&text)?,
    }
    Ok(Exit::Done)
}

/// What differs between two runs or sets of runs besides their figures.
pub fn diff(args: &DiffArgs) -> Result<Exit> {
    let found = compared::setups(&compared::load(&args.sides)?)?;
    output::document(&narrows_report::setup_differences(&found), args.format)?;
    Ok(Exit::Done)
}
