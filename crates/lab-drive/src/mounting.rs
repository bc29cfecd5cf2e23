//! Mounts that end with the thread that made them: it gets a mount namespace of its own.

use std::cell::Cell;
use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

thread_local! {
    /// Whether this thread has mounts of its own.
    static PRIVATE: Cell<bool> = const { Cell::new(false) };
}

/// Gives this thread, and what it starts from now on, mounts of its own, once. They go when the last of them has ended, even
/// if all are killed.
///
/// All drives of a thread share them: in a copy of them a drive's mount would outlive the drive, and its server, as the last one
/// there, would wait for itself to write back what is on it.
///
/// # Errors
/// Without root, and in containers that forbid it.
pub fn private_mounts() -> io::Result<()> {
    if PRIVATE.get() {
        return Ok(());
    }
    // SAFETY: no memory is involved.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    mount(None, Path::new("/"), None, libc::MS_REC | libc::MS_PRIVATE, None)?;
    PRIVATE.set(true);
    Ok(())
}

/// Mounts a FUSE file system whose server has that descriptor.
pub(crate) fn mount_fuse(place: &Path, descriptor: RawFd) -> io::Result<()> {
    let options = format!("fd={descriptor},rootmode=40000,user_id=0,group_id=0,allow_other");
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    mount(Some(Path::new("narrows-lab")), place, Some("fuse.narrows-lab"), flags, Some(&options))
}

/// Mounts a device; `options` are the file system's own.
pub(crate) fn mount_device(
    device: &Path,
    place: &Path,
    kind: &str,
    options: Option<&str>,
) -> io::Result<()> {
    mount(Some(device), place, Some(kind), 0, options)
}

/// Takes a mount away, at the latest when nobody uses it any more.
pub(crate) fn unmount(place: &Path) -> io::Result<()> {
    let place = path(place)?;
    // SAFETY: a string that ends in zero and lives through the call.
    check(unsafe { libc::umount2(place.as_ptr(), libc::MNT_DETACH) })
}

/// Ends a FUSE file system without waiting for its server: what was asked of it fails.
pub(crate) fn abort(place: &Path) -> io::Result<()> {
    let place = path(place)?;
    // SAFETY: a string that ends in zero and lives through the call.
    check(unsafe { libc::umount2(place.as_ptr(), libc::MNT_FORCE | libc::MNT_DETACH) })
}

fn mount(
    source: Option<&Path>,
    target: &Path,
    kind: Option<&str>,
    flags: libc::c_ulong,
    options: Option<&str>,
) -> io::Result<()> {
    let source = source.map(path).transpose()?;
    let target = path(target)?;
    let kind = kind.map(CString::new).transpose()?;
    let options = options.map(CString::new).transpose()?;
    let pointer =
        |text: &Option<CString>| text.as_ref().map_or(std::ptr::null::<c_char>(), |t| t.as_ptr());
    // SAFETY: strings that end in zero and live through the call, or null where mount(2) allows it.
    check(unsafe {
        libc::mount(
            pointer(&source),
            target.as_ptr(),
            pointer(&kind),
            flags,
            pointer(&options).cast(),
        )
    })
}

fn path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
