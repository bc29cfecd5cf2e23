//! Making an experiment: on what, by which command, and what happens meanwhile.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use narrows_engine::Stop;
use narrows_observe::ProgramCensus;
use serde_json::Value;

use super::answer::Answer;
use super::company;
use super::site::{Site, Under};
use crate::group::{Group, Limit};

/// No command takes longer.
const AT_MOST: Duration = Duration::from_secs(420);
/// A process is stopped so long, once in each second.
const STOPPED: Duration = Duration::from_millis(20);

/// On what it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ground {
    /// A folder on the machine's drive.
    Folder,
    /// A file system, MiB.
    FileSystem(Under, u64, &'static str),
    /// A device, MiB.
    Device(Under, u64),
    /// A device whose bytes have all that value, MiB.
    OneValue(u8, u64),
}

/// What happens while narrows measures.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Meanwhile {
    Nothing,
    /// The drive's process is stopped again and again.
    DriveStops,
    /// narrows is.
    ProgramStops,
    /// It is in a group with this limit.
    Limited(Limit),
    /// In a group whose limit is the first one, and from then on the second.
    Changed(Limit, Duration, Limit),
    /// A program of another process namespace has the device open.
    HeldOpen,
    /// Another program reads another file past the page cache, so many blocks of 8 KiB per second.
    OthersRead(u32),
    /// Another program uses that share of a CPU, for this of each tenth of a second.
    Hog(u32, Duration),
}

/// One run.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub experiment: u32,
    pub variant: String,
    pub ground: Ground,
    /// Words behind `narrows`. `{at}`: the folder, `{drive}`: one on the machine's drive, `{device}`, `{job}`: a fio file.
    pub args: &'static str,
    /// That file's text.
    pub job: Option<&'static str>,
    pub meanwhile: Meanwhile,
    /// What starts narrows.
    pub starter: &'static [&'static str],
    /// Whether fio runs the same file behind it.
    pub beside_fio: bool,
    /// What is written to the device's queue first: file and value.
    pub queue: Option<(&'static str, &'static str)>,
    pub honest: fn(&Answer) -> bool,
}

/// What all of them share.
pub(super) struct Bench<'a> {
    pub stop: &'a Stop,
    pub narrows: &'a Path,
    pub folder: &'a Path,
    /// Whether it is the program of before.
    pub before: bool,
}

impl Trial {
    /// The command line, as it is told.
    pub(super) fn told(&self) -> String {
        let starter: String = self.starter.iter().map(|word| format!("{word} ")).collect();
        format!("{starter}narrows {}", self.args)
    }

    /// Runs it.
    pub(super) fn answer(&self, bench: &Bench<'_>) -> Result<Answer> {
        // A thread of its own, because its mounts are its own and go with it.
        thread::scope(|scope| {
            let made = scope.spawn(|| self.made(bench));
            made.join().map_err(|_| anyhow!("the experiment panicked"))?
        })
    }

    fn made(&self, bench: &Bench<'_>) -> Result<Answer> {
        narrows_lab_drive::private_mounts().context("mounts of its own")?;
        let folder = tempfile::Builder::new().prefix("narrows-attack-").tempdir_in(bench.folder)?;
        let mut site = self.site(folder.path())?;
        if let (Some((file, value)), Some(site)) = (self.queue, &site) {
            let name = site.device.file_name().context("a device has a name")?.to_string_lossy();
            let path = format!("/sys/block/{name}/queue/{file}");
            fs::write(&path, value).with_context(|| format!("writing {value} to {path}"))?;
        }
        let at = site
            .as_ref()
            .and_then(|site| site.mount.clone())
            .unwrap_or_else(|| folder.path().into());
        let device = site.as_ref().map_or_else(PathBuf::new, |site| site.device.clone());
        let job = folder.path().join("job.fio");
        if let Some(text) = self.job {
            fs::write(&job, text)?;
        }
        let paths = [("{at}", &at), ("{device}", &device), ("{job}", &job)];
        let drive = folder.path().to_path_buf();
        let word = |word: &str| {
            let word = word.replace("{drive}", &drive.display().to_string());
            paths
                .iter()
                .fold(word, |word, (name, path)| word.replace(name, &path.display().to_string()))
        };
        // By the names that it had then.
        let asked = match bench.before {
            true => self.args.replace("log placement", "log compare"),
            false => self.args.to_string(),
        };
        let args: Vec<String> = asked.split(' ').map(word).collect();
        let _held = match self.meanwhile {
            Meanwhile::HeldOpen => Some(File::options().read(true).write(true).open(&device)?),
            _ => None,
        };
        if let Meanwhile::OthersRead(_) = self.meanwhile {
            company::write(folder.path())?;
        }
        let before = ProgramCensus::take();
        let output = self.run(bench, &args, folder.path(), site.as_mut())?;
        let mut answer = Answer::of(self, &output);
        answer.others = ProgramCensus::take().others_since(&before, &[]);
        if self.beside_fio {
            let fio = fio_per_s(&job, &at)?;
            answer.over_fio = answer.figures.values().next().map(|figure| figure.per_s / fio);
        }
        Ok(answer)
    }

