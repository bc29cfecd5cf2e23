//! Running a program that ends by itself, with a limit, a way to stop it, and its output kept.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use super::child::dies_with_us;

const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What a program wrote and how it ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// `None`: it had to be killed, for time or on request.
    pub status: Option<ExitStatus>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    pub fn status_text(&self) -> String {
        self.status.map_or_else(|| "killed after its time was up".to_owned(), |s| s.to_string())
    }
}

/// Runs `command`, which must be in a process group of its own (it is killed as a group), for at most `limit`. It ends when we do.
pub(super) fn run(mut command: Command, limit: Duration, stop: &Stop) -> io::Result<Ended> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Politely: `initdb` then removes what it has made.
    dies_with_us(&mut command, libc::SIGTERM);
    let mut child = command.spawn()?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let end = Instant::now() + limit;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if stop.is_set() || Instant::now() >= end {
            kill_group(&mut child);
            break None;
        }
        thread::sleep(LOOK_EVERY);
    };
    let text = |thread: JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
    };
    Ok(Ended { status, stdout: text(stdout), stderr: text(stderr) })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A cut-off output is better than none; the exit status tells the rest.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn kill_group(child: &mut Child) {
    // SAFETY: the child has not been waited for, so its id can't have been given to another process or group.
    unsafe { libc::killpg(child.id() as libc::pid_t, libc::SIGKILL) };
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).process_group(0);
        command
    }

    #[test]
    fn output_and_status_are_kept() {
        let ended = run(shell("echo a; echo b >&2; exit 3"), Duration::from_secs(30), &Stop::new());
        let ended = ended.unwrap();
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("a\n", "b\n"));
        assert_eq!(ended.status.unwrap().code(), Some(3));
        assert!(!ended.success());
    }

    #[test]
    fn a_program_and_its_children_end_when_asked_or_late() {
        // The grandchild holds the pipe: reading would hang if only the shell were killed.
        let script = "sleep 1000 & sleep 1000";
        let late = run(shell(script), Duration::from_millis(50), &Stop::new()).unwrap();
        assert!(late.status.is_none());
        let stop = Stop::new();
        stop.set();
        assert!(run(shell(script), Duration::from_secs(1000), &stop).unwrap().status.is_none());
    }
}
