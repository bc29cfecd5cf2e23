//! Memory policy of a range, and on which node its pages really lie.
//!
//! `mbind` is a request that a cpuset, a full node or a container's filter can narrow or refuse, so the pages are
//! asked one by one with `move_pages` without a target (move_pages(2): the status then is the node), or, where
//! that is refused, through `/proc/self/numa_maps`.

use std::collections::BTreeMap;
use std::io;

/// At most this many pages of a range are asked: 4 GiB of small ones.
const ASKED: usize = 1 << 20;
/// Pages asked at a time.
const BATCH: usize = 1 << 14;

/// Binds a range to a node before it is touched.
pub fn bind(address: *mut u8, len: usize, node: u32) -> io::Result<()> {
    policy(address, len, libc::MPOL_BIND, &[node])
}

/// Lays a range's pages in turns on these nodes when they are touched, as `numactl --interleave` does.
pub fn interleave(address: *mut u8, len: usize, nodes: &[u32]) -> io::Result<()> {
    policy(address, len, libc::MPOL_INTERLEAVE, nodes)
}

fn policy(address: *mut u8, len: usize, mode: libc::c_int, nodes: &[u32]) -> io::Result<()> {
    let bits = libc::c_ulong::BITS;
    let highest = nodes.iter().copied().max().unwrap_or(0);
    let mut mask = vec![0 as libc::c_ulong; (highest / bits) as usize + 1];
    for node in nodes {
        mask[(node / bits) as usize] |= 1 << (node % bits);
    }
    // The kernel reads one bit less than it is told (mbind(2), BUGS of the interface).
    let max_node = mask.len() as u32 * bits + 1;
    // SAFETY: the range belongs to a mapping of ours; the mask has the length that is passed in bits.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            address,
            len,
            mode,
            mask.as_ptr(),
            libc::c_ulong::from(max_node),
            0 as libc::c_uint,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether an error of [`bind`] means "not allowed here" (a container's filter, a kernel without nodes) rather
/// than a wrong request.
pub fn refused(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EPERM | libc::ENOSYS | libc::EACCES))
}

/// Share of a range's touched pages on each node; `None` where the kernel will not say.
pub fn shares(address: *mut u8, len: usize, page_bytes: usize) -> Option<BTreeMap<u32, f64>> {
    let pages = by_move_pages(address, len, page_bytes).or_else(|| {
        by_numa_maps(&std::fs::read_to_string("/proc/self/numa_maps").ok()?, address as u64)
    })?;
    let all: u64 = pages.values().sum();
    (all > 0).then(|| pages.into_iter().map(|(node, n)| (node, n as f64 / all as f64)).collect())
}

/// Pages by node, each asked for itself; those that are nowhere are of no node.
fn by_move_pages(address: *mut u8, len: usize, page_bytes: usize) -> Option<BTreeMap<u32, u64>> {
    let pages = len / page_bytes;
    let count = pages.min(ASKED);
    let mut found = BTreeMap::new();
    for from in (0..count).step_by(BATCH) {
        let asked: Vec<*const u8> = (from..count.min(from + BATCH))
            .map(|i| address.wrapping_add(i * pages / count * page_bytes).cast_const())
            .collect();
        let mut status = vec![-1 as libc::c_int; asked.len()];
        // SAFETY: both arrays have as many elements as are passed; without target nodes nothing is moved.
        let result = unsafe {
            libc::syscall(
                libc::SYS_move_pages,
                0 as libc::c_int,
                asked.len() as libc::c_ulong,
                asked.as_ptr(),
                std::ptr::null::<libc::c_int>(),
                status.as_mut_ptr(),
                0 as libc::c_int,
            )
        };
        if result != 0 {
            return None;
        }
        for node in status.iter().filter_map(|status| u32::try_from(*status).ok()) {
            *found.entry(node).or_insert(0) += 1;
        }
    }
    Some(found)
}

/// Counts `N0=12 N1=3` of the line that starts with the address.
fn by_numa_maps(text: &str, address: u64) -> Option<BTreeMap<u32, u64>> {
    let line = text.lines().find(|line| {
        line.split(' ').next().is_some_and(|start| u64::from_str_radix(start, 16) == Ok(address))
    })?;
    let mut found = BTreeMap::new();
    for word in line.split(' ') {
        let Some((id, pages)) = word.strip_prefix('N').and_then(|rest| rest.split_once('=')) else {
            continue;
        };
        let (Ok(id), Ok(pages)) = (id.parse::<u32>(), pages.parse::<u64>()) else { continue };
        *found.entry(id).or_insert(0) += pages;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numa_maps_lines_are_counted_by_node() {
        let text = "7f0000000000 default\n\
                    7f0000200000 bind:1 anon=100 dirty=100 N0=25 N1=75 kernelpagesize_kB=4\n";
        let of = |address| by_numa_maps(text, address);
        assert_eq!(of(0x7f00_0020_0000), Some([(0, 25), (1, 75)].into()));
        assert_eq!(of(0x7f00_0000_0000), Some(BTreeMap::new()));
        assert_eq!(of(0x1000), None);
    }
}
