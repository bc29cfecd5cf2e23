//! Running a program that ends by itself, with a limit, a way to stop it, and its output kept.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use narrows_engine::Stop;
use rustix::process::{Pid, Signal, kill_process_group};

use crate::child::dies_with_us;

const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What a program wrote and how it ended.
#[derive(Debug)]
pub struct Ended {
    /// `None`: it had to be killed, for time or on request.
    pub status: Option<ExitStatus>,
    /// Its output.
    pub stdout: String,
    /// Its errors.
    pub stderr: String,
}

impl Ended {
    /// Whether it ended by itself and well.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// How it ended, in words.
    pub fn status_text(&self) -> String {
        self.status.map_or_else(|| "killed after its time was up".to_owned(), |s| s.to_string())
    }
}

/// Runs `command`, which must be in a process group of its own (it is killed as a group), for at most `limit`. It ends when we do.
///
/// # Errors
/// It can't be started.
pub fn run(mut command: Command, limit: Duration, stop: &Stop) -> io::Result<Ended> {
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
    Ok(Ended { status, stdout: stdout.text(), stderr: stderr.text() })
}

/// Of what a program prints so much is kept, bytes.
const MOST_BYTES: usize = 1 << 20;
/// How long the rest of the output may take once the program has ended: whoever it left behind may hold its end of the pipe for ever.
const REST: Duration = Duration::from_secs(1);

/// What comes through a pipe, while it comes.
struct Output {
    bytes: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Output {
    fn text(self) -> String {
        // A cut-off output is better than none; the exit status tells the rest.
        let _ = self.ended.recv_timeout(REST);
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> Output {
    let bytes = Arc::new(Mutex::new(Vec::new()));
    let (end, ended) = channel();
    let kept = Arc::clone(&bytes);
    thread::spawn(move || {
        let Some(mut pipe) = pipe else { return };
        let mut chunk = [0; 16 << 10];
        while let Ok(taken @ 1..) = pipe.read(&mut chunk) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            let room = MOST_BYTES - kept.len();
            kept.extend_from_slice(&chunk[..taken.min(room)]);
        }
        let _ = end.send(());
    });
    Output { bytes, ended }
}

fn kill_group(child: &mut Child) {
    // The child has not been waited for, so its id can't have been given to another process or group.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
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
    fn what_outlives_the_program_or_never_ends_is_not_waited_for() {
        let left = "setsid sleep 20 & echo said; exit 0";
        let began = Instant::now();
        let ended = run(shell(left), Duration::from_secs(60), &Stop::new()).unwrap();
        assert_eq!(ended.stdout, "said\n");
        assert!(ended.success() && began.elapsed() < Duration::from_secs(15));
        let endless = run(shell("yes"), Duration::from_millis(300), &Stop::new()).unwrap();
        assert!(endless.status.is_none() && endless.stdout.len() <= MOST_BYTES);
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
