//! The experiments: on what, by which command, what happens meanwhile, and which answer is honest.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use narrows_engine::Stop;
use serde_json::Value;

use super::answer::{Answer, Worst};
use super::site::{Site, Under};
use crate::group::{Group, Limit};

/// No command takes longer.
const AT_MOST: Duration = Duration::from_secs(420);
/// A process is stopped so long, once in each second.
const STOPPED: Duration = Duration::from_millis(20);
/// Clean runs of each kind.
pub(super) const CLEAN_RUNS: u32 = 4;
/// The number under which these stand, behind the twelve of the attack.
pub(super) const CLEAN: u32 = 13;

/// On what it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ground {
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
enum Meanwhile {
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
}

/// One run.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub experiment: u32,
    pub variant: String,
    ground: Ground,
    /// Words behind `narrows`. `{at}`: the folder, `{drive}`: one on the machine's drive, `{device}`, `{job}`: a fio file.
    args: &'static str,
    /// That file's text.
    job: Option<&'static str>,
    meanwhile: Meanwhile,
    /// What starts narrows.
    starter: &'static [&'static str],
    /// Whether fio runs the same file behind it.
    beside_fio: bool,
    /// What is written to the device's queue first: file and value.
    queue: Option<(&'static str, &'static str)>,
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

const CALIBRATION: &str = "block --at {at} --file-size 256m --within 5ms --minutes 1";
const OF_MEMORY: [&str; 3] = ["block-in-memory", "memory-answered", "drives-unseen"];
const OF_CACHE: [&str; 3] = ["memory-answered", "resident-before", "device-saw-less"];

/// All of them, in the page's order.
pub(super) fn all(drive: &str) -> Vec<Trial> {
    let mut all = vec![
        trial(
            1,
            "block on zram",
            Ground::FileSystem(Under::Zram, 2048, "ext4"),
            CALIBRATION,
            |a| a.nothing_valid() && a.names(&OF_MEMORY),
        ),
        trial(
            2,
            "placement on a loop device in memory",
            Ground::FileSystem(Under::Memory, 3072, "ext4"),
            "log placement --wal {drive} --wal {at} --data {drive}",
            |a| !a.says_any(&["Put the log in", "Put WAL in"]) && a.says_any(&["is in memory"]),
        ),
        trial(
            3,
            "btrfs on a cached loop device",
            Ground::FileSystem(Under::CachedDrive, 3072, "btrfs"),
            "block --at {at} --file-size 512m --within 5ms --minutes 1",
            |a| a.worst == Worst::Invalid || (a.nothing_valid() && a.names(&OF_CACHE)),
        ),
        trial(
            3,
            "xfs on a cached loop device",
            Ground::FileSystem(Under::CachedDrive, 3072, "xfs"),
            "block --at {at} --file-size 512m --within 5ms --minutes 1",
            |a| a.worst == Worst::Invalid || (a.nothing_valid() && a.names(&OF_CACHE)),
        ),
        Trial {
            job: Some(
                "[a]\nioengine=io_uring\ndirect=1\nrw=randread\nbs=8k\nsize=256m\niodepth=8\nthinktime=1ms\nthinktime_blocks=8\ntime_based\nruntime=5\n",
            ),
            beside_fio: true,
            ..of_job(4, "fio job with pauses", as_fio)
        },
        Trial {
            job: Some(
                "[b]\nioengine=io_uring\ndirect=1\nrw=randwrite\nbs=8k\nsize=256m\niodepth=16\nfdatasync=16\ntime_based\nruntime=5\n",
            ),
            beside_fio: true,
            ..of_job(4, "fio job with fdatasync", as_fio)
        },
        Trial {
            ground: Ground::FileSystem(Under::Drive, 2048, "ext4"),
            queue: Some(("nr_requests", "4")),
            job: Some(
                "[c]\nioengine=io_uring\ndirect=1\nrw=randread\nbs=8k\nsize=128m\niodepth=256\ntime_based\nruntime=5\n",
            ),
            ..of_job(5, "depth 256, queue of 4", |a| {
                a.names(&["depth-above-tags", "depth-not-reached", "kernel-workers"])
            })
        },
        trial(
            5,
            "raw reads of zram",
            Ground::Device(Under::Zram, 512),
            "block --device {device} --within 5ms --minutes 1",
            |a| {
                a.nothing_valid()
                    && a.names(&[
                        // `blocks-of-nothing` was the name before.
                        "kernel-workers",
                        "block-in-memory",
                        "blocks-never-written",
                        "blocks-of-nothing",
                    ])
            },
        ),
    ];
    all.extend(standing_still());
    all.push(trial(
        7,
        "steady over an eighth of the drive",
        Ground::FileSystem(Under::Drive, 2048, "ext4"),
        "block steady --at {at} --file-size 256m --budget 6g --round 1s",
        |a| a.says_any(&["burst", "of 2.", "of the 2"]) || a.names(&["short-stroked"]),
    ));
    all.extend(throttles(drive));
    all.extend(guards());
    all.extend(contents_and_memory());
    all.extend(clean());
    all
}

