//! What all tests of causes need: the drive under the folder, windows of one stream, and the rules over what came out.
//!
//! The machine is shared with whatever else runs, so nothing here rests on speed: a window that is about operations ends with
//! their number ([`counted`]), however long they take. Tests take turns: each looks at the same drive's counters.

use std::fs::{self, File};
use std::io::Write;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_io::{Access, Blueprint, Entropy, Target, TestFile};
use narrows_layer_block::{
    BlockError, Limit, Record, Region, Route, Scenario, Stream, StreamOutcome, Then, run_scenario,
};
use narrows_model::{
    BlockDevice, DeviceKind, FileSystem, Finding, Layer, Measurement, Plan, Platform, Queue, Role,
    RolePath, Run, Severity, metric,
};
use narrows_observe::Watch;
use narrows_validity::check;

pub const MIB: u64 = 1 << 20;
pub const BLOCK: u32 = 8192;
pub const ID: &str = "block.test";

static TURN: Mutex<()> = Mutex::new(());

/// Operations of a window that is closed by their number: more than any rule wants, less than any drive needs long for.
pub const ENOUGH: u64 = 400;
/// A window that is closed by a number of operations never gets this long.
const NEVER: Duration = Duration::from_secs(3600);

/// A folder, the drive under it, and the turn to use it.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub platform: Platform,
    pub watch: Watch,
    pub stop: Stop,
    pub seed: u64,
    pub length: Duration,
    pub slice: Duration,
    _turn: MutexGuard<'static, ()>,
}

/// `None`, loudly, where no drive's counters can be read: then none of the causes can be seen.
pub fn bench() -> Option<Bench> {
    let turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    // The folder for temporary files is often in memory.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let Some((name, number)) = drive_of(dir.path()) else {
        eprintln!("SKIPPED: {} is on no drive with counters", dir.path().display());
        return None;
    };
    let platform = platform(dir.path(), &name, &number);
    let watch = Watch::new(&platform, &[name]);
    let (stop, length) = (Stop::new(), Duration::from_millis(300));
    let slice = Duration::from_millis(100);
    Some(Bench { dir, platform, watch, stop, seed: 42, length, slice, _turn: turn })
}

/// Name and number of the whole device under `path`.
fn drive_of(path: &Path) -> Option<(String, String)> {
    let dev = fs::metadata(path).ok()?.st_dev();
    let number = format!("{}:{}", libc::major(dev), libc::minor(dev));
    let link = fs::read_link(format!("/sys/dev/block/{number}")).ok()?;
    let name = link.file_name()?.to_str()?.to_string();
    let counted = fs::metadata(format!("/sys/class/block/{name}/stat")).is_ok();
    let whole = fs::metadata(format!("/sys/class/block/{name}/partition")).is_err();
    (counted && whole).then_some((name, number))
}

fn platform(dir: &Path, name: &str, number: &str) -> Platform {
    let queue = |file: &str| {
        let text = fs::read_to_string(format!("/sys/class/block/{name}/queue/{file}")).ok()?;
        Some(text.trim().to_string())
    };
    let mut platform = Platform {
        roles: vec![RolePath {
            role: Role::Data,
            path: dir.display().to_string(),
            file_system: FileSystem {
                kind: "ext4".to_string(),
                mount_point: "/".to_string(),
                source: format!("/dev/{name}"),
                ..FileSystem::default()
            },
            devices: vec![BlockDevice {
                name: name.to_string(),
                number: number.to_string(),
                kind: DeviceKind::Disk,
                level: None,
                model: None,
                transport: None,
                size_bytes: None,
                slaves: Vec::new(),
                queue: Some(Queue {
                    write_cache: queue("write_cache"),
                    iostats: queue("iostats").map(|text| text == "1"),
                    ..Queue::default()
                }),
                numa_node: None,
                pcie: Vec::new(),
            }],
        }],
        ..Platform::default()
    };
    platform.cpu.threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    platform.memory.total_bytes = memory_bytes().unwrap_or(1 << 30);
    platform
}

fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

