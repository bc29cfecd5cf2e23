//! The ways to read the time.

use std::sync::OnceLock;

/// A way to read the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// `clock_gettime(CLOCK_MONOTONIC)` through the C library, which uses the kernel's shared page (vDSO) where
    /// the clock source allows it and a system call where it doesn't.
    Vdso,
    /// The same by a system call.
    Syscall,
    /// The processor's counter: `rdtsc`, on aarch64 `cntvct_el0`.
    Tsc,
}

impl Reader {
    /// The ways that exist on this processor, for this process.
    pub fn available() -> Vec<Reader> {
        let mut readers = vec![Reader::Vdso, Reader::Syscall];
        if counter_readable() {
            readers.push(Reader::Tsc);
        }
        readers
    }

    /// The word in the measurement's id.
    pub fn word(self) -> &'static str {
        match self {
            Reader::Vdso => "vdso",
            Reader::Syscall => "syscall",
            Reader::Tsc => "tsc",
        }
    }

    /// The time now, in ns or ticks, as a program would read it: not ordered against other instructions.
    #[inline(always)]
    pub fn read(self) -> u64 {
        match self {
            Reader::Vdso => vdso(),
            Reader::Syscall => syscall(),
            Reader::Tsc => counter(),
        }
    }

    /// The time now, not earlier than the loads before it: what a comparison between processors needs. Without
    /// the fence the counter may be read before the other processor's stamp is.
    #[inline(always)]
    pub fn read_ordered(self) -> u64 {
        if self == Reader::Tsc {
            fence();
        }
        self.read()
    }
}

#[inline(always)]
fn ns(time: &libc::timespec) -> u64 {
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[inline(always)]
fn vdso() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    ns(&time)
}

#[inline(always)]
fn syscall() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the arguments are those of clock_gettime(2); `time` is a valid place for one timespec.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &mut time) };
    ns(&time)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn counter() -> u64 {
    // SAFETY: every x86-64 processor has rdtsc; `available` left it out where the process may not use it.
    unsafe { std::arch::x86_64::_rdtsc() }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn fence() {
    // SAFETY: lfence is part of SSE2, which every x86-64 processor has.
    unsafe { std::arch::x86_64::_mm_lfence() }
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn counter() -> u64 {
    let ticks: u64;
    // SAFETY: Linux lets user space read cntvct_el0 on every aarch64 system (it traps and emulates it where an
    // erratum forbids the direct read).
    unsafe { std::arch::asm!("mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
    ticks
}

#[cfg(target_arch = "aarch64")]
#[inline(always)]
fn fence() {
    // SAFETY: an instruction barrier has no operands and no side effect on memory.
    unsafe { std::arch::asm!("isb", options(nostack)) };
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn counter() -> u64 {
    unreachable!("`available` lists the counter only where one is known")
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn fence() {}

/// Whether reading the counter is allowed; a process can be made to get SIGSEGV for it (prctl(2), PR_SET_TSC).
fn counter_readable() -> bool {
    static READABLE: OnceLock<bool> = OnceLock::new();
    *READABLE.get_or_init(|| {
        if cfg!(target_arch = "x86_64") {
            let mut state: libc::c_int = 0;
            // SAFETY: PR_GET_TSC writes one int to the address given.
            let got = unsafe { libc::prctl(libc::PR_GET_TSC, &mut state) };
            got == 0 && state == libc::PR_TSC_ENABLE
        } else {
            cfg!(target_arch = "aarch64")
        }
    })
}
