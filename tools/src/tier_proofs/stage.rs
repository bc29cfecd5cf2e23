//! Two slow drives and a file on each, served with a tier and without.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use narrows_lab_drive::{DriveContents, Lab, missing};
use tempfile::TempDir;
use xtask::bound::ends_with_us;

use super::{How, Setting, Told};
use crate::logged_disk::{Disk, NQN, Target};

const MIB: u64 = 1 << 20;
/// Room for the WAL of 16 sessions in windows of a second.
const WAL_BYTES: u64 = 800 * MIB;
const APART_BYTES: u64 = 32 * MIB;
/// What the drive's file system takes besides.
const BESIDE_BYTES: u64 = 256 * MIB;
/// Room of the log: more than the windows between two checkpoints write.
const LOG_BYTES: u64 = 512 * MIB;

/// What is read of a namespace, and what of it the cache holds.
const READ_BYTES: u64 = 64 * MIB;
const CACHE: &str = "16MiB";

/// The same of a database: its table, beside which its folder has an empty cluster and WAL.
const TABLE_BYTES: u64 = 128 * MIB;
const DATA_BYTES: u64 = TABLE_BYTES + 320 * MIB;
const TABLES_CACHE: &str = "32MiB";
const POOL: &str = "1m";
/// Commands under way at once between the database and its namespace.
const QUEUES: u16 = 8;
/// Misses fill the cache, one at a time, in so long; at least.
const WARM_UP_S: u64 = 20;

fn program(name: &str) -> PathBuf {
    crate::root().join("target/release").join(name)
}

/// A folder for it, where there is a laboratory.
fn stage() -> Result<TempDir> {
    if let Some(reason) = missing(DriveContents::Ext4) {
        bail!("no laboratory: {reason}");
    }
    let folder = tempfile::Builder::new().prefix("narrows-tier-proofs-").tempdir_in("/var/tmp")?;
    // The server's user passes through it.
    open_to_all(folder.path())?;
    Ok(folder)
}

/// The screen of `narrows log ladder` with storage without a tier and with it, whose flushes take so much longer.
pub(super) fn ladder(flush_us: u64) -> Result<String> {
    let folder = stage()?;
    let run = folder.path().join("run");
    let screen = |off: &Path, on: &Path| {
        let mut command = Command::new(program("narrows"));
        command.args(["log", "ladder", "--no-database", "--load-here", "--wal"]).arg(off);
        command.arg("--tier").arg(on).arg("--output").arg(&run).stdin(Stdio::null());
        let (output, said) = output_of(command)?;
        Ok(format!("{}{said}", String::from_utf8_lossy(&output)))
    };
    std::thread::scope(|scope| {
        let screen = scope.spawn(|| with_log(folder.path(), flush_us, screen));
        screen.join().map_err(|_| anyhow!("the ladder panicked"))?
    })
}

/// Makes what the setting names, measures, and takes everything away.
pub(super) fn prove(setting: &Setting, asked: &How) -> Result<Told> {
    let folder = stage()?;
    let mut how: Vec<OsString> = Vec::new();
    let repeats = asked.repeats.to_string();
    how.extend(["--repeats", &repeats, "--window", &asked.window].map(OsString::from));
    how.extend(["--format", "json", "--output"].map(OsString::from));
    let runs = asked.runs.clone().unwrap_or_else(|| folder.path().join("run"));
    how.push(runs.into());
    let server = asked.postgres.iter().flat_map(|file| ["--postgres", file]).map(OsString::from);
    if !matches!(setting, Setting::Reads { .. }) {
        how.extend(server);
    }
    // Mounts go with the thread.
    std::thread::scope(|scope| {
        let proof = scope.spawn(|| match setting {
            Setting::Log { flush_us, sessions } => log(folder.path(), (*flush_us, *sessions), &how),
            Setting::Reads { read_us, keys, sessions } => {
                reads(folder.path(), (*read_us, keys, *sessions), &how)
            }
            Setting::Lookups { read_us, keys, sessions } => {
                lookups(folder.path(), (*read_us, keys, *sessions), &how)
            }
        });
        proof.join().map_err(|_| anyhow!("the proof panicked"))?
    })
}

/// A file on a slow drive, served. Fields drop in this order.
struct Served {
    target: Target,
    drive: Lab,
}

impl Served {
    fn make(folder: &Path, bytes: u64, dress: impl FnOnce(Disk) -> Result<Disk>) -> Result<Served> {
        std::fs::create_dir(folder)?;
        open_to_all(folder)?;
        let lab_drive = program("narrows-lab-drive");
        let drive = folder.join("drive");
        std::fs::create_dir(&drive)?;
        let drive = Lab::start(&lab_drive, &drive, DriveContents::Ext4, bytes + BESIDE_BYTES)?;
        let disk = dress(Disk::of_noise(&drive.files().join("disk"), bytes)?)?;
        Ok(Served { target: disk.serve()?, drive })
    }

