//! A raw device that may be written, from end to end: rounds of writes on it with their preconditioning, reads of what was
//! written, and reads of blocks that were trimmed. Loop devices over files; root only, skipped loudly elsewhere.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::{Fixture, program};
use narrows_model::{Measurement, Run, Severity, Validity, metric};

const MIB: u64 = 1 << 20;
const BYTES: u64 = 64 * MIB;

/// A loop device over a file, with direct I/O; gone with the value.
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
    // Until a round held a write: how many it holds is the drive's doing.
    let worked = |steady: &Measurement| {
        let operations = steady.metric(metric::OPERATIONS);
        operations.is_some_and(|operations| operations.samples.iter().sum::<f64>() > 0.0)
    };
    let measured = ["1s", "8s", "64s"].into_iter().find_map(|round| {
        let mut args = vec!["steady", "--round", round, "--budget", "192m"];
        args.extend(consent);
        let (output, run) = narrows(&f, &args);
        let steady = run.measurement("block.steady.write.random.8k").expect("rounds were measured");
        worked(steady).then(|| (output, steady.clone()))
    });
    let (output, steady) = measured.expect("a write in a round of 64 s");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is lost") && said.contains("precondition"), "{said}");
    // Twice the device, as SNIA has it, and then rounds out of what the budget leaves.
    assert_eq!(
        steady.number(narrows_model::condition::PRECONDITION_BYTES),
        Some(2.0 * BYTES as f64)
    );
    assert!(steady.repeats >= 1);
    assert!(
        steady
            .number(narrows_model::condition::WRITTEN_BYTES)
            .is_some_and(|bytes| bytes <= (192 * MIB) as f64)
    );
    assert!(
        steady.text(narrows_model::condition::SENTENCE).is_some_and(|text| text.contains("/s"))
    );
    let image = fs::read(&device.image).unwrap();
    let empty = image.chunks(128 << 10).filter(|part| part.iter().all(|byte| *byte == 0)).count();
    assert_eq!(empty, 0, "parts that were never written");

    let job = f.home().join("read.fio");
    let text = format!("[r]\nrw=randread\nbs=4k\ndirect=1\nfilename={}\nsize=64m\n", device.node);
    fs::write(&job, text).unwrap();
    let read = ["run", job.to_str().unwrap()];
    let (_, run) = narrows(&f, &read);
    assert!(run.measurement("block.job.r").is_some());
    assert_eq!(found(&run, "blocks-never-written"), None, "all of it was written");
    let trimmed = Command::new("blkdiscard").args(["--force", &device.node]).status();
    if !trimmed.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: this loop device trims nothing");
        return;
    }
    let (output, run) = narrows(&f, &read);
    assert_eq!(found(&run, "blocks-never-written"), Some(Severity::Invalid), "{:?}", run.findings);
    assert_eq!(output.status.code(), Some(3), "an invalid answer has its own exit code");
    f.assert_nothing_left();
}

/// Random data all over, so that reads are worth something.
fn fill(device: &Loop) {
    let mut bytes = vec![0u8; BYTES as usize];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for word in bytes.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word.copy_from_slice(&state.to_le_bytes());
    }
    fs::write(&device.image, bytes).unwrap();
    File::open(&device.image).unwrap().sync_all().unwrap();
}

#[test]
fn a_queue_of_four_requests_is_told_where_sixty_four_were_asked_for() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(device) = Loop::new(&f) else { return };
    fill(&device);
    let name = device.node.strip_prefix("/dev/").unwrap();
    // Of this device, which goes with the test.
    if fs::write(format!("/sys/block/{name}/queue/nr_requests"), "4").is_err() {
        return eprintln!("SKIPPED: the queue of {name} takes no other size");
    }
    let job = f.home().join("deep.fio");
    // A window that ends with its operations.
    let text = format!(
        "[r]\nrw=randread\nbs=8k\ndirect=1\nioengine=io_uring\niodepth=64\nfilename={}\nsize=64m\nnumber_ios=6000\n",
        device.node
    );
    fs::write(&job, text).unwrap();
    let (_, run) = narrows(&f, &["run", job.to_str().unwrap()]);
    let measured = run.measurement("block.job.r").expect("the job was measured");
    let value = |name| measured.value(name).unwrap_or_else(|| panic!("{name}: {measured:?}"));
    // By the generator's own account nothing is wrong.
    assert!(value(metric::IN_FLIGHT) > 0.9 * value(metric::DEPTH));
    let Some(at_the_drive) = measured.value(metric::DEVICE_IN_FLIGHT) else {
        return eprintln!("SKIPPED: the drive under {name} counts nothing");
    };
    if at_the_drive > 0.5 * value(metric::DEPTH) {
        return eprintln!("SKIPPED: others had {at_the_drive} requests at the drive");
    }
    // The rule is silent where it can't know who kept the drive from its requests.
    let most = [
        (metric::GENERATOR_WAIT, 0.05),
        (metric::CPU_PRESSURE, 0.5),
        (metric::GENERATOR_BUSY, 0.9),
        (metric::STOOD_STILL, 0.03),
    ];
    if let Some((name, _)) = most.iter().find(|(name, most)| measured.value(*name) >= Some(*most)) {
        return eprintln!("SKIPPED: {name} is that of a loaded machine");
    }
    let told = found(&run, "requests-above-the-drive");
    assert_eq!(told, Some(Severity::Suspect), "{:?}", run.findings);
}

