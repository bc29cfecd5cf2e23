//! Standard output and files of a report: one format on one stream.

use std::path::Path;

use anyhow::Result;
use narrows_model::{FlushTest, Run};
use narrows_report::document::Document;
use narrows_report::{FORMS, Report, Screen, Shows, Units};
use narrows_runner::store;

use crate::args::{DetailArgs, Format, UnitsArg};
use crate::stream;

pub use crate::stream::colour;

/// Columns where standard output is no terminal; tables are laid out for it.
const WIDTH: usize = 100;

/// Standard output, with colours and in the width that it has.
pub fn screen(detail: DetailArgs) -> Screen {
    let width = stream::report_width().unwrap_or(WIDTH);
    Screen { width, colour: colour(), depth: detail.depth() }
}

impl From<UnitsArg> for Units {
    fn from(units: UnitsArg) -> Units {
        match units {
            UnitsArg::Si => Units::Si,
            UnitsArg::Iec => Units::Iec,
        }
    }
}

/// A file: no colours, and the width that tables are laid out for.
pub fn screen_of_file(detail: DetailArgs) -> Screen {
    Screen { depth: detail.depth(), ..Screen::PLAIN }
}

/// What an observation that goes on says so far, in a line: `after 5 s: …`.
pub fn answer_so_far(run: &Run) -> String {
    let mut run = run.clone();
    narrows_judge::judge(&mut run);
    let seconds = run.observations.first().map_or(0.0, |seen| seen.interval_ns / 1e9);
    format!("after {seconds:.0} s: {}", narrows_report::answer_so_far(&run).join(" "))
}

/// Renders a run.
pub fn render(run: &Run, format: Format, units: UnitsArg, screen: Screen) -> String {
    narrows_report::printed(&Report::new(run, units.into()), format.0, screen)
}

/// Prints a document.
///
/// # Errors
/// It can't be written, and somebody is there to read it.
pub fn document(document: &Document, format: Format) -> Result<()> {
    let screen = screen(DetailArgs::default());
    print(&narrows_report::render(document, format.0, screen))
}

/// Prints SLB's lines and their meaning.
///
/// # Errors
/// As [`document`].
pub fn slb(run: &Run, units: UnitsArg) -> Result<()> {
    document(&narrows_report::slb(&Report::new(run, units.into())), Format::TEXT)
}

/// Prints what `pg_test_fsync` printed, in our words.
///
/// # Errors
/// As [`document`].
pub fn flush_tests(tests: &[FlushTest]) -> Result<()> {
    document(&narrows_report::flush_tests(tests), Format::TEXT)
}

/// Writes the run's report into a folder, in every format that is no run file.
///
/// # Errors
/// What writing a file gave.
pub fn write_every_format(run: &Run, folder: &Path, units: UnitsArg) -> Result<()> {
    for form in FORMS.into_iter().filter(|form| form.shows != Shows::Json) {
        let name = format!("{}.{}", run.id, form.extension);
        store::write_whole(&folder.join(name), &render(run, Format(form), units, Screen::PLAIN))?;
    }
    Ok(())
}

/// Prints; a reader that went away (a pager, `head`) is no error.
pub fn print(text: &str) -> Result<()> {
    Ok(stream::out(text)?)
}
