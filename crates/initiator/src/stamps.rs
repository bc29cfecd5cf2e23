//! The kernel's time stamps of a TCP connection: when a message (what one call sent) had been handed to the network driver, all
//! of it, and when the last packet that was received came from it (`SO_TIMESTAMPING`, software stamps; `Documentation/networking/timestamping.rst`).
//!
//! They are on the clock `CLOCK_REALTIME`, so what they are compared with is read there ([`realtime_ns`]). What the kernel
//! says of sent messages costs memory until it is taken ([`take_sent`]).

use std::io;
use std::net::{Ipv4Addr, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, RawFd};

/// When something was handed to the driver, when something came from it, and that in software; told without the packet.
const FLAGS: libc::c_uint = libc::SOF_TIMESTAMPING_TX_SOFTWARE
    | libc::SOF_TIMESTAMPING_RX_SOFTWARE
    | libc::SOF_TIMESTAMPING_SOFTWARE
    | libc::SOF_TIMESTAMPING_OPT_TSONLY;
/// Option and message, as in Linux' `asm-generic/socket.h`; the C library's crate has them for Android only.
const SO_TIMESTAMPING: libc::c_int = 37;
const SCM_TIMESTAMPING: libc::c_int = SO_TIMESTAMPING;
/// Room for what the kernel says beside a message: three times, and where a stamp belongs.
const CONTROL: usize = 256;
const NS_PER_S: u64 = 1_000_000_000;

#[repr(align(8))]
struct ControlBuffer([u8; CONTROL]);

/// Now, on the clock of the stamps, ns.
#[inline]
pub fn realtime_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a time to be written.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut now) };
    ns_of(now).unwrap_or(0)
}

fn ns_of(time: libc::timespec) -> Option<u64> {
    let seconds = u64::try_from(time.tv_sec).ok()?;
    let ns = seconds.checked_mul(NS_PER_S)?.checked_add(u64::try_from(time.tv_nsec).ok()?)?;
    (ns > 0).then_some(ns)
}

/// Keeps the kernel stamping: it begins to a moment after the first socket asks, and ends with the last.
#[derive(Debug)]
pub struct Stamping(#[expect(dead_code, reason = "it is only kept open")] UdpSocket);

/// Has the kernel stamp packets while what is returned lives.
///
/// # Errors
/// Why it can't.
pub fn begin() -> io::Result<Stamping> {
    let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
    enable_for(socket.as_raw_fd())?;
    Ok(Stamping(socket))
}

/// Has the kernel stamp what the connection sends and receives.
///
/// # Errors
/// Where it can't.
pub fn enable(stream: &TcpStream) -> io::Result<()> {
    enable_for(stream.as_raw_fd())
}

fn enable_for(fd: RawFd) -> io::Result<()> {
    let flags = FLAGS;
    // SAFETY: an option of that size.
    let result = unsafe {
        libc::setsockopt(
            fd,
            libc::SOL_SOCKET,
            SO_TIMESTAMPING,
            (&raw const flags).cast(),
            size_of_val(&flags) as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Receives as `recv` does; bytes, and when the last packet they are of came.
///
/// # Errors
/// As `recv`.
pub fn receive(
    stream: &TcpStream,
    bytes: &mut [u8],
    flags: libc::c_int,
) -> io::Result<(usize, Option<u64>)> {
    let mut vector = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    message(stream, Some(&mut vector), flags)
}

/// Takes all stamps of sent messages; the first of them.
pub fn take_sent(stream: &TcpStream) -> Option<u64> {
    let mut first: Option<u64> = None;
    while let Ok((_, stamp)) = message(stream, None, libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT) {
        first = match (first, stamp) {
            (Some(first), Some(stamp)) => Some(first.min(stamp)),
            (first, stamp) => first.or(stamp),
        };
    }
    first
}

fn message(
    stream: &TcpStream,
    vector: Option<&mut libc::iovec>,
    flags: libc::c_int,
) -> io::Result<(usize, Option<u64>)> {
    let mut control = ControlBuffer([0; CONTROL]);
    // SAFETY: a message without name is all zeros; its vector and its control data are memory of the callers and of this
    // function, as long as is said. The headers are walked as the macros of the C library do.
    unsafe {
        let mut header: libc::msghdr = std::mem::zeroed();
        if let Some(vector) = vector {
            header.msg_iov = vector;
            header.msg_iovlen = 1;
        }
        header.msg_control = control.0.as_mut_ptr().cast();
        header.msg_controllen = CONTROL as _;
        let came = libc::recvmsg(stream.as_raw_fd(), &raw mut header, flags);
        let came = usize::try_from(came).map_err(|_| io::Error::last_os_error())?;
        let mut stamp = None;
        let mut at = libc::CMSG_FIRSTHDR(&raw const header);
        while !at.is_null() {
            let one = &*at;
            let has_times = one.cmsg_len as usize
                >= libc::CMSG_LEN(size_of::<[libc::timespec; 3]>() as u32) as usize;
            if one.cmsg_level == libc::SOL_SOCKET && one.cmsg_type == SCM_TIMESTAMPING && has_times
            {
                // The first of three is the software's.
                stamp = ns_of(std::ptr::read_unaligned(libc::CMSG_DATA(at).cast()));
            }
            at = libc::CMSG_NXTHDR(&raw const header, at);
        }
        Ok((came, stamp))
    }
}
