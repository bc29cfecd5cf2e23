//! On which node pages are.

/// Where pages of processes are.
pub trait Pages {
    /// The node of each of these addresses of a process, `None` for those not in its tables; `None` altogether where it may not be
    /// asked.
    fn nodes(&self, pid: u32, addresses: &[u64]) -> Option<Vec<Option<u32>>>;
}

/// The processes of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Live;

impl Pages for Live {
    fn nodes(&self, pid: u32, addresses: &[u64]) -> Option<Vec<Option<u32>>> {
        let pid = libc::pid_t::try_from(pid).ok()?;
        let mut status = vec![-1 as libc::c_int; addresses.len()];
        // SAFETY: both arrays have as many elements as are passed (addresses are words); without target nodes nothing is moved, and
        // the addresses are another process's, looked up by the kernel.
        let result = unsafe {
            libc::syscall(
                libc::SYS_move_pages,
                pid,
                addresses.len() as libc::c_ulong,
                addresses.as_ptr(),
                std::ptr::null::<libc::c_int>(),
                status.as_mut_ptr(),
                0 as libc::c_int,
            )
        };
        (result == 0).then(|| status.into_iter().map(|node| u32::try_from(node).ok()).collect())
    }
}
