//! What was asked of `narrows list` and `narrows explain`, and what people type for what is called otherwise here.

use clap::Args;
use narrows_runner::exit_codes;

use super::{Format, LayerArg};

/// `narrows list`
#[derive(Debug, Args)]
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
#[command(after_help = concat!(
    "\
Removes the run file of each; reports that were written elsewhere stay. Tags forget the runs.

",
    exit_codes!()
))]
pub struct RemoveArgs {
    /// Saved runs, by their ids (or first characters)
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<String>,
}

/// `narrows config`
#[derive(Debug, Args)]
#[command(after_help = concat!(
    "\
The file is $XDG_CONFIG_HOME/narrows/config.toml, by default ~/.config/narrows/config.toml:
  units = \"iec\"                 units of bytes: si or iec
  data = \"/u01/data\"            folder on the drives with the data files
  wal = \"/u02/wal\"              folder on the drives with WAL
  database = \"postgres://db7\"   for narrows observe without an address

",
    exit_codes!()
))]
pub struct ConfigArgs {
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// `narrows explain`
#[derive(Debug, Args)]
#[command(after_help = concat!(
    "\
Examples:
  narrows explain                      all words
  narrows explain device-saw-less      a finding: when it fires, why, what to do
  narrows explain commit wait          a verdict
  narrows explain latency_p99          a metric of a run file

",
    exit_codes!()
))]
pub struct ExplainArgs {
    /// A finding, verdict, grade or metric, as it is printed
    #[arg(value_name = "WORD")]
    pub words: Vec<String>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// Commands of other tools, and what does the same here.
const OTHER_COMMANDS: [(&str, &str); 15] = [
    (
        "bench",
        "`narrows run` measures this machine, `narrows db` one benchmark workload on PostgreSQL",
    ),
    (
        "benchmark",
        "`narrows run` measures this machine, `narrows db` one benchmark workload on PostgreSQL",
    ),
    ("completions", "completions for shells are in docs/completions and in the package"),
    ("diff", "`narrows compare A B` compares saved runs and lists what else differs"),
    ("disk", "`narrows block` measures storage"),
    (
        "doctor",
        "`narrows platform` shows this machine, `narrows run --dry-run` what a run would do",
    ),
    ("fio", "`narrows block run FILE.fio` runs fio's job files"),
    ("fsync", "`narrows log` measures flushes of the WAL"),
    (
        "hardware",
        "`narrows platform` shows this machine, `narrows limits` what its components can carry",
    ),
    ("open", "`narrows report RUN --html -o FILE` writes a page"),
    ("pgbench", "`narrows db` runs one benchmark workload on PostgreSQL"),
    ("top", "`narrows observe URL` observes a running server"),
    ("wal", "`narrows log` measures the WAL's flushes and commits"),
    ("watch", "`narrows observe URL` observes a running server"),
    ("what-if", "`narrows report RUN --what-if CHANGE` estimates what a change would allow"),
];

/// Options of fio that people type where a job file stands here.
const OPTIONS_OF_FIO: [&str; 12] = [
    "bs",
    "direct",
    "filename",
    "group_reporting",
    "iodepth",
    "ioengine",
    "name",
    "numjobs",
    "runtime",
    "rw",
    "rwmixread",
    "time_based",
];

/// What is meant by a command that is none.
pub fn instead_of_command(word: &str) -> Option<&'static str> {
    OTHER_COMMANDS.iter().find(|(other, _)| *other == word).map(|(_, here)| *here)
}

/// What is meant by an option that is none.
pub fn instead_of_option(option: &str) -> Option<&'static str> {
    let name = option.trim_start_matches('-');
    OPTIONS_OF_FIO
        .contains(&name)
        .then_some("fio's options belong in a job file here: narrows block run FILE.fio")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn what_points_the_way_is_no_command_and_names_one() {
        let cli = crate::args::Cli::command();
        let commands: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
        for (word, here) in OTHER_COMMANDS {
            assert!(!commands.contains(&word), "{word}");
            let named = commands.iter().any(|command| here.contains(&format!("narrows {command}")));
            assert!(named || word == "completions", "{word}: {here}");
        }
    }
}
