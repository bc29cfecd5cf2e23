//! A man page of one command: the sections of man-pages(7), from the table that parses the command line and from what all commands
//! of its program share: exit codes, files, environment.

use anyhow::Result;
use clap::Command;
use clap_mangen::Man;
use narrows::Exit;

/// What all commands of a program share.
pub(super) struct Around {
    /// Exit codes, and when.
    exits: Vec<(String, &'static str)>,
    files: &'static [(&'static str, &'static str)],
    environment: &'static [(&'static str, &'static str)],
}

impl Around {
    /// That of `narrows`.
    pub(super) fn tool() -> Self {
        let exits = Exit::ALL.iter().map(|row| (row.exit.code().to_string(), row.when)).collect();
        Around { exits, files: &FILES, environment: &ENVIRONMENT }
    }

    /// That of `narrows-target`.
    pub(super) fn target() -> Self {
        let exits = TARGET_EXITS.map(|(code, when)| (code.to_string(), when)).to_vec();
        Around { exits, files: &TARGET_FILES, environment: &[] }
    }
}

/// When the target ends how.
const TARGET_EXITS: [(&str, &str); 2] = [
    ("0", "A signal ended it (SIGTERM, Ctrl-C): what was here is answered and flushed."),
    (
        "2",
        "The arguments are wrong, something can't be served or must not be, or the storage failed.",
    ),
];

/// Files that the target's service reads.
const TARGET_FILES: [(&str, &str); 4] = [
    ("/etc/narrows-target/target.toml", "What the service narrows-target serves, and to whom."),
    (
        "/etc/narrows-target/options",
        "More options of the service, as NARROWS_TARGET_OPTIONS: where it listens, its threads.",
    ),
    ("/usr/share/narrows-target/", "An example of both, and alarms for Prometheus."),
    ("/etc/nvme/hostnqn", "On a Linux host: its NQN, for --allow-host and hosts."),
];

/// Files that commands read and write.
const FILES: [(&str, &str); 3] = [
    (
        "$XDG_DATA_HOME/narrows/runs/ID.narrows.json",
        "Stored runs; without XDG_DATA_HOME below ~/.local/share. With -o DIR they go there.",
    ),
    (
        "$XDG_CACHE_HOME/narrows",
        "The PostgreSQL that is fetched where none is installed; without XDG_CACHE_HOME below ~/.cache.",
    ),
    ("~/.pgpass", "Passwords of servers, as psql reads them."),
];

/// Variables that commands look at.
const ENVIRONMENT: [(&str, &str); 6] = [
    ("NO_COLOR", "No colours, where it is not empty."),
    ("TERM", "With dumb no escape sequences at all."),
    ("COLUMNS", "Width of the line of progress where the terminal doesn't tell it [default: 100]."),
    ("PGHOST, PGPORT, PGUSER, PGDATABASE, PGSERVICE", "What an address doesn't say, as with psql."),
    ("PGPASSWORD", "The password of a server that is named."),
    ("HTTPS_PROXY", "The way to the PostgreSQL that is fetched."),
];

/// The page, as roff; `see_also` are names of other pages.
pub(super) fn page(command: &Command, around: &Around, see_also: &[String]) -> Result<String> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    let mut text = PREAMBLE.to_string() + &without_preamble(page)?;
    text += &synopsis(command);
    let mut page = Vec::new();
    man.render_description_section(&mut page)?;
    text += &without_preamble(page)?;
    let mut page = Vec::new();
    man.render_options_section(&mut page)?;
    text += &with_topics_below(&without_preamble(page)?);
    if command.has_subcommands() {
        let mut page = Vec::new();
        man.render_subcommands_section(&mut page)?;
        text += &without_preamble(page)?;
    }
    let after = command.get_after_long_help().or(command.get_after_help());
    for more in [command.get_before_help(), after] {
        text += &paragraphs(&more.map(ToString::to_string).unwrap_or_default());
    }
    text += ".SH EXIT STATUS\n";
    text.extend(around.exits.iter().map(|(code, when)| entry(code, when)));
    text += ".SH FILES\n";
    text.extend(around.files.iter().map(|(file, what)| entry(file, what)));
    if !around.environment.is_empty() {
        text += ".SH ENVIRONMENT\n";
    }
    text.extend(around.environment.iter().map(|(variable, what)| entry(variable, what)));
    let pages: Vec<String> =
        see_also.iter().map(|name| format!("\\fB{}\\fR(1)", escaped(name))).collect();
    text += &format!(".SH SEE ALSO\n{}\n", pages.join(",\n"));
    Ok(text)
}

