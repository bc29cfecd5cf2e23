//! `narrows report`: any view of a stored run.

use std::path::Path;

use anyhow::Result;
use narrows_judge::judge;
use narrows_model::CrashTest;
use narrows_runner::failure::Failure;
use narrows_runner::what_if::WhatIf;
use narrows_runner::{flush_test, store};

use crate::args::{Format, ReportArgs};
use crate::stream::say;
use crate::{Exit, output};

/// Renders the run again.
pub fn report(args: &ReportArgs) -> Result<Exit> {
    let asked = (!args.what_if.is_empty()).then(|| WhatIf::of(&args.what_if)).transpose()?;
    let path = store::find_or_newest(args.run.as_deref())?;
    let mut run = store::load(&path)?;
    for path in &args.crash_test {
        run.crash_tests.push(crash_test(path)?);
    }
    for path in &args.pg_test_fsync {
        run.flush_tests.push(flush_test::read(path)?);
    }
    if args.rejudge || !args.crash_test.is_empty() || asked.is_some() {
        judge(&mut run);
    }
    if let Some(asked) = asked {
        asked.answer(&mut run)?;
    }
    let format = if args.html { Format::HTML } else { args.format };
    match &args.output {
        Some(path) => {
            store::write_whole(
                path,
                &output::render(&run, format, args.units, output::screen_of_file(args.detail)),
            )?;
            say!("wrote {}", path.display());
        }
        None => {
            output::print(&output::render(&run, format, args.units, output::screen(args.detail)))?
        }
    }
    Ok(Exit::Done)
}

/// Bytes; it names no more than some thousand records.
const LONGEST_CRASH_TEST: u64 = 64 << 20;

/// A crash test's result, as `check` printed it.
fn crash_test(path: &Path) -> Result<CrashTest> {
    let hint = "it is what `narrows log crashtest check --format json` printed";
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::hinted(format!("{} is no crash test: {error}", path.display()), hint)
    };
    let text = narrows_files::read_text(path, LONGEST_CRASH_TEST).map_err(|error| wrong(&error))?;
    serde_json::from_str(&text).map_err(|error| wrong(&error))
}
