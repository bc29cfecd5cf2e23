//! A look at the server's socket.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Whether somebody listens on a socket. It is not waited for: a full queue would make an ordinary connect wait for ever.
pub(super) fn takes_connections(socket: &Path) -> bool {
    let name = socket.as_os_str().as_bytes();
    // SAFETY: all-zero bytes are an address without a name.
    let mut address: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    // One byte stays zero and ends the name.
    if name.len() >= address.sun_path.len() {
        return false;
    }
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    for (to, from) in address.sun_path.iter_mut().zip(name) {
        *to = *from as libc::c_char;
    }
    let kind = libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: takes no memory; a new descriptor is nobody else's. The address lives for the whole call and is as long as is said.
    unsafe {
        let descriptor = libc::socket(libc::AF_UNIX, kind, 0);
        if descriptor < 0 {
            return false;
        }
        let socket = OwnedFd::from_raw_fd(descriptor);
        let length = size_of::<libc::sockaddr_un>() as libc::socklen_t;
        libc::connect(socket.as_raw_fd(), (&raw const address).cast(), length) == 0
    }
}
