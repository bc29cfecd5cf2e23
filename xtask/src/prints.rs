//! Who writes to standard output and standard error: the command's one module and nobody around it, so that no text of others
//! reaches a terminal unfiltered. And who decides exit codes: the one rule.
//!
//! A library crate that has to warn while it cleans up writes what `narrows_units::shown` made of it.

use crate::sources::{found, is_test, shipped};

/// The module that all of the command's texts go through.
pub const STREAM: &str = "crates/cli/src/stream.rs";
/// The folder of the rule for exit codes.
pub const RULE: &str = "crates/runner/src/exit/";
/// Where commands are run, and where one might decide by itself.
const RULED: [&str; 2] = ["crates/cli/src/", "crates/runner/src/"];
/// A laboratory with a command of its own, which is never shipped.
const NOT_SHIPPED: &str = "crates/lab-drive/";

/// What writes to a stream.
const PRINTS: [&str; 7] =
    ["println!", "eprintln!", "print!", "eprint!", "dbg!", "stdout()", "stderr()"];
/// The codes that only the rule gives.
const CODES: [&str; 3] = ["Exit::Invalid", "Exit::Inconclusive", "Exit::Interrupted"];
/// Lines of a statement that are looked through for the filter.
const STATEMENT_LINES: usize = 5;

/// Lines of a shipped source that print around the filter, tests left out, with their numbers.
pub fn unfiltered(path: &str, source: &str) -> Vec<usize> {
    if path.starts_with(STREAM) || path.starts_with(NOT_SHIPPED) || is_test(path) {
        return Vec::new();
    }
    let lines: Vec<&str> = shipped(source).collect();
    let filtered = |at: usize| {
        lines[at..]
            .iter()
            .take(STATEMENT_LINES)
            .any(|l| l.contains("shown(") || l.contains("shown_lines("))
    };
    found(&lines, &PRINTS).filter(|at| !filtered(*at)).map(|at| at + 1).collect()
}

/// Lines of the command that decide an exit code beside the rule. Comparing with one decides nothing.
pub fn own_codes(path: &str, source: &str) -> Vec<usize> {
    if !RULED.iter().any(|ours| path.starts_with(ours)) || path.starts_with(RULE) || is_test(path) {
        return Vec::new();
    }
    let lines: Vec<&str> = shipped(source).collect();
    let compares = |line: &str| line.contains("== Exit::") || line.contains("!= Exit::");
    found(&lines, &CODES).filter(|at| !compares(lines[*at])).map(|at| at + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/cli/src/x.rs";

    #[test]
    fn a_print_around_the_filter_is_found() {
        for line in ["println!(\"{name}\");", "    eprint!(\"x\")", "let out = std::io::stdout();"]
        {
            assert_eq!(unfiltered(PATH, &format!("fn f() {{\n{line}\n}}\n")), [2], "{line}");
        }
        assert_eq!(unfiltered(STREAM, "println!()"), [] as [usize; 0]);
        let filtered = "let _ = writeln!(stderr(), \"{}\", shown(&name));";
        assert_eq!(unfiltered("crates/io/src/file.rs", filtered), [] as [usize; 0]);
        let test = "fn f() {}\n#[cfg(test)]\nmod tests {\n    println!()\n}";
        assert_eq!(unfiltered(PATH, test), [] as [usize; 0]);
        assert_eq!(unfiltered(PATH, "// println!\nmy_println!()"), [] as [usize; 0]);
    }

    #[test]
    fn a_code_decided_beside_the_rule_is_found() {
        assert_eq!(own_codes(PATH, "Ok(Exit::Inconclusive)"), [1]);
        assert_eq!(own_codes(PATH, "if exit != Exit::Invalid {\nOk(Exit::Done)"), [] as [usize; 0]);
        assert_eq!(
            own_codes("crates/runner/src/exit/outcome.rs", "Exit::Invalid"),
            [] as [usize; 0]
        );
    }
}
