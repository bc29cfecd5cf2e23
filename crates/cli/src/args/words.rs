//! What was asked of commands with few words: `narrows list`, `rm`, `config`, `explain`, `completions`, `version`.

use clap::{Args, ValueEnum};

use super::{Format, LayerArg};

/// `narrows list`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows list                        the 20 newest
  narrows list --all --format csv     all of them, for a program
  narrows list --layer wal --since 2026-11-01
                                      those that measured WAL since that day
  narrows list --tag before           those of a tag (narrows tag)")]
pub struct ListArgs {
    /// All of them, not the 20 newest
    #[arg(long)]
    pub all: bool,
    /// Only runs of the machine of this name
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Only runs of this layer
    #[arg(long, value_enum)]
    pub layer: Option<LayerArg>,
    /// Only runs from this day on, UTC: 2026-11-01
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub since: Option<String>,
    /// Only runs up to this day, it included
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub until: Option<String>,
    /// Only runs of this tag
    #[arg(long)]
    pub tag: Option<String>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// A day, or the beginning of a time, as runs write their start.
fn day(text: &str) -> Result<String, String> {
    let shape = "0000-00-00T00:00:00";
    let fits = text.len() <= shape.len()
        && text.len() >= 4
        && text
            .chars()
            .zip(shape.chars())
            .all(|(c, s)| if s == '0' { c.is_ascii_digit() } else { c == s });
    if fits { Ok(text.to_string()) } else { Err("a day as 2026-11-01".to_string()) }
}

/// `narrows rm`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows rm 7f3a             one run; narrows list shows the ids
  narrows rm 1f3a 20bc 77d1   several")]
#[command(after_long_help = "\
Removes the run file of each; reports that were written elsewhere stay. Tags forget the runs.")]
pub struct RemoveArgs {
    /// Saved runs, by their ids (or first characters)
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
}

/// `narrows config`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows config                 each setting, and whether the file or the environment sets it
  narrows config --format json   the same, for a program")]
#[command(after_long_help = "\
Settings are changed in an editor. The file is $XDG_CONFIG_HOME/narrows/config.toml, by default ~/.config/narrows/config.toml:
  units = \"iec\"                 units of bytes: si or iec
  data = \"/u01/data\"            folder on the drives with the data files
  wal = \"/u02/wal\"              folder on the drives with WAL
  database = \"postgres://db7\"   for narrows observe without an address")]
pub struct ConfigArgs {
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// `narrows explain`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows explain                      all words
  narrows explain device-saw-less      a finding: when it fires, why, what to do
  narrows explain commit wait          a verdict, and the term
  narrows explain QD1                  a term: its unit, its names in other tools
  narrows explain latency_p99          a metric of a run file")]
pub struct ExplainArgs {
    /// A term, finding, verdict, grade or metric, as it is printed, or the start of it
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// A shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ShellArg {
    /// GNU bash, with bash-completion
    Bash,
    /// zsh
    Zsh,
    /// fish
    Fish,
    /// Elvish
    Elvish,
}

/// `narrows completions`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows completions bash > ~/.local/share/bash-completion/completions/narrows
  narrows completions zsh > ~/.zfunc/_narrows       a folder in fpath
  narrows completions fish > ~/.config/fish/completions/narrows.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: ShellArg,
}

/// `narrows version`, which `narrows --version --verbose` is
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows version                 for a report of a defect
  narrows version --format json   for a program")]
pub struct VersionArgs {
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}
