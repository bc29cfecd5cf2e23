//! What is done in each experiment, by which program, with what in its way.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_model::Run;

use super::trial_result::TrialResult;
use crate::experiment_arguments::Program;
use crate::program::output_told;
use crate::server::{self, Programs};

/// 0: a verdict. 3 and 4: nothing valid, or no verdict, which the run file tells.
const FINE: [i32; 3] = [0, 3, 4];
/// Fresh servers by which intervals are held against each other.
const FRESH: u32 = 12;
/// Delays of a read, µs, of which the slope is taken.
pub(super) const READ_DELAYS_US: [u32; 7] = [0, 100, 200, 400, 800, 1600, 3200];
/// Up to this one the slope is taken apart, too: under the longest delays alone it would say little of short ones.
pub(super) const SHORT_US: u32 = 800;
/// Under whom it is taken: with sessions that go on at once, so that a longer delay leaves the CPU idler; and with many that think for longer than a
/// read takes, so that the CPU is as busy under each delay.
pub(super) const READERS: [Readers; 6] = [
    Readers { sessions: 2, think_us: None },
    Readers { sessions: 8, think_us: None },
    Readers { sessions: 32, think_us: None },
    Readers { sessions: 64, think_us: Some(16_000) },
    Readers { sessions: 64, think_us: Some(6_000) },
    Readers { sessions: 64, think_us: Some(3_600) },
];
const COMMITTERS: [u32; 5] = [3, 4, 5, 6, 8];

/// What a library that is loaded into the server makes slower, µs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slow {
    Flush(u32),
    Read(u32),
    Send(u32),
}

/// Sessions that look rows up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Readers {
    sessions: u32,
    /// Between two lookups of a session; `None`: nothing.
    think_us: Option<u32>,
}

/// One run of a program.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Trial {
    pub experiment: u32,
    pub variant: String,
    /// As the verdict names it.
    pub workload: &'static str,
    pub args: Vec<String>,
    slow: Option<Slow>,
    /// The slowness begins when the program tells on standard error that it does this, and is the program's own too.
    begins_with: Option<&'static str>,
}

/// What all trials share.
pub(super) struct Ground<'a> {
    pub stop: &'a Stop,
    pub folder: &'a Path,
    pub programs: &'a Programs,
    pub narrows: &'a Path,
}

/// All trials, in the page's order. The program of before is asked a part of the long series: what it gets wrong shows there.
pub(super) fn all(program: Program) -> Vec<Trial> {
    let now = program == Program::Now;
    let mut all = Vec::new();
    for ms in [2, 1] {
        let args = "db update --working-set 8k --table 64m --sessions 8 --layers log";
        all.push(trial(2, format!("flush + {ms} ms"), "update", args).slow(Slow::Flush(ms * 1000)));
    }
    let args = "run --layers log,database --workloads update";
    let later = trial(3, "flush + 1 ms later".to_string(), "update", args);
    all.push(Trial {
        begins_with: Some("measure      database.update"),
        ..later.slow(Slow::Flush(1000))
    });
    let args =
        "db update --redo heavy --sessions 64 --table 1g --working-set 512m --pool 1g --layers log";
    all.push(trial(4, "64 sessions".to_string(), "update", args));
    for readers in READERS.into_iter().filter(|readers| now || readers.think_us.is_none()) {
        for us in READ_DELAYS_US.into_iter().filter(|us| now || [0, 400].contains(us)) {
            let args = format!(
                "db lookup --from drive {} --quick --window 10s --layers clock",
                readers.options()
            );
            let said = trial(5, readers.variant(us), "lookup_uncached", &args);
            all.push(said.slow(Slow::Read(us)));
        }
    }
    let args = "db lookup --sessions 8 --layers clock";
    all.push(trial(6, "answer + 200 µs".to_string(), "lookup_cached", args).slow(Slow::Send(200)));
    for sessions in COMMITTERS.into_iter().filter(|sessions| now || [4, 6].contains(sessions)) {
        let args = format!("db update --sessions {sessions} --layers log");
        all.push(trial(8, format!("{sessions} sessions"), "update", &args));
    }
    for (verb, workload) in
        [("lookup", "lookup_cached"), ("update", "update")].into_iter().filter(|_| now)
    {
        for fresh in 1..=FRESH {
            let args = format!("db {verb} --quick --layers clock --seed {fresh}");
            all.push(trial(10, format!("{verb}, server {fresh}"), workload, &args));
        }
    }
    all
}

fn trial(experiment: u32, variant: String, workload: &'static str, args: &str) -> Trial {
    let args = args.split(' ').map(str::to_string).collect();
    Trial { experiment, variant, workload, args, slow: None, begins_with: None }
}

impl Readers {
    fn options(self) -> String {
        let think = self.think_us.map_or(String::new(), |us| format!(" --think {us}us"));
        format!("--sessions {}{think}", self.sessions)
    }

