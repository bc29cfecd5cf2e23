//! How much this process may map: `RLIMIT_AS` (setrlimit(2); `ulimit -v`, `LimitAS=` of systemd), and what it has mapped.

use crate::Live;
use crate::source::Source;

/// Of a process with such a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressSpace {
    /// Bytes that it may map, code and stacks included.
    pub limit_bytes: u64,
    /// Bytes that it has mapped.
    pub mapped_bytes: u64,
}

impl AddressSpace {
    /// This process's; `None` without a limit, or where /proc doesn't say what is mapped.
    pub fn own() -> Option<AddressSpace> {
        let limit_bytes = rustix::process::getrlimit(rustix::process::Resource::As).current?;
        let statm = Live.read("/proc/self/statm").ok()?;
        let pages: u64 = String::from_utf8_lossy(&statm).split(' ').next()?.parse().ok()?;
        let mapped_bytes = pages * rustix::param::page_size() as u64;
        Some(AddressSpace { limit_bytes, mapped_bytes })
    }

    /// Bytes that it may still map.
    pub fn free_bytes(&self) -> u64 {
        self.limit_bytes.saturating_sub(self.mapped_bytes)
    }
}

/// Lets all threads allocate from one heap where addresses are limited. By default glibc keeps 64 MiB of addresses for each thread's own
/// (mallopt(3), `M_ARENA_MAX`), which buffers then lack. To be called before there are threads.
pub fn spare_addresses() {
    #[cfg(target_env = "gnu")]
    if rustix::process::getrlimit(rustix::process::Resource::As).current.is_some() {
        // SAFETY: sets a number of the allocator's own; it may be called at any time.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_never_less_than_nothing() {
        let space = |limit_bytes, mapped_bytes| AddressSpace { limit_bytes, mapped_bytes };
        assert_eq!(space(100, 30).free_bytes(), 70);
        assert_eq!(space(30, 100).free_bytes(), 0, "a limit that was lowered later");
    }
}
