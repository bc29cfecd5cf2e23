//! What the kernel knows of a TCP connection (`TCP_INFO`).

use std::net::TcpStream;
use std::os::fd::AsRawFd;

/// Some of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpInfo {
    /// Shortest round trip that was seen of late, ns; it includes how long the other side takes to acknowledge.
    pub min_rtt_ns: u64,
    /// Segments that were sent again.
    pub retransmits: u32,
    /// Largest segment, bytes.
    pub segment_bytes: u32,
    /// Largest packet of the path, bytes.
    pub path_mtu_bytes: u32,
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
    Some(TcpInfo {
        min_rtt_ns: u64::from(info.tcpi_min_rtt) * 1000,
        retransmits: info.tcpi_total_retrans,
        segment_bytes: info.tcpi_snd_mss,
        path_mtu_bytes: info.tcpi_pmtu,
    })
}
