//! Where trials take place: a folder on the tree's file system, one on XFS, somebody's server, a stored run, a job file, a mirror. All of
//! it is below one folder that goes with the value.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use narrows_facts::process;

use super::commands::{Need, Struck};
use super::isolation;
use super::mirror;
use super::theirs::Theirs;
use crate::server::Programs;

/// An ordinary user without rights on anything.
const NOBODY: (u32, u32) = (65_534, 65_534);
/// Sparse: it takes what trials write at once.
const XFS_BYTES: u64 = 12 << 30;
const JOB: &str = "[r]\nrw=randrw\nbs=8k\nsize=64m\nnumjobs=2\ntime_based\nruntime=5\n";

/// File systems that trials take place on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileSystem {
    /// Whatever the tree is on.
    Here,
    Xfs,
}

/// Who runs the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum User {
    Root,
    Ordinary,
}

impl User {
    pub(super) fn ids(self) -> Option<(u32, u32)> {
        (self == User::Ordinary && process::is_root()).then_some(NOBODY)
    }
}

pub(super) struct Site {
    folder: PathBuf,
    pub program: PathBuf,
    pub users: Vec<User>,
    pub file_systems: Vec<FileSystem>,
    /// What the tree's file system is called.
    pub here: String,
    pub isolated: bool,
    pub theirs: Option<Theirs>,
    bin: Option<PathBuf>,
    mirror: String,
}

impl Site {
    /// Makes all of it below `folder`, which must not be there; says loudly what can't be had.
    pub(super) fn make(folder: &Path, narrows: &Path) -> Result<Site> {
        let root = process::is_root();
        ensure!(
            !root || !isolation::COVERED.iter().any(|covered| folder.starts_with(covered)),
            "{} lies in a folder that the harness covers with an empty one of its own\nhint: move the tree out of {}",
            folder.display(),
            isolation::COVERED.join(" and ")
        );
        if root {
            isolation::isolate()?;
        } else {
            eprintln!("SKIPPED: as root, on XFS, and what is left of shared memory: needs root");
        }
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let mut site = Site {
            folder: folder.to_path_buf(),
            program: folder.join("narrows"),
            users: if root { vec![User::Root, User::Ordinary] } else { vec![User::Ordinary] },
            file_systems: vec![FileSystem::Here],
            here: kind_of(folder),
            isolated: root,
            theirs: None,
            bin: None,
            mirror: mirror::serve()?,
        };
        std::fs::copy(narrows, &site.program)
            .with_context(|| format!("copying {}\nhint: cargo build", narrows.display()))?;
        if root {
            match xfs(folder) {
                Ok(()) => site.file_systems.push(FileSystem::Xfs),
                Err(error) => eprintln!("SKIPPED: on XFS: {error:#}"),
            }
        }
        match Programs::here() {
            Ok(Programs { found, .. }) => {
                let user = User::Ordinary.ids();
                site.theirs = Some(Theirs::start(&found.bin_dir, &folder.join("theirs"), user)?);
                site.bin = Some(found.bin_dir);
            }
            Err(error) => eprintln!("SKIPPED: what needs PostgreSQL: {error}"),
        }
        std::fs::write(folder.join("job.fio"), JOB)?;
        site.store_a_run()?;
        Ok(site)
    }