impl Bench {
    /// A file that is in order; `None`, loudly, where the file system has no direct I/O.
    pub fn file(&self, mib: u64, entropy: Entropy) -> Option<TestFile> {
        let blueprint =
            Blueprint { dir: self.dir.path(), bytes: mib * MIB, seed: 7, entropy, space: None };
        match TestFile::create(blueprint, &mut |_| Ok(())) {
            Ok(file) if file.direct().is_ok() => Some(file),
            Ok(file) => {
                eprintln!("SKIPPED: no direct I/O in the build folder: {:?}", file.direct());
                None
            }
            Err(error @ narrows_io::Error::InMemory { .. }) => {
                eprintln!("SKIPPED: {error}");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// A file made by hand, for reading.
    pub fn by_hand(&self, make: impl FnOnce(&mut File)) -> Target {
        let path = self.dir.path().join("by-hand");
        let mut file = File::create(&path).unwrap();
        make(&mut file);
        file.flush().unwrap();
        file.sync_all().unwrap();
        Target::open_read(&path, true).unwrap()
    }

    /// Windows of one stream that goes on where it ended, as a measurement.
    pub fn windows(&self, stream: &Stream, repeats: u64) -> Measurement {
        self.try_windows(stream, repeats).unwrap_or_else(|error| panic!("{error}"))
    }

    /// One window, each time after `prepare`, until the drive's counters cover it: on a busy machine whoever reads them may wake
    /// too late for a short window, which then has none.
    pub fn covered_window(&self, stream: &Stream, prepare: impl Fn()) -> Option<Measurement> {
        // The counters are everybody's: what others read meanwhile can hide what the drive was not asked for.
        let covered = |m: &Measurement| {
            let asked = m.value(metric::ISSUED_READ_BYTES).unwrap_or(0.0);
            m.value(metric::DEVICE_READ_BYTES).is_some_and(|read| read < 0.5 * asked)
                && m.value(metric::OPERATIONS) >= Some(ENOUGH as f64)
        };
        self.window_where(stream, prepare, "is covered by the drive's counters", covered)
    }

    /// One window, each time after `prepare`, until what the test plants was there in it; `None`, loudly, where the machine never
    /// lets it be there.
    pub fn window_where(
        &self,
        stream: &Stream,
        prepare: impl Fn(),
        what: &str,
        holds: impl Fn(&Measurement) -> bool,
    ) -> Option<Measurement> {
        const MOST: u32 = 20;
        for _ in 0..MOST {
            prepare();
            match self.try_windows(stream, 1) {
                Ok(measurement) if holds(&measurement) => return Some(measurement),
                Ok(_) => {}
                // Contexts of Linux AIO are shared with whatever else runs here.
                Err(BlockError::Io(error)) if error.to_string().contains("(os error 11)") => {
                    eprintln!("SKIPPED: {error}");
                    return None;
                }
                Err(error) => panic!("{error}"),
            }
        }
        eprintln!("SKIPPED: of {MOST} windows none {what}");
        None
    }

    pub fn try_windows(&self, stream: &Stream, repeats: u64) -> Result<Measurement, BlockError> {
        let mut record = Record::new();
        let mut stream = stream.clone();
        for repeat in 0..repeats {
            let outcome = self.window(&mut record, &stream, self.seed + repeat)?;
            stream.cursor = outcome.cursor;
        }
        Ok(record.into_measurement(ID, &stream))
    }

    /// One window, into `record`.
    pub fn window(
        &self,
        record: &mut Record,
        stream: &Stream,
        seed: u64,
    ) -> Result<StreamOutcome, BlockError> {
        // Without a warm-up the first operation of each thread is the first of the window: a fault that is named by its number
        // is inside of it on any machine.
        let (warm_up, length) = match stream.limit {
            Some(_) => (Duration::ZERO, NEVER),
            None => (Duration::from_millis(20), self.length),
        };
        let mut scenario = Scenario::of(stream.clone(), warm_up, length, seed);
        scenario.slice = self.slice;
        let ctx = self.context();
        let outcome = run_scenario(&ctx, &scenario, &self.watch)?.remove(0);
        record.add(&outcome);
        Ok(outcome)
    }

    pub fn context(&self) -> Context<'_> {
        Context {
            stop: &self.stop,
            progress: &Silent,
            seed: self.seed,
            repeats: 1,
            quick: false,
            window: self.length,
        }
    }

    /// What the rules say of a measurement.
    pub fn judged(&self, measurement: Measurement) -> Vec<Finding> {
        check(&self.run(vec![measurement]))
    }

    pub fn run(&self, measurements: Vec<Measurement>) -> Run {
        let dir = self.dir.path().display().to_string();
        let plan = Plan {
            layers: vec![Layer::Block],
            data_dir: dir.clone(),
            wal_dir: dir,
            sessions: 1,
            repeats: 1,
            seed: self.seed,
            ..Plan::default()
        };
        Run { measurements, ..Run::blank(plan, self.platform.clone()) }
    }
}

/// Random 8 KiB reads by threads with blocking calls, with direct I/O.
pub fn reads(region: impl Into<Region>) -> Stream {
    Stream::reads("test", region.into(), BLOCK, 4, Access::blocking())
}

/// The same through the page cache.
pub fn cached_reads(region: impl Into<Region>) -> Stream {
    Stream { route: Route::Buffered, ..reads(region) }
}

/// The same stream, whose window ends when all its threads have done their shares of so many operations: a thread that the machine
/// lets wait is waited for.
pub fn counted(stream: Stream, operations: u64) -> Stream {
    Stream { limit: Some(Limit { operations, then: Then::EndStream }), ..stream }
}

/// Whether the finding is there, with its weight; the evidence for a closer look.
#[track_caller]
pub fn caught(findings: &[Finding], id: &str, severity: Severity) -> String {
    let Some(finding) = findings.iter().find(|finding| finding.id == id) else {
        panic!("`{id}` is not among {findings:#?}");
    };
    assert_eq!(finding.severity, severity, "{finding:?}");
    println!("{id}: {}", finding.evidence);
    finding.evidence.clone()
}

#[track_caller]
pub fn silent(findings: &[Finding], id: &str) {
    let found = findings.iter().find(|finding| finding.id == id);
    assert!(found.is_none(), "{found:?}");
}

/// A file that goes with the value.
pub struct Gone(pub PathBuf);

impl Drop for Gone {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}
