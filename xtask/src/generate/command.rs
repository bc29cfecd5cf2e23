//! Man pages and shell completions, from the table that parses the command line.

use anyhow::Result;
use clap_complete::Shell;

use super::Generated;
use super::man::{self, Around};

/// Shells for which completions are written.
const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::Zsh];

/// A program that people type: its command line, and what its pages say besides it.
struct Program {
    command: clap::Command,
    around: Around,
}

fn programs() -> [Program; 2] {
    [
        Program { command: narrows::command(), around: Around::tool() },
        Program { command: narrows_target::command(), around: Around::target() },
    ]
}

pub(super) fn files() -> Result<Vec<Generated>> {
    let mut files = Vec::new();
    for mut program in programs() {
        let own = program.command.get_name().to_string();
        // Building gives subcommands their full names: `narrows-run`.
        let mut built = program.command.clone().disable_help_subcommand(true);
        built.build();
        for (page, see_also) in pages(built, None) {
            let text = man::page(&page, &program.around, &see_also)?;
            files.push(Generated::new(format!("docs/man/{}.1", name(&page)), text));
        }
        for shell in SHELLS {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut program.command, &own, &mut script);
            let path = format!("docs/completions/{own}.{shell}");
            files.push(Generated::new(path, String::from_utf8(script)?));
        }
    }
    Ok(files)
}

/// Of its page: `narrows-run`.
fn name(command: &clap::Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_string()
}

/// A command and all below it that are shown, each with the names of the pages above and below it: each has a page.
fn pages(command: clap::Command, above: Option<String>) -> Vec<(clap::Command, Vec<String>)> {
    let below: Vec<clap::Command> = command
        .get_subcommands()
        .filter(|c| !c.is_hide_set() && c.get_name() != "help")
        .cloned()
        .collect();
    let own = name(&command);
    let mut see_also: Vec<String> = above.into_iter().chain(below.iter().map(name)).collect();
    if see_also.is_empty() {
        see_also.push(own.clone());
    }
    let below = below.into_iter().flat_map(|below| pages(below, Some(own.clone())));
    std::iter::once((command, see_also)).chain(below).collect()
}