    /// With that delay of each read, µs.
    pub(super) fn variant(self, us: u32) -> String {
        format!("{self}, read + {us} µs")
    }
}

impl std::fmt::Display for Readers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} sessions", self.sessions)?;
        self.think_us.map_or(Ok(()), |us| write!(f, " thinking for {} ms", f64::from(us) / 1e3))
    }
}

impl Slow {
    /// The library, the variable that says how slow, and which file has to be there for it.
    fn parts(self) -> (&'static str, &'static str, u32, Option<&'static str>) {
        match self {
            Slow::Flush(us) => ("slow_flush", "SLOW_FLUSH_US", us, Some("SLOW_FLUSH_WHILE")),
            Slow::Read(us) => ("slow_read", "SLOW_READ_US", us, Some("SLOW_READ_WHILE")),
            Slow::Send(us) => ("slow_send", "SLOW_SEND_US", us, None),
        }
    }
}

impl Trial {
    fn slow(self, slow: Slow) -> Trial {
        Trial { slow: Some(slow), ..self }
    }

    /// Runs it, and reads what was said.
    pub(super) fn said(&self, ground: &Ground<'_>) -> Result<TrialResult> {
        let mut command = Command::new(ground.narrows);
        command.args(&self.args).arg("--data").arg(ground.folder).args(["--format", "json"]);
        command.env("XDG_DATA_HOME", ground.folder.join("runs"));
        let is_slow = ground.folder.join("is-slow");
        let _ = std::fs::remove_file(&is_slow);
        let count = ground.folder.join("sleeps");
        if let Some(slow) = self.slow {
            // Processes of other users write to it.
            std::fs::write(&count, [0; 16])?;
            std::fs::set_permissions(&count, std::fs::Permissions::from_mode(0o666))?;
            let mut slowness = slowness(slow, ground.folder, &is_slow)?;
            if matches!(slow, Slow::Read(_)) {
                slowness.push(("SLOW_READ_COUNT".to_string(), count.display().to_string()));
            }
            command.arg("--postgres").arg(programs(ground, &slowness)?);
            match self.begins_with {
                Some(_) => {
                    command.envs(slowness);
                }
                None => std::fs::write(&is_slow, "")?,
            }
        }
        let begins_with = self.begins_with;
        let told = move |line: &str| {
            if begins_with.is_some_and(|word| line.contains(word)) {
                let _ = std::fs::write(&is_slow, "");
            }
        };
        let text = output_told(command, ground.stop, &FINE, told)?;
        let result =
            TrialResult::of(self, &Run::from_json(&text).context("reading the run file")?)?;
        Ok(TrialResult { slept_ns: slept_ns(&count), ..result })
    }
}

/// What a sleep of the library took on average, without the wait for a CPU after it, ns; `None` where there was none.
fn slept_ns(count: &Path) -> Option<f64> {
    let bytes = std::fs::read(count).ok()?;
    let number =
        |at: usize| Some(i64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?) as f64);
    let (sleeps, ns) = (number(0)?, number(8)?);
    (sleeps > 0.0).then(|| ns / sleeps)
}

/// The variables that make a program slow while that file is there.
fn slowness(slow: Slow, folder: &Path, is_slow: &Path) -> Result<Vec<(String, String)>> {
    let (library, variable, us, during) = slow.parts();
    let library = match slow {
        Slow::Send(_) => server::compiled(folder, &stored_source(library))?,
        _ => server::library(folder, library)?,
    };
    let mut variables = vec![
        ("LD_PRELOAD".to_string(), library.display().to_string()),
        (variable.to_string(), us.to_string()),
    ];
    variables.extend(during.map(|name| (name.to_string(), is_slow.display().to_string())));
    Ok(variables)
}

fn stored_source(name: &str) -> PathBuf {
    crate::stored::folder(super::SUITE).join(format!("{name}.c"))
}

/// A folder with `postgres` and `initdb` that run the machine's own, the server with these variables.
fn programs(ground: &Ground<'_>, variables: &[(String, String)]) -> Result<PathBuf> {
    let folder = ground.folder.join("programs");
    std::fs::create_dir_all(&folder)?;
    server::wrapped(&folder, &ground.programs.found.bin_dir, variables)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trial_has_a_name_of_its_own_and_those_of_before_are_a_part() {
        let now = all(Program::Now);
        for (at, trial) in now.iter().enumerate() {
            let same = |other: &&Trial| {
                other.experiment == trial.experiment && other.variant == trial.variant
            };
            assert_eq!(now.iter().filter(same).count(), 1, "{at}: {}", trial.variant);
        }
        let before = all(Program::Before);
        assert!(before.len() > 10 && before.iter().all(|trial| now.contains(trial)));
    }
}