#[test]
fn jobs_side_by_side_fall_with_all_of_them_together() {
    let _machine = shared();
    let f = Fixture::new();
    let file = f.home().join("read");
    fs::write(&file, vec![7; (16 * MIB) as usize]).unwrap();
    let job = f.home().join("two.fio");
    // Through the page cache, which has the file: neither reads the drive.
    let section = |name: &str| {
        format!("[{name}]\nrw=randread\nbs=8k\nioengine=psync\ninvalidate=0\nnumber_ios=2000\n")
    };
    let text = format!(
        "[global]\nfilename={}\nsize=16m\n{}{}",
        file.display(),
        section("a"),
        section("b")
    );
    fs::write(&job, text).unwrap();
    let (output, run) = narrows(&f, &["run", job.to_str().unwrap()]);
    let whole = run.measurement("block.together.0").expect("both together");
    let parts = ["block.job.a", "block.job.b"].map(|id| run.measurement(id).expect("each"));
    for part in parts {
        let of = part.text(narrows_model::condition::PART_OF);
        assert_eq!(of, Some("block.together.0"));
    }
    if whole.validity != Validity::Invalid {
        return eprintln!("SKIPPED: no drive's counters tell here that memory answered");
    }
    for part in parts {
        assert_eq!(part.validity, Validity::Invalid, "{:?}", part.findings);
        assert!(part.findings.iter().any(|id| id == "part-of-invalid"), "{:?}", part.findings);
    }
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn a_second_loop_device_on_a_mounted_image_is_refused_and_its_files_stay_as_they_are() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(device) = Loop::new(&f) else { return };
    let folder = f.public("mounted");
    let done = |tool: &str, args: &[&str]| {
        let output = Command::new(tool).args(args).output();
        output.ok().filter(|output| output.status.success())
    };
    let at = folder.to_str().unwrap();
    let made = done("mkfs.ext4", &["-q", "-F", &device.node]);
    if made.and_then(|_| done("mount", &[&device.node, at])).is_none() {
        return eprintln!("SKIPPED: no mkfs.ext4 or no mount here");
    }
    let contents = vec![7; (40 * MIB) as usize];
    fs::write(folder.join("file"), &contents).unwrap();
    done("sync", &["-f", at]).unwrap();
    let image = device.image.to_str().unwrap();
    let second = done("losetup", &["--find", "--show", "--offset", "33554432", image]).unwrap();
    let second = String::from_utf8(second.stdout).unwrap().trim().to_string();
    let job = f.home().join("write.fio");
    let text = |name: &str| {
        format!("[w]\nrw=write\nbs=64k\ndirect=1\nfilename={name}\nsize=30m\noverwrite=1\n")
    };
    fs::write(&job, text(&second)).unwrap();
    let serial = format!("size={}", BYTES - 32 * MIB);
    let narrows = |args: &[&str]| {
        let mut command = Command::new(program());
        command.arg("block").args(args).env("XDG_DATA_HOME", f.home());
        command.current_dir(f.data()).output().unwrap()
    };
    let consent = ["--write-to-device", &second, "--serial", &serial];
    let written = narrows(&[&["run", job.to_str().unwrap()][..], &consent].concat());
    let told = narrows(&["device", &second]);
    // The image itself, by its name.
    fs::write(&job, text(image)).unwrap();
    let through = narrows(&["run", job.to_str().unwrap()]);
    let _ = done("losetup", &["--detach", &second]);
    // From the drive, not from memory.
    let _ = done("umount", &[at]);
    let again = done("mount", &[&device.node, at]);
    let found = fs::read(folder.join("file"));
    let _ = done("umount", &[at]);
    assert!(again.is_some() && found.unwrap() == contents, "the mounted file's contents changed");
    let name = device.node.strip_prefix("/dev/").unwrap();
    for (output, said) in [
        (&written, String::from_utf8_lossy(&written.stderr)),
        (&through, String::from_utf8_lossy(&through.stderr)),
    ] {
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("{name} is mounted at {at}")), "{said}");
        assert!(said.contains(&format!("loop device {name} serves the same bytes")), "{said}");
    }
    let told = String::from_utf8_lossy(&told.stdout);
    assert!(told.contains("refused for writing, with or without consent"), "{told}");
}