    /// A run that reports can be made of.
    fn store_a_run(&self) -> Result<()> {
        let mut narrows = Command::new(&self.program);
        narrows.args([
            "run",
            "--quick",
            "--load-here",
            "--layers",
            "clock,memory",
            "--format",
            "json",
        ]);
        let output = narrows.env("XDG_DATA_HOME", self.folder.join("first")).output()?;
        ensure!(!output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        let file = self.folder.join("run.narrows.json");
        std::fs::write(&file, output.stdout).with_context(|| file.display().to_string())
    }

    /// Whether that command can be tried here, by that user.
    pub(super) fn can(&self, command: &Struck, user: User) -> bool {
        let programs = self.bin.is_some();
        command.needs.iter().all(|need| match need {
            Need::Programs | Need::Server => programs,
            Need::Memory => Path::new("/dev/shm").is_dir(),
            Need::Mirror => self.isolated,
            Need::Run | Need::Job | Need::List => true,
        }) && self.users.contains(&user)
    }

    /// A folder for one trial, with what is in it made and given to the user.
    pub(super) fn trial(&self, number: u64, on: FileSystem, user: User) -> Result<Trial> {
        let parent = match on {
            FileSystem::Here => self.folder.clone(),
            FileSystem::Xfs => self.folder.join("xfs"),
        };
        let folder = parent.join(format!("trial-{number}"));
        let memory = PathBuf::from(format!("/dev/shm/trial-{number}"));
        let trial = Trial { folder, memory, user };
        for path in [&trial.folder, &trial.folder.join("said")] {
            std::fs::create_dir(path).with_context(|| path.display().to_string())?;
        }
        for name in ["data", "wal", "home", "cache", "out", "work"] {
            trial.give(&trial.folder.join(name))?;
        }
        Ok(trial)
    }

    /// What stands for a word in a command's arguments.
    pub(super) fn place(&self, trial: &Trial, list: Option<&str>, word: &str) -> Option<String> {
        let text = |path: PathBuf| Some(path.display().to_string());
        match word {
            "DATA" => text(trial.folder.join("data")),
            "WAL" => text(trial.folder.join("wal")),
            "OUT" => text(trial.folder.join("out")),
            "MEMORY" => text(trial.memory.clone()),
            "RUN" => text(self.folder.join("run.narrows.json")),
            "JOB" => text(self.folder.join("job.fio")),
            "URL" => Some(self.theirs.as_ref()?.url()),
            "LIST" => list.map(str::to_string),
            _ => None,
        }
    }

    /// narrows, as the trial's user, in its folders and a process group of its own.
    pub(super) fn narrows(&self, trial: &Trial, args: &[String]) -> Command {
        let mut narrows = Command::new(&self.program);
        narrows.args(args).current_dir(trial.folder.join("work")).stdin(Stdio::null());
        narrows.env("XDG_DATA_HOME", trial.folder.join("home"));
        narrows.env("XDG_CACHE_HOME", trial.folder.join("cache"));
        narrows.env("HOME", trial.folder.join("home")).env("NARROWS_MAVEN_MIRROR", &self.mirror);
        narrows.env_remove("PGPASSWORD").process_group(0);
        if let Some((uid, gid)) = trial.user.ids() {
            narrows.uid(uid).gid(gid);
        }
        // SAFETY: the calls are async-signal-safe, and the limit is a value of the closure's own.
        unsafe {
            narrows.pre_exec(|| {
                // Whoever was started in the background of a shell ignores some of these, and so would the program.
                for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGHUP, libc::SIGTERM] {
                    libc::signal(signal, libc::SIG_DFL);
                }
                let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                libc::setrlimit(libc::RLIMIT_CORE, &none);
                Ok(())
            })
        };
        narrows
    }

    /// The folder above PostgreSQL's programs, to be hidden where it is to be fetched.
    pub(super) fn postgres(&self) -> Option<&Path> {
        self.bin.as_ref()?.parent()?.parent()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        drop(self.theirs.take());
        let xfs = self.folder.join("xfs");
        if self.file_systems.contains(&FileSystem::Xfs) {
            let _ = Command::new("umount").arg(&xfs).status();
        }
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            eprintln!("could not remove {}: {error}", self.folder.display());
        }
    }
}

/// Folders of one trial.
pub(super) struct Trial {
    pub folder: PathBuf,
    pub memory: PathBuf,
    pub user: User,
}

impl Trial {
    /// A folder of the user's, that others may look into.
    pub(super) fn give(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir(folder).with_context(|| folder.display().to_string())?;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?;
        if let Some((uid, gid)) = self.user.ids() {
            chown(folder, Some(uid), Some(gid))?;
        }
        Ok(())
    }

    /// Folders that have to be empty afterwards.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let names = ["data", "wal", "out", "work"].map(|name| self.folder.join(name));
        names.into_iter().chain([self.memory.clone()]).collect()
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.memory);
        if let Err(error) = std::fs::remove_dir_all(&self.folder) {
            eprintln!("could not remove {}: {error}", self.folder.display());
        }
    }
}

/// An XFS of our own in an image, mounted where only this harness sees it.
fn xfs(folder: &Path) -> Result<()> {
    let (image, mounted) = (folder.join("xfs.image"), folder.join("xfs"));
    std::fs::File::create(&image)?.set_len(XFS_BYTES)?;
    let made = Command::new("mkfs.xfs").arg("-q").arg(&image).output();
    let made = made.context("running mkfs.xfs\nhint: install xfsprogs")?;
    ensure!(made.status.success(), "mkfs.xfs: {}", String::from_utf8_lossy(&made.stderr));
    std::fs::create_dir(&mounted)?;
    let mount = Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&mounted).output()?;
    if !mount.status.success() {
        bail!("mount: {}", String::from_utf8_lossy(&mount.stderr));
    }
    Ok(std::fs::set_permissions(&mounted, std::fs::Permissions::from_mode(0o755))?)
}

/// The kind of the file system, as the kernel names it.
fn kind_of(folder: &Path) -> String {
    let output = Command::new("stat").args(["-f", "-c", "%T"]).arg(folder).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    // stat(1) has one word for three of them, and ext4 is what is in use.
    said.map_or("not known".into(), |kind| kind.replace("ext2/ext3", "ext4"))
}
