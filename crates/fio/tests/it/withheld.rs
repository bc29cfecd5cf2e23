//! What a job file of somebody else's can't bring out: lines of files that it includes, and variables of the environment.

use crate::common;
use std::collections::BTreeMap;

use crate::common::{InMemory, MACHINE};
use narrows_fio::{Loader, read};

/// Lines that stand in files of secrets, and what of them an error may name.
const LINES: [(&str, &str); 16] = [
    ("root:$6$salt$S3cret:19000:0:99999:7:::", ""),
    ("S3cret", ""),
    ("password=S3cret", ""),
    ("machine db7 login app password S3cret", ""),
    ("db7:5432:shop:app:S3cret", ""),
    ("[S3cret]", ""),
    ("include S3cret", ""),
    ("includeS3cret", ""),
    ("size=S3cret", "size"),
    ("runtime=S3cret", "runtime"),
    ("bs=S3cret", "bs"),
    ("rw=S3cret", "rw"),
    ("direct=S3cret", "direct"),
    ("ioengine=S3cret", "ioengine"),
    ("bssplit=S3cret", "bssplit"),
    ("verify=S3cret", "verify"),
];

#[test]
fn no_error_quotes_a_line_of_an_included_file() {
    for (line, named) in LINES {
        let files = [("f", "[a]\ninclude g\n"), ("g", line)];
        let files = files.map(|(name, text)| (name.to_string(), text.to_string()));
        let loader = InMemory { files: BTreeMap::from(files), ..InMemory::default() };
        let stopped = read(&["f"], &[], &loader, &MACHINE).expect_err(line);
        assert!(!format!("{stopped} {stopped:?}").contains("S3cret"), "{line}: {stopped}");
        assert!(stopped.to_string().contains("g:1: "), "the line has a place: {stopped}");
        assert!(stopped.to_string().contains(named), "{line}: {stopped}");
    }
}

/// The same lines in the job file itself are quoted: who named it wants to mend it.
#[test]
fn what_was_named_on_the_command_line_is_quoted() {
    let stopped = common::job("size=12q").expect_err("no size");
    assert!(stopped.to_string().contains("size=12q"), "{stopped}");
}

/// An environment with a password, of which the user named one variable.
struct PasswordEnvironment(&'static str);

impl Loader for PasswordEnvironment {
    fn text(&self, _: &str) -> Result<Option<String>, String> {
        Ok(Some(self.0.to_string()))
    }

    fn variable(&self, name: &str) -> Option<String> {
        Some(if name == "SIZE" { "64m" } else { "S3cret" }.to_string())
    }

    fn withholds(&self, name: &str) -> bool {
        name != "SIZE"
    }
}

#[test]
fn a_job_takes_no_variable_that_was_not_named() {
    for text in [
        "[a]\ndescription=${PGPASSWORD}\nsize=1m",
        "[a]\nname=${PGPASSWORD}\nsize=1m",
        "[a]\nfilename=/tmp/${PGPASSWORD}\nsize=1m",
        "[a]\nsize=${PGPASSWORD}",
        "[a]\n${PGPASSWORD}=1m",
        "[global]\nsize=1m\ndirectory=${HOME}\n[a]\n",
    ] {
        let stopped = read(&["f"], &[], &PasswordEnvironment(text), &MACHINE).expect_err(text);
        let said = format!("{stopped} {stopped:?}");
        assert!(!said.contains("S3cret") && said.contains("hint: --env "), "{text}: {said}");
    }
    let plan = read(&["f"], &[], &PasswordEnvironment("[${PGPASSWORD}]\nsize=${SIZE}"), &MACHINE)
        .expect("a job");
    assert_eq!(plan.jobs[0].name, "${PGPASSWORD}", "no section's name takes a variable");
    let named =
        plan.notes.iter().any(|note| note.sentence == "${SIZE} is taken from the environment");
    assert!(named, "{:?}", plan.notes);
}
