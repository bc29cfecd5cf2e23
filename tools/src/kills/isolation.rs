//! Shared memory, temporary folders and mounts of the harness's own, so that what others on the machine leave isn't counted, and what
//! is mounted goes with the harness however it ends (unshare(2), namespaces(7)). Takes root; without it only files and processes of
//! the trial's own folder are counted.

use std::ffi::CString;
use std::io;

use anyhow::{Context as _, Result};

/// Folders that trials have empty and to themselves.
pub(super) const COVERED: [&str; 2] = ["/dev/shm", "/tmp"];

/// Leaves the machine's namespaces of mounts and of System V memory, for this thread and whatever it starts.
pub(super) fn isolate() -> Result<()> {
    // SAFETY: no memory is involved; what this thread mounts from here on is nobody else's.
    let left = unsafe { libc::unshare(libc::CLONE_NEWNS | libc::CLONE_NEWIPC) };
    check(left).context("leaving the machine's namespaces")?;
    // Before anything is mounted, or the machine would see it too.
    mount(None, "/", None, libc::MS_REC | libc::MS_PRIVATE, None)?;
    for folder in COVERED {
        mount(Some("tmpfs"), folder, Some("tmpfs"), 0, Some("mode=1777,size=2g"))?;
    }
    Ok(())
}

/// An empty folder over that one until the value is dropped.
pub(super) struct Hidden(CString);

impl Hidden {
    pub(super) fn new(folder: &str) -> Result<Hidden> {
        mount(Some("tmpfs"), folder, Some("tmpfs"), 0, Some("mode=755,size=1m"))?;
        Ok(Hidden(CString::new(folder)?))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // SAFETY: the path is terminated, and the mount is this value's.
        unsafe { libc::umount2(self.0.as_ptr(), libc::MNT_DETACH) };
    }
}

fn mount(
    source: Option<&str>,
    target: &str,
    kind: Option<&str>,
    flags: libc::c_ulong,
    options: Option<&str>,
) -> Result<()> {
    let text = |text: Option<&str>| text.map(CString::new).transpose();
    let (source, to, kind, options) =
        (text(source)?, CString::new(target)?, text(kind)?, text(options)?);
    let pointer = |text: &Option<CString>| text.as_ref().map_or(std::ptr::null(), |t| t.as_ptr());
    // SAFETY: all strings are terminated and outlive the call.
    let done = unsafe {
        libc::mount(pointer(&source), to.as_ptr(), pointer(&kind), flags, pointer(&options).cast())
    };
    check(done).with_context(|| format!("mounting over {target}"))
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
