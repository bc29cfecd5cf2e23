//! One image under several names: loop devices at different offsets, on each other, on files inside of mounted images,
//! and processes that have the image itself open or mapped.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use narrows_facts::Live;
use narrows_raw::{
    Device, OpenError, Refusal, Use, consent, inspect, open_for_writing, refusals, uses_of_file,
};

use crate::live::run;

const MIB: u64 = 1 << 20;
const IMAGE_BYTES: u64 = 64 * MIB;

/// Everything that a test attaches and mounts, taken down in the reverse order.
struct Stack {
    undo: Vec<Vec<String>>,
    folder: tempfile::TempDir,
}

impl Stack {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        Stack { undo: Vec::new(), folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn image(&self, path: &Path) -> String {
        File::create_new(path).unwrap().set_len(IMAGE_BYTES).unwrap();
        path.to_str().unwrap().to_string()
    }

    fn attach(&mut self, on: &str, options: &[&str]) -> Option<String> {
        let words: Vec<&str> = options.iter().copied().chain(["--find", "--show", on]).collect();
        let Some(node) = run("losetup", &words) else {
            eprintln!("SKIPPED: no loop devices without root and the kernel's help");
            return None;
        };
        self.undo.push(vec!["losetup".into(), "--detach".into(), node.clone()]);
        Some(node)
    }

    fn mount(&mut self, node: &str, name: &str) -> Option<PathBuf> {
        let folder = self.path(name);
        std::fs::create_dir_all(&folder).unwrap();
        let at = folder.to_str().unwrap().to_string();
        let made = run("mkfs.ext4", &["-q", "-F", node]);
        if made.and_then(|_| run("mount", &[node, &at])).is_none() {
            eprintln!("SKIPPED: no mkfs.ext4 or no mount here");
            return None;
        }
        self.undo.push(vec!["umount".into(), at]);
        Some(folder)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        for words in self.undo.iter().rev() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            run(words[0], &words[1..]);
        }
    }
}

/// As soon as nothing is left of what passes: `losetup --find` of another test opens every loop device for writing, and the file of
/// a device that another test is about to detach can no longer be looked at, so that it may be any.
pub(super) fn look(node: &str) -> Device {
    let passes = |used: &Use| match used {
        Use::OpenForWriting { command: Some(name), .. } => name == "losetup",
        Use::SameBytes { sure, .. } => !sure,
        _ => false,
    };
    seen(node, |device| !device.uses.iter().any(passes))
}

/// As soon as nobody uses it: the kernel detaches a loop device some time after it was asked to, and its number may be taken anew before.
fn free(node: &str) -> Device {
    seen(node, |device| refusals(device).is_empty())
}

/// As soon as it is as wanted; what there is after half a minute else.
fn seen(node: &str, wanted: impl Fn(&Device) -> bool) -> Device {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let device = inspect(&Live, node).unwrap();
        if wanted(&device) || Instant::now() > until {
            return device;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn name(node: &str) -> &str {
    node.strip_prefix("/dev/").unwrap()
}

fn uses(node: &str) -> Vec<String> {
    let refused = refusals(&look(node));
    let uses = refused.iter().filter(|refusal| matches!(refusal, Refusal::InUse(_)));
    uses.map(Refusal::to_string).collect()
}

/// The other device is named as the reason, and so is where it is mounted.
fn refused_for(node: &str, other: &str, mounted: &Path) {
    let uses = uses(node);
    let serves = format!("loop device {} serves the same bytes of ", name(other));
    assert!(uses.iter().any(|text| text.starts_with(&serves)), "{uses:?}");
    let mounted = format!("{} is mounted at {}", name(other), mounted.display());
    assert!(uses.contains(&mounted), "{mounted}: {uses:?}");
    let device = look(node);
    assert!(consent(&device, &device.identity.phrase()).is_err());
}

#[test]
fn the_rest_of_an_image_is_refused_while_the_whole_is_mounted_and_the_whole_while_the_rest_is() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(whole) = stack.attach(&image, &[]) else { return };
    let Some(rest) = stack.attach(&image, &["--offset", "33554432"]) else { return };
    let Some(folder) = stack.mount(&whole, "whole") else { return };
    refused_for(&rest, &whole, &folder);
    drop(stack);

    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(whole) = stack.attach(&image, &[]) else { return };
    let Some(rest) = stack.attach(&image, &["--offset", "33554432"]) else { return };
    let Some(folder) = stack.mount(&rest, "rest") else { return };
    refused_for(&whole, &rest, &folder);
}

#[test]
fn parts_of_an_image_that_have_no_byte_in_common_are_two_devices() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let half = ["--sizelimit", "33554432"];
    let Some(first) = stack.attach(&image, &half) else { return };
    let Some(second) = stack.attach(&image, &["--offset", "33554432"]) else { return };
    let Some(_) = stack.mount(&first, "first") else { return };
    assert_eq!(refusals(&free(&second)), []);
    // One byte more, and they are one.
    let Some(across) = stack.attach(&image, &["--offset", "33553920"]) else { return };
    assert_eq!(uses(&second).len(), 1, "{:?}", uses(&second));
    let expected = format!("loop device {} serves the same bytes of {image}", name(&across));
    assert_eq!(uses(&second), [expected]);
    assert!(uses(&across).iter().any(|text| text.contains(name(&first))));
}

