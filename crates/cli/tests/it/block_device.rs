//! A raw device that may be written, from end to end: rounds of writes on it with their preconditioning, reads of what was
//! written, and reads of blocks that were trimmed. Loop devices over files; root only, skipped loudly elsewhere.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::{Fixture, program};
use narrows_model::{Run, Severity, metric};

const MIB: u64 = 1 << 20;
const BYTES: u64 = 64 * MIB;

/// A loop device over a file, past the page cache; gone with the value.
struct Loop {
    node: String,
    image: PathBuf,
}

impl Loop {
    fn new(f: &Fixture) -> Option<Loop> {
        let image = f.home().join("image");
        File::create(&image).unwrap().set_len(BYTES).unwrap();
        let mut losetup = Command::new("losetup");
        losetup.args(["--find", "--show", "--direct-io=on"]).arg(&image);
        let output = losetup.output().ok()?;
        if !output.status.success() {
            eprintln!("SKIPPED: no loop devices without root and the kernel's help");
            return None;
        }
        let node = String::from_utf8(output.stdout).unwrap().trim().to_string();
        Some(Loop { node, image })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.node]).status();
    }
}

fn narrows(f: &Fixture, args: &[&str]) -> (Output, Run) {
    let mut command = Command::new(program());
    command.arg("block").args(args).args(["--load-here", "--format", "json"]);
    command.env("XDG_DATA_HOME", f.home()).current_dir(f.data());
    let output = command.output().unwrap();
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout))
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    (output, run)
}

fn found(run: &Run, id: &str) -> Option<Severity> {
    run.findings.iter().find(|finding| finding.id == id).map(|finding| finding.severity)
}

#[test]
fn a_device_is_written_through_before_its_rounds_and_trimmed_blocks_are_told() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(device) = Loop::new(&f) else { return };
    let serial = format!("size={BYTES}");
    let consent = ["--write-to-device", &device.node, "--serial", &serial];
    let mut args = vec!["steady", "--round", "1s", "--budget", "192m"];
    args.extend(consent);
    let (output, run) = narrows(&f, &args);
    let steady = run.measurement("block.steady.write.random.8k").expect("rounds were measured");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is lost") && said.contains("precondition"), "{said}");
    // Twice the device, as SNIA has it, and then rounds out of what the budget leaves.
    assert_eq!(steady.number("precondition_bytes"), Some(2.0 * BYTES as f64));
    assert!(steady.repeats >= 1 && steady.value(metric::OPERATIONS).is_some_and(|n| n > 0.0));
    assert!(steady.number("written_bytes").is_some_and(|bytes| bytes <= (192 * MIB) as f64));
    assert!(steady.text("sentence").is_some_and(|text| text.contains("/s")));
    let image = fs::read(&device.image).unwrap();
    let empty = image.chunks(128 << 10).filter(|part| part.iter().all(|byte| *byte == 0)).count();
    assert_eq!(empty, 0, "parts that were never written");

    let job = f.home().join("read.fio");
    let text = format!("[r]\nrw=randread\nbs=4k\ndirect=1\nfilename={}\nsize=64m\n", device.node);
    fs::write(&job, text).unwrap();
    let read = ["run", job.to_str().unwrap()];
    let (_, run) = narrows(&f, &read);
    assert!(run.measurement("block.job.r").is_some());
    assert_eq!(found(&run, "blocks-of-nothing"), None, "all of it was written");
    let trimmed = Command::new("blkdiscard").args(["--force", &device.node]).status();
    if !trimmed.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: this loop device trims nothing");
        return;
    }
    let (output, run) = narrows(&f, &read);
    assert_eq!(found(&run, "blocks-of-nothing"), Some(Severity::Invalid), "{:?}", run.findings);
    assert_eq!(output.status.code(), Some(3), "an invalid answer has its own exit code");
    f.assert_nothing_left();
}