fn standing_still() -> Vec<Trial> {
    vec![
        Trial {
            meanwhile: Meanwhile::DriveStops,
            ..trial(
                6,
                "the drive stands still for 20 ms per second",
                Ground::FileSystem(Under::LabDrive, 2048, "ext4"),
                "block --at {at} --file-size 128m --within 5ms --minutes 1",
                |a| !a.names(&["stood-still", "stopped-by-signal"]) && !a.figure_above(5_000.0),
            )
        },
        Trial {
            meanwhile: Meanwhile::ProgramStops,
            ..trial(
                6,
                "narrows is stopped for 20 ms per second",
                Ground::Folder,
                "block --at {at} --file-size 128m --within 5ms --minutes 1",
                |a| a.dropped > 0 || a.names(&["stood-still", "stopped-by-signal"]),
            )
        },
    ]
}

fn throttles(drive: &str) -> Vec<Trial> {
    const JOB: &str = "[t]\nioengine=io_uring\ndirect=1\nrw=randread\nbs=8k\nsize=256m\niodepth=32\nrate_iops=20000\ntime_based\nruntime=6\n";
    let reads = |per_s| Limit::Reads(drive.to_string(), per_s);
    let limited = |variant, meanwhile, honest| Trial {
        job: Some(JOB),
        meanwhile,
        ..of_job(8, variant, honest)
    };
    let named: fn(&Answer) -> bool = |a| {
        a.worst != Worst::Invalid
            && a.names(&["io-limit-reached", "server-limits-hidden"])
            && a.figure_within(4_500.0, 5_500.0)
    };
    vec![
        limited("5,000 reads/s allowed, 20,000 asked", Meanwhile::Limited(reads(5_000)), named),
        limited(
            "a limit that changes meanwhile",
            Meanwhile::Changed(reads(2_000), Duration::from_secs(5), reads(6_000)),
            |a| a.worst == Worst::Invalid && a.names(&["io-limit-changed"]),
        ),
        Trial {
            starter: &["unshare", "--cgroup"],
            ..limited(
                "the limit is above the root of its namespace",
                Meanwhile::Limited(reads(5_000)),
                |a| {
                    let unseen =
                        a.says_any(&["limits of the control group", "limits of control groups"]);
                    (unseen || a.names(&["io-limit-reached", "server-limits-hidden"]))
                        && !a.valid_above(5_500.0)
                },
            )
        },
    ]
}

fn guards() -> Vec<Trial> {
    let inside = |args, variant: &str, honest| Trial {
        meanwhile: Meanwhile::HeldOpen,
        starter: &["unshare", "--pid", "--fork", "--mount-proc"],
        ..trial(10, variant, Ground::Device(Under::Drive, 256), args, honest)
    };
    vec![
        inside("block device {device}", "a device that is open outside of the container", |a| {
            a.says_any(&["can't be seen", "outside", "not seen"])
        }),
        inside(
            "block steady --write-to-device {device} --serial size=268435456 --dry-run",
            "writing to it",
            |a| a.exit == 2,
        ),
    ]
}

