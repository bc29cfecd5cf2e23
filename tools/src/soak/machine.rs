//! The machine as it is, busy, or with half a processor. What makes it so goes with the value.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::{Context as _, Result, bail};

use crate::group::{Group, Limit};
use crate::program::Program;

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Quiet,
    Busy,
    Half,
}

impl State {
    pub(super) const ALL: [State; 3] = [State::Quiet, State::Busy, State::Half];
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            State::Quiet => "quiet",
            State::Busy => "busy",
            State::Half => "half",
        })
    }
}

impl FromStr for State {
    type Err = anyhow::Error;

    fn from_str(word: &str) -> Result<State> {
        match State::ALL.iter().find(|state| state.to_string() == word) {
            Some(state) => Ok(*state),
            None => bail!("`{word}` is none of quiet, busy, half"),
        }
    }
}

/// Made so.
pub(super) struct Machine {
    /// One per lane, where each has half a processor.
    groups: Vec<Group>,
    _load: Vec<Program>,
}

impl Machine {
    /// `folder` is where the writer writes; `lanes` is how many programs will run side by side.
    pub(super) fn made(state: State, folder: &Path, lanes: usize) -> Result<Machine> {
        let mut load = Vec::new();
        if state == State::Busy {
            for _ in narrows_facts::affinity::current() {
                load.push(shell("while :; do :; done")?);
            }
            // 64 MiB over and over, made durable each time: much for the drive's queue, little for its life.
            let file = folder.join("written");
            let write = "dd if=/dev/zero bs=1M count=64 oflag=direct conv=fsync status=none of=";
            load.push(shell(&format!("while :; do {write}'{}'; sleep 1; done", file.display()))?);
        }
        let limited = if state == State::Half { lanes } else { 0 };
        let groups = (0..limited)
            .map(|lane| Group::with(&format!("soak-{lane}"), &[Limit::Cpus(0.5)], false))
            .collect::<Result<_, _>>()
            .context("half a processor takes root and a control group")?;
        Ok(Machine { groups, _load: load })
    }

    /// A program on it, in that lane.
    pub(super) fn command(&self, program: &Path, lane: usize) -> Command {
        match self.groups.get(lane) {
            Some(group) => group.command(program),
            None => Command::new(program),
        }
    }
}

fn shell(script: &str) -> Result<Program> {
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdout(Stdio::null()).stderr(Stdio::null());
    Program::start(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_named_as_they_are_printed() {
        for state in State::ALL {
            assert_eq!(state.to_string().parse::<State>().unwrap(), state);
        }
        assert!("angry".parse::<State>().is_err());
    }
}
