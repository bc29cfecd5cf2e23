//! Real devices: loop devices on files, mounted, swapped to, held, marked, taken between consent and opening.
//!
//! They need root and loop devices and are skipped loudly without. Whatever a test sets up is taken down when it ends,
//! also when it fails.

mod same_bytes;

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::process::Command;

use narrows_facts::{Live, Source};
use narrows_raw::{
    ConsentError, Device, Identity, NodeKind, OpenError, Refusal, Use, consent,
    consent_keeping_contents, inspect, open_for_reading, open_for_writing, refusals, would_lose,
};

const SIZE_BYTES: u64 = 64 << 20;

fn run(tool: &str, arguments: &[&str]) -> Option<String> {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/local/sbin:/usr/sbin:/sbin";
    let output = Command::new(tool).args(arguments).env("PATH", path).output().ok()?;
    if !output.status.success() {
        eprintln!("{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// A loop device with what was done to it, undone in the reverse order.
struct Loop {
    node: String,
    undo: Vec<Vec<String>>,
    folder: tempfile::TempDir,
}

impl Loop {
    fn new() -> Option<Self> {
        Self::with(&[])
    }

    fn with(options: &[&str]) -> Option<Self> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let image = folder.path().join("image");
        File::create(&image).unwrap().set_len(SIZE_BYTES).unwrap();
        let image = image.to_str().unwrap();
        let words: Vec<&str> = options.iter().copied().chain(["--find", "--show", image]).collect();
        let Some(node) = run("losetup", &words) else {
            eprintln!("SKIPPED: no loop devices without root and the kernel's help");
            return None;
        };
        Some(Loop { node, undo: Vec::new(), folder })
    }

    fn name(&self) -> &str {
        self.node.strip_prefix("/dev/").unwrap()
    }

    fn mount_point(&self) -> PathBuf {
        let folder = self.folder.path().join("mounted");
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn refused(&self) -> Vec<Refusal> {
        refusals(&self.inspect())
    }

    fn inspect(&self) -> Device {
        same_bytes::look(&self.node)
    }

    fn phrase(&self) -> String {
        format!("size={SIZE_BYTES}")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        for words in self.undo.iter().rev() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            run(words[0], &words[1..]);
        }
        run("losetup", &["--detach", &self.node]);
    }
}

fn uses(refusals: &[Refusal]) -> Vec<String> {
    let uses = refusals.iter().filter(|refusal| matches!(refusal, Refusal::InUse(_)));
    uses.map(Refusal::to_string).collect()
}

#[test]
fn an_empty_loop_device_can_be_written_with_consent_and_only_so() {
    let Some(device) = Loop::new() else { return };
    let found = device.inspect();
    assert_eq!(found.size_bytes, Some(SIZE_BYTES));
    assert_eq!(found.identity, Identity::NoSerial { size_bytes: SIZE_BYTES });
    assert_eq!(found.name, device.name());
    assert_eq!(refusals(&found), []);
    assert!(matches!(consent(&found, "x"), Err(ConsentError::WrongSerial { .. })));
    let consent = consent(&found, &device.phrase()).unwrap();
    let open = open_for_writing(&consent, false).unwrap();
    open.file().write_all_at(&[7; 4096], 8192).unwrap();
    let again = File::open(open.path()).unwrap();
    let mut block = [0; 4096];
    again.read_exact_at(&mut block, 8192).unwrap();
    assert_eq!(block, [7; 4096]);
    // As long as it is open, nobody who asks can have it.
    let exclusive = File::options().read(true).custom_flags(libc::O_EXCL).open(&device.node);
    assert_eq!(exclusive.unwrap_err().raw_os_error(), Some(libc::EBUSY));
    assert!(matches!(open_for_writing(&consent, false), Err(OpenError::System { .. })));
    drop((again, open));
    assert_eq!(device.refused(), []);
    let direct = open_for_writing(&consent, true).unwrap();
    let unaligned = direct.file().write_at(&[1; 7], 0).unwrap_err();
    assert_eq!(unaligned.raw_os_error(), Some(libc::EINVAL), "direct I/O refuses odd lengths");
}

#[test]
fn reading_opens_for_reading_only() {
    let Some(device) = Loop::new() else { return };
    let open = open_for_reading(&device.node, false).unwrap();
    let mut block = [1; 512];
    open.file().read_exact_at(&mut block, 0).unwrap();
    assert_eq!(block, [0; 512]);
    let refused = open.file().write_at(&block, 0).unwrap_err();
    assert_eq!(refused.raw_os_error(), Some(libc::EBADF));
    // A reader doesn't keep a writer out, and is told.
    let mut child =
        Command::new("sleep").arg("60").stdin(open.file().try_clone().unwrap()).spawn().unwrap();
    let found = device.inspect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(refusals(&found), []);
    assert_eq!(found.readers.len(), 1, "{:?}", found.readers);
    assert!(would_lose(&found, 0).join(" ").contains("open for reading"));
}

#[test]
fn another_process_that_could_write_is_found_by_number_not_by_name() {
    let Some(device) = Loop::new() else { return };
    // A node of another name, as a container has.
    let alias = device.folder.path().join("disk0");
    let number = device.inspect().number;
    let (major, minor) = number.split_once(':').unwrap();
    let Some(_) = run("mknod", &[alias.to_str().unwrap(), "b", major, minor]) else {
        eprintln!("SKIPPED: no mknod here");
        return;
    };
    let Ok(writer) = File::options().read(true).write(true).open(&alias) else {
        eprintln!("SKIPPED: the file system of the sources allows no device nodes");
        return;
    };
    let mut child = Command::new("sleep").arg("60").stdin(writer).spawn().unwrap();
    let refused = device.refused();
    child.kill().unwrap();
    child.wait().unwrap();
    let expected = format!("sleep (process {}) has {} open for writing", child.id(), device.name());
    assert_eq!(uses(&refused), [expected]);
    assert_eq!(device.refused(), []);
}

#[test]
fn a_mounted_file_system_is_refused_and_after_unmounting_its_mark_is() {
    let Some(mut device) = Loop::new() else { return };
    let folder = device.mount_point();
    let folder = folder.to_str().unwrap().to_string();
    let made = run("mkfs.ext4", &["-q", "-F", &device.node]);
    if made.and_then(|_| run("mount", &[&device.node, &folder])).is_none() {
        eprintln!("SKIPPED: no mkfs.ext4 or no mount here");
        return;
    }
    device.undo.push(vec!["umount".into(), folder.clone()]);
    let refused = uses(&device.refused());
    assert!(refused.contains(&format!("{} is mounted at {folder}", device.name())), "{refused:?}");
    assert!(refused.contains(&"another process holds it exclusively".to_string()), "{refused:?}");
    // Who would keep the file system may not have it either.
    let kept = consent_keeping_contents(&device.inspect(), &device.phrase());
    assert!(matches!(kept, Err(ConsentError::Refused { .. })), "{kept:?}");
    // Reading is free.
    assert!(open_for_reading(&device.node, false).is_ok());
    run("umount", &[&folder]).unwrap();
    device.undo.clear();
    // A process elsewhere that made a mount namespace meanwhile has the mount in it, until it ends.
    let copied = || uses(&device.refused()).iter().any(|what| what.contains("is mounted at"));
    for _ in 0..1200 {
        if !copied() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let refused = device.refused();
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].to_string().contains("ext2, ext3 or ext4"), "{refused:?}");
    let kept = consent_keeping_contents(&device.inspect(), &device.phrase()).unwrap();
    drop(open_for_writing(&kept, false).unwrap());
    if run("wipefs", &["--all", "--quiet", &device.node]).is_some() {
        assert_eq!(device.refused(), [], "what the hint says helps");
    }
}

#[test]
fn a_mount_only_in_another_namespace_is_found() {
    let Some(device) = Loop::new() else { return };
    let folder = device.mount_point();
    let script = format!(
        "mkfs.ext4 -q -F {0} && mount {0} {1} && echo mounted && exec sleep 60",
        device.node,
        folder.display()
    );
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    let child = Command::new("unshare")
        .args(["--mount", "--propagation", "private", "sh", "-c", &script])
        .env("PATH", path)
        .stdout(std::process::Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("SKIPPED: no unshare here");
        return;
    };
    let mut said = [0; 8];
    let mounted = std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut said).is_ok();
    let refused = uses(&device.refused());
    child.kill().unwrap();
    child.wait().unwrap();
    if !mounted {
        eprintln!("SKIPPED: no mount namespaces here");
        return;
    }
    let expected = format!("{} is mounted at {} for process ", device.name(), folder.display());
    assert!(refused.iter().any(|text| text.starts_with(&expected)), "{refused:?}");
}

