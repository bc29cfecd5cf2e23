//! A password in an address that is mistyped, or stands in the wrong place, is told by no command.

use std::process::Command;

use narrows_postgres::Address;

use crate::common::machine::together;
use crate::common::{Fixture, program};

const SECRET: &str = "S3cretPw";

/// Where `URL` goes into a command.
const COMMANDS: &[&[&str]] = &[
    &["URL"],
    &["run", "URL"],
    &["run", "--database", "URL", "--dry-run"],
    &["run", "--database=URL", "--dry-run"],
    &["run", "--observe", "URL", "--dry-run"],
    &["run", "--dry-run", "--data", "URL"],
    &["run", "--dry-run", "--sessions", "URL"],
    &["run", "--dry-run", "--layers", "URL"],
    &["run", "--dry-run", "--layers=log,URL"],
    &["run", "--dry-run", "--workloads", "URL"],
    &["run", "--dry-run", "--facts", "URL"],
    &["run", "--dry-run", "--postgres", "URL"],
    &["run", "--dry-run", "--seed", "URL"],
    &["run", "--observe", "postgres://127.0.0.1:1/x", "--dry-run", "--for", "URL"],
    &["run", "--observe", "postgres://127.0.0.1:1/x", "--dry-run", "URL"],
    &["report", "URL"],
    &["report", "URL", "--html"],
    &["report", "x", "URL"],
    &["report", "x", "--what-if", "URL"],
    &["report", "x", "--format", "URL"],
    &["db", "URL"],
    &["db", "clean", "URL"],
    &["db", "clean", "URL", "URL"],
    &["db", "lookpu", "URL"],
    &["db", "update", "--dry-run", "URL"],
    &["db", "update", "--dry-run", "--keys", "URL"],
    &["db", "update", "--dry-run", "--working-set", "URL"],
    &["db", "update", "--dry-run", "--table", "URL"],
    &["db", "update", "--dry-run", "--rate", "URL"],
    &["db", "update", "--dry-run", "--p99", "URL"],
    &["db", "update", "--dry-run", "--think", "URL"],
    &["db", "scan", "--dry-run", "URL"],
    &["db", "orders", "--dry-run", "URL"],
    &["db", "orders", "--drop", "URL"],
    &["log", "URL"],
    &["log", "postgres", "URL", "--dry-run"],
    &["log", "postgres", "--pg-test-fsync", "URL"],
    &["log", "postgres", "postgres://127.0.0.1:1/x", "--dry-run", "--for", "URL"],
    &["log", "crashtest", "URL"],
    &["block", "URL"],
    &["block", "run", "--dry-run", "URL"],
    &["block", "device", "URL"],
    &["memory", "URL"],
    &["memory", "slb", "URL", "1"],
    &["platform", "URL"],
    &["gather", "URL"],
    &["limits", "URL"],
    &["plan", "URL"],
    &["plan", "--demand", "URL", "URL"],
];

const ADDRESSES: [&str; 5] = [
    "postgres://app:S3cretPw@127.0.0.1:1/shop",
    "postgres://app:S3cretPw/shop",
    "postgres://app@127.0.0.1:1/db?password=S3cretPw",
    "host=127.0.0.1 password=S3cretPw",
    "app:S3cretPw@127.0.0.1/shop",
];

/// Whether the secret is a name by now, or another machine's.
fn is_read(address: &str) -> bool {
    Address::parse(address).is_ok_and(|address| {
        address.to_string().contains(SECRET) || !address.to_string().contains("@127.0.0.1:1/")
    })
}

/// As it is, and with one of the characters that take an address apart left out, doubled or moved to the next place.
fn mistyped(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut all = vec![text.to_string()];
    for at in (0..chars.len()).filter(|at| ":/@?= ".contains(chars[*at])) {
        let (before, rest) = (&chars[..at], &chars[at + 1..]);
        all.push([before, rest].concat().iter().collect());
        all.push([before, &[chars[at]; 2], rest].concat().iter().collect());
        if let Some((next, rest)) = rest.split_first() {
            all.push([before, &[*next, chars[at]], rest].concat().iter().collect());
        }
    }
    all.retain(|text| text.contains(SECRET) && !is_read(text));
    all.dedup();
    all
}

#[test]
fn a_mistyped_address_is_told_nowhere() {
    let fixture = Fixture::new();
    let cases: Vec<(&[&str], String)> = ADDRESSES
        .iter()
        .enumerate()
        .flat_map(|(number, address)| {
            // All of them everywhere, and as they are meant in each command.
            let all = mistyped(address);
            COMMANDS.iter().enumerate().flat_map(move |(place, command)| {
                let some: Vec<String> = all
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| *index == 0 || index % 7 == (place + number) % 7)
                    .map(|(_, text)| text.clone())
                    .collect();
                some.into_iter().map(move |text| (*command, text))
            })
        })
        .collect();
    assert!(cases.len() > 500, "{}", cases.len());
    together(2, &cases, |(command, address)| {
        let args: Vec<String> = command.iter().map(|word| word.replace("URL", address)).collect();
        let mut narrows = Command::new(program());
        narrows.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD");
        let output = narrows.args(&args).current_dir(fixture.home()).output().unwrap();
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains(SECRET), "{args:?}:\n{said}");
    });
    assert!(fixture.runs().is_empty());
}
