//! Man pages and shell completions, from the table that parses the command line.

use anyhow::Result;
use clap_complete::Shell;

use super::Generated;

/// Shells for which completions are written.
const SHELLS: [Shell; 4] = [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::Zsh];

pub(super) fn files() -> Result<Vec<Generated>> {
    let mut command = narrows::command();
    // Building gives subcommands their full names: `narrows-run`.
    let mut built = command.clone().disable_help_subcommand(true);
    built.build();
    let mut files = Vec::new();
    for page in pages(built) {
        let name = page.get_display_name().unwrap_or(page.get_name()).to_string();
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        files.push(Generated::new(format!("docs/man/{name}.1"), String::from_utf8(text)?));
    }
    for shell in SHELLS {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut command, "narrows", &mut script);
        let path = format!("docs/completions/narrows.{shell}");
        files.push(Generated::new(path, String::from_utf8(script)?));
    }
    Ok(files)
}

/// A command and all below it that are shown: each has a page.
fn pages(command: clap::Command) -> Vec<clap::Command> {
    let below: Vec<clap::Command> = command
        .get_subcommands()
        .filter(|c| !c.is_hide_set() && c.get_name() != "help")
        .cloned()
        .collect();
    let below = below.into_iter().flat_map(pages);
    std::iter::once(command.clone()).chain(below).collect()
}
