//! Memory policy of a range, and on which node its pages really lie.
//!
//! `mbind` is a request that a cpuset, a full node or a container's filter can narrow or refuse, so the pages are
//! asked one by one with `move_pages` without a target (move_pages(2): the status then is the node), or, where
//! that is refused, through `/proc/self/numa_maps`.

use std::io;

/// At most this many pages of a range are asked.
const ASKED: usize = 1024;

/// Binds a range to a node before it is touched.
pub fn bind(address: *mut u8, len: usize, node: u32) -> io::Result<()> {
    let bits = libc::c_ulong::BITS;
    let mut mask = vec![0 as libc::c_ulong; (node / bits) as usize + 1];
    mask[(node / bits) as usize] |= 1 << (node % bits);
    // The kernel reads one bit less than it is told (mbind(2), BUGS of the interface).
    let max_node = mask.len() as u32 * bits + 1;
    // SAFETY: the range belongs to a mapping of ours; the mask has the length that is passed in bits.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mbind,
            address,
            len,
            libc::MPOL_BIND,
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

/// Share of a range's touched pages that lie on `node`; `None` where the kernel will not say.
pub fn share_on(address: *mut u8, len: usize, page_bytes: usize, node: u32) -> Option<f64> {
    by_move_pages(address, len, page_bytes, node).or_else(|| {
        by_numa_maps(&std::fs::read_to_string("/proc/self/numa_maps").ok()?, address as u64, node)
    })
}

fn by_move_pages(address: *mut u8, len: usize, page_bytes: usize, node: u32) -> Option<f64> {
    let pages = len / page_bytes;
    if pages == 0 {
        return None;
    }
    let count = pages.min(ASKED);
    let asked: Vec<*const u8> = (0..count)
        .map(|i| address.wrapping_add(i * pages / count * page_bytes).cast_const())
        .collect();
    let mut status = vec![-1 as libc::c_int; count];
    // SAFETY: both arrays have `count` elements; without target nodes nothing is moved.
    let result = unsafe {
        libc::syscall(
            libc::SYS_move_pages,
            0 as libc::c_int,
            count as libc::c_ulong,
            asked.as_ptr(),
            std::ptr::null::<libc::c_int>(),
            status.as_mut_ptr(),
            0 as libc::c_int,
        )
    };
    if result != 0 {
        return None;
    }
    let there = status.iter().filter(|status| **status == node as libc::c_int).count();
    Some(there as f64 / count as f64)
}

/// Counts `N0=12 N1=3` of the line that starts with the address.
fn by_numa_maps(text: &str, address: u64, node: u32) -> Option<f64> {
    let line = text.lines().find(|line| {
        line.split(' ').next().is_some_and(|start| u64::from_str_radix(start, 16) == Ok(address))
    })?;
    let mut all = 0u64;
    let mut there = 0u64;
    for word in line.split(' ') {
        let Some((id, pages)) = word.strip_prefix('N').and_then(|rest| rest.split_once('=')) else {
            continue;
        };
        let (Ok(id), Ok(pages)) = (id.parse::<u32>(), pages.parse::<u64>()) else { continue };
        all += pages;
        if id == node {
            there += pages;
        }
    }
    (all > 0).then(|| there as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numa_maps_lines_are_counted_by_node() {
        let text = "7f0000000000 default\n\
                    7f0000200000 bind:1 anon=100 dirty=100 N0=25 N1=75 kernelpagesize_kB=4\n";
        assert_eq!(by_numa_maps(text, 0x7f00_0020_0000, 1), Some(0.75));
        assert_eq!(by_numa_maps(text, 0x7f00_0020_0000, 2), Some(0.0));
        assert_eq!(by_numa_maps(text, 0x7f00_0000_0000, 0), None);
        assert_eq!(by_numa_maps(text, 0x1000, 0), None);
    }
}