    fn site(&self, folder: &Path) -> Result<Option<Site>> {
        Ok(match self.ground {
            Ground::Folder => None,
            Ground::FileSystem(Under::LabDrive, mib, _) => {
                Some(Site::on(Under::LabDrive, mib, folder, false)?)
            }
            Ground::FileSystem(under, mib, kind) => {
                Some(Site::on(under, mib, folder, false)?.with(kind, folder)?)
            }
            Ground::Device(under, mib) => Some(Site::on(under, mib, folder, true)?),
            Ground::OneValue(value, mib) => Some(Site::of_one_value(value, mib, folder)?),
        })
    }

    fn run(
        &self,
        bench: &Bench<'_>,
        args: &[String],
        folder: &Path,
        site: Option<&mut Site>,
    ) -> Result<Output> {
        let limits = match &self.meanwhile {
            Meanwhile::Limited(limit) | Meanwhile::Changed(limit, ..) => Some(limit.clone()),
            Meanwhile::ProgramStops => Some(Limit::Freezer),
            _ => None,
        };
        let group = limits.map(|limit| Group::with("attack", &[limit], false)).transpose()?;
        let program = self.starter.first().map_or(bench.narrows, Path::new);
        let mut command = match &group {
            Some(group) => group.command(program),
            None => Command::new(program),
        };
        if let [_, rest @ ..] = self.starter {
            command.args(rest).arg(bench.narrows);
        }
        command.args(args);
        let measures = !self.args.starts_with("block device");
        if measures {
            command.arg("--load-here");
        }
        if !self.args.starts_with("log placement") {
            command.args(["--format", "json"]);
        }
        command.env("XDG_DATA_HOME", folder.join("runs")).stdin(Stdio::null());
        let (out, told) = (File::create(folder.join("out"))?, File::create(folder.join("told"))?);
        // A group of their own, so that what starts narrows and narrows itself end together.
        command.stdout(out).stderr(told).process_group(0);
        let mut child = command.spawn().context("starting narrows")?;
        let over = AtomicBool::new(false);
        let drive = site.and_then(Site::drive_pid);
        let status = thread::scope(|scope| -> Result<_> {
            scope.spawn(|| self.disturb(group.as_ref(), drive, folder, &over));
            let begun = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait()? {
                    break Ok(status);
                }
                if bench.stop.is_set() || begun.elapsed() > AT_MOST {
                    // SAFETY: no memory is involved, and the child has not been waited for.
                    unsafe { libc::killpg(child.id() as libc::pid_t, libc::SIGINT) };
                    let _ = child.wait();
                    break Err(anyhow!("it was ended after {:?}", begun.elapsed()));
                }
                thread::sleep(Duration::from_millis(50));
            };
            over.store(true, Ordering::Relaxed);
            status
        })?;
        let [stdout, stderr] = ["out", "told"].map(|name| fs::read(folder.join(name)));
        Ok(Output { status, stdout: stdout?, stderr: stderr? })
    }

    /// Until it is over.
    fn disturb(&self, group: Option<&Group>, drive: Option<u32>, folder: &Path, over: &AtomicBool) {
        let begun = Instant::now();
        let mut changed = false;
        match self.meanwhile {
            Meanwhile::OthersRead(per_s) => return company::read(folder, per_s, over),
            Meanwhile::Hog(cpu, busy) => return company::hog(cpu, busy, over),
            _ => {}
        }
        while !over.load(Ordering::Relaxed) {
            match &self.meanwhile {
                Meanwhile::DriveStops => {
                    signal(drive, libc::SIGSTOP);
                    thread::sleep(STOPPED);
                    signal(drive, libc::SIGCONT);
                    thread::sleep(Duration::from_secs(1) - STOPPED);
                }
                Meanwhile::ProgramStops => {
                    let frozen = group.map(|group| group.freeze(true));
                    thread::sleep(STOPPED);
                    if let (Some(Ok(())), Some(group)) = (frozen, group) {
                        let _ = group.freeze(false);
                    }
                    thread::sleep(Duration::from_secs(1) - STOPPED);
                }
                Meanwhile::Changed(_, after, then) if !changed && begun.elapsed() >= *after => {
                    changed = true;
                    if let Some(Err(error)) =
                        group.map(|group| group.limit(std::slice::from_ref(then)))
                    {
                        eprintln!("the limit did not change: {error}");
                    }
                }
                _ => thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

fn signal(process: Option<u32>, signal: libc::c_int) {
    let Some(process) = process else { return };
    // SAFETY: no memory is involved; the drive is a child that is waited for only when it goes.
    unsafe { libc::kill(process as libc::pid_t, signal) };
}

/// Operations per second of the same file by fio, in that folder.
fn fio_per_s(job: &Path, at: &Path) -> Result<f64> {
    let mut command = Command::new("fio");
    command.arg("--output-format=json").arg(job).current_dir(at);
    let output = command.stdin(Stdio::null()).output().context("running fio")?;
    ensure!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let start = text.find('{').context("fio writes JSON")?;
    let document: Value = serde_json::from_str(&text[start..])?;
    let of = |kind: &str| document["jobs"][0][kind]["iops"].as_f64().unwrap_or(0.0);
    Ok(of("read") + of("write"))
}
