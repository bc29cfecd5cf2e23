//! Arguments of suites that make the experiments of an attack, with the program that was attacked and with today's.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

/// Which program was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Program {
    /// The one that was attacked.
    Before,
    Now,
}

/// What was asked for.
#[derive(Debug)]
pub(crate) struct ExperimentArguments {
    experiments: Vec<u32>,
    variant: String,
    /// Under which the answers are kept.
    pub program: Program,
    /// The program itself.
    pub narrows: PathBuf,
    state: Option<String>,
    /// Where files and servers are made.
    pub data: PathBuf,
    /// Whether to name them only.
    pub list: bool,
}

/// Reads them.
pub(crate) fn read(args: &[&str], usage: &str) -> Result<ExperimentArguments> {
    let mut asked = ExperimentArguments {
        experiments: Vec::new(),
        program: Program::Now,
        narrows: crate::root().join("target/release/narrows"),
        state: None,
        data: Path::new("/var/tmp").into(),
        variant: String::new(),
        list: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value\n{usage}"));
        match *arg {
            "--program" => {
                asked.program = match *value()? {
                    "before" => Program::Before,
                    "now" => Program::Now,
                    other => bail!("--program {other}: before or now\n{usage}"),
                }
            }
            "--narrows" => asked.narrows = value()?.into(),
            "--state" => asked.state = Some(value()?.to_string()),
            "--data" => asked.data = value()?.into(),
            "--variant" => asked.variant = value()?.to_string(),
            "--list" => asked.list = true,
            option if option.starts_with('-') => bail!("{option} is not known\n{usage}"),
            number => {
                let number =
                    number.parse().with_context(|| format!("{number} is no number\n{usage}"))?;
                asked.experiments.push(number);
            }
        }
    }
    Ok(asked)
}

impl ExperimentArguments {
    /// Whether that one is asked for.
    pub(crate) fn wants(&self, experiment: u32, variant: &str) -> bool {
        (self.experiments.is_empty() || self.experiments.contains(&experiment))
            && variant.contains(&self.variant)
    }

    /// The state of the program's sources: as it was named, or as git names those here.
    pub(crate) fn state(&self) -> Result<String> {
        self.state.clone().map_or_else(crate::plants::state, Ok)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        let asked = |args: &[&str]| read(args, "usage: a suite");
        let of_old = asked(&["2", "5", "--program", "before", "--state", "1a"]).unwrap();
        assert_eq!((of_old.program, of_old.state().unwrap().as_str()), (Program::Before, "1a"));
        assert!(of_old.wants(5, "any") && !of_old.wants(3, "any"));
        let all = asked(&["--variant", "zram"]).unwrap();
        assert_eq!(all.program, Program::Now);
        assert!(all.wants(3, "block on zram") && !all.wants(3, "block on btrfs"));
        for wrong in
            [&["--program", "old"][..], &["two"], &["--every"], &["--data"], &["--variant"]]
        {
            assert!(asked(wrong).err().unwrap().to_string().contains("usage:"), "{wrong:?}");
        }
    }
}
