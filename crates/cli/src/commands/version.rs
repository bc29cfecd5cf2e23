//! `narrows version`, which `--version --verbose` is: what was built and how, for reports of defects.

use anyhow::Result;
use narrows_report::document::{Block, Document, Entry, Facts, Section, Style};
use serde_json::{Map, Value};

use crate::args::Format;
use crate::args::words::VersionArgs;
use crate::{Exit, output};

/// The command line that `--version --verbose` stands for, in any order and with what else was typed; `None` where another was.
pub fn spelled_out(words: &[String]) -> Option<Vec<String>> {
    let version = |word: &String| word == "--version" || word == "-V";
    let verbose = |word: &String| word == "--verbose" || word == "-v";
    let command = words.first().is_some_and(|word| word == "version");
    let option = words.first().is_some_and(|word| word.starts_with('-'));
    let options = option && words.iter().any(version) && words.iter().any(verbose);
    if !command && !options {
        return None;
    }
    let rest = words.iter().skip(usize::from(command));
    let rest = rest.filter(|word| !verbose(word) && (command || !version(word))).cloned();
    Some(["narrows", "version"].map(ToString::to_string).into_iter().chain(rest).collect())
}

/// Prints it.
pub fn version(args: &VersionArgs) -> Result<Exit> {
    if args.format.0.name == Format::TEXT.0.name {
        output::print(&text())?;
    } else {
        output::document(&document(), args.format)?;
    }
    Ok(Exit::Done)
}

/// Names and values behind the version.
fn rows() -> [(&'static str, String); 7] {
    let library = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
    let linked = if cfg!(target_feature = "crt-static") { ", static" } else { "" };
    let checks = if cfg!(debug_assertions) { "debug assertions" } else { "no debug assertions" };
    [
        ("commit", option_env!("NARROWS_COMMIT").unwrap_or("unknown").to_string()),
        ("target", format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)),
        ("libc", format!("{library}{linked}")),
        ("build", checks.to_string()),
        ("run files", narrows_model::SCHEMA.to_string()),
        ("observes", "PostgreSQL 13 to 18, MariaDB 10.11".to_string()),
        ("licence", env!("CARGO_PKG_LICENSE").to_string()),
    ]
}

fn text() -> String {
    let mut text = format!("narrows {}\n", env!("CARGO_PKG_VERSION"));
    for (name, value) in rows() {
        text += &format!("{name:<10} {value}\n");
    }
    text
}

/// The same for programs and pages.
fn document() -> Document {
    let version = ("version", env!("CARGO_PKG_VERSION").to_string());
    let rows: Vec<(&str, String)> = std::iter::once(version).chain(rows()).collect();
    let values: Map<String, Value> =
        rows.iter().map(|(name, value)| (name.replace(' ', "_"), value.clone().into())).collect();
    let entries = rows.into_iter().map(|(name, value)| Entry::new(name, value)).collect();
    let facts = Facts { entries, labels: Style::Plain, at: (0, 11) };
    let section = Section::new("version", "Version").with([Block::Facts(facts)]);
    Document::of([section]).headed("narrows", "version").holding(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_two_words_in_either_order_with_a_format() {
        let typed = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            spelled_out(&words).map(|line| line.join(" "))
        };
        for words in [&["--version", "--verbose"][..], &["-v", "-V"], &["version"]] {
            assert_eq!(typed(words).as_deref(), Some("narrows version"), "{words:?}");
        }
        for words in [
            &["--version", "--verbose", "--format", "json"][..],
            &["--format", "json", "-V", "-v"],
            &["version", "--format", "json"],
            &["version", "--verbose", "--format", "json"],
        ] {
            assert_eq!(typed(words).as_deref(), Some("narrows version --format json"), "{words:?}");
        }
        for words in [&["--version"][..], &["--verbose"], &["run", "--version", "-v"], &[]] {
            assert_eq!(typed(words), None, "{words:?}");
        }
    }

    #[test]
    fn every_line_has_a_name_and_a_value() {
        let text = text();
        assert!(text.starts_with(&format!("narrows {}\n", env!("CARGO_PKG_VERSION"))), "{text}");
        for line in text.lines().skip(1) {
            assert!(line.len() > 11 && line.as_bytes()[10] == b' ', "{line}");
        }
        assert!(text.contains("narrows.run/1"), "{text}");
    }

    #[test]
    fn programs_read_the_same_values() {
        let values: Value = serde_json::from_str(&document().json).unwrap();
        assert_eq!(values["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(values["run_files"], narrows_model::SCHEMA);
    }
}
