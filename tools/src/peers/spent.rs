//! Processor time as the kernel charges it: of this process, and of the programs it ran.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::WINDOW;

/// By then a run of ours has prepared and warmed up, and every thread is in its loop.
const UNDER_WAY: Duration = Duration::from_millis(400);
/// How long its loop is watched; it ends within the window.
const WATCHED: Duration = WINDOW.saturating_sub(Duration::from_millis(500));

/// Processor time, seconds, and the time that passed meanwhile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    /// Outside of the kernel.
    pub user_s: f64,
    /// Inside, the threads that io_uring makes for the process included.
    pub system_s: f64,
    pub passed_s: f64,
}

impl Spent {
    /// Both.
    pub(super) fn cpu_s(&self) -> f64 {
        self.user_s + self.system_s
    }
}

/// Does `work`, which is to run for a window, and says which share of this process's processor time in the middle of it
/// lay outside of the kernel: what is prepared and summed up before and after doesn't count. The kernel tells the two
/// apart by what it meets at its ticks, so one window alone gives a rough figure.
pub(super) fn user_share<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            std::thread::sleep(UNDER_WAY);
            let before = times(libc::RUSAGE_SELF);
            std::thread::sleep(WATCHED);
            let after = times(libc::RUSAGE_SELF);
            let (user_s, system_s) = (after.0 - before.0, after.1 - before.1);
            user_s / (user_s + system_s)
        });
        let done = work()?;
        Ok((done, watching.join().expect("the watching thread does not panic")))
    })
}

/// Runs a program to its end. Nothing else that this process started may end meanwhile.
pub(super) fn by(command: &mut Command) -> Result<(Output, Spent)> {
    let program = command.get_program().to_string_lossy().into_owned();
    let (began, before) = (Instant::now(), times(libc::RUSAGE_CHILDREN));
    let output = command.output().with_context(|| format!("running {program}"))?;
    let after = times(libc::RUSAGE_CHILDREN);
    let spent = Spent {
        user_s: after.0 - before.0,
        system_s: after.1 - before.1,
        passed_s: began.elapsed().as_secs_f64(),
    };
    Ok((output, spent))
}

/// Outside of the kernel and inside, seconds.
fn times(who: libc::c_int) -> (f64, f64) {
    // SAFETY: `rusage` is plain data that the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::getrusage(who, &mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_spent_is_charged_to_it() {
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done";
        let (output, spent) = by(Command::new("sh").args(["-c", script])).unwrap();
        assert!(output.status.success());
        assert!(spent.user_s >= 0.0 && spent.cpu_s() > 0.001, "{spent:?}");
        assert!(spent.cpu_s() <= 1.5 * spent.passed_s + 0.02, "{spent:?}");
    }
}
