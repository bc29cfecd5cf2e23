//! I/O priorities of threads (`ioprio_set(2)`), in the kernel's form: the class in the bits from 13 on, a hint in those from 3 on, the level
//! below. Whether they mean anything is up to the drive's scheduler (bfq, mq-deadline) or to the drive.

use std::io;

/// Of `ioprio_set(2)`: a thread, by its number.
const WHO_PROCESS: libc::c_long = 1;
/// The number of the calling one.
const CALLER: libc::c_long = 0;
const CLASS_SHIFT: u32 = 13;
const HINT_SHIFT: u32 = 3;

/// Gives the calling thread that priority.
///
/// # Errors
/// `EPERM` for the real-time class without the right to it; [`io::ErrorKind::InvalidInput`] where the kernel kept another one.
pub fn set(priority: u16) -> io::Result<()> {
    let value = libc::c_long::from(priority);
    // SAFETY: the call takes numbers and touches no memory.
    let result = unsafe { libc::syscall(libc::SYS_ioprio_set, WHO_PROCESS, CALLER, value) };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let got = get()?;
    if got == priority {
        return Ok(());
    }
    let message = format!("asked for {}, the kernel gave {}", words(priority), words(got));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// The calling thread's priority.
///
/// # Errors
/// What the kernel said.
pub fn get() -> io::Result<u16> {
    // SAFETY: as in `set`.
    let result = unsafe { libc::syscall(libc::SYS_ioprio_get, WHO_PROCESS, CALLER) };
    u16::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// `real-time 4`, `best effort 7`, `idle 0`, with a hint where there is one.
pub fn words(priority: u16) -> String {
    let class = match priority >> CLASS_SHIFT {
        0 => "none",
        1 => "real-time",
        2 => "best effort",
        3 => "idle",
        _ => "unknown class",
    };
    let level = priority & ((1 << HINT_SHIFT) - 1);
    let hint = (priority >> HINT_SHIFT) & ((1 << (CLASS_SHIFT - HINT_SHIFT)) - 1);
    let hint = if hint == 0 { String::new() } else { format!(", hint {hint}") };
    format!("{class} {level}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_priority_is_the_threads_own() {
        let lowest = (2 << CLASS_SHIFT) | 7;
        let own = std::thread::spawn(move || (set(lowest), get())).join().unwrap();
        if let (Err(error), _) = &own {
            eprintln!("SKIPPED: I/O priorities can't be set here: {error}");
            return;
        }
        assert_eq!(own.1.unwrap(), lowest);
        assert_ne!(get().unwrap(), lowest, "this thread keeps its own");
    }

    #[test]
    fn the_kernels_form_in_words() {
        assert_eq!(words((1 << CLASS_SHIFT) | 4), "real-time 4");
        assert_eq!(words((2 << CLASS_SHIFT) | (5 << HINT_SHIFT) | 7), "best effort 7, hint 5");
        assert_eq!(words(3 << CLASS_SHIFT), "idle 0");
    }
}