#[test]
fn swap_is_refused() {
    let Some(mut device) = Loop::new() else { return };
    let made = run("mkswap", &["-q", &device.node]);
    if made.and_then(|_| run("swapon", &[&device.node])).is_none() {
        eprintln!("SKIPPED: no swap here");
        return;
    }
    device.undo.push(vec!["swapoff".into(), device.node.clone()]);
    let refused = uses(&device.refused());
    assert!(refused.contains(&format!("the machine swaps to {}", device.name())), "{refused:?}");
}

#[test]
fn a_device_mapper_on_top_is_a_holder() {
    let Some(device) = Loop::new() else { return };
    let name = format!("narrows-test-{}", std::process::id());
    let table = format!("0 {} linear {} 0", SIZE_BYTES / 512, device.node);
    if run("dmsetup", &["create", &name, "--table", &table]).is_none() {
        eprintln!("SKIPPED: no device mapper here");
        return;
    }
    let refused = uses(&device.refused());
    let removed = run("dmsetup", &["remove", &name]);
    assert!(refused.iter().any(|text| text.contains("is built on")), "{refused:?}");
    assert!(refused.contains(&"another process holds it exclusively".to_string()), "{refused:?}");
    assert!(removed.is_some());
}

#[test]
fn a_loop_device_on_a_loop_device_is_found() {
    let Some(device) = Loop::new() else { return };
    let Some(upper) = run("losetup", &["--find", "--show", &device.node]) else { return };
    let refused = uses(&device.refused());
    run("losetup", &["--detach", &upper]);
    let name = upper.strip_prefix("/dev/").unwrap();
    let expected = format!("loop device {name} serves {}", device.name());
    assert!(refused.contains(&expected), "{refused:?}");
}

