//! How help looks: one screen of commands by what they are for, and of each command its examples before its options, options by topic,
//! exit codes last. All of it from the table that parses the command line, so that nothing is forgotten.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::styling::Style;

/// Commands by what they are for, in the order in which `narrows --help` lists them.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["run", "block", "memory", "fabric", "log", "db", "ab"]),
    ("Observe", &["observe"]),
    (
        "Results",
        &[
            "report",
            "list",
            "compare",
            "diff",
            "trend",
            "import",
            "export",
            "check-claims",
            "tag",
            "rm",
            "explain",
        ],
    ),
    ("Plan", &["plan", "cost", "size", "tier", "limits"]),
    ("Machine", &["platform", "gather", "config", "completions"]),
];
/// What stands below the commands.
const MORE: [(&str, &str); 1] =
    [("help COMMAND", "Options, examples; help exit: exit codes; also --version")];
/// Columns of a group's name, and of a command's.
const COLUMNS: [usize; 2] = [9, 14];

/// Options by topic, in commands that have more than some.
const TOPICS: [(&str, &str); 11] = [
    (
        "Where",
        "at data wal device write-to-device serial layers facts root pid every-page bind huge to echo device-run listen same-host load-here accept",
    ),
    (
        "Load",
        "workloads sessions size sizes reads updates redo depth blocks block calls inside from keys working-set table \
         entropy private think rate p99 percentile within beside arrivals file-size budget write-budget max-depth writers streams most-streams \
         most-sessions bytes size-histogram style commit-delay commit-siblings methods layouts alone cache workers answer \
         warehouses loaders isolation home paced seed processes kit ring sync direct append section env prove",
    ),
    (
        "Now",
        "workload commit-wait flush commits cpu-per-transaction wal-per-transaction read read-alone cpu-per-read cpus blocks-hit blocks-read",
    ),
    (
        "Tier",
        "tier medium-flush medium added fabric backing log-size tier-read miss-added tier-size curve trace buffercache hits",
    ),
    ("Time", "for watch quick thorough window minutes repeats round warm-up starts idle"),
    (
        "Database",
        "observe no-explain show-queries database postgres kind pool no-database standby load-only keep crash drop",
    ),
    (
        "Evaluation",
        "with same-machine capacities rejudge crash-test pg-test-fsync what-if renew matrix acknowledged cut remounted \
         gone least demand core-ratio limits run rules list-rules given growth years headroom calibration only correct fail-if",
    ),
    ("Runs", "all host layer since until tag"),
    ("Sides", "a b with-a with-b restore after clone"),
    ("Pairs", "pairs find measure margin"),
    (
        "Output",
        "dry-run output format html explain brief units anonymous fio-json fio-json-plus privileged force remove",
    ),
];
/// A list of so many options needs no topics.
const FEW: usize = 6;

/// Commands that measure nothing, and so are done or refused.
const READING: [&str; 19] = [
    "narrows block device",
    "narrows fabric echo",
    "narrows db clean",
    "narrows report",
    "narrows list",
    "narrows diff",
    "narrows trend",
    "narrows import",
    "narrows export",
    "narrows check-claims",
    "narrows tag",
    "narrows rm",
    "narrows explain",
    "narrows platform",
    "narrows gather",
    "narrows limits",
    "narrows config",
    "narrows completions",
    "narrows version",
];

/// The command line with its help.
pub fn dressed(command: Command) -> Command {
    let overview = overview(&command);
    let header = header(&command);
    let name = command.get_name().to_string();
    let command = command.mut_subcommands(|below| topical(below, &name));
    with_heading(command, header).help_template(overview)
}

/// How clap writes headings.
fn header(command: &Command) -> Style {
    *command.get_styles().get_header()
}

/// The template of the one screen: every command in its group, on a line.
fn overview(command: &Command) -> String {
    let header = header(command);
    let mut text = "{about-with-newline}\n{before-help}".to_string();
    let mut line = |group: &str, name: &str, about: &str| {
        let heading =
            if group.is_empty() { String::new() } else { format!("{header}{group}{header:#}") };
        let gap = " ".repeat(COLUMNS[0].saturating_sub(group.len()));
        let _ = writeln!(text, "{heading}{gap}{name:<width$}{about}", width = COLUMNS[1]);
    };
    for (group, names) in GROUPS {
        let commands = names.iter().filter_map(|name| command.find_subcommand(name));
        for (at, below) in commands.enumerate() {
            let names: Vec<&str> =
                std::iter::once(below.get_name()).chain(below.get_visible_aliases()).collect();
            let about = below.get_about().map(ToString::to_string).unwrap_or_default();
            line(if at == 0 { group } else { "" }, &names.join(", "), &about);
        }
    }
    for (at, (name, about)) in MORE.into_iter().enumerate() {
        line(if at == 0 { "Help" } else { "" }, name, about);
    }
    text
}

