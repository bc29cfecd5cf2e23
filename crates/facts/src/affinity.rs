//! On which processors threads may run: `sched_setaffinity(2)` with sets of any size.
//!
//! The kernel narrows a request silently to what the cpuset allows, so [`pin`] reads back what it got.

use std::io;

use crate::parse_cpu_list;

/// Enough for the 8192 processors x86-64 Linux can be built for; grown if the kernel wants more.
const FIRST_MASK_BYTES: usize = 1024;

/// Processors the calling thread may use; empty only if the kernel refuses to tell.
pub fn current() -> Vec<u32> {
    get(0).unwrap_or_default()
}

/// Processors another process's main thread may use.
///
/// # Errors
/// `ESRCH` if there is no such process.
pub fn of_pid(pid: u32) -> io::Result<Vec<u32>> {
    get(pid)
}

/// Binds the calling thread to `cpus`.
///
/// # Errors
/// `EINVAL` if none of them can be used; [`io::ErrorKind::InvalidInput`] if the kernel kept only some of them.
pub fn pin(cpus: &[u32]) -> io::Result<()> {
    pin_pid(0, cpus)
}

/// Binds another process's main thread (0: the calling thread) to `cpus`. Children it makes later inherit the set,
/// threads it already has keep theirs.
///
/// # Errors
/// As [`pin`]; `EPERM` if the process belongs to another user.
pub fn pin_pid(pid: u32, cpus: &[u32]) -> io::Result<()> {
    let Some(highest) = cpus.iter().max() else {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    };
    let word_bits = usize::BITS as usize;
    let mut mask = vec![0usize; *highest as usize / word_bits + 1];
    for &cpu in cpus {
        mask[cpu as usize / word_bits] |= 1 << (cpu as usize % word_bits);
    }
    // SAFETY: the pointer and the length describe `mask`, which the kernel only reads.
    let result = unsafe {
        libc::sched_setaffinity(
            pid as libc::pid_t,
            size_of_val(mask.as_slice()),
            mask.as_ptr().cast::<libc::cpu_set_t>(),
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let mut wanted = cpus.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    let got = get(pid)?;
    if got == wanted {
        Ok(())
    } else {
        let message = format!("asked for CPUs {wanted:?}, the kernel allowed {got:?} of them");
        Err(io::Error::new(io::ErrorKind::InvalidInput, message))
    }
}

/// The processor the calling thread runs on now; it may move at any moment unless it is bound.
pub fn current_cpu() -> Option<u32> {
    // SAFETY: takes no argument and touches no memory of ours.
    u32::try_from(unsafe { libc::sched_getcpu() }).ok()
}

fn get(pid: u32) -> io::Result<Vec<u32>> {
    let mut bytes = FIRST_MASK_BYTES;
    loop {
        let mut mask = vec![0u8; bytes];
        // The system call itself, not the C function, because it returns how many bytes it filled.
        // SAFETY: the kernel writes at most `bytes` bytes to `mask`.
        let result = unsafe {
            libc::syscall(libc::SYS_sched_getaffinity, pid as libc::pid_t, bytes, mask.as_mut_ptr())
        };
        if result >= 0 {
            mask.truncate(result as usize);
            return Ok(set_bits(&mask));
        }
        let error = io::Error::last_os_error();
        if error.raw_os_error() == Some(libc::EINVAL) && bytes < 1 << 20 {
            bytes *= 2;
            continue;
        }
        // A sandbox may filter the system call and still show the file.
        let path = if pid == 0 {
            "/proc/thread-self/status".to_string()
        } else {
            format!("/proc/{pid}/status")
        };
        let status = std::fs::read_to_string(path).map_err(|_| error)?;
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        return Ok(parse_cpu_list(list.unwrap_or_default()));
    }
}

fn set_bits(mask: &[u8]) -> Vec<u32> {
    // The kernel's mask is an array of native words; on little-endian machines that is plain byte order.
    let word = size_of::<usize>();
    let mut cpus = Vec::new();
    for (index, chunk) in mask.chunks_exact(word).enumerate() {
        let mut bytes = [0; size_of::<usize>()];
        bytes.copy_from_slice(chunk);
        let bits = usize::from_ne_bytes(bytes);
        let base = (index * word * 8) as u32;
        cpus.extend((0..usize::BITS).filter(|bit| bits >> bit & 1 == 1).map(|bit| base + bit));
    }
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_the_one_the_kernel_prints() {
        let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
        assert_eq!(current(), parse_cpu_list(line));
        assert!(!of_pid(std::process::id()).unwrap().is_empty());
    }

    #[test]
    fn a_bound_thread_runs_where_it_was_bound() {
        // In a thread of its own: the binding must not leak into other tests.
        std::thread::spawn(|| {
            for cpu in current() {
                pin(&[cpu]).unwrap();
                assert_eq!(current(), [cpu]);
                assert_eq!(current_cpu(), Some(cpu));
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn processors_that_do_not_exist_are_an_error_even_beside_some_that_do() {
        std::thread::spawn(|| {
            let allowed = current();
            let absent = 4000;
            assert!(pin(&[]).is_err());
            assert!(pin(&[absent]).is_err());
            let error = pin(&[allowed[0], absent]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(error.to_string().contains("4000"), "{error}");
        })
        .join()
        .unwrap();
    }

    #[test]
    fn words_beyond_the_first_are_read() {
        let mut mask = [0usize; 3];
        mask[0] = 1;
        mask[2] = 2;
        let bytes: Vec<u8> = mask.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(set_bits(&bytes), [0, 2 * usize::BITS + 1]);
    }
}
