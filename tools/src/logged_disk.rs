//! A file and its log, if it has one, served by `narrows-target`.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use xtask::bound::ends_with_us;

pub(crate) const NQN: &str = "nqn.2026-11.org.example:disk";
/// What a log of no records takes, bytes.
const LOG_HEAD_BYTES: u64 = 8 << 10;

/// A file and the media of its log.
pub(crate) struct Disk {
    pub(crate) file: PathBuf,
    media: Vec<PathBuf>,
    cache: Option<String>,
}

/// A target that serves it; killed when dropped.
pub(crate) struct Target {
    child: Child,
    pub(crate) port: u16,
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

/// Gives the log that is served by the target at this socket room for so many bytes of records.
pub(crate) fn resize_log(control: &Path, room_bytes: u64) -> Result<()> {
    let size = (LOG_HEAD_BYTES + room_bytes).to_string();
    let control = control.display().to_string();
    let words = ["tier", "resize", "--log", "--size", &size, "--control", &control];
    run(&words.map(str::to_string)).map(drop)
}

impl Disk {
    /// A file of zeros and no log.
    pub(crate) fn of_zeros(file: &Path, bytes: u64) -> Result<Disk> {
        Disk::filled(file, &mut io::repeat(0), bytes)
    }

    /// A file whose blocks differ, and no log.
    pub(crate) fn of_noise(file: &Path, bytes: u64) -> Result<Disk> {
        Disk::filled(file, &mut File::open("/dev/urandom")?, bytes)
    }

    fn filled(file: &Path, content: &mut dyn io::Read, bytes: u64) -> Result<Disk> {
        let mut out = File::create(file).with_context(|| file.display().to_string())?;
        io::copy(&mut content.take(bytes), &mut out)
            .with_context(|| format!("filling {}", file.display()))?;
        out.sync_all()?;
        Ok(Disk { file: file.to_path_buf(), media: Vec::new(), cache: None })
    }

    /// The same with a log on these media, with room for so many bytes of records.
    pub(crate) fn with_log(
        self,
        media: Vec<PathBuf>,
        room_bytes: u64,
        acknowledge: &str,
    ) -> Result<Disk> {
        for medium in &media {
            Disk::of_zeros(medium, LOG_HEAD_BYTES + room_bytes)?;
        }
        let disk = Disk { media, ..self };
        disk.log("make", &["--acknowledge", acknowledge])?;
        Ok(disk)
    }

    /// The same with a read cache: `ram:16MiB`.
    pub(crate) fn with_cache(self, cache: &str) -> Disk {
        Disk { cache: Some(cache.to_string()), ..self }
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
    pub(crate) fn flush(&self) -> Result<u64> {
        let said = self.log("flush", &[])?;
        let records = said.split(' ').next().and_then(|word| word.parse().ok());
        records.with_context(|| format!("no number of records in {said:?}"))
    }

    /// The same files at another place.
    pub(crate) fn below(&self, folder: &Path) -> Disk {
        let moved = |path: &PathBuf| folder.join(path.file_name().unwrap_or_default());
        Disk { file: moved(&self.file), media: self.media.iter().map(moved).collect(), cache: None }
    }

    pub(crate) fn serve(&self) -> Result<Target> {
        self.serve_with(&[])
    }

    /// Serves it by a target that can be asked at this socket.
    pub(crate) fn serve_asked_at(&self, control: &Path) -> Result<Target> {
        self.serve_with(&["--control", &control.display().to_string()])
    }

    fn serve_with(&self, more: &[&str]) -> Result<Target> {
        let mut namespace = self.file.display().to_string();
        for medium in &self.media {
            namespace += &format!(",log={}", medium.display());
        }
        if let Some(cache) = &self.cache {
            namespace += &format!(",cache={cache}");
        }
        let mut command = Command::new(program());
        command.args(["serve", "--subsystem", NQN, "--allow-any-host", "--threads", "2"]);
        command.args(["--listen", "127.0.0.1:0", "--namespace", &namespace]).args(more);
        ends_with_us(&mut command, libc::SIGKILL);
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
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.kill();
    }
}