/// What `clap_mangen` begins each section with, and a page needs once: how an apostrophe is written.
const PREAMBLE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

fn without_preamble(sections: Vec<u8>) -> Result<String> {
    Ok(String::from_utf8(sections)?.replace(PREAMBLE, ""))
}

/// Topics of options as parts of their section: `clap_mangen` gives each a section of its own, in capitals.
fn with_topics_below(options: &str) -> String {
    let below = |line: &str| match line.strip_prefix(".SH ").map(str::trim) {
        Some(topic) if topic != "OPTIONS" => {
            let (first, rest) = topic.split_at(1);
            format!(".SS {first}{}\n", rest.to_lowercase())
        }
        _ => format!("{line}\n"),
    };
    options.lines().map(below).collect()
}

/// Every option with its value's name, as it may be typed.
fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let mut words = vec![format!("\\fB{}\\fR", escaped(name))];
    for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
        let values = arg.get_value_names().unwrap_or_default();
        let takes = arg.get_action().takes_values();
        let value: Vec<String> =
            values.iter().map(|value| format!("\\fI{}\\fR", escaped(value))).collect();
        let value = if takes { value.join(" ") } else { String::new() };
        let option = arg.get_long().map(|long| format!("\\fB\\-\\-{}\\fR", escaped(long)));
        let word = [option, Some(value).filter(|value| !value.is_empty())];
        let word = word.into_iter().flatten().collect::<Vec<_>>().join(" ");
        words.push(if arg.is_required_set() { word } else { format!("[{word}]") });
    }
    if command.has_subcommands() {
        words.push("[\\fICOMMAND\\fR]".to_string());
    }
    format!(".SH SYNOPSIS\n{}\n", words.join("\n"))
}

/// What a help says besides its options: examples in a section of their own, the rest as notes; exit codes have their own section.
fn paragraphs(help: &str) -> String {
    let mut text = String::new();
    for paragraph in help.split("\n\n").map(str::trim_end).filter(|lines| !lines.trim().is_empty())
    {
        if paragraph.starts_with("Exit codes:") {
            continue;
        }
        let (section, lines) = match paragraph.split_once('\n') {
            Some(("Examples:", lines)) => ("EXAMPLES", lines),
            _ => ("NOTES", paragraph),
        };
        let lines: Vec<String> = lines.lines().map(escaped).collect();
        let header = format!(".SH {section}\n");
        // Paragraphs that follow each other share their section.
        if !text.contains(&header) || !text[text.rfind(".SH ").unwrap_or(0)..].starts_with(&header)
        {
            text += &header;
        } else {
            text += ".PP\n";
        }
        text += &format!(".nf\n{}\n.fi\n", lines.join("\n"));
    }
    text
}

fn entry(term: &str, what: &str) -> String {
    format!(".TP\n\\fB{}\\fR\n{}\n", escaped(term), escaped(what))
}

