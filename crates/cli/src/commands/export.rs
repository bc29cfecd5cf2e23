//! `narrows export`: figures of runs for other programs. `narrows diff`: what differs between runs besides their figures.

use std::path::Path;

use anyhow::Result;
use narrows_model::Run;
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
        ExportForm::Parquet => return parquet(&runs, args.output.as_deref()),
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

/// No text, so it goes into a file.
#[cfg(feature = "parquet")]
fn parquet(runs: &[Run], output: Option<&Path>) -> Result<Exit> {
    let Some(path) = output else {
        return Err(Failure::hinted(
            "--as parquet writes no text".to_string(),
            "name a file: -o runs.parquet",
        ));
    };
    store::write_whole(path, &export::parquet(runs)?)?;
    say!("wrote {}", path.display());
    Ok(Exit::Done)
}

/// This build has none.
#[cfg(not(feature = "parquet"))]
fn parquet(_: &[Run], _: Option<&Path>) -> Result<Exit> {
    Err(Failure::hinted(
        "--as parquet: this build has no Parquet".to_string(),
        "--as csv has the same rows; cargo build --release -p narrows --features parquet makes a build that has it",
    ))
}

/// What differs between two runs or sets of runs besides their figures.
pub fn diff(args: &DiffArgs) -> Result<Exit> {
    let found = compared::setups(&compared::load(&args.sides)?)?;
    output::document(&narrows_report::setup_differences(&found), args.format)?;
    Ok(Exit::Done)
}
