//! What processes took: processor time by getrusage(2) and wait4(2), bytes by the drives' own counters.
//!
//! The kernel's counts of blocks by process aren't taken: a page that is written again counts with the whole folio that it lies in, up to
//! a hundred times what reaches the drive. A drive's counters hold what others do meanwhile too, so they are an upper bound.

use std::collections::HashSet;
use std::fmt;
use std::io::{self, Read};
use std::ops::Sub;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::time::Instant;

use anyhow::Result;

/// Of a sector in /proc/diskstats, whatever the drive's own are.
const SECTOR_BYTES: f64 = 512.0;

/// Of one program with all it started and waited for.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spent {
    pub cpu_s: f64,
    /// On the clock; of all children together nothing.
    pub wall_s: f64,
}

impl Spent {
    fn of(usage: &libc::rusage, wall_s: f64) -> Spent {
        let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
        Spent { cpu_s: seconds(usage.ru_utime) + seconds(usage.ru_stime), wall_s }
    }

    /// All children that ended and were waited for.
    pub(super) fn of_children() -> Result<Spent> {
        // SAFETY: all-zero is a valid value; the call only writes it.
        let usage = unsafe {
            let mut usage = std::mem::zeroed();
            if libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) != 0 {
                return Err(io::Error::last_os_error().into());
            }
            usage
        };
        Ok(Spent::of(&usage, 0.0))
    }
}

impl Sub for Spent {
    type Output = Spent;

    fn sub(self, before: Spent) -> Spent {
        Spent { cpu_s: self.cpu_s - before.cpu_s, wall_s: self.wall_s - before.wall_s }
    }
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} s, {:.1} CPU-seconds", self.wall_s, self.cpu_s)
    }
}

/// What all drives together have read and written since they are there; devices without hardware (loop, RAM, layers) hand it on to them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Drives {
    pub read_bytes: f64,
    pub written_bytes: f64,
}

impl Drives {
    pub(super) fn now() -> Drives {
        let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
        Drives::read(&text, |name| Path::new("/sys/block").join(name).join("device").exists())
    }

    fn read(text: &str, is_drive: impl Fn(&str) -> bool) -> Drives {
        let mut all = Drives::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let sectors =
                |at: usize| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(0.0);
            if words.get(2).is_some_and(|name| is_drive(name)) {
                all.read_bytes += SECTOR_BYTES * sectors(5);
                all.written_bytes += SECTOR_BYTES * sectors(9);
            }
        }
        all
    }
}

/// Processes that left their parents, such as servers: they come to us and are counted (prctl(2), `PR_SET_CHILD_SUBREAPER`). They are
/// waited for at once, as init would: a test that looks whether one is gone must not find what is left of it.
pub(super) struct Orphans {
    /// Those that somebody else here waits for.
    ours: Mutex<HashSet<libc::pid_t>>,
}

impl Orphans {
    pub(super) fn adopted() -> Result<Orphans> {
        // Whichever process is named: the flag is set and not cleared.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(Orphans { ours: Mutex::default() })
    }

    /// Starts a program that is waited for by [`to_the_end`].
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let mut ours = self.ours.lock().expect("nobody panics with it");
        let child = command.spawn()?;
        ours.insert(child.id() as libc::pid_t);
        Ok(child)
    }

    /// Waits for those that have ended and aren't ours.
    pub(super) fn bury(&self) {
        let ours = self.ours.lock().expect("nobody panics with it");
        loop {
            // SAFETY: all-zero is a valid value, which the call only writes; with `WNOWAIT` nobody is waited for.
            let ended = unsafe {
                let mut about: libc::siginfo_t = std::mem::zeroed();
                let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
                if libc::waitid(libc::P_ALL, 0, &raw mut about, options) != 0 {
                    return;
                }
                about.si_pid()
            };
            if ended == 0 || ours.contains(&ended) {
                return;
            }
            // SAFETY: a null pointer is allowed where the status isn't wanted.
            unsafe { libc::waitpid(ended, std::ptr::null_mut(), libc::WNOHANG) };
        }
    }
}

/// Reads what it prints and waits for its end: all that was printed, how it ended, what it took.
pub(super) fn to_the_end(mut child: Child) -> Result<(String, ExitStatus, Spent)> {
    let began = Instant::now();
    let (mut out, err) = (child.stdout.take(), child.stderr.take());
    let errors = std::thread::spawn(move || text(err));
    let mut printed = text(out.take());
    printed += &errors.join().unwrap_or_default();
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::zeroed());
    // SAFETY: both places are ours; the child was not waited for, so its number is its own.
    let ended =
        unsafe { libc::wait4(child.id() as libc::pid_t, &raw mut status, 0, usage.as_mut_ptr()) };
    if ended < 0 {
        return Err(io::Error::last_os_error().into());
    }
    // SAFETY: the call wrote it.
    let usage: libc::rusage = unsafe { usage.assume_init() };
    let spent = Spent::of(&usage, began.elapsed().as_secs_f64());
    Ok((printed, ExitStatus::from_raw(status), spent))
}

fn text(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn sectors_of_drives_are_counted_and_of_nothing_else() {
        let text = " 254 0 vda 17 11 100 13 70 38 200 73 0 16 21\n 7 0 loop0 1 1 1000 1 1 1 1000 1 0 1 1\n";
        let all = Drives::read(text, |name| name == "vda");
        assert_eq!((all.read_bytes, all.written_bytes), (51_200.0, 102_400.0));
    }

    #[test]
    fn a_program_is_read_to_its_end_and_its_time_counted() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo a; echo b >&2; exit 3",
        ]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let (printed, status, spent) = to_the_end(command.spawn().unwrap()).unwrap();
        assert_eq!((printed.as_str(), status.code()), ("a\nb\n", Some(3)));
        assert!(spent.cpu_s > 0.0 && spent.wall_s > 0.0, "{spent}");
    }
}