/// A command below, and those below it: examples, options by topic, notes, exit codes.
fn topical(command: Command, above: &str) -> Command {
    let header = header(&command);
    let name = command.get_name().to_string();
    let path = format!("{above} {name}");
    let notes = command.get_after_long_help().map(|notes| format!("{notes}\n\n"));
    let behind = notes.unwrap_or_default() + exit_codes(&path);
    let many = command.get_arguments().filter(|arg| arg.get_long().is_some()).count() > FEW;
    let command = command
        .mut_subcommands(|below| topical(below, &path))
        .after_long_help(behind)
        .help_template(
            "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}",
        );
    let command = with_heading(command, header);
    if !many {
        return command;
    }
    command.mut_args(|arg| match arg.get_long().and_then(|long| topic(&name, long)) {
        Some(topic) => arg.help_heading(topic),
        None => arg,
    })
}

/// The examples' heading as that of the options.
fn with_heading(command: Command, header: Style) -> Command {
    let text = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    match text.strip_prefix("Examples:") {
        Some(examples) => command.before_help(format!("{header}Examples:{header:#}{examples}")),
        None => command,
    }
}

/// What an option is about.
fn topic(command: &str, option: &str) -> Option<&'static str> {
    match (command, option) {
        // There it is the time for all pairs, and elsewhere a limit of latency.
        ("ab", "within") => Some("Time"),
        ("ab", "seed") => Some("Pairs"),
        _ => {
            let has = |options: &str| options.split(' ').any(|known| known == option);
            TOPICS.iter().find(|(_, options)| has(options)).map(|(topic, _)| *topic)
        }
    }
}

