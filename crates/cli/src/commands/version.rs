//! `narrows --version --verbose`: what was built and how, for reports of defects.

use anyhow::Result;

use crate::{Exit, output};

/// Whether that was typed, in either order.
pub fn is_asked(words: &[String]) -> bool {
    let is = |word: &String, names: [&str; 2]| names.contains(&word.as_str());
    let version = |word| is(word, ["--version", "-V"]);
    let verbose = |word| is(word, ["--verbose", "-v"]);
    matches!(words, [a, b] if version(a) && verbose(b) || verbose(a) && version(b))
}

/// Prints it.
pub fn verbose() -> Result<Exit> {
    output::print(&text())?;
    Ok(Exit::Done)
}

fn text() -> String {
    let library = if cfg!(target_env = "musl") { "musl" } else { "glibc" };
    let linked = if cfg!(target_feature = "crt-static") { ", static" } else { "" };
    let checks = if cfg!(debug_assertions) { "debug assertions" } else { "no debug assertions" };
    let rows = [
        ("commit", option_env!("NARROWS_COMMIT").unwrap_or("unknown").to_string()),
        ("target", format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)),
        ("libc", format!("{library}{linked}")),
        ("build", checks.to_string()),
        ("run files", narrows_model::SCHEMA.to_string()),
        ("observes", "PostgreSQL 13 to 18".to_string()),
        ("licence", env!("CARGO_PKG_LICENSE").to_string()),
    ];
    let mut text = format!("narrows {}\n", env!("CARGO_PKG_VERSION"));
    for (name, value) in rows {
        text += &format!("{name:<10} {value}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_two_words_in_either_order() {
        let asked =
            |words: &[&str]| is_asked(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(asked(&["--version", "--verbose"]) && asked(&["-v", "-V"]));
        assert!(!asked(&["--version"]) && !asked(&["--verbose"]) && !asked(&["run", "--version"]));
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
}
