//! What the parser of arguments refuses, in the form of all other errors: `error:` with what was typed, `hint:` with what to type.
//!
//! Not here: the words that people have for what is called otherwise ([`hints`]), and printing.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use narrows_runner::secrets;

use crate::args::hints;

/// What comes in front of a hint, here and in errors that bring theirs.
const HINT: &str = "hint: ";

/// The error and its hint, each on a line. `words` are what was typed behind the program's name; what of them may be a password is not
/// told.
pub fn usage_error(said: &clap::Error, words: &[String], root: &Command) -> String {
    // Before it is taken apart: a line's end may be within what was typed.
    let text = said.render().to_string();
    let text = secrets::without(&text, words.iter().map(OsString::from));
    if said.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return text;
    }
    let typed = CommandLine::of(root, words);
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
    let message = message(&lines);
    let hint = lines.iter().find_map(|line| line.strip_prefix(HINT)).map(ToString::to_string);
    let hint = hint.unwrap_or_else(|| typed.hint(said));
    format!("{message}\n{HINT}{hint}\n")
}

/// The first paragraph as one line; values that would be taken are the hint's.
fn message(lines: &[&str]) -> String {
    let said = |line: &&&str| !line.starts_with(HINT) && !line.trim_start().starts_with('[');
    let mut lines = lines.iter().filter(said).map(|line| line.trim());
    let first = lines.next().unwrap_or_default().to_string();
    let rest: Vec<&str> = lines.collect();
    if rest.is_empty() { first } else { format!("{first} {}", rest.join(", ")) }
}

/// A string of an error's context.
fn context(said: &clap::Error, kind: ContextKind) -> Option<&str> {
    match said.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    }
}

/// Several.
fn contexts(said: &clap::Error, kind: ContextKind) -> &[String] {
    match said.get(kind) {
        Some(ContextValue::Strings(all)) => all,
        _ => &[],
    }
}

/// What was typed, as far as it names a command.
struct CommandLine<'a> {
    root: &'a Command,
    /// The deepest command that is named.
    command: &'a Command,
    /// Its names, the program's first.
    path: Vec<&'a str>,
    words: &'a [String],
}

impl<'a> CommandLine<'a> {
    fn of(root: &'a Command, words: &'a [String]) -> Self {
        let mut line = CommandLine { root, command: root, path: vec![root.get_name()], words };
        for word in words.iter().skip_while(|word| *word == "help") {
            let Some(below) = line.command.find_subcommand(word) else { break };
            line.command = below;
            line.path.push(below.get_name());
        }
        line
    }

    fn hint(&self, said: &clap::Error) -> String {
        let arg = context(said, ContextKind::InvalidArg).unwrap_or_default();
        match said.kind() {
            ErrorKind::InvalidSubcommand => {
                let word = context(said, ContextKind::InvalidSubcommand).unwrap_or_default();
                self.of_command(word, contexts(said, ContextKind::SuggestedSubcommand))
            }
            ErrorKind::UnknownArgument => {
                self.of_argument(arg, context(said, ContextKind::SuggestedArg))
            }
            ErrorKind::InvalidValue => self.of_value(said),
            ErrorKind::MissingRequiredArgument | ErrorKind::TooFewValues => self.of_missing(said),
            ErrorKind::ArgumentConflict => match context(said, ContextKind::PriorArg) {
                Some(prior) if prior == arg => "give it once".to_string(),
                _ => "leave one of them out".to_string(),
            },
            _ => self.see(),
        }
    }

    /// Where it is described.
    fn see(&self) -> String {
        match self.path.as_slice() {
            [_] => "`narrows --help` lists the commands".to_string(),
            path if self.command.has_subcommands() && self.path.len() == 2 => {
                format!("`{} --help` lists its commands and options", path.join(" "))
            }
            path => format!("`{} --help` lists its options, with examples", path.join(" ")),
        }
    }

    /// For a word where a command is expected.
    fn of_command(&self, word: &str, near: &[String]) -> String {
        if self.path.len() == 1 {
            if let Some(here) = hints::instead_of_command(word) {
                return here.to_string();
            }
            if let Some(here) = hints::below(self.root, word) {
                return here;
            }
        }
        let path = self.path.join(" ");
        // The nearest comes last.
        match near.last() {
            Some(name) => format!("did you mean `{path} {name}`?"),
            None if self.path.len() == 1 => {
                "`narrows --help` lists the commands, `narrows explain WORD` explains a word of a report"
                    .to_string()
            }
            None => self.see(),
        }
    }

