//! `narrows report`: any view of a stored run.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_judge::judge;
use narrows_model::CrashTest;
use narrows_runner::failure::Failure;
use narrows_runner::what_if::WhatIf;
use narrows_runner::{flush_test, store};

use crate::args::{Format, ReportArgs};
use crate::stream::{self, say};
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
    if let Some(note) = args.detail.note(format) {
        say!("{note}");
    }
    match destination(args.output.as_deref(), format, &run.id, stream::is_terminal()) {
        Some(path) => {
            store::write_whole(
                &path,
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

/// The file that a report goes to: the one that was named, and for a page on a terminal one of its own in the current folder. `None` is
/// standard output, which `-` names too.
fn destination(named: Option<&Path>, format: Format, id: &str, terminal: bool) -> Option<PathBuf> {
    match named {
        Some(path) if path == Path::new("-") => None,
        Some(path) => Some(path.to_path_buf()),
        None if terminal && format.0.name == Format::HTML.0.name => {
            Some(PathBuf::from(format!("narrows-{id}.html")))
        }
        None => None,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_never_written_onto_a_terminal() {
        let to = |named: Option<&str>, format, terminal| {
            destination(named.map(Path::new), format, "7f3a", terminal)
        };
        let page = Some(PathBuf::from("narrows-7f3a.html"));
        assert_eq!(to(None, Format::HTML, true), page);
        assert_eq!(to(None, Format::HTML, false), None, "a pipe takes it");
        assert_eq!(to(None, Format::TEXT, true), None);
        assert_eq!(to(Some("-"), Format::HTML, true), None, "standard output, as it was asked for");
        assert_eq!(to(Some("-"), Format::TEXT, false), None);
        assert_eq!(to(Some("x.html"), Format::HTML, true), Some("x.html".into()));
    }
}
