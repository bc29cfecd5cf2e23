//! `narrows completions`: what a shell reads to complete this command line.

use anyhow::Result;
use clap_complete::generate;
use clap_complete::shells::{Bash, Elvish, Fish, Zsh};

use crate::args::words::{CompletionsArgs, ShellArg};
use crate::{Exit, command, output};

/// Prints it.
pub fn completions(args: &CompletionsArgs) -> Result<Exit> {
    let (mut command, mut script) = (command(), Vec::new());
    match args.shell {
        ShellArg::Bash => generate(Bash, &mut command, "narrows", &mut script),
        ShellArg::Elvish => generate(Elvish, &mut command, "narrows", &mut script),
        ShellArg::Fish => generate(Fish, &mut command, "narrows", &mut script),
        ShellArg::Zsh => generate(Zsh, &mut command, "narrows", &mut script),
    }
    output::print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
