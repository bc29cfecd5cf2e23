//! Programs that end with whoever started them, however that ends: Ctrl-C, a signal, a crash. What is started to be measured beside must
//! not go on for ever where nobody stops it, holding its port and a CPU.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Has the kernel send `signal` to the program of `command` when the thread that starts it ends (`prctl(2)`, `PR_SET_PDEATHSIG`): start it
/// from one that lasts as long as it is needed. What the program becomes by execve is bound as well (taskset, cargo), unless it has
/// rights of its own (set-user-ID); what it starts itself is not.
pub fn ends_with_us(command: &mut Command, signal: i32) -> &mut Command {
    let us = std::process::id();
    // SAFETY: prctl and getppid are async-signal-safe and allocate nothing.
    unsafe {
        command.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, signal as libc::c_ulong) != 0 {
                return Err(io::Error::last_os_error());
            }
            // We may have ended before the call above.
            if libc::getppid() as u32 != us {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, Instant};

    use super::*;

    /// Names the file that the process which is to be killed writes.
    const VICTIM: &str = "NARROWS_TEST_BOUND_VICTIM";
    const PATIENCE: Duration = Duration::from_secs(60);

    fn until(what: &str, holds: impl Fn() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < PATIENCE, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Not there, or ended and not yet taken note of by whoever inherited it.
    fn has_ended(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
    }

    #[test]
    fn a_program_that_is_bound_ends_with_whoever_started_it_and_another_does_not() {
        if let Some(file) = std::env::var_os(VICTIM) {
            // This process is the victim. Nobody waits for what it starts.
            let sleep = || {
                let mut command = Command::new("sleep");
                command.arg("600");
                command
            };
            let bound = ends_with_us(&mut sleep(), libc::SIGKILL).spawn().unwrap().id();
            let free = sleep().spawn().unwrap().id();
            let (new, file) = (Path::new(&file).with_extension("new"), file);
            fs::write(&new, format!("{bound} {free}")).unwrap();
            fs::rename(&new, file).unwrap();
            std::thread::sleep(Duration::from_secs(600));
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pids");
        let name = "bound::tests::a_program_that_is_bound_ends_with_whoever_started_it_and_another_does_not";
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", name]).env(VICTIM, &file);
        let mut victim = command.spawn().unwrap();
        until("the victim starts what it starts", || file.exists());
        let said = fs::read_to_string(&file).unwrap();
        let (bound, free) = said.split_once(' ').unwrap();
        assert!(!has_ended(bound) && !has_ended(free));
        victim.kill().unwrap();
        victim.wait().unwrap();
        until("what is bound ends", || has_ended(bound));
        let was_free = !has_ended(free);
        // SAFETY: a signal to a process that this test started.
        unsafe { libc::kill(free.parse().unwrap(), libc::SIGKILL) };
        assert!(was_free);
    }
}
