//! What the kernel knows of a TCP connection (`TCP_INFO`).

use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Some of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpInfo {
    /// Shortest round trip that was seen of late, ns; it includes how long the other side takes to acknowledge. Absent before
    /// the first.
    pub min_rtt_ns: Option<u64>,
    /// Segments that were sent again.
    pub retransmits: u32,
}

/// As far as the kernel fills the structure; older ones know less of it.
pub fn tcp_info(stream: &TcpStream) -> Option<TcpInfo> {
    // SAFETY: a structure of numbers, for which zeros are values; the kernel writes as much of it as it is told.
    let info = unsafe {
        let mut info: libc::tcp_info = std::mem::zeroed();
        let mut length = size_of_val(&info) as libc::socklen_t;
        let result = libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        );
        if result != 0 {
            return None;
        }
        info
    };
    let min_rtt_us = Some(info.tcpi_min_rtt).filter(|us| ![0, u32::MAX].contains(us));
    Some(TcpInfo {
        min_rtt_ns: min_rtt_us.map(|us| u64::from(us) * 1000),
        retransmits: info.tcpi_total_retrans,
    })
}
