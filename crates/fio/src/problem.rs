//! What stops a file, and what is only said about it. Both name the line.

use std::fmt;

use thiserror::Error;

use crate::options::limits::Limit;

/// A line of a job file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobFileLine {
    /// The file as it was named, or as an `include` found it.
    pub file: String,
    /// From 1.
    pub line: usize,
}

impl fmt::Display for JobFileLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Which kind of thing stopped the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The file can't be read.
    Unreadable,
    /// It isn't a job file.
    Grammar,
    /// Neither fio nor narrows knows the option.
    Unknown,
    /// fio knows it, and narrows doesn't do it.
    Refused,
    /// fio takes the value for something else than what is written.
    Misread,
    /// The value isn't one that the option has.
    Value,
    /// Options that don't go together.
    Conflict,
}

/// One reason to stop.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{place}: {reason}")]
pub struct Problem {
    /// The line.
    pub place: JobFileLine,
    /// What kind of thing.
    pub cause: Cause,
    /// The option as it is written, where there is one.
    pub option: Option<String>,
    /// Why, as a sentence without its full stop.
    pub reason: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// All reasons to stop, in the order of the lines read; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", self.text())]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    fn text(&self) -> String {
        let lines = self.0.iter().map(|problem| match &problem.hint {
            Some(hint) => format!("{problem}\n  hint: {hint}"),
            None => problem.to_string(),
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// In which way a setting was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettingTreatment {
    /// narrows does what fio does.
    Same,
    /// narrows does something near it.
    Approximated,
    /// fio misreads the value, and so do we, because files count on it.
    AsFio,
    /// fio misreads the value; we take what is written.
    AsWritten,
    /// Nothing was changed, but the reader should know.
    Warned,
}

/// What is to be said about one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The line.
    pub place: JobFileLine,
    /// The job's section.
    pub section: String,
    /// fio's name of the option, or empty for the whole section.
    pub option: String,
    /// The value after substitution; empty for a bare key.
    pub value: String,
    /// In which way it was taken.
    pub taken: SettingTreatment,
    /// What differs; empty where nothing does.
    pub sentence: String,
}

/// A value that can't be taken: what is wrong and what to write. It gets its place from who asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub cause: Cause,
    pub reason: String,
    pub hint: Option<String>,
}

impl Wrong {
    pub fn value(reason: impl Into<String>) -> Self {
        Wrong { cause: Cause::Value, reason: reason.into(), hint: None }
    }

    pub fn misread(reason: impl Into<String>) -> Self {
        Wrong { cause: Cause::Misread, reason: reason.into(), hint: None }
    }

    pub fn refused(reason: impl Into<String>) -> Self {
        Wrong { cause: Cause::Refused, reason: reason.into(), hint: None }
    }

    /// For the reason that the table gives.
    pub fn limit(limit: &Limit) -> Self {
        Wrong::refused(limit.why).hint(limit.hint)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
