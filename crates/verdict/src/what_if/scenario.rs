//! The changes that are asked about, read from words. Several are made at once.

use super::amount::{Amount, duration_ns};
use super::error::WhatIfError;

/// What becomes of the log.
#[derive(Debug, Clone, PartialEq)]
pub enum LogChange {
    /// Its device so many times as fast.
    Factor(f64),
    /// A flush of it takes so long, ns.
    Flush(f64),
    /// The log of another run, by what names it.
    Run(String),
}

/// Changes made together. What isn't there stays as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    words: Vec<String>,
    /// The drives under the data files so many times as fast.
    pub(crate) data: Option<f64>,
    /// The log.
    pub(crate) log: Option<LogChange>,
    /// Processor time of one I/O times this.
    pub(crate) cpu_per_io: Option<f64>,
    /// More cores for the server.
    pub(crate) cores: Option<Amount>,
    /// More sessions.
    pub(crate) sessions: Option<Amount>,
    /// Blocks that have to be read times this.
    pub(crate) reads: Option<f64>,
}

/// The words there are, for a hint.
const KNOWN: &str = "known are storage=2x, data=2x, log=2x (or wal=2x), log=flush:80us, log=RUN, cpu-per-io=-40%, cores=+8, \
                     sessions=2x, reads=-50%";

impl Scenario {
    /// Reads `storage=2x`, `cores=+8,reads=-50%`; several texts are one scenario.
    ///
    /// # Errors
    /// Unknown words, amounts that are none, and changes that contradict each other.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Scenario, WhatIfError> {
        let mut scenario = Scenario::default();
        for text in texts.iter().flat_map(|text| text.as_ref().split(',')) {
            scenario.add(text.trim())?;
        }
        Ok(scenario)
    }

    /// The changes as they were asked for.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The run whose log is asked about: an id or a file, for who can find it.
    pub fn log_run(&self) -> Option<&str> {
        match &self.log {
            Some(LogChange::Run(name)) => Some(name),
            _ => None,
        }
    }

    /// Whether the log was asked about by its own name.
    pub(crate) fn names_the_log(&self) -> bool {
        self.words.iter().any(|word| word.starts_with("log="))
    }

    fn add(&mut self, text: &str) -> Result<(), WhatIfError> {
        let Some((key, value)) = text.split_once('=') else {
            return Err(WhatIfError::new(format!("`{text}` is no change: it has no `=`"), KNOWN));
        };
        let (key, value) = (key.trim(), value.trim());
        // The screen says WAL; answers in run files have the older word.
        let key = if key == "wal" { "log" } else { key };
        self.refuse_twice(key)?;
        match key {
            "storage" => {
                let factor = speed(key, value)?;
                self.data = Some(factor);
                self.log = Some(LogChange::Factor(factor));
            }
            "data" => self.data = Some(speed(key, value)?),
            "log" => self.log = Some(log(value)?),
            "cpu-per-io" => self.cpu_per_io = Some(share(key, value)?),
            "reads" => self.reads = Some(share(key, value)?),
            "cores" => self.cores = Some(count(key, value)?),
            "sessions" => self.sessions = Some(count(key, value)?),
            _ => return Err(WhatIfError::new(format!("`{key}` cannot be changed"), KNOWN)),
        }
        self.words.push(format!("{key}={value}"));
        Ok(())
    }

    fn refuse_twice(&self, key: &str) -> Result<(), WhatIfError> {
        let has = |word: &str| {
            self.words.iter().any(|said| said.split_once('=').is_some_and(|(key, _)| key == word))
        };
        if has(key) {
            return Err(WhatIfError::new(
                format!("`{key}` is given twice"),
                "give each change once",
            ));
        }
        let parts = ["data", "log"];
        let other = match key {
            "storage" => parts.into_iter().find(|part| has(part)),
            _ => (parts.contains(&key) && has("storage")).then_some("storage"),
        };
        other.map_or(Ok(()), |other| {
            Err(WhatIfError::new(
                format!(
                    "`{key}` and `{other}` contradict each other: storage is the drives of both"
                ),
                "use data= for the drives under the data files and log= for those under WAL",
            ))
        })
    }
}

/// So many times as fast; nothing is infinitely fast or stands still.
fn speed(key: &str, value: &str) -> Result<f64, WhatIfError> {
    match Amount::parse(value) {
        Some(Amount::Factor(factor)) if factor > 0.0 => Ok(factor),
        _ => Err(WhatIfError::new(
            format!("`{key}={value}` does not say how many times as fast"),
            format!("write {key}=2x for twice as fast, or {key}=+50%"),
        )),
    }
}

/// A part of what there is, or more of it.
fn share(key: &str, value: &str) -> Result<f64, WhatIfError> {
    match Amount::parse(value) {
        Some(Amount::Factor(factor)) => Ok(factor),
        _ => Err(WhatIfError::new(
            format!("`{key}={value}` does not say by how much"),
            format!("write {key}=-40% for 40 % less, or {key}=0.6x; there is no less than -100%"),
        )),
    }
}

fn count(key: &str, value: &str) -> Result<Amount, WhatIfError> {
    match Amount::parse(value) {
        Some(amount @ Amount::More(_)) => Ok(amount),
        Some(amount @ Amount::Factor(factor)) if factor > 0.0 => Ok(amount),
        _ => Err(WhatIfError::new(
            format!("`{key}={value}` does not say how many more"),
            format!("write {key}=+8 for eight more, or {key}=2x for twice as many"),
        )),
    }
}

fn log(value: &str) -> Result<LogChange, WhatIfError> {
    if let Some(time) = value.strip_prefix("flush:") {
        return duration_ns(time).map(LogChange::Flush).ok_or_else(|| {
            WhatIfError::new(
                format!("`log={value}` does not say how long a flush takes"),
                "write log=flush:80us, with ns, us, ms or s",
            )
        });
    }
    match Amount::parse(value) {
        Some(Amount::Factor(factor)) if factor > 0.0 => Ok(LogChange::Factor(factor)),
        None if !value.is_empty() => Ok(LogChange::Run(value.to_string())),
        _ => Err(WhatIfError::new(
            format!("`log={value}` does not say which WAL device"),
            "write log=2x, log=flush:80us, or log=RUN with the id or file of a run that measured another WAL device",
        )),
    }
}
