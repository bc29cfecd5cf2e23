//! Standard output and files of a report: one format on one stream.

use std::path::Path;

use anyhow::Result;
use narrows_model::{FlushTest, Run};
use narrows_report::{Report, Units};
use narrows_runner::store;

use crate::args::{Format, UnitsArg};
use crate::stream;

pub use crate::stream::colour;

/// Widest screen; the design's tables fit it.
const WIDTH: usize = 100;

impl From<UnitsArg> for Units {
    fn from(units: UnitsArg) -> Units {
        match units {
            UnitsArg::Si => Units::Si,
            UnitsArg::Iec => Units::Iec,
        }
    }
}

/// Renders a run.
pub fn render(run: &Run, format: Format, units: UnitsArg, colour: bool) -> String {
    let report = Report::new(run, units.into());
    match format {
        Format::Text => narrows_report::text(&report, WIDTH, colour),
        Format::Json => narrows_report::json(&report),
        Format::Csv => narrows_report::csv(&report),
        Format::Markdown => narrows_report::markdown(&report),
        Format::Html => narrows_report::html(&report),
    }
}

/// SLB's lines and their meaning.
pub fn slb(run: &Run, units: UnitsArg, colour: bool) -> String {
    narrows_report::slb(&Report::new(run, units.into()), WIDTH, colour)
}

/// What `pg_test_fsync` printed, in our words.
pub fn flush_tests(tests: &[FlushTest]) -> String {
    narrows_report::flush_tests(tests, WIDTH, colour())
}

/// Writes the run's report into a folder, in every format that is no run file.
///
/// # Errors
/// What writing a file gave.
pub fn write_every_format(run: &Run, folder: &Path, units: UnitsArg) -> Result<()> {
    for format in [Format::Text, Format::Markdown, Format::Csv, Format::Html] {
        let name = format!("{}.{}", run.id, format.extension());
        store::write_whole(&folder.join(name), &render(run, format, units, false))?;
    }
    Ok(())
}

/// Prints; a reader that went away (a pager, `head`) is no error.
pub fn print(text: &str) -> Result<()> {
    Ok(stream::out(text)?)
}
