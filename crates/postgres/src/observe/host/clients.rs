//! Which processes of this machine are clients of the server: those that hold the other end of a session's socket.
//!
//! Whose socket it is stands in `/proc/PID/fd`, which shows root every process and others only their own; which two ends belong
//! together in `/proc/net/tcp` and, for sockets in the file system, in the kernel's answer over netlink (sock_diag(7), unix_diag).
//! What can't be seen is no client: the figure is a floor.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::FromRawFd as _;

use narrows_facts::{Live, Source, process};

/// Of `linux/netlink.h`, `linux/sock_diag.h` and `linux/unix_diag.h`.
const BY_FAMILY: u16 = 20;
const REQUEST_ALL: u16 = 0x1 | 0x300;
const SHOW_PEER: u32 = 0x4;
const PEER: u16 = 2;
const UNIX: u8 = 1;
/// Lengths of a message's head, of what stands before its attributes, and of an attribute's head.
const HEAD: usize = 16;
const UNIX_HEAD: usize = 16;
const ATTRIBUTE_HEAD: usize = 4;

/// Processes that hold the other end of a socket of these sessions; `None` where no socket of theirs can be seen.
pub(crate) fn clients(sessions: &[u32]) -> Option<BTreeSet<u32>> {
    let theirs: BTreeSet<u64> = sessions.iter().flat_map(|pid| sockets(*pid)).collect();
    if theirs.is_empty() {
        return None;
    }
    let mut ends = unix_ends().unwrap_or_default();
    ends.extend(tcp_ends());
    let peers: BTreeSet<u64> = theirs.iter().filter_map(|inode| ends.get(inode).copied()).collect();
    let of_server: BTreeSet<u32> = sessions.iter().copied().collect();
    let all = process::all().into_iter().filter(|pid| !of_server.contains(pid));
    Some(all.filter(|pid| sockets(*pid).iter().any(|inode| peers.contains(inode))).collect())
}

/// The numbers of a process's sockets.
fn sockets(pid: u32) -> Vec<u64> {
    let Ok(fds) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let links = fds.flatten().filter_map(|fd| std::fs::read_link(fd.path()).ok());
    links.filter_map(|link| inode(link.to_str()?)).collect()
}

/// `socket:[4711]`
fn inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

/// Of each connected socket in the file system, its other end.
fn unix_ends() -> std::io::Result<BTreeMap<u64, u64>> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: no pointer is passed; the result is looked at.
    let fd = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_SOCK_DIAG) };
    if fd < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made and belongs to nobody else.
    let mut socket = unsafe { File::from_raw_fd(fd) };
    socket.write_all(&request())?;
    let mut ends = BTreeMap::new();
    let mut buffer = vec![0; 1 << 16];
    // The answer is there when the request has been sent; without more of it reading would block, and ends.
    while let Ok(length) = socket.read(&mut buffer) {
        if length == 0 || !take(&buffer[..length], &mut ends) {
            break;
        }
    }
    Ok(ends)
}

/// All sockets of that family, each with its other end.
fn request() -> Vec<u8> {
    let mut request = Vec::new();
    let body = 24_u32;
    request.extend((HEAD as u32 + body).to_ne_bytes());
    request.extend(BY_FAMILY.to_ne_bytes());
    request.extend(REQUEST_ALL.to_ne_bytes());
    // Number of the request, and from whom: the kernel knows.
    request.extend([0_u32, 0].map(u32::to_ne_bytes).concat());
    request.extend([UNIX, 0, 0, 0]);
    // All states, no inode of its own, what to show, no cookie.
    request.extend([u32::MAX, 0, SHOW_PEER, u32::MAX, u32::MAX].map(u32::to_ne_bytes).concat());
    request
}

/// Takes what a part of the answer says; whether more is to come.
fn take(mut part: &[u8], ends: &mut BTreeMap<u64, u64>) -> bool {
    while let Some((length, kind)) = number(part, 0).zip(short(part, 4)) {
        let Some(message) = part.get(HEAD..length as usize) else { return false };
        if kind != BY_FAMILY {
            return false;
        }
        if let (Some(inode), Some(peer)) = (number(message, 4), peer(message)) {
            ends.insert(inode.into(), peer.into());
        }
        part = part.get(aligned(length as usize)..).unwrap_or_default();
    }
    true
}

