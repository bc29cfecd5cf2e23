//! The drive's process, as the laboratory holds it.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A running drive. Dropped, its power is cut.
#[derive(Debug)]
pub struct Drive {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Drive {
    /// Starts `program` (`narrows-lab-drive`) for an image, or a namespace with so many queues, and waits until it serves.
    pub(crate) fn start(
        program: &Path,
        medium: &OsStr,
        place: &Path,
        queues: u16,
    ) -> io::Result<Drive> {
        let mut command = Command::new(program);
        command
            .arg(medium)
            .arg(place)
            .arg(queues.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut drive = Drive { child, answers };
        drive.expect("ready")?;
        Ok(drive)
    }

    /// Its process, which may be stopped and go on.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// From now on it acknowledges flushes and flushes nothing.
    ///
    /// # Errors
    /// Where it is gone.
    pub fn lie(&mut self) -> io::Result<()> {
        self.tell("lie")?;
        self.expect("done")
    }

    /// From now on each flush takes so much longer.
    ///
    /// # Errors
    /// Where it is gone.
    pub fn slow(&mut self, takes: Duration) -> io::Result<()> {
        self.tell(&format!("slow {}", takes.as_micros()))?;
        self.expect("done")
    }

    /// From now on each read takes so much longer.
    ///
    /// # Errors
    /// Where it is gone.
    pub fn slow_reads(&mut self, takes: Duration) -> io::Result<()> {
        self.tell(&format!("slow-reads {}", takes.as_micros()))?;
        self.expect("done")
    }

    /// Cuts its power: all that was not flushed is lost, or with a seed a part of it, by chance.
    ///
    /// # Errors
    /// Where it is gone already, or couldn't write what survives.
    pub(crate) fn cut(&mut self, seed: Option<u64>) -> io::Result<()> {
        match seed {
            Some(seed) => self.tell(&format!("cut {seed}"))?,
            None => self.child.kill()?,
        }
        let status = self.child.wait()?;
        match seed {
            Some(_) if !status.success() => Err(io::Error::other(format!("the drive: {status}"))),
            _ => Ok(()),
        }
    }

    fn tell(&mut self, words: &str) -> io::Result<()> {
        let input = self.child.stdin.as_mut().expect("it is piped");
        writeln!(input, "{words}")
    }

    fn expect(&mut self, words: &str) -> io::Result<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        if line.trim() == words {
            return Ok(());
        }
        Err(io::Error::other(format!("the drive said `{}`", line.trim())))
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
