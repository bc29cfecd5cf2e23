//! What the kernel accounts to the calling thread (getrusage(2), RUSAGE_THREAD).

/// Counted since the thread began, or between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Time in user mode, ns; the kernel tells microseconds.
    pub user_ns: u64,
    /// Time in the kernel, ns.
    pub system_ns: u64,
    /// Times it gave the processor away, or had to.
    pub switches: u64,
    /// Page faults that waited for I/O.
    pub major_faults: u64,
    /// Page faults that did not.
    pub minor_faults: u64,
}

impl Usage {
    /// Of the calling thread so far.
    pub fn of_thread() -> Usage {
        let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: `usage` is valid for writing one rusage, and all-zero bytes are one.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
            usage.assume_init()
        };
        let ns =
            |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
        Usage {
            user_ns: ns(usage.ru_utime),
            system_ns: ns(usage.ru_stime),
            switches: (usage.ru_nvcsw + usage.ru_nivcsw) as u64,
            major_faults: usage.ru_majflt as u64,
            minor_faults: usage.ru_minflt as u64,
        }
    }

    /// From `before` to this.
    pub fn since(&self, before: &Usage) -> Usage {
        Usage {
            user_ns: self.user_ns.saturating_sub(before.user_ns),
            system_ns: self.system_ns.saturating_sub(before.system_ns),
            switches: self.switches.saturating_sub(before.switches),
            major_faults: self.major_faults.saturating_sub(before.major_faults),
            minor_faults: self.minor_faults.saturating_sub(before.minor_faults),
        }
    }

    /// Of both together.
    pub fn plus(&self, other: &Usage) -> Usage {
        Usage {
            user_ns: self.user_ns + other.user_ns,
            system_ns: self.system_ns + other.system_ns,
            switches: self.switches + other.switches,
            major_faults: self.major_faults + other.major_faults,
            minor_faults: self.minor_faults + other.minor_faults,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_sleep_and_fresh_memory_show() {
        const BYTES: usize = 8 << 20;
        // Of an allocator it may be memory that was used before, which faults no more.
        // SAFETY: a new private mapping anywhere; it is read and written within its length, and unmapped at the end of the test.
        let address = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), BYTES, access, flags, -1, 0)
        };
        assert_ne!(address, libc::MAP_FAILED);
        let before = Usage::of_thread();
        // SAFETY: as above; nobody else knows the address.
        let fresh = unsafe { std::slice::from_raw_parts_mut(address.cast::<u8>(), BYTES) };
        fresh.fill(1);
        let mut sum = 0u64;
        for round in 0..200 {
            sum += fresh.iter().map(|byte| u64::from(*byte) ^ round).sum::<u64>();
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
        let seen = Usage::of_thread().since(&before);
        assert!(sum > 0 && seen.user_ns + seen.system_ns > 0, "{seen:?}");
        assert!(seen.switches >= 1 && seen.minor_faults >= 1, "{seen:?}");
        let twice = seen.plus(&seen);
        assert_eq!(twice.since(&seen), seen);
        // SAFETY: `fresh` is used no more.
        unsafe { libc::munmap(address, BYTES) };
    }
}