fn contents_and_memory() -> Vec<Trial> {
    vec![
        trial(
            11,
            "a device of one byte's value",
            Ground::OneValue(0xFF, 1024),
            "block --device {device} --within 5ms --minutes 1",
            |a| a.nothing_valid() && a.names(&["blocks-of-one-value", "blocks-compressible"]),
        ),
        Trial {
            meanwhile: Meanwhile::Limited(Limit::Memory(256 << 20)),
            ..trial(12, "memory in 256 MiB", Ground::Folder, "memory --quick", |a| {
                a.names(&["footprint-in-cache", "memory-cache-answers"]) || a.nothing_valid()
            })
        },
    ]
}

/// Runs with nothing wrong, on the machine's drive.
fn clean() -> Vec<Trial> {
    let jobs = [
        (
            "random reads of 8 KiB",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randread\nbs=8k\niodepth=8\n",
        ),
        (
            "reads in order of 1 MiB",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=read\nbs=1m\niodepth=2\n",
        ),
        (
            "random writes, every 16th flushed",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randwrite\nbs=8k\niodepth=16\nfdatasync=16\n",
        ),
        (
            "2,000 reads/s, Poisson",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randread\nbs=8k\niodepth=32\nrate_iops=2000\nrate_process=poisson\n",
        ),
        (
            "reads and writes, 70 to 30",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=8\n",
        ),
    ];
    let commands = [
        ("calibration", "block --at {at} --file-size 1g --within 10ms --minutes 1"),
        ("ladder", "log ladder --wal {at} --no-database"),
        ("commits", "log commits --wal {at} --within 10ms --minutes 1"),
        ("memory", "memory --quick"),
        ("interference", "block interference --at {at} --file-size 256m --minutes 1"),
    ];
    let mut all = Vec::new();
    for run in 1..=CLEAN_RUNS {
        for (name, text) in jobs {
            let variant = format!("{name}, run {run}");
            all.push(Trial { job: Some(text), variant, ..of_job(CLEAN, "", Answer::is_silent) });
        }
        for (name, args) in commands {
            let variant = format!("{name}, run {run}");
            all.push(Trial {
                variant,
                ..trial(CLEAN, "", Ground::Folder, args, Answer::is_silent)
            });
        }
    }
    all
}

fn trial(
    experiment: u32,
    variant: &str,
    ground: Ground,
    args: &'static str,
    honest: fn(&Answer) -> bool,
) -> Trial {
    Trial {
        experiment,
        variant: variant.to_string(),
        ground,
        args,
        job: None,
        meanwhile: Meanwhile::Nothing,
        starter: &[],
        beside_fio: false,
        queue: None,
        honest,
    }
}

fn of_job(experiment: u32, variant: &str, honest: fn(&Answer) -> bool) -> Trial {
    trial(experiment, variant, Ground::Folder, "block run {job} --at {at}", honest)
}

/// Not called wrong, and within a tenth of fio's rate.
fn as_fio(answer: &Answer) -> bool {
    let near = answer.over_fio.is_some_and(|over| (0.9..=1.1).contains(&over));
    answer.worst != Worst::Invalid && !answer.names(&["depth-not-reached", "overload"]) && near
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
        let output = self.run(bench, &args, folder.path(), site.as_mut())?;
        let mut answer = Answer::of(self, &output);
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
        let mut child = command.stdout(out).stderr(told).spawn().context("starting narrows")?;
        let over = AtomicBool::new(false);
        let drive = site.and_then(Site::drive_pid);
        let status = thread::scope(|scope| -> Result<_> {
            scope.spawn(|| self.disturb(group.as_ref(), drive, &over));
            let begun = Instant::now();
            let status = loop {
                if let Some(status) = child.try_wait()? {
                    break Ok(status);
                }
                if bench.stop.is_set() || begun.elapsed() > AT_MOST {
                    // SAFETY: no memory is involved, and the child has not been waited for.
                    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
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
    fn disturb(&self, group: Option<&Group>, drive: Option<u32>, over: &AtomicBool) {
        let begun = Instant::now();
        let mut changed = false;
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
