//! Captures as users make and use them: kept, shown, refused, and filling in what the machine itself doesn't tell.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::{Fixture, Narrows, program};
use narrows_capture::Capture;
use narrows_facts::{Contents, Live, Source};
use narrows_model::Platform;

fn narrows(args: &[&str]) -> Output {
    Command::new(program()).args(args).output().unwrap()
}

fn said(args: &[&str]) -> String {
    let output = narrows(args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(args: &[&str], parts: &[&str]) {
    let output = narrows(args);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
    assert!(parts.iter().all(|part| error.contains(part)), "{parts:?} in:\n{error}");
    assert!(error.contains("hint: "), "{error}");
}

struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A capture of this machine with its role in this folder.
    fn capture(&self) -> PathBuf {
        let file = self.file("here.capture");
        let data = self.folder.path().to_str().unwrap();
        let text = said(&["gather", "--data", data, "-o", text(&file)]);
        assert!(text.starts_with("captured ") && text.contains("here.capture"), "{text}");
        file
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The capture with something changed.
fn changed(from: &Path, to: &Path, change: impl FnOnce(&mut Capture)) {
    let mut capture = narrows_capture::read(File::open(from).unwrap()).unwrap();
    change(&mut capture);
    narrows_capture::write(&capture, File::create(to).unwrap()).unwrap();
}

fn replace(capture: &mut Capture, path: &str, bytes: &[u8]) {
    let contents = Contents { bytes: bytes.to_vec(), whole: true };
    capture.recording.files.insert(path.to_string(), Ok(contents));
}

#[test]
fn a_capture_shows_the_machine_and_not_its_name() {
    let place = Sandbox::new();
    let file = place.capture();
    assert_eq!(place.names(), ["here.capture"]);
    let json = |args: &[&str]| -> Platform {
        serde_json::from_str(&said(&[args, &["--format", "json"]].concat())).unwrap()
    };
    let here = json(&["platform", "--data", text(place.folder.path())]);
    let there = json(&["platform", text(&file)]);
    assert_eq!((&there.cpu.model, &there.cpu.online), (&here.cpu.model, &here.cpu.online));
    assert_eq!(there.devices.drives, here.devices.drives);
    assert_eq!(there.roles[0].drives().count(), here.roles[0].drives().count());
    let captured = there.captured.expect("it says that it is a capture");
    assert!(!captured.privileged && captured.answers.is_empty(), "{captured:?}");
    assert!(said(&["platform", text(&file)]).starts_with("captured   all of this: "));
}

#[test]
fn what_is_there_is_kept_and_nothing_is_left_behind() {
    let place = Sandbox::new();
    let file = place.capture();
    let before = fs::read(&file).unwrap();
    refused(&["gather", "-o", text(&file)], &["it exists", "--force"]);
    assert_eq!(fs::read(&file).unwrap(), before);
    said(&["gather", "--force", "-o", text(&file)]);
    assert_ne!(fs::read(&file).unwrap(), before, "another salt at least");
    refused(&["gather", "-o", text(place.folder.path())], &["it is a folder"]);
    let lost = place.file("none/x.capture");
    assert_eq!(narrows(&["gather", "-o", text(&lost)]).status.code(), Some(2));
    refused(&["gather", "--data", "/nonexistent", "-o", text(&place.file("b"))], &["/nonexistent"]);
    refused(&["gather", "--data", "/proc/stat", "-o", text(&place.file("b"))], &["is no folder"]);
    assert_eq!(place.names(), ["here.capture"]);
    // Through a link that somebody put there nothing is written.
    let link = place.file("link");
    std::os::unix::fs::symlink("victim", &link).unwrap();
    fs::write(place.file("victim"), "kept").unwrap();
    said(&["gather", "--force", "-o", text(&link)]);
    assert_eq!(fs::read(place.file("victim")).unwrap(), b"kept");
}

#[test]
fn only_root_captures_as_root() {
    let place = Sandbox::new();
    let file = place.file("root.capture");
    let live: &dyn Source = &Live;
    if live.is_root() {
        said(&["gather", "--privileged", "-o", text(&file)]);
        assert!(said(&["platform", text(&file)]).contains(", by root"));
    } else {
        refused(
            &["gather", "--privileged", "-o", text(&file)],
            &["not root", "sudo narrows gather"],
        );
    }
}

#[test]
fn what_is_no_capture_or_no_longer_one_is_named_with_a_reason() {
    let place = Sandbox::new();
    let file = place.capture();
    refused(&["platform", text(&file), "--data", "/"], &["--data", "leave --data out"]);
    let bytes = fs::read(&file).unwrap();
    let cut = place.file("cut.capture");
    fs::write(&cut, &bytes[..bytes.len() / 2]).unwrap();
    refused(&["platform", text(&cut)], &["cut.capture", "cut off or damaged"]);
    let plain = place.file("plain");
    fs::write(&plain, "hello").unwrap();
    refused(&["platform", text(&plain)], &["plain"]);
    fs::write(&plain, [0xFF, 0xFE]).unwrap();
    refused(&["platform", text(&plain)], &["plain", "neither a run file nor a capture", "gather"]);
    fs::write(&plain, "{\"schema\":\"narrows.capture/1\"}\n").unwrap();
    refused(&["platform", text(&plain)], &["unpacked", "gzip"]);
    refused(&["run", "--facts", text(&plain), "--dry-run"], &["plain", "cut off or damaged"]);
    refused(&["run", "--facts", "/nonexistent", "--dry-run"], &["/nonexistent", "gather -o"]);
    refused(&["platform", text(place.folder.path())], &["neither sys"]);
}

#[test]
fn another_machines_capture_fills_in_nothing() {
    let place = Sandbox::new();
    let file = place.capture();
    let other = place.file("other.capture");
    changed(&file, &other, |capture| {
        replace(
            capture,
            "/proc/cpuinfo",
            b"processor\t: 0\nmodel name\t: Another\x1b[31m\nflags\t\t: fpu\n",
        );
    });
    let run = ["run", "--load-here", "--dry-run", "--layers", "clock", "--facts"];
    refused(&[&run[..], &[text(&other)]].concat(), &["another machine", "was Another"]);
    said(&[&run[..], &[text(&file)]].concat());
    let shown = said(&["platform", text(&other)]);
    assert!(shown.contains("Another") && !shown.contains('\x1b'), "it steers no terminal");
}

#[test]
fn a_run_takes_from_the_capture_what_the_machine_hides_and_says_so() {
    let _machine = shared();
    const TABLE: &str = "/sys/firmware/dmi/tables/DMI";
    if Live.read(TABLE).is_ok() || Live.exists("/run/udev/data/+dmi:id") {
        eprintln!("SKIPPED: this machine shows its memory modules itself");
        return;
    }
    let place = Sandbox::new();
    let file = place.capture();
    let filled = place.file("filled.capture");
    let mut slot = vec![0u8; 0x28];
    (slot[0], slot[1], slot[0x10], slot[0x12]) = (17, 0x28, 1, 0x22);
    slot[0x0C..0x0E].copy_from_slice(&16384u16.to_le_bytes());
    slot.extend(b"SLOT_A1\0\0");
    changed(&file, &filled, |capture| {
        replace(capture, TABLE, &slot);
        capture.header.privileged = true;
    });
    let fixture = Fixture::new();
    let run = Narrows::new(&fixture).args(["--layers", "clock", "--facts", text(&filled)]).run();
    let platform = run.platform().unwrap();
    let modules = platform.memory.dimms.as_ref().expect("the firmware's table was in the capture");
    assert_eq!(modules[0].locator.as_deref(), Some("SLOT_A1"));
    let captured = platform.captured.as_ref().expect("the run says from where");
    assert_eq!(
        (captured.answers.as_slice(), captured.privileged),
        ([TABLE.to_string()].as_slice(), true)
    );
    let report =
        Command::new(program()).args(["report", text(&fixture.runs()[0])]).output().unwrap();
    let screen = String::from_utf8_lossy(&report.stdout);
    assert!(screen.contains("1 answer from a capture of "), "{screen}");
}
