//! Mounts that end with the thread that made them: it gets a mount namespace of its own.

use std::ffi::{CString, c_char};
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Gives this thread, and what it starts from now on, mounts of its own. They go when the last of them has ended, even
/// if all are killed.
///
/// # Errors
/// Without root, and in containers that forbid it.
pub(crate) fn private_mounts() -> io::Result<()> {
    // SAFETY: no memory is involved.
    check(unsafe { libc::unshare(libc::CLONE_NEWNS) })?;
    mount(None, Path::new("/"), None, libc::MS_REC | libc::MS_PRIVATE, None)
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