    fn address(&self) -> String {
        format!("nvme-tcp://127.0.0.1:{}/{NQN}", self.target.port)
    }

    /// A file system on it, as a database's host would have one; so many commands are under way at once.
    fn mounted(&self, folder: &Path, queues: u16) -> Result<Lab> {
        std::fs::create_dir(folder)?;
        open_to_all(folder)?;
        let program = program("narrows-lab-drive");
        Ok(Lab::of_namespace(&program, folder, DriveContents::Ext4, (&self.address(), queues))?)
    }
}

fn log(folder: &Path, (flush_us, sessions): (u64, u32), how: &[OsString]) -> Result<Told> {
    let data = folder.join("data");
    std::fs::create_dir(&data)?;
    with_log(folder, flush_us, |off, on| {
        let mut command = narrows("log");
        command.args([off, on]).arg("--data").arg(&data);
        command.args(["--sessions", &sessions.to_string()]).args(how);
        tell(command)
    })
}

/// Folders on a namespace without a log tier, and on one with it, for a while.
fn with_log<T>(
    folder: &Path,
    flush_us: u64,
    work: impl FnOnce(&Path, &Path) -> Result<T>,
) -> Result<T> {
    let mut off = Served::make(&folder.join("off"), WAL_BYTES, Ok)?;
    let medium = folder.join("log");
    // Of two file systems with as much free the command can't tell that they are no one pool.
    let mut on = Served::make(&folder.join("on"), WAL_BYTES + APART_BYTES, |disk| {
        disk.with_log(vec![medium], LOG_BYTES, "all")
    })?;
    let (wal_off, wal_on) =
        (off.mounted(&folder.join("wal-off"), 1)?, on.mounted(&folder.join("wal-on"), 1)?);
    for side in [&mut off, &mut on] {
        side.drive.drive().slow(Duration::from_micros(flush_us))?;
    }
    let told = work(&wal_off.files(), &wal_on.files());
    // Before their targets go.
    drop((wal_off, wal_on));
    told
}

fn reads(
    folder: &Path,
    (read_us, keys, sessions): (u64, &str, u32),
    how: &[OsString],
) -> Result<Told> {
    let mut off = Served::make(&folder.join("off"), READ_BYTES, Ok)?;
    let cache = format!("ram:{CACHE}");
    let mut on = Served::make(&folder.join("on"), READ_BYTES, |disk| Ok(disk.with_cache(&cache)))?;
    for side in [&mut off, &mut on] {
        side.drive.drive().slow_reads(Duration::from_micros(read_us))?;
    }
    let mut command = narrows("reads");
    command.args([off.address(), on.address()]);
    command.args(["--tier-size", CACHE, "--working-set", &READ_BYTES.to_string(), "--keys", keys]);
    command.args(["--sessions", &sessions.to_string()]).args(how);
    tell(command)
}

fn lookups(
    folder: &Path,
    (read_us, keys, sessions): (u64, &str, u32),
    how: &[OsString],
) -> Result<Told> {
    let mut off = Served::make(&folder.join("off"), DATA_BYTES, Ok)?;
    let cache = format!("ram:{TABLES_CACHE}");
    let mut on = Served::make(&folder.join("on"), DATA_BYTES, |disk| Ok(disk.with_cache(&cache)))?;
    let data_off = off.mounted(&folder.join("data-off"), QUEUES)?;
    let data_on = on.mounted(&folder.join("data-on"), QUEUES)?;
    for side in [&mut off, &mut on] {
        side.drive.drive().slow_reads(Duration::from_micros(read_us))?;
    }
    let mut command = narrows("reads");
    command.args(["--database", "postgres", "--pool", POOL, "--tier-size", TABLES_CACHE]);
    command.args([data_off.files(), data_on.files()]).args(["--keys", keys]);
    command.args(["--working-set", &TABLE_BYTES.to_string(), "--sessions", &sessions.to_string()]);
    command.args(["--warm-up", &format!("{}s", WARM_UP_S * read_us.div_ceil(1_000))]).args(how);
    let told = tell(command);
    // Before their targets go.
    drop((data_off, data_on));
    told
}

fn narrows(tier: &str) -> Command {
    let mut command = Command::new(program("narrows"));
    command.args(["tier", "prove", tier]).stdin(Stdio::null());
    command
}

fn tell(command: Command) -> Result<Told> {
    let (output, said) = output_of(command)?;
    serde_json::from_slice(&output)
        .with_context(|| format!("no proof in {}: {said}", String::from_utf8_lossy(&output)))
}

/// What it printed on standard output, and on standard error.
fn output_of(mut command: Command) -> Result<(Vec<u8>, String)> {
    let output = ends_with_us(&mut command, libc::SIGTERM).output().context("running narrows")?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // 3 and 4: something of what was measured is doubtful, and it says so.
    ensure!(matches!(output.status.code(), Some(0 | 3 | 4)), "narrows: {}: {said}", output.status);
    Ok((output.stdout, said))
}

fn open_to_all(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?)
}
