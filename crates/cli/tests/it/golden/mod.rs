//! What users and their scripts read, byte by byte: reports of stored runs in every format, every help text, every plan, the exit
//! codes of wrong and right command lines. A change of structure changes none of it.
//!
//! `NARROWS_GOLDEN=write cargo test -p narrows --test it golden` records it anew, for a change that was meant; the diff of
//! `tests/golden` then says what users will see.

mod brief;
mod codes;
mod help;
mod metrics;
mod plans;
mod reports;
mod tiers;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the recorded texts lie.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// What differs from what was recorded, to be told all at once.
#[derive(Default)]
struct Differences(String);

impl Differences {
    /// Compares `text` with the recorded file of that name, or records it.
    fn compare(&mut self, name: &str, text: &str) {
        let file = folder().join(name);
        if std::env::var_os("NARROWS_GOLDEN").is_some_and(|word| word == "write") {
            fs::create_dir_all(file.parent().expect("it has a folder")).unwrap();
            fs::write(&file, text).unwrap();
            return;
        }
        let recorded = fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}; see golden/mod.rs", file.display()));
        if recorded == text {
            return;
        }
        let (mut old, mut new) = (recorded.lines(), text.lines());
        let first =
            (1..).map(|line| (line, old.next(), new.next())).find(|(_, old, new)| old != new);
        let (line, old, new) = first.unwrap_or((0, Some("the last line's end"), None));
        let _ = writeln!(self.0, "{name}, line {line}:\n  was {old:?}\n  is  {new:?}");
    }

    fn assert_none(self) {
        assert!(
            self.0.is_empty(),
            "not as recorded; golden/mod.rs says how to record anew\n{}",
            self.0
        );
    }
}
