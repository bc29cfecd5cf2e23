//! Exit codes and the first line of what is said, of command lines that measure nothing. Codes of measurements (3, 4, 130) are
//! tested where they come about: `exit::outcome`, `ends`, `signals`.

use std::fmt::Write as _;
use std::process::Command;

use super::Differences;
use crate::common::program;

const SITUATIONS: [&[&str]; 30] = [
    &["--version"],
    &["--help"],
    &["run", "--help"],
    &["limits", "nvme-gen5-x4"],
    &["platform", "--root", "/nonexistent"],
    &["nosuchcommand"],
    &["run", "--layers", "memory,floppy"],
    &["run", "--sessions", "0"],
    &["run", "--data", "/nonexistent"],
    &["run", "--data", "/etc/passwd"],
    &["run", "--database", "oracle"],
    &["run", "--database", "none", "--postgres", "/x"],
    &["run", "--observe", "mysql://x@db7/shop"],
    &["run", "--observe", "postgres://app@db7/shop", "--workloads", "update"],
    &["report", "nosuchrun"],
    &["report", "nosuchrun", "--what-if", "disks=2x"],
    &["report", "/etc/passwd"],
    &["report", "/dev/zero"],
    &["limits", "nvme-gen5x4"],
    &["limits", "--limits", "/nonexistent"],
    &["plan", "/nonexistent.toml"],
    &["plan", "/etc/passwd"],
    &["block", "--at", "/nonexistent"],
    &["block", "device", "/dev/null"],
    &["block", "run", "/nonexistent.fio"],
    &["log", "--wal", "/nonexistent"],
    &["log", "compare", "--wal", "/nonexistent"],
    &["db", "lookup", "mysql://x@db7/shop"],
    &["db", "update", "--sessions", "none"],
    &["memory", "slb", "0", "0"],
];

#[test]
fn exit_codes_and_errors_are_as_recorded() {
    let home = tempfile::tempdir().unwrap();
    let mut text = String::new();
    for args in SITUATIONS {
        let output =
            Command::new(program()).args(args).env("XDG_DATA_HOME", home.path()).output().unwrap();
        let code = output.status.code().expect("it exits");
        let _ = writeln!(text, "$ narrows {}\nexit {code}", args.join(" "));
        let said = String::from_utf8(output.stderr).unwrap();
        let said = said.replace(home.path().to_str().unwrap(), "HOME");
        said.lines().for_each(|line| {
            let _ = writeln!(text, "  {line}");
        });
    }
    let mut differences = Differences::default();
    differences.compare("exit_codes.txt", &text);
    differences.assert_none();
}