#[test]
fn whoever_holds_it_exclusively_is_noticed() {
    let Some(device) = Loop::new() else { return };
    let exclusive = File::options().read(true).custom_flags(libc::O_EXCL).open(&device.node);
    let holder = exclusive.unwrap();
    assert_eq!(device.refused(), [Refusal::InUse(Use::Claimed)]);
    drop(holder);
    assert_eq!(device.refused(), []);
}

#[test]
fn what_changes_between_consent_and_opening_is_noticed() {
    let Some(mut device) = Loop::new() else { return };
    let given = consent(&device.inspect(), &device.phrase()).unwrap();
    // A mark appears.
    let mut file = File::options().write(true).open(&device.node).unwrap();
    file.write_all(b"XFSB").unwrap();
    drop(file);
    assert!(matches!(open_for_writing(&given, false), Err(OpenError::Refused { .. })));
    File::options().write(true).open(&device.node).unwrap().write_all(&[0; 4]).unwrap();
    drop(open_for_writing(&given, false).unwrap());
    // Another image of the same size under the same name: only the sequence number tells.
    let before = device.inspect().disk_sequence;
    let other = device.folder.path().join("other");
    File::create(&other).unwrap().set_len(SIZE_BYTES).unwrap();
    run("losetup", &["--detach", &device.node]).unwrap();
    if run("losetup", &[&device.node, other.to_str().unwrap()]).is_none() {
        eprintln!("SKIPPED: somebody else took the loop device");
        device.node = "/dev/null".to_string();
        return;
    }
    match open_for_writing(&given, false) {
        Err(OpenError::Changed { what, .. }) => {
            assert_eq!(what, "it was detached and attached again");
        }
        other if before.is_some() => panic!("{other:?}"),
        _ => eprintln!("SKIPPED: this kernel has no disk sequence (before Linux 5.15)"),
    }
    // Smaller than it was.
    File::options().write(true).open(&other).unwrap().set_len(SIZE_BYTES / 2).unwrap();
    run("losetup", &["--set-capacity", &device.node]).unwrap();
    match open_for_writing(&given, false) {
        Err(OpenError::Changed { what, .. }) => assert_eq!(what, "its size changed"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_read_only_device_is_refused() {
    // Not `blockdev --setro`: that stays with the loop device when its file is long gone.
    let Some(device) = Loop::with(&["--read-only"]) else { return };
    assert_eq!(device.refused(), [Refusal::ReadOnly]);
}

#[test]
fn partitions_in_a_table_and_in_the_kernel() {
    let Some(mut device) = Loop::new() else { return };
    if run("sgdisk", &["-n", "1:2048:0", &device.node]).is_none() {
        eprintln!("SKIPPED: no sgdisk here");
        return;
    }
    let refused = device.refused();
    assert!(refused.iter().any(|refusal| refusal.to_string().contains("GPT")), "{refused:?}");
    if run("partx", &["--add", &device.node]).is_none() {
        eprintln!("SKIPPED: the kernel takes no partitions of loop devices");
        return;
    }
    device.undo.push(vec!["partx".into(), "--delete".into(), device.node.clone()]);
    let refused = device.refused();
    let part = format!("{}p1", device.name());
    assert!(refused.contains(&Refusal::Partitioned(vec![part.clone()])), "{refused:?}");
    let found = inspect(&Live, &format!("/dev/{part}")).unwrap();
    assert_eq!(found.partition_of.as_deref(), Some(device.name()));
    assert_eq!(refusals(&found), [], "the partition itself is empty");
}

#[test]
fn a_physical_volume_of_lvm() {
    let Some(device) = Loop::new() else { return };
    // Without a word to the machine's own LVM.
    let folder = device.folder.path().display();
    let config = format!(
        "devices{{use_devicesfile=0 dir=\"/dev\"}} global{{locking_dir=\"{folder}\"}} \
         backup{{backup=0 archive=0}}"
    );
    let line =
        format!("LVM_SYSTEM_DIR={folder} exec pvcreate -q -y --config '{config}' {}", device.node);
    run("sh", &["-c", &line]);
    let marks: Vec<String> = device.refused().iter().map(Refusal::to_string).collect();
    if marks.is_empty() {
        eprintln!("SKIPPED: pvcreate is not installed or can't work here");
        return;
    }
    assert!(marks.iter().any(|mark| mark.contains("LVM physical volume")), "{marks:?}");
}

#[test]
fn a_member_of_a_running_md_is_held_and_of_a_stopped_one_is_marked() {
    // Without it, mdadm leaves nodes behind that lead nowhere.
    if !std::path::Path::new("/proc/mdstat").exists() {
        eprintln!("SKIPPED: no md in this kernel");
        return;
    }
    for (version, name) in [
        ("0.90", "Linux RAID (md 0.90)"),
        ("1.0", "Linux RAID (md 1.0)"),
        ("1.1", "Linux RAID (md 1.1)"),
        ("1.2", "Linux RAID (md 1.2)"),
    ] {
        let Some(device) = Loop::new() else { return };
        let array = format!("/dev/md/narrows-test-{}", std::process::id());
        let metadata = format!("--metadata={version}");
        let words = ["--create", &array, "--run", "--level=1", "--raid-devices=2", &metadata];
        let words: Vec<&str> = words.into_iter().chain(["missing", &device.node]).collect();
        if run("mdadm", &words).is_none() {
            eprintln!("SKIPPED: mdadm is not installed or can't work here");
            return;
        }
        let running = uses(&device.refused());
        let stopped = run("mdadm", &["--stop", &array]);
        assert!(running.iter().any(|text| text.contains("is built on")), "{running:?}");
        assert!(stopped.is_some());
        let marks: Vec<String> = device.refused().iter().map(Refusal::to_string).collect();
        assert!(marks.iter().any(|mark| mark.contains(name)), "{version}: {marks:?}");
    }
}

#[test]
fn the_machines_own_root_is_refused() {
    let mounts = narrows_facts::mounts(&Live);
    let root = mounts.iter().rev().find(|mount| mount.mount_point == "/").unwrap();
    let folder = format!("/sys/dev/block/{}", root.number);
    let Some(name) =
        Live.real_path(&folder).ok().and_then(|path| path.rsplit('/').next().map(str::to_string))
    else {
        eprintln!("SKIPPED: / is on no block device that can be seen");
        return;
    };
    let Ok(device) = inspect(&Live, &format!("/dev/{name}")) else {
        eprintln!("SKIPPED: no node for the device of /");
        return;
    };
    let refused = refusals(&device);
    assert!(refused.contains(&Refusal::InUse(Use::Root { device: name })), "{refused:?}");
    assert!(consent(&device, &device.identity.phrase()).is_err());
}

#[test]
fn what_is_no_block_device_is_refused() {
    for (path, expected) in [
        ("/dev/null", NodeKind::Character),
        ("/proc/self/status", NodeKind::File),
        ("/", NodeKind::Folder),
    ] {
        let error = inspect(&Live, path).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{path} is {expected}, not a block")), "{error}");
        assert!(error.contains("\nhint: "), "{error}");
        assert!(open_for_reading(path, false).is_err());
    }
}