#[test]
fn other_names_of_an_image_are_no_way_around() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(first) = stack.attach(&image, &[]) else { return };
    let Some(folder) = stack.mount(&first, "mounted") else { return };
    let link = stack.path("hard-link");
    std::fs::hard_link(&image, &link).unwrap();
    let Some(linked) = stack.attach(link.to_str().unwrap(), &[]) else { return };
    refused_for(&linked, &first, &folder);

    let bound = stack.path("bound");
    std::fs::create_dir(&bound).unwrap();
    let (from, to) = (stack.folder.path().to_str().unwrap(), bound.to_str().unwrap());
    if run("mount", &["--bind", from, to]).is_some() {
        stack.undo.push(vec!["umount".into(), to.to_string()]);
        let Some(through) = stack.attach(&format!("{to}/image"), &[]) else { return };
        refused_for(&through, &first, &folder);
    }

    // Deleted under both names, and another file in its place: the inode is what counts.
    std::fs::remove_file(&link).unwrap();
    std::fs::remove_file(&image).unwrap();
    refused_for(&linked, &first, &folder);
    let other = stack.image(&stack.path("image"));
    let Some(clean) = stack.attach(&other, &[]) else { return };
    assert_eq!(refusals(&free(&clean)), [], "another file of the same name");
}

#[test]
fn partitions_are_ranges_of_the_image_too() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(whole) = stack.attach(&image, &[]) else { return };
    // Sectors of 512 bytes: 1 to 33 MiB and 33 to 63 MiB.
    for (index, start, length) in [("1", "2048", "65536"), ("2", "67584", "61440")] {
        if run("addpart", &[&whole, index, start, length]).is_none() {
            eprintln!("SKIPPED: the kernel takes no partitions of loop devices");
            return;
        }
        stack.undo.push(vec!["delpart".into(), whole.clone(), index.into()]);
    }
    let (one, two) = (format!("{whole}p1"), format!("{whole}p2"));
    assert_eq!(refusals(&free(&one)), []);
    let limit = (32 * MIB).to_string();
    let Some(first) = stack.attach(&image, &["--offset", "1048576", "--sizelimit", &limit]) else {
        return;
    };
    let Some(folder) = stack.mount(&first, "first") else { return };
    refused_for(&one, &first, &folder);
    refused_for(&whole, &first, &folder);
    assert_eq!(refusals(&free(&two)), [], "the neighbour is nobody's");
    // The other way round.
    let Some(second) = stack.attach(&image, &["--offset", &(40 * MIB).to_string()]) else { return };
    let Some(folder) = stack.mount(&two, "second") else { return };
    let uses = uses(&second);
    let mounted = format!("{} is mounted at {}", name(&two), folder.display());
    assert!(uses.contains(&mounted), "{uses:?}");
}

#[test]
fn loop_devices_on_loop_devices_at_any_depth() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let mut nodes = vec![image];
    for _ in 0..4 {
        let Some(node) = stack.attach(nodes.last().unwrap(), &["--offset", "4096"]) else { return };
        nodes.push(node);
    }
    let Some(folder) = stack.mount(&nodes[1], "lowest") else { return };
    let mounted = format!("{} is mounted at {}", name(&nodes[1]), folder.display());
    for node in &nodes[2..] {
        let uses = uses(node);
        assert!(uses.contains(&mounted), "{node}: {uses:?}");
        assert!(uses.contains(&"another process holds it exclusively".to_string()), "{uses:?}");
    }
    drop(stack);

    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let mut nodes = vec![image];
    for _ in 0..4 {
        let Some(node) = stack.attach(nodes.last().unwrap(), &["--offset", "4096"]) else { return };
        nodes.push(node);
    }
    let Some(folder) = stack.mount(&nodes[4], "highest") else { return };
    let mounted = format!("{} is mounted at {}", name(&nodes[4]), folder.display());
    for node in &nodes[1..4] {
        let uses = uses(node);
        assert!(uses.contains(&mounted), "{node}: {uses:?}");
    }
    // A second way to the image, beside the tower.
    let Some(beside) = stack.attach(&nodes[0], &["--offset", "65536"]) else { return };
    let uses = uses(&beside);
    assert!(uses.contains(&mounted), "{uses:?}");
}

#[test]
fn images_inside_of_mounted_images() {
    let mut stack = Stack::new();
    let mut place = stack.folder.path().to_path_buf();
    let mut towers = Vec::new();
    for (level, bytes) in [(0, 64 * MIB), (1, 40 * MIB), (2, 20 * MIB)] {
        let image = place.join("image");
        File::create_new(&image).unwrap().set_len(bytes).unwrap();
        let image = image.to_str().unwrap().to_string();
        let Some(node) = stack.attach(&image, &[]) else { return };
        let Some(folder) = stack.mount(&node, &format!("level-{level}")) else { return };
        place = folder.clone();
        towers.push((image, node, folder));
    }
    for (image, node, folder) in &towers {
        let Some(other) = stack.attach(image, &["--offset", "1048576"]) else { return };
        refused_for(&other, node, folder);
    }
    // A file of one's own in there is as good as anywhere.
    let image = place.join("own");
    File::create_new(&image).unwrap().set_len(4 * MIB).unwrap();
    let Some(own) = stack.attach(image.to_str().unwrap(), &[]) else { return };
    assert_eq!(refusals(&free(&own)), []);
}

