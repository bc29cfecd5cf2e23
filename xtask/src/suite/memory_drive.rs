//! A drive in memory over `/var/tmp`, where the tests make their servers and files: a suite fills tables and flushes logs by the
//! gigabyte, and none of it has to outlive the test. Seen by the suite and what it starts alone (mount_namespaces(7)), and gone with them.
//!
//! It is an ext4 on a loop device on a tmpfs, since a tmpfs by itself is refused by the program under test: nothing on it is durable.
//! Deleted files give their memory back (discard).

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Where the tests make what has to lie on a real file system.
const SCRATCH: &str = "/var/tmp";
const SIZE_GIB: u64 = 10;
/// What the programs under test and the machine's other work need beside a drive that is full.
const LEFT_GIB: u64 = 4;

/// Mounts it, for this process and those that it starts. To be called while there is one thread.
///
/// # Errors
/// Says why the tests write to the machine's own drive instead.
pub(super) fn mounted(sources: &Path) -> Result<(), String> {
    if sources.starts_with(SCRATCH) {
        return Err(format!("it would hide the sources below {SCRATCH}"));
    }
    if !rustix::process::geteuid().is_root() {
        return Err("only root may mount it".into());
    }
    let available = available_gib(&std::fs::read_to_string("/proc/meminfo").unwrap_or_default());
    if available < SIZE_GIB + LEFT_GIB {
        return Err(format!(
            "{available} GiB of memory are available, {} GiB are wanted",
            SIZE_GIB + LEFT_GIB
        ));
    }
    // SAFETY: descriptors stay shared; the flag changes what paths mean, for this thread and those that it starts.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }
        .map_err(|error| format!("a mount namespace of its own: {error}"))?;
    done("mount", &["--make-rprivate", "/"])?;
    let size = format!("size={SIZE_GIB}G,mode=0700");
    let image = format!("{SCRATCH}/drive");
    done("mount", &["-t", "tmpfs", "-o", &size, "narrows-suite", SCRATCH])?;
    let drive = filled_with_ext4(&image);
    if drive.is_err() {
        // The real folder is seen again; what the attempt left goes with it.
        done("umount", &[SCRATCH])?;
    }
    drive
}

fn filled_with_ext4(image: &str) -> Result<(), String> {
    done("truncate", &["-s", &format!("{SIZE_GIB}G"), image])?;
    // Direct, because tests ask whether what they read is the medium's or the page cache's.
    let device = done("losetup", &["--find", "--show", "--direct-io=on", image])?;
    let device = device.trim();
    let mounted = done("mkfs.ext4", &["-q", "-F", device])
        .and_then(|_| done("mount", &["-o", "discard", device, SCRATCH]));
    // In use, it goes with its mount.
    done("losetup", &["--detach", device])?;
    mounted?;
    done("chmod", &["1777", SCRATCH]).map(drop)
}

/// `MemAvailable` of /proc/meminfo, which is in kB.
fn available_gib(meminfo: &str) -> u64 {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kb = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    kb.unwrap_or(0) >> 20
}

/// What it printed.
fn done(program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_available_is_read() {
        let text = "MemTotal: 24600000 kB\nMemFree: 1 kB\nMemAvailable:   22020096 kB\n";
        assert_eq!(available_gib(text), 21);
        assert_eq!(available_gib(""), 0);
    }

    #[test]
    fn sources_are_never_hidden() {
        let said = mounted(Path::new("/var/tmp/clone")).unwrap_err();
        assert!(said.contains("hide the sources"), "{said}");
    }
}
