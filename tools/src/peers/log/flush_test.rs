//! `pg_test_fsync`: its first two lines, a page written past the cache and a page written with `fdatasync`.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// What a write took in the mean, ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FlushTest {
    /// `open_datasync`: opened with `O_DSYNC`, and with `O_DIRECT` where the file system has it.
    pub dsync_direct_ns: f64,
    pub fdatasync_ns: f64,
}

/// The program, ended when it has said what is wanted or when this goes out of scope.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // SAFETY: a signal to a child that has not been waited for. It removes its file and ends.
        unsafe { libc::kill(self.0.id() as libc::pid_t, libc::SIGINT) };
        let _ = self.0.wait();
    }
}

/// Runs it for so many seconds a line on a file of its own in `folder`, until it has said the two.
pub(super) fn run(program: &Path, folder: &Path, seconds: u64) -> Result<FlushTest> {
    let mut child = Command::new(program)
        .args(["-s", &seconds.to_string(), "-f"])
        .arg(folder.join("pg_test_fsync.out"))
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("running {}", program.display()))?;
    let output = child.stdout.take().context("the program's output is a pipe")?;
    let _running = Running(child);
    read(output)
}

fn read(output: impl Read) -> Result<FlushTest> {
    let mut said = String::new();
    let mut dsync_direct_ns = None;
    for line in BufReader::new(output).lines() {
        let line = line?;
        if let Some(ns) = figure(&line, "open_datasync") {
            dsync_direct_ns = Some(ns);
        }
        if let (Some(dsync_direct_ns), Some(fdatasync_ns)) =
            (dsync_direct_ns, figure(&line, "fdatasync"))
        {
            return Ok(FlushTest { dsync_direct_ns, fdatasync_ns });
        }
        said += &line;
        said += "\n";
    }
    bail!("pg_test_fsync said nothing of open_datasync and fdatasync:\n{said}")
}

/// `fdatasync   4220.599 ops/sec   237 usecs/op` as ns; the rate has more digits than the time.
fn figure(line: &str, name: &str) -> Option<f64> {
    let mut words = line.split_whitespace();
    if words.next() != Some(name) {
        return None;
    }
    let per_s: f64 = words.next()?.parse().ok()?;
    (words.next() == Some("ops/sec") && per_s > 0.0).then(|| 1e9 / per_s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_says_of_one_page_is_read() {
        let told =
            read(&include_bytes!("../../../../crates/cli/tests/data/pg_test_fsync-15.txt")[..]);
        let told = told.unwrap();
        assert!((told.dsync_direct_ns / 309_481.0 - 1.0).abs() < 1e-3, "{told:?}");
        assert!((told.fdatasync_ns / 236_933.0 - 1.0).abs() < 1e-3, "{told:?}");
        let refused =
            read(&b"        open_datasync    n/a*\n        fdatasync   1.0 ops/sec\n"[..]);
        assert!(refused.unwrap_err().to_string().contains("n/a*"));
    }
}