/// The exit codes of the command of that path.
fn exit_codes(path: &str) -> &'static str {
    match path {
        "narrows compare" => {
            "Exit codes: 0 done, and no gate failed; 1 a gate failed; 2 usage or environment;\n\
             4 a gate is not resolved."
        }
        "narrows size" => {
            "Exit codes: 0 done; 2 usage, or a description that is refused;\n\
             4 of a platform it can't be told."
        }
        "narrows cost" => {
            "Exit codes: 0 done; 2 usage, or a description that is refused;\n\
             4 a figure is unknown, so there is no total."
        }
        path if path.starts_with("narrows tier prove") => {
            "Exit codes: 0 the forecast agrees, or is contradicted; 2 usage or environment;\n\
             3 a side is invalid; 4 doubtful, or no effect would agree too; 130 interrupted."
        }
        "narrows tier curve" => "Exit codes: 0 done; 2 usage, or no curve in the trace.",
        path if path.starts_with("narrows tier") => {
            "Exit codes: 0 done; 2 usage, or figures that contradict each other;\n\
             4 a figure is unknown, so there is no rate."
        }
        "narrows plan" => {
            "Exit codes: 0 done; 2 usage, or a description that is refused;\n\
             4 nothing described limits what was asked."
        }
        path if path.starts_with("narrows log crashtest") => {
            "Exit codes: 0 done, and for check: shown; 2 usage or environment; 3 refuted;\n\
             4 inconclusive; 130 interrupted."
        }
        path if READING.contains(&path) => "Exit codes: 0 done; 2 usage or environment.",
        _ => narrows_runner::exit_codes!(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{Cli, ab};

    /// Each command that is shown, with the words that it is typed with.
    fn all(command: Command, above: &str) -> Vec<(String, Command)> {
        let path = format!("{above}{}", command.get_name());
        let below: Vec<Command> =
            command.get_subcommands().filter(|below| !below.is_hide_set()).cloned().collect();
        let below = below.into_iter().flat_map(|below| all(below, &format!("{path} ")));
        let below: Vec<_> = below.collect();
        std::iter::once((path, command)).chain(below).collect()
    }

    fn commands() -> Vec<(String, Command)> {
        let commands = all(dressed(Cli::command()), "");
        assert!(commands.len() > 45, "{}", commands.len());
        commands
    }

    /// The examples of a help, as they are typed, without what is said of them behind two blanks.
    fn examples(command: &Command) -> Vec<String> {
        let text = command.get_before_help().map(ToString::to_string).unwrap_or_default();
        let text = text.replace("\\\n", " ");
        let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
        let lines = lines.map(|line| line.strip_prefix("sudo ").unwrap_or(line));
        let typed = lines.filter(|line| line.starts_with("narrows "));
        // The parts of a command that goes on on the next line are apart by more blanks.
        let quoted = |line: &&str| line.contains('\'');
        let typed =
            typed.map(
                |line| if quoted(&line) { line } else { line.split(" > ").next().unwrap_or(line) },
            );
        let mut all = Vec::new();
        for line in typed {
            let goes_on = line.contains("      --");
            let end = if goes_on { line.len() } else { line.find("  ").unwrap_or(line.len()) };
            all.push(line[..end].to_string());
        }
        all
    }

    #[test]
    fn every_command_is_on_the_one_screen() {
        let mut command = dressed(Cli::command()).term_width(80);
        for text in [command.render_long_help(), command.render_help()] {
            let text = text.to_string();
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines.len() <= 35, "{} lines:\n{text}", lines.len());
            for line in &lines {
                assert!(line.chars().count() <= 80, "{line}");
            }
            for below in Cli::command().get_subcommands().filter(|below| !below.is_hide_set()) {
                let name = below.get_name();
                let about = below.get_about().expect("it says what it does").to_string();
                let listed =
                    |line: &&&str| line.contains(&format!(" {name}")) && line.ends_with(&about);
                assert_eq!(lines.iter().filter(listed).count(), 1, "{name}");
            }
            let first = lines.iter().position(|line| line.contains("Examples:")).unwrap();
            assert!(first < 3 && lines[first + 1].starts_with("  narrows run"), "{text}");
        }
    }

    #[test]
    fn a_group_names_commands_and_none_twice() {
        let cli = Cli::command();
        let mut names: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        for name in &names {
            assert!(cli.find_subcommand(name).is_some(), "{name}");
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_command_has_examples_before_its_options_and_exit_codes_behind_them() {
        for (path, mut command) in commands().into_iter().skip(1) {
            let text = command.render_long_help().to_string();
            let at = |words: &str| {
                text.find(words).unwrap_or_else(|| panic!("{path}: no `{words}`:\n{text}"))
            };
            assert!(at("\nExamples:\n") < at("\nOptions:\n"), "{path}:\n{text}");
            assert!(at("\nOptions:\n") < at("\nExit codes: 0 "), "{path}:\n{text}");
            assert!(!command.render_help().to_string().contains("Exit codes"), "{path}");
        }
    }

    #[test]
    fn every_example_can_be_typed() {
        for (path, command) in commands() {
            let examples = examples(&command);
            let own =
                examples.iter().filter(|line| line.starts_with(&path) || path == "narrows report");
            assert!(own.count() > 0, "{path} has no example of its own: {examples:?}");
            for line in examples {
                let words = ab::words(&line).expect("quotes are closed").0;
                let parsed = dressed(Cli::command()).try_get_matches_from(words);
                let wrong = parsed.err().map(|error| error.to_string());
                assert_eq!(wrong, None, "{path}: {line}");
            }
        }
    }

    #[test]
    fn an_example_fits_the_line() {
        for (path, command) in commands() {
            let text = command.get_before_help().map(ToString::to_string).unwrap_or_default();
            for line in text.lines() {
                assert!(line.chars().count() <= 100, "{path}: {line}");
            }
        }
    }

    #[test]
    fn every_option_of_a_long_list_has_a_topic() {
        let mut used = Vec::new();
        for (path, command) in commands() {
            let options = command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
            let options: Vec<_> = options.collect();
            let many = path != "narrows" && options.len() > FEW;
            for (arg, long) in options {
                used.push(long.to_string());
                assert_eq!(arg.get_help_heading().is_some(), many, "{path} --{long}");
            }
        }
        for option in TOPICS.iter().flat_map(|(_, options)| options.split(' ')) {
            assert!(used.iter().any(|long| long == option), "--{option} is no option");
        }
    }

    #[test]
    fn a_command_that_reads_is_a_command() {
        let commands = all(dressed(Cli::command()), "");
        for path in READING.into_iter().filter(|path| *path != "narrows version") {
            assert!(commands.iter().any(|(known, _)| known == path), "{path}");
        }
    }
}
