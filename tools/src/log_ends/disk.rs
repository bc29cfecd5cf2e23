//! A file with its log, on a drive that can lose its power or on one that can't.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use super::model::BLOCK;

pub(super) const NQN: &str = "nqn.2026-11.org.example:ends";
/// Room of the log, bytes.
const LOG_BYTES: u64 = (8 << 10) + (4 << 20);

/// A file and the media of its log.
pub(super) struct Disk {
    pub(super) file: PathBuf,
    media: Vec<PathBuf>,
}

/// A target that serves it; killed when dropped.
pub(super) struct Target {
    child: Child,
    pub(super) port: u16,
}

fn program() -> PathBuf {
    crate::root().join("target/release/narrows-target")
}

fn run(arguments: &[String]) -> Result<String> {
    let output =
        Command::new(program()).args(arguments).output().context("running narrows-target")?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    ensure!(output.status.success(), "{arguments:?}: {said}");
    Ok(said)
}

impl Disk {
    /// A file of so many blocks and a log on so many media, in a folder.
    pub(super) fn make(folder: &Path, blocks: usize, media: u8, acknowledge: &str) -> Result<Disk> {
        let file = folder.join("disk");
        std::fs::write(&file, vec![0; blocks * BLOCK])?;
        let media: Vec<PathBuf> =
            (0..media).map(|medium| folder.join(format!("log-{medium}"))).collect();
        for medium in &media {
            File::create(medium)?.set_len(LOG_BYTES)?;
        }
        let disk = Disk { file, media };
        disk.log("make", &["--acknowledge", acknowledge])?;
        Ok(disk)
    }

    /// `narrows-target log VERB` for it.
    fn log(&self, verb: &str, more: &[&str]) -> Result<String> {
        let words = ["log", verb, "--for"].map(str::to_string).into_iter();
        let media = self
            .media
            .iter()
            .flat_map(|medium| ["--log".to_string(), medium.display().to_string()]);
        let more = more.iter().map(ToString::to_string);
        let arguments: Vec<String> =
            words.chain([self.file.display().to_string()]).chain(media).chain(more).collect();
        run(&arguments)
    }

    /// Moves what its log holds to the file; how many records.
    pub(super) fn flush(&self) -> Result<u64> {
        let said = self.log("flush", &[])?;
        let records = said.split(' ').next().and_then(|word| word.parse().ok());
        records.with_context(|| format!("no number of records in {said:?}"))
    }

    /// The same files at another place.
    pub(super) fn below(&self, folder: &Path) -> Disk {
        let moved = |path: &PathBuf| folder.join(path.file_name().unwrap_or_default());
        Disk { file: moved(&self.file), media: self.media.iter().map(moved).collect() }
    }

    pub(super) fn serve(&self) -> Result<Target> {
        let mut namespace = self.file.display().to_string();
        for medium in &self.media {
            namespace += &format!(",log={}", medium.display());
        }
        let mut command = Command::new(program());
        command.args(["serve", "--subsystem", NQN, "--allow-any-host", "--threads", "2"]);
        command.args(["--listen", "127.0.0.1:0", "--namespace", &namespace]);
        let mut child =
            command.stderr(Stdio::piped()).spawn().context("starting narrows-target")?;
        let mut lines = BufReader::new(child.stderr.take().context("its messages")?).lines();
        let mut before = Vec::new();
        while let Some(Ok(line)) = lines.next() {
            if let Some(port) = line.contains("listens").then(|| line.rsplit_once(':')).flatten() {
                let port = port.1.parse().with_context(|| line.clone())?;
                // What it says later has to go somewhere.
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Target { child, port });
            }
            before.push(line);
        }
        bail!("narrows-target does not listen: {before:?}")
    }
}

impl Target {
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.kill();
    }
}