#[test]
fn a_file_is_told_apart_from_a_drive_in_use() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    assert_eq!(uses_of_file(&Live, &image), []);
    let Some(node) = stack.attach(&image, &["--offset", "4096"]) else { return };
    let Some(folder) = stack.mount(&node, "mounted") else { return };
    let uses: Vec<String> = uses_of_file(&Live, &image).iter().map(Use::to_string).collect();
    let serves = format!("loop device {} serves the same bytes of {image}", name(&node));
    let mounted = format!("{} is mounted at {}", name(&node), folder.display());
    assert!(uses.contains(&serves) && uses.contains(&mounted), "{uses:?}");
}

#[test]
fn a_machine_that_swaps_to_the_other_one() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(whole) = stack.attach(&image, &[]) else { return };
    let Some(rest) = stack.attach(&image, &["--offset", "33554432"]) else { return };
    let made = run("mkswap", &["-q", &whole]);
    if made.and_then(|_| run("swapon", &[&whole])).is_none() {
        eprintln!("SKIPPED: no swap here");
        return;
    }
    stack.undo.push(vec!["swapoff".into(), whole.clone()]);
    let uses = uses(&rest);
    assert!(uses.contains(&format!("the machine swaps to {}", name(&whole))), "{uses:?}");
}

#[test]
fn a_second_loop_device_between_consent_and_opening() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(node) = stack.attach(&image, &[]) else { return };
    let device = look(&node);
    let given = consent(&device, &device.identity.phrase()).unwrap();
    drop(open_for_writing(&given, false).unwrap());
    let Some(_) = stack.attach(&image, &["--offset", "33554432"]) else { return };
    let refused = open_for_writing(&given, false);
    assert!(matches!(refused, Err(OpenError::Refused { .. })), "{refused:?}");
}

/// A process that has a file open, or only mapped, until it is dropped.
struct Holder(Child);

impl Holder {
    /// `how` is `read`, `write`, `map-read` or `map-write`.
    fn new(path: &str, how: &str) -> Self {
        let own = std::env::current_exe().unwrap();
        let mut child = Command::new(own)
            .args(["--exact", "live::same_bytes::holds_what_it_is_told_to", "--nocapture"])
            .env("NARROWS_TEST_HOLD", format!("{how}:{path}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = std::io::BufReader::new(child.stdout.as_mut().unwrap());
        let held = std::io::BufRead::lines(said).any(|line| line.unwrap().contains("held"));
        assert!(held, "the holder of {path} ended");
        Holder(child)
    }

    fn told(&self, what: &str) -> String {
        // Names of processes are cut at 15 bytes, and this is a thread of the test's runner.
        format!("(process {}) has {what} open for writing", self.0.id())
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Not a test of its own: the body of a [`Holder`].
#[test]
fn holds_what_it_is_told_to() {
    let Ok(told) = std::env::var("NARROWS_TEST_HOLD") else { return };
    let (how, path) = told.split_once(':').unwrap();
    let write = how.ends_with("write");
    let file = File::options().read(true).write(write).open(path).unwrap();
    let _file = if how.starts_with("map") {
        let rights = if write { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        let fd = file.as_raw_fd();
        // SAFETY: a new mapping, which nobody uses and which goes with the process.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), 4096, rights, libc::MAP_SHARED, fd, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        // What is mapped stays so without a descriptor.
        drop(file);
        None
    } else {
        Some(file)
    };
    println!("held");
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn whoever_has_the_image_itself_open_or_mapped_is_named() {
    let mut stack = Stack::new();
    let image = stack.image(&stack.path("image"));
    let Some(node) = stack.attach(&image, &[]) else { return };
    let Some(upper) = stack.attach(&node, &["--offset", "4096"]) else { return };
    run("losetup", &["--detach", &upper]).unwrap();
    stack.undo.pop();
    assert_eq!(refusals(&free(&node)), []);
    for (held, how) in [(&image, "write"), (&image, "map-write"), (&node, "map-write")] {
        let holder = Holder::new(held, how);
        let uses = uses(&node);
        let expected = holder.told(if *held == image { &image } else { name(&node) });
        assert!(uses.iter().any(|text| text.ends_with(&expected)), "{how} {held}: {uses:?}");
        assert_eq!(uses.len(), 1, "{uses:?}");
    }
    for (held, how) in [(&image, "read"), (&image, "map-read"), (&node, "map-read")] {
        let holder = Holder::new(held, how);
        let device = look(&node);
        assert_eq!(refusals(&device), [], "{how} {held}");
        assert!(device.readers.iter().any(|reader| reader.pid == holder.0.id()), "{how} {held}");
    }
    assert_eq!(refusals(&free(&node)), []);
}
