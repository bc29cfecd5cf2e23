//! How a command ends: the exit codes, one list for code, man pages and book, and [one rule](outcome) for all commands.

mod outcome;

use std::process::ExitCode;

pub use outcome::{Answers, COMPARABLE, Outcome, gates_ended, not_made, stopped};

/// How a command ended. Only [`Outcome`] says anything but done and usage; a test of the workspace looks for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, and what was asked for is valid.
    Done = 0,
    /// A bound that was named with `--fail-if` is crossed.
    GateFailed = 1,
    /// The arguments or the environment don't allow it; nothing was measured.
    Usage = 2,
    /// Nothing valid was measured of something that was asked for.
    Invalid = 3,
    /// Something is suspect, invalid beside what is valid, or could not be measured; or no verdict was reached.
    Inconclusive = 4,
    /// Stopped on request; a partial run was kept.
    Interrupted = 130,
}

/// What a signal's handler ends the process with where no orderly end is possible.
pub const CUT_SHORT: i32 = Exit::Interrupted as i32;

/// A code as the manual explains it.
#[derive(Debug, Clone, Copy)]
pub struct ExitRow {
    /// The code.
    pub exit: Exit,
    /// In a few words, as the man pages have it.
    pub word: &'static str,
    /// When a command ends with it.
    pub when: &'static str,
}

impl Exit {
    /// All of them, in the order in which they are explained.
    pub const ALL: [ExitRow; 6] = [
        ExitRow {
            exit: Exit::Done,
            word: "done and valid",
            when: "The command did its work. Where it measured, all measurements are valid, and every workload has its verdict.",
        },
        ExitRow {
            exit: Exit::GateFailed,
            word: "a gate failed",
            when: "`narrows compare --fail-if`: the whole interval of a change is beyond the bound. Where the bound is inside the interval, or there is no interval, the code is 4.",
        },
        ExitRow {
            exit: Exit::Usage,
            word: "usage or environment",
            when: "The arguments, a named file, or the machine do not allow it. The error says why. Nothing was measured, or what was measured could not be written. A dry run ends with it where the run would be refused, or would miss a requested part.",
        },
        ExitRow {
            exit: Exit::Invalid,
            word: "nothing valid measured",
            when: "All measurements of a requested part are invalid, or nothing at all could be measured. For `crashtest check`: refuted.",
        },
        ExitRow {
            exit: Exit::Inconclusive,
            word: "something is suspect or could not be measured, or no verdict was reached",
            when: "Every requested part has a usable measurement; but a measurement is suspect, or invalid beside valid ones, or could not be made, a workload's verdict is UNDECIDED, a rate was not found or may not last, or observing a server ended early.",
        },
        ExitRow {
            exit: Exit::Interrupted,
            word: "interrupted",
            when: "Stopped by Ctrl-C or a signal. The partial run is saved.",
        },
    ];

    /// As the shell sees it.
    pub fn code(self) -> u8 {
        self as u8
    }
}

/// The codes for a help text: as in [`Exit::ALL`](crate::exit::Exit::ALL), which a test compares.
#[macro_export]
macro_rules! exit_codes {
    () => {
        "Exit codes: 0 done and valid; 1 a gate failed; 2 usage or environment;\n\
         3 nothing valid measured;\n\
         4 something is suspect or could not be measured, or no verdict was reached;\n\
         130 interrupted (the partial run is kept)."
    };
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_help_text_has_the_codes_of_the_table() {
        let help = exit_codes!().replace('\n', " ");
        let parts = Exit::ALL.map(|row| format!("{} {}", row.exit.code(), row.word));
        assert_eq!(help, format!("Exit codes: {} (the partial run is kept).", parts.join("; ")));
    }
}
