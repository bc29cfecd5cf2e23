//! The help of every command, in one file.

use std::fmt::Write as _;

use super::Differences;

/// Adds the help of a command and of those below it.
fn add(command: &mut clap::Command, name: &str, text: &mut String) {
    let _ = writeln!(text, "$ {name} --help\n{}", command.render_long_help());
    for below in command.get_subcommands_mut().filter(|below| below.get_name() != "help") {
        let name = format!("{name} {}", below.get_name());
        add(below, &name, text);
    }
}

#[test]
fn every_help_text_is_as_recorded() {
    let mut command = narrows::command().term_width(100);
    command.build();
    let mut text = String::new();
    add(&mut command, "narrows", &mut text);
    let mut differences = Differences::default();
    differences.compare("help.txt", &text);
    differences.assert_none();
}