fn peer(message: &[u8]) -> Option<u32> {
    let mut attributes = message.get(UNIX_HEAD..)?;
    while let Some((length, kind)) = short(attributes, 0).zip(short(attributes, 2)) {
        let length = usize::from(length).max(ATTRIBUTE_HEAD);
        if kind == PEER {
            return number(attributes, ATTRIBUTE_HEAD);
        }
        attributes = attributes.get(aligned(length)..).unwrap_or_default();
    }
    None
}

fn aligned(length: usize) -> usize {
    length.max(1).next_multiple_of(4)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Of each connection between two processes of this machine, the other end of either.
fn tcp_ends() -> BTreeMap<u64, u64> {
    let live: &dyn Source = &Live;
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| live.text(path));
    pair(tables.iter().flatten().map(String::as_str))
}

fn pair<'a>(tables: impl Iterator<Item = &'a str>) -> BTreeMap<u64, u64> {
    let row = |line: &str| -> Option<(String, String, u64)> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let inode = fields.get(9)?.parse().ok().filter(|inode| *inode > 0)?;
        Some((plain(fields.get(1)?), plain(fields.get(2)?), inode))
    };
    let rows: Vec<(String, String, u64)> = tables.flat_map(str::lines).filter_map(row).collect();
    let by_ends: BTreeMap<(&str, &str), u64> = rows
        .iter()
        .map(|(local, remote, inode)| ((local.as_str(), remote.as_str()), *inode))
        .collect();
    let other = |(local, remote, inode): &(String, String, u64)| {
        Some((*inode, *by_ends.get(&(remote.as_str(), local.as_str()))?))
    };
    rows.iter().filter_map(other).collect()
}

/// An address as the fourth version has it where the sixth only wraps one.
fn plain(address: &str) -> String {
    address.strip_prefix("0000000000000000FFFF0000").unwrap_or(address).to_string()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn own(of: &impl AsRawFd) -> u64 {
        let link = std::fs::read_link(format!("/proc/self/fd/{}", of.as_raw_fd())).unwrap();
        inode(link.to_str().unwrap()).unwrap()
    }

    #[test]
    fn the_other_end_of_a_socket_is_known_by_the_kernel() {
        let (one, other) = UnixStream::pair().unwrap();
        let ends = unix_ends().unwrap();
        assert_eq!(ends.get(&own(&one)), Some(&own(&other)));
        assert_eq!(ends.get(&own(&other)), Some(&own(&one)));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        assert_eq!(tcp_ends().get(&own(&server)), Some(&own(&client)));
    }

    #[test]
    fn a_process_that_holds_the_other_end_is_a_client() {
        use std::process::{Command, Stdio};
        // Its input is the other end of a socket of ours.
        let (ours, theirs) = UnixStream::pair().unwrap();
        let input: std::os::fd::OwnedFd = theirs.into();
        let mut child = Command::new("cat").stdin(Stdio::from(input)).spawn().unwrap();
        let found = clients(&[std::process::id()]);
        drop(ours);
        child.wait().unwrap();
        assert!(found.unwrap().contains(&child.id()));
    }

    #[test]
    fn an_address_of_the_fourth_version_is_one_in_either_table() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let four = format!("{head}   0: 0100007F:A2C4 0100007F:1538 01 0:0 0:0 0 1000 0 811 1 0\n");
        let six = format!(
            "{head}   0: 0000000000000000FFFF00000100007F:1538 0000000000000000FFFF00000100007F:A2C4 01 0:0 0:0 0 70 0 812 1 0\n"
        );
        let ends = pair([four, six].iter().map(String::as_str));
        assert_eq!(ends, BTreeMap::from([(811, 812), (812, 811)]));
    }

    #[test]
    fn an_answer_that_is_cut_off_ends_it() {
        let mut ends = BTreeMap::new();
        assert!(!take(&[200, 0, 0, 0, 20, 0, 0, 0], &mut ends));
        assert!(!take(&[16, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], &mut ends), "done");
        assert!(take(&[], &mut ends) && ends.is_empty());
        assert_eq!(peer(&[0; 40]), None);
    }
}
