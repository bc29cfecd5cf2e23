//! The one place that writes to standard output and standard error.
//!
//! What the command prints quotes paths, names of servers, lines of job files, answers of the kernel and of databases. Whatever
//! their makers put in them, nothing steers the terminal: each text passes the filter of `narrows-units` here, on its very last step.
//! Views filter names before they align columns; this is the guarantee behind them. A test of the workspace sees that nobody
//! prints around it.
//!
//! A reader that went away (a pager, `head`) is no error, and neither is a closed standard error.
//!
//! Not here: what is printed, and in which format.

use std::ffi::OsStr;
use std::io::{ErrorKind, IsTerminal, Write};

use narrows_runner::{failure, secrets};
use narrows_units::{shown, shown_lines, shown_screen};

use crate::{Exit, usage};

/// How help looks on a terminal: bold, underlined, plain again.
const HELP: [&str; 3] = ["\x1b[1m", "\x1b[4m", "\x1b[0m"];

/// Writes a line to standard error, as `eprintln!` does, through the filter.
macro_rules! say {
    ($($text:tt)*) => { $crate::stream::line(&format!($($text)*)) };
}
pub(crate) use say;

/// Columns of a terminal that doesn't tell.
const USUAL_WIDTH: usize = 100;

/// Whether standard output takes colour.
pub fn colour() -> bool {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    let terminal = steered(std::io::stdout().is_terminal(), std::env::var_os("TERM").as_deref());
    coloured(set("NO_COLOR").is_some(), set("CLICOLOR_FORCE").as_deref(), terminal)
}

/// `NO_COLOR` comes first, then `CLICOLOR_FORCE` for what is no terminal.
fn coloured(never: bool, always: Option<&OsStr>, terminal: bool) -> bool {
    !never && (terminal || always.is_some_and(|value| value != "0"))
}

/// Columns of standard output, where it is a terminal that tells.
pub fn report_width() -> Option<usize> {
    let stdout = std::io::stdout();
    let size = stdout.is_terminal().then(|| terminal_size::terminal_size_of(&stdout)).flatten();
    size.map(|(columns, _)| usize::from(columns.0)).filter(|columns| *columns > 0)
}

/// Whether standard error is a terminal on which a line can be drawn again.
pub fn redraws() -> bool {
    steered(std::io::stderr().is_terminal(), std::env::var_os("TERM").as_deref())
}

/// Whether a stream takes escape sequences: a terminal, unless `TERM` says that it has none.
fn steered(terminal: bool, term: Option<&OsStr>) -> bool {
    terminal && term.is_none_or(|term| term != "dumb")
}

/// Whether standard output is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Columns of a drawn line: of the terminal behind standard error, else as `COLUMNS` says, else 100.
pub fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| width.0);
    columns(terminal, std::env::var("COLUMNS").ok().as_deref())
}

fn columns(terminal: Option<u16>, said: Option<&str>) -> usize {
    // Some terminals say 0 for what they don't know.
    let terminal = terminal.filter(|columns| *columns > 0).map(usize::from);
    let said = || said.and_then(|text| text.trim().parse().ok()).filter(|columns| *columns > 0);
    terminal.or_else(said).unwrap_or(USUAL_WIDTH)
}

/// Lines on standard output; our own colours pass where it takes colour.
///
/// # Errors
/// They can't be written, and somebody is there to read them.
pub fn out(text: &str) -> std::io::Result<()> {
    let ours: &[&str] = if colour() { &narrows_report::COLOURS } else { &[] };
    written(&shown_screen(text, ours))
}

/// Lines on standard error.
pub fn put(text: &str) {
    errors(&shown_lines(text));
}

/// A line on standard error, or several.
pub fn line(text: &str) {
    errors(&(shown_lines(text).into_owned() + "\n"));
}

/// A line on standard error in place of a drawn one.
pub fn over_line(text: &str) {
    if redraws() {
        redraw("");
    }
    line(text);
}

/// An error with its causes; the hints come last.
pub fn error(error: &anyhow::Error) -> Exit {
    line(&secrets::without(&failure::render(error), std::env::args_os()));
    Exit::Usage
}

/// Draws the terminal's last line again.
pub fn redraw(text: &str) {
    errors(&format!("\r\x1b[K{}", shown(text)));
}

/// What the parser of `command` has to say of these words, on the stream and with the exit code that it has for that. Help is coloured
/// on a terminal; a message quotes what was typed and is not.
pub fn parser(
    said: &clap::Error,
    words: &[String],
    command: &clap::Command,
) -> std::process::ExitCode {
    let text = said.render();
    if said.use_stderr() {
        put(&usage::usage_error(said, words, command));
    } else if colour() {
        let _ = written(&shown_screen(&text.ansi().to_string(), &HELP));
    } else {
        let _ = out(&text.to_string());
    }
    u8::try_from(said.exit_code()).unwrap_or(2).into()
}

/// A panic's message quotes what it stumbled over, too.
pub fn filter_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let trace = std::backtrace::Backtrace::capture();
        line(&format!("{panic}"));
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            put(&trace.to_string());
        }
        line("this is a defect of narrows; RUST_BACKTRACE=1 shows where it is");
    }));
}

fn written(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(std::io::Error::new(
            error.kind(),
            format!("cannot write to standard output: {error}"),
        )),
        _ => Ok(()),
    }
}

fn errors(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dumb_terminal_gets_no_sequences() {
        let dumb = Some(OsStr::new("dumb"));
        assert!(!steered(true, dumb) && !steered(false, None));
        assert!(steered(true, None) && steered(true, Some(OsStr::new("xterm-256color"))));
    }

    #[test]
    fn colour_is_taken_as_the_environment_says() {
        let one = Some(OsStr::new("1"));
        assert!(coloured(false, None, true) && !coloured(false, None, false));
        assert!(coloured(false, one, false) && !coloured(true, one, true));
        assert!(!coloured(false, Some(OsStr::new("0")), false));
    }

    #[test]
    fn a_width_that_makes_sense_is_taken() {
        assert_eq!(columns(Some(64), Some("132")), 64, "the terminal may have been resized");
        assert_eq!(["80", " 132 "].map(|said| columns(Some(0), Some(said))), [80, 132]);
        assert_eq!(["", "0", "wide"].map(|said| columns(None, Some(said))), [100; 3]);
        assert_eq!(columns(None, None), 100);
    }
}