    /// For an option or a word that the command does not take.
    fn of_argument(&self, arg: &str, near: Option<&str>) -> String {
        let Some(option) = arg.strip_prefix('-') else {
            let known = hints::instead_of_word(self.root, self.command, &self.path, arg);
            return known.unwrap_or_else(|| self.see());
        };
        if option.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return self.of_negative(arg);
        }
        // fio takes its options with one dash too, and the parser tells the first letter.
        let whole =
            self.words.iter().find(|word| word.starts_with(arg)).map_or(arg, String::as_str);
        let name = |word: &str| {
            let word = word.trim_start_matches('-');
            word.split('=').next().unwrap_or(word).to_string()
        };
        let known = [name(whole), name(arg)]
            .into_iter()
            .find_map(|name| hints::instead_of_option(self.command, &self.path, &name));
        if let Some(known) = known {
            return known;
        }
        let path = self.path.join(" ");
        match near {
            Some(near) => {
                format!(
                    "did you mean --{}? `{path} --help` lists all options",
                    near.trim_start_matches('-')
                )
            }
            None if self.path.len() == 1 => self.of_option_in_front(&name(whole)),
            None => self.see(),
        }
    }

    /// For a value with a minus.
    fn of_negative(&self, arg: &str) -> String {
        let at = self.words.iter().position(|word| word.starts_with(arg)).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| self.words.get(at));
        let option = before
            .and_then(|word| word.strip_prefix("--"))
            .and_then(|long| self.command.get_arguments().find(|arg| arg.get_long() == Some(long)));
        let Some(option) = option else { return self.see() };
        let long = option.get_long().unwrap_or_default();
        let names = option.get_value_names().unwrap_or_default();
        if names.iter().any(|name| name.as_str() == "TIME") {
            format!("a time is more than 0, as in --{long} 60s")
        } else {
            format!("--{long} takes nothing below 0")
        }
    }

    /// For an option that is typed before the command that has it.
    fn of_option_in_front(&self, name: &str) -> String {
        let has =
            |command: &&Command| command.get_arguments().any(|arg| arg.get_long() == Some(name));
        match self.root.get_subcommands().find(has) {
            Some(command) => format!(
                "options are typed behind their command: narrows {} --{name}",
                command.get_name()
            ),
            None => self.see(),
        }
    }

    /// For a value that is none of those that can be.
    fn of_value(&self, said: &clap::Error) -> String {
        let arg = context(said, ContextKind::InvalidArg).unwrap_or_default();
        let value = context(said, ContextKind::InvalidValue).unwrap_or_default();
        if arg.starts_with("--format") && value.eq_ignore_ascii_case("pdf") {
            return "print the HTML page to PDF from a browser: narrows report ID --html"
                .to_string();
        }
        let near = context(said, ContextKind::SuggestedValue);
        let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        match contexts(said, ContextKind::ValidValue) {
            [] => self.see(),
            values => format!("{near}possible values: {}", values.join(", ")),
        }
    }

    /// For what has to be there and is not.
    fn of_missing(&self, said: &clap::Error) -> String {
        let missing = contexts(said, ContextKind::InvalidArg);
        let is = |option: &str| missing.iter().any(|arg| arg.starts_with(option));
        match self.path.as_slice() {
            _ if is("--serial") => self.of_serial(),
            _ if is("--write-to-device") => {
                "--serial belongs to --write-to-device DEV, which names the device".to_string()
            }
            [_, "compare"] => {
                "name two: narrows compare BEFORE AFTER; `narrows list` shows them".to_string()
            }
            [_, "diff"] => "name two: narrows diff BEFORE AFTER; `narrows list` shows them".to_string(),
            [_, "ab"] => {
                "name the experiment and what it measures: narrows ab NAME --with-a OPTIONS --with-b OPTIONS -- db update"
                    .to_string()
            }
            path => {
                let usage = match said.get(ContextKind::Usage) {
                    Some(ContextValue::StyledStr(usage)) => usage.to_string(),
                    _ => String::new(),
                };
                let usage = usage.lines().next().unwrap_or_default();
                match usage.strip_prefix("Usage: ") {
                    Some(usage) => {
                        format!("write {usage}; `{} --help` has examples", path.join(" "))
                    }
                    None => self.see(),
                }
            }
        }
    }

    /// For a device that may be written where its serial is not typed.
    fn of_serial(&self) -> String {
        let option = "--write-to-device";
        let joined = self.words.iter().find_map(|word| word.strip_prefix("--write-to-device="));
        let at = self.words.iter().position(|word| word == option);
        let behind = at.and_then(|at| self.words.get(at + 1)).map(String::as_str);
        let device = joined.or(behind).map_or("DEV".to_string(), secrets::without_password);
        if device.starts_with("nvme-tcp://") {
            return format!(
                "the serial number says that no other subsystem is overwritten: `narrows block device '{device}'` shows it"
            );
        }
        let name = device.trim_start_matches("/dev/");
        format!(
            "the serial says that no other device is overwritten: `narrows block device {device}` shows it, as do \
             `lsblk -o NAME,SERIAL` and /sys/block/{name}/device/serial"
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// What is said of a line that is refused.
    fn refused(line: &str) -> String {
        let root = crate::args::Cli::command();
        let words: Vec<String> = line.split(' ').map(ToString::to_string).collect();
        let typed = std::iter::once("narrows".to_string()).chain(words.clone());
        let said = root.clone().try_get_matches_from(typed).expect_err(line);
        usage_error(&said, &words, &root)
    }

    #[test]
    fn an_error_is_a_line_and_a_hint_is_one() {
        for line in [
            "nosuch",
            "help nosuch",
            "lsit",
            "list --al",
            "list x",
            "run --layers floppy",
            "run --layers",
            "run --sessions 0",
            "report --brief --explain",
            "report --html --html",
            "plan",
            "compare A",
            "block --write-to-device /dev/sdb",
            "block --reads 70 run x",
            "log nosuch",
            "memory slb 1",
        ] {
            let said = refused(line);
            let lines: Vec<&str> = said.lines().collect();
            assert_eq!(lines.len(), 2, "{line}:\n{said}");
            assert!(
                lines[0].starts_with("error: ") && lines[1].starts_with(HINT),
                "{line}:\n{said}"
            );
            for word in ["tip:", "For more information", "Usage:"] {
                assert!(!said.contains(word), "{line}:\n{said}");
            }
        }
    }

    #[test]
    fn a_hint_names_what_was_meant() {
        for (line, hint) in [
            ("lsit", "did you mean `narrows list`?"),
            ("lookup", "did you mean `narrows db lookup`?"),
            ("db lokup", "did you mean `narrows db lookup`?"),
            ("help nosuch", "`narrows explain WORD`"),
            ("postgres://app@db7/shop", "`narrows observe ADDRESS`"),
            ("--data /u1", "narrows run --data"),
            ("run --databas none", "did you mean --database?"),
            ("run --layers blok", "did you mean block? possible values: clock, memory, block, log"),
            ("run observe", "narrows observe ADDRESS"),
            ("run dry-run", "did you mean narrows run --dry-run?"),
            ("run wal", "did you mean narrows run --layers wal?"),
            ("observe --for -5", "a time is more than 0, as in --for 60s"),
            ("db lookup --sessions -5", "--sessions takes nothing below 0"),
            ("block -rw=randread", "narrows block run FILE.fio"),
            ("plan", "write narrows plan <FILE>...; `narrows plan --help` has examples"),
            ("block steady --serial S", "--write-to-device DEV"),
            ("block steady --write-to-device /dev/sdb", "/sys/block/sdb/device/serial"),
            (
                "fabric split --write-to-device nvme-tcp://h/nqn.x:a?ns=1",
                "`narrows block device 'nvme-tcp://h/nqn.x:a?ns=1'` shows it",
            ),
        ] {
            let said = refused(line);
            assert!(said.contains(hint), "{line}: no `{hint}` in\n{said}");
        }
    }

    #[test]
    fn what_may_be_a_password_is_not_told() {
        let said = refused("postgres://app:S3cret@db7/shop");
        let shown = "'postgres://app:***@db7/shop'";
        assert!(!said.contains("S3cret") && said.contains(shown), "{said}");
    }
}