/// Nothing in it is a request or an escape, and its hyphens can be copied.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if text.starts_with(['.']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each page that is written of a program, by the command's words.
    fn pages_of(command: Command, around: &Around) -> Vec<(String, String)> {
        fn add(command: &Command, around: &Around, pages: &mut Vec<(String, String)>) {
            let path = command.get_bin_name().unwrap_or(command.get_name()).to_string();
            pages.push((path, page(command, around, &["narrows".to_string()]).unwrap()));
            let below = command.get_subcommands().filter(|below| !below.is_hide_set());
            below.for_each(|below| add(below, around, pages));
        }
        let mut command = command.disable_help_subcommand(true);
        command.build();
        let mut pages = Vec::new();
        add(&command, around, &mut pages);
        pages
    }

    fn pages() -> Vec<(String, String)> {
        let pages = pages_of(narrows::command(), &Around::tool());
        assert!(pages.len() > 45, "{}", pages.len());
        pages
    }

    #[test]
    fn the_targets_pages_have_its_options_examples_codes_and_files() {
        let pages = pages_of(narrows_target::command(), &Around::target());
        let paths: Vec<&str> = pages.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths[..2], ["narrows-target", "narrows-target serve"]);
        for verb in ["log make", "log status", "log flush", "log drop", "tier list", "tier evict"] {
            assert!(
                paths.contains(&format!("narrows-target {verb}").as_str()),
                "{verb}: {paths:?}"
            );
        }
        for (path, text) in &pages {
            let sections: Vec<&str> =
                text.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
            for wanted in ["NAME", "SYNOPSIS", "EXAMPLES", "EXIT STATUS", "FILES", "SEE ALSO"] {
                assert!(sections.contains(&wanted), "{path}: {wanted} in {sections:?}");
            }
            assert!(!sections.contains(&"ENVIRONMENT"), "{path}: nothing is read from it");
            assert!(text.contains("narrows\\-target serve \\-\\-subsystem"), "{path}: {text}");
            let files = text.split(".SH FILES\n").nth(1).unwrap();
            assert!(files.contains("/etc/narrows\\-target/target.toml"), "{path}: {files}");
        }
        let (_, serve) = &pages[1];
        assert!(serve.contains("\\fB\\-\\-listen\\fR \\fIADDRESS:PORT\\fR"), "{serve}");
    }

    #[test]
    fn every_page_has_the_sections_that_readers_look_for() {
        for (path, text) in pages() {
            let sections = text.lines().filter_map(|line| line.strip_prefix(".SH "));
            let sections: Vec<&str> =
                sections.filter(|name| !["SUBCOMMANDS", "NOTES"].contains(name)).collect();
            let all = [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "OPTIONS",
                "EXAMPLES",
                "EXIT STATUS",
                "FILES",
                "ENVIRONMENT",
                "SEE ALSO",
            ];
            assert_eq!(sections, all, "{path}");
            let example = text.split(".SH EXAMPLES\n").nth(1).unwrap_or_default();
            let example = example.split(".SH ").next().unwrap_or_default();
            assert!(example.contains("narrows "), "{path}: {example}");
            let codes = text.split(".SH EXIT STATUS\n").nth(1).unwrap_or_default();
            assert!(codes.starts_with(".TP\n\\fB0\\fR\n"), "{path}: {codes}");
        }
    }

    #[test]
    fn a_page_is_of_one_piece() {
        let mut pages = pages().into_iter();
        let (_, text) = pages.find(|(path, _)| path == "narrows run").expect("it has a page");
        assert!(text.contains("[\\fB\\-\\-data\\fR \\fIDIR\\fR]"), "the synopsis has values");
        assert!(text.contains("\n.SS Where\n"), "options have topics: {text}");
        assert!(text.contains("narrows run \\-\\-dry\\-run"), "{text}");
        assert!(!text.contains("Exit codes:"));
        assert_eq!(text.matches(".ds Aq").count(), 2, "once, as a page begins");
    }

    #[test]
    fn what_a_help_says_steers_no_page() {
        let text =
            paragraphs("Examples:\n  a --b\n.x\n\nA note.\n\nAnother.\n\nExit codes: 0 done");
        let wanted = ".SH EXAMPLES\n.nf\n  a \\-\\-b\n\\&.x\n.fi\n.SH NOTES\n.nf\nA note.\n.fi\n.PP\n.nf\nAnother.\n.fi\n";
        assert_eq!(text, wanted);
    }
}
