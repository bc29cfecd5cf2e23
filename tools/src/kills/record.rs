//! What came of one trial, as a line of JSON.

use serde::{Deserialize, Serialize};

use super::site::{FileSystem, User};
use super::trial::Planned;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub number: u64,
    pub command: String,
    pub user: String,
    pub file_system: String,
    pub signals: String,
    /// The process, or its group.
    pub to: String,
    /// When the first signal was sent, after the start; `None` where the command was through before.
    pub moment_ms: Option<f64>,
    /// Exit code, or the signal that it died of.
    pub status: String,
    pub to_exit_ms: f64,
    /// Runs that were kept; 0 where the strike came before there was one.
    pub runs: u32,
    /// How the next start of the same command ended.
    pub next: String,
    /// What is wrong, in words.
    pub wrong: Vec<String>,
}

impl Record {
    pub(super) fn of(planned: &Planned<'_>, here: &str) -> Record {
        Record {
            number: planned.number,
            command: planned.command.name.to_string(),
            user: match planned.user {
                User::Root => "root",
                User::Ordinary => "ordinary",
            }
            .to_string(),
            file_system: match planned.on {
                FileSystem::Here => here,
                FileSystem::Xfs => "xfs",
            }
            .to_string(),
            signals: planned.strike.blow.word().to_string(),
            to: if planned.strike.group { "group" } else { "process" }.to_string(),
            moment_ms: None,
            status: String::new(),
            to_exit_ms: 0.0,
            runs: 0,
            next: String::new(),
            wrong: Vec::new(),
        }
    }

    /// Whether the signal met a running program.
    pub(super) fn met(&self) -> bool {
        self.moment_ms.is_some()
    }

    /// One line for whoever watches.
    pub(super) fn line(&self) -> String {
        let at = self.moment_ms.map_or("through before".to_string(), |ms| format!("{ms:.0} ms"));
        let wrong = match self.wrong.is_empty() {
            true => String::new(),
            false => format!("  WRONG: {}", self.wrong.join("; ")),
        };
        format!(
            "{:4} {:26} {:8} {:6} {:10} {:7} {at:>14}  exit {}{wrong}",
            self.number,
            self.command,
            self.user,
            self.file_system,
            self.signals,
            self.to,
            self.status
        )
    }
}
