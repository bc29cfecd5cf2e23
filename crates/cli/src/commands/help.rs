//! `narrows help exit`: what the exit codes mean; help on commands is the parser's.

use anyhow::Result;
use narrows_report::document::{Block, Document, Entry, Facts, Section, Style};

use crate::args::Format;
use crate::{Exit, output};

/// Whether that was typed.
pub fn is_asked(words: &[String]) -> bool {
    matches!(words, [help, topic] if help == "help"
        && ["exit", "exit-code", "exit-codes"].contains(&topic.as_str()))
}

/// Prints each with what it means.
pub fn exit_codes() -> Result<Exit> {
    let entry =
        |code: u8, word: &str, when: &str| Entry::new(code.to_string(), format!("{word}. {when}"));
    let entries = Exit::ALL.map(|row| entry(row.exit.code(), row.word, row.when)).to_vec();
    let facts = Facts { entries, labels: Style::Code, at: (2, 7) };
    let section = Section::new("exit", "Exit codes").with([Block::Facts(facts)]);
    output::document(&Document::of([section]).headed("narrows", "exit codes"), Format::TEXT)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_topic_of_help_and_of_nothing_else() {
        let asked =
            |words: &[&str]| is_asked(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(asked(&["help", "exit"]) && asked(&["help", "exit-codes"]));
        assert!(!asked(&["help"]) && !asked(&["exit"]) && !asked(&["help", "run"]));
    }
}
