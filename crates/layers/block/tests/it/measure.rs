//! The whole layer on a real file: what comes out adds up, says when the file is not what it should be, and ends when
//! asked.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::linux::fs::MetadataExt;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use crate::common::{MIB, context, folder, made, samples};
use narrows_engine::{Announced, Context, Phase, Stop};
use narrows_io::{Access, Tag, TestFile};
use narrows_layer_block::{
    BlockError, BlockPlan, Requested, after, measure, measure_by, prepare, random_read_once,
};
use narrows_model::{Measurement, Platform, condition, metric};
use narrows_observe::Watch;
use narrows_stats::Recorder;

/// Windows that end with a number of operations or bytes never get this long, ms.
const NEVER_MS: u64 = 3_600_000;

fn plan() -> BlockPlan {
    BlockPlan {
        sessions: 3,
        max_depth: 8,
        cpus: Vec::new(),
        write_budget_bytes: Some(96 * MIB),
        capacity_bytes: None,
        only: Vec::new(),
        ..BlockPlan::default()
    }
}

/// The drive that holds `path`, where it is a device of its own with counters.
fn drive_of(path: &Path) -> Option<String> {
    let dev = fs::metadata(path).ok()?.st_dev();
    let (major, minor) = (libc::major(dev), libc::minor(dev));
    let link = fs::read_link(format!("/sys/dev/block/{major}:{minor}")).ok()?;
    let name = link.file_name()?.to_str()?.to_string();
    fs::metadata(format!("/sys/class/block/{name}/stat")).ok().map(|_| name)
}

fn by_id<'a>(measurements: &'a [Measurement], id: &str) -> &'a Measurement {
    measurements.iter().find(|m| m.id == id).unwrap_or_else(|| panic!("no {id}"))
}

/// Rates, windows, operations and latencies of one measurement fit each other.
fn adds_up(m: &Measurement) {
    let id = &m.id;
    let block = m.number(condition::BLOCK_BYTES).unwrap();
    assert_eq!((m.repeats, m.histograms.len()), (2, 2), "{id}");
    let (rates, windows) = (samples(m, metric::THROUGHPUT), samples(m, metric::WINDOW));
    let operations = samples(m, metric::OPERATIONS);
    for repeat in 0..2 {
        // On a drive that stands still a window may hold nothing, which a rule tells.
        if operations[repeat] == 0.0 {
            continue;
        }
        let rate = operations[repeat] / (windows[repeat] / 1e9);
        assert!((rates[repeat] / rate - 1.0).abs() < 1e-9, "{id}");
        let bandwidth = samples(m, metric::BANDWIDTH)[repeat];
        assert!((bandwidth / (rate * block) - 1.0).abs() < 1e-9, "{id}");
        let latency = Recorder::from_hdr_v2(&m.histograms[repeat].hdr_v2).unwrap();
        assert_eq!(latency.count() as f64, operations[repeat], "{id}: one latency per operation");
    }
    for none in [metric::ERRORS, metric::SHORT_IOS] {
        assert_eq!(samples(m, none), [0.0, 0.0], "{id} {none}");
    }
    for share in [metric::ZERO_BLOCKS, metric::UNWRITTEN] {
        assert!(samples(m, share).iter().all(|&share| share == 0.0), "{id} {share}");
    }
    let held_something = operations.iter().any(|&operations| operations > 0.0);
    if m.text(condition::METHOD) == Some("io_uring") && held_something {
        let depth = m.value(metric::DEPTH).unwrap();
        let in_flight = m.value(metric::IN_FLIGHT).unwrap();
        // Operations that were on their way when the window began count with all of their latency.
        let longest = samples(m, metric::LATENCY_MAX).iter().copied().fold(0.0, f64::max);
        let shortest = windows.iter().copied().fold(f64::INFINITY, f64::min);
        let most = depth * (1.1 + longest / shortest);
        assert!(in_flight <= most, "{id}: {in_flight} of {depth}");
    }
}

/// The drive moved at least what the windows asked for.
fn the_device_saw(m: &Measurement, drive_is_known: bool) {
    let id = &m.id;
    let (asked, seen) = match m.text(condition::DIRECTION) {
        Some("read") => (metric::ISSUED_READ_BYTES, metric::DEVICE_READ_BYTES),
        _ => (metric::ISSUED_WRITE_BYTES, metric::DEVICE_WRITE_BYTES),
    };
    // The drive counts what it has done and the program what it has asked for: at the border of a window they differ by what is
    // under way, which is all that fits where the drive stands still just then.
    let threads = m.number(condition::THREADS).unwrap_or(1.0);
    let depth = m.value(metric::DEPTH).unwrap_or(1.0).max(threads);
    let under_way = depth * m.number(condition::BLOCK_BYTES).unwrap();
    let (asked, seen) = (samples(m, asked), samples(m, seen));
    // A look that misses the beginning of its window, where the machine stood still, leaves all of them without counts.
    assert!(
        seen.is_empty() || (drive_is_known && seen.len() == asked.len().max(2)),
        "{id}: {seen:?}"
    );
    for (asked, seen) in asked.iter().zip(seen) {
        // Whoever else uses the device is not part of the promise.
        assert!(*seen > 0.8 * asked - under_way, "{id}: asked {asked}, device {seen}");
    }
}

/// What the writes left is still every block in its own place.
fn every_block_is_in_its_place(file: &TestFile) {
    let pattern = file.pattern().unwrap();
    let mut block = vec![0; MIB as usize];
    let mut rewritten = 0;
    for offset in (0..file.bytes()).step_by(MIB as usize) {
        file.buffered_file().read_exact_at(&mut block, offset).unwrap();
        for (sector, at) in block.chunks(512).zip((offset..).step_by(512)) {
            match pattern.tag(sector, at) {
                Tag::Ours { generation } => rewritten += u64::from(generation > 0),
                other => panic!("at {at}: {other:?}"),
            }
        }
    }
    assert!(rewritten > 0);
}

#[test]
fn figures_add_up_and_the_device_saw_what_was_asked() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 300);
    let Some(file) = made(&ctx, dir.path(), 64) else { return };
    let drive = drive_of(dir.path());
    if drive.is_none() {
        eprintln!("SKIPPED: device counters: the build folder is not directly on a block device");
    }
    let watch = match &drive {
        Some(drive) => Watch::new(&Platform::default(), std::slice::from_ref(drive)),
        None => Watch::none(),
    };
    let measurements = measure(&ctx, &file, &watch, &plan()).unwrap();
    let ids: BTreeSet<&str> = measurements.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids.len(), 12, "{ids:?}");
    for m in &measurements {
        adds_up(m);
        the_device_saw(m, drive.is_some());
    }
    let done = |m: &Measurement| m.value(metric::OPERATIONS) > Some(0.0);
    assert!(measurements.iter().any(done), "nothing at all was done");
    let cached = by_id(&measurements, "block.read.random.8k.server_knee");
    assert_eq!(cached.text(condition::METHOD), Some("buffered"));
    assert_eq!(cached.number(condition::THREADS), Some(3.0));
    for &share in samples(cached, metric::RESIDENT_BEFORE) {
        assert!(share < 0.01, "the cache was emptied, and {share} is in it");
    }
    let knee = by_id(&measurements, "block.read.random.8k.knee");
    let curve = knee.series.iter().find(|series| series.name == "curve.throughput").unwrap();
    assert_eq!(curve.x.len(), curve.values.len());
    assert_eq!(curve.x.first(), Some(&1.0));
    assert!(curve.x.contains(&knee.number(condition::DEPTH).unwrap()));
    assert_eq!(
        by_id(&measurements, "block.read.random.8k.direct_d3").text(condition::METHOD),
        Some("direct")
    );
    assert_eq!(
        by_id(&measurements, "block.write.random.8k.knee").text(condition::WRITE_STATE),
        Some("burst")
    );
    every_block_is_in_its_place(&file);
    drop(file);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_sparse_file_gives_itself_away() {
    let (dir, stop, mut window_ms) = (folder(), Stop::new(), 60);
    let ctx = context(&stop, window_ms);
    let path = dir.path().join("sparse");
    File::create(&path).unwrap().set_len(64 * MIB).unwrap();
    let file = TestFile::existing(&path, None).unwrap();
    if file.direct().is_err() {
        eprintln!("SKIPPED: {:?}", file.direct());
        return;
    }
    let measurements = measure(&ctx, &file, &Watch::none(), &plan()).unwrap();
    assert!(measurements.iter().all(|m| m.text(condition::DIRECTION) == Some("read")));
    let knee =
        |measurements: &[Measurement]| by_id(measurements, "block.read.random.8k.knee").clone();
    let mut m = knee(&measurements);
    // One in 64 reads is looked at, and what is sure by a few of them is little.
    while m.value(metric::OPERATIONS) < Some(20_000.0) {
        window_ms *= 2;
        let ctx = context(&stop, window_ms);
        let only = vec![m.id.to_string()];
        let again = measure(&ctx, &file, &Watch::none(), &BlockPlan { only, ..plan() }).unwrap();
        m = knee(&again);
    }
    // All were; of a file of others the share is what is sure by those that were looked at.
    assert!(m.value(metric::ZERO_BLOCKS).is_some_and(|share| share > 0.9), "{m:?}");
    match m.value(metric::UNWRITTEN) {
        Some(share) => assert_eq!(share, 1.0),
        None => eprintln!("SKIPPED: the file system does not tell its extents"),
    }
    drop(file);
    assert!(path.exists());
}

#[test]
fn a_foreign_block_counts_as_an_error() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 200);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let other = TestFile::existing(file.path(), Some(8)).unwrap();
    let only = vec!["block.read.random.8k.knee".to_string()];
    let measured = |file| {
        let plan = BlockPlan { only: only.clone(), ..plan() };
        // One in 64 is looked at: until every thread has looked at one.
        loop {
            let m = measure(&ctx, file, &Watch::none(), &plan).unwrap().remove(0);
            if m.value(metric::OPERATIONS) > Some(64.0 * f64::from(plan.max_depth)) {
                return m;
            }
        }
    };
    assert_eq!(measured(&file).value(metric::ERRORS), Some(0.0));
    assert!(measured(&other).value(metric::ERRORS).unwrap() > 0.0);
}

#[test]
fn without_io_uring_the_same_workloads_run_on_threads_and_say_why() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = Context { repeats: 1, ..context(&stop, 60) };
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let access = Access::without_uring("kernel.io_uring_disabled = 2");
    let plan = BlockPlan { write_budget_bytes: Some(24 * MIB), ..plan() };
    let measurements = measure_by(&ctx, &file, &Watch::none(), &plan, &access).unwrap();
    assert_eq!(measurements.len(), 12);
    for m in measurements.iter().filter(|m| m.id.ends_with(".knee")) {
        assert_eq!(m.text(condition::METHOD), Some("threads"), "{}", m.id);
        assert_eq!(m.text(condition::IO_URING_REFUSED), Some("kernel.io_uring_disabled = 2"));
        assert_eq!(m.number(condition::THREADS), m.number(condition::DEPTH));
        assert_eq!(m.value(metric::ERRORS), Some(0.0));
    }
}

#[test]
fn a_block_is_never_read_twice_through_the_cache() {
    let (dir, stop) = (folder(), Stop::new());
    // 512 blocks: any drive is through with them before such a window ends.
    let ctx = Context { repeats: 1, ..context(&stop, NEVER_MS) };
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    let watch = drive_of(dir.path())
        .map_or_else(Watch::none, |drive| Watch::new(&Platform::default(), &[drive]));
    let file = file.without_direct("a test");
    let measurements = measure(&ctx, &file, &watch, &plan()).unwrap();
    assert_eq!(measurements.len(), 2, "only the buffered ones are left");
    for m in &measurements {
        assert!(m.value(metric::OPERATIONS).unwrap() <= 512.0, "{}", m.id);
        assert!(m.value(metric::WINDOW).unwrap() < NEVER_MS as f64 * 1e6, "{}: closed early", m.id);
        assert_eq!(m.text(condition::DIRECT_REFUSED), Some("a test"));
        let asked = m.value(metric::ISSUED_READ_BYTES).unwrap();
        if let Some(seen) = m.value(metric::DEVICE_READ_BYTES) {
            assert!(seen > 0.8 * asked, "{}: asked {asked}, device {seen}", m.id);
        }
    }
}

#[test]
fn writes_keep_to_their_budget() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = Context { repeats: 1, ..context(&stop, NEVER_MS) };
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let budget = 96 * MIB;
    let only = vec!["block.write.".to_string()];
    let plan = BlockPlan { write_budget_bytes: Some(budget), max_depth: 2, only, ..plan() };
    let writes = measure(&ctx, &file, &Watch::none(), &plan).unwrap();
    assert_eq!(writes.len(), 4);
    let written: f64 = writes.iter().map(|m| m.number(condition::WRITTEN_BYTES).unwrap()).sum();
    // Each step may round up to 16 operations.
    assert!(written <= (budget + 64 * MIB) as f64, "{written}");
    for m in &writes {
        assert!(m.value(metric::WINDOW).unwrap() < NEVER_MS as f64 * 1e6, "{}: closed early", m.id);
    }
}

#[test]
fn a_stop_ends_it_and_leaves_nothing() {
    let dir = folder();
    for after_ms in [0, 150, 700] {
        let stop = Stop::new();
        let ctx = context(&stop, 60_000);
        let Some(file) = made(&ctx, dir.path(), 16) else { return };
        let result = std::thread::scope(|scope| {
            let setter = stop.clone();
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(after_ms));
                setter.set();
            });
            measure(&ctx, &file, &Watch::none(), &plan())
        });
        assert!(matches!(result, Err(BlockError::Stopped(_))), "{result:?}");
        drop(file);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
    let stop = Stop::new();
    stop.set();
    let result = prepare(&context(&stop, 1), dir.path(), 16 * MIB, 1);
    assert!(
        matches!(
            result,
            Err(BlockError::Stopped(_) | BlockError::Io(narrows_io::Error::InMemory { .. }))
        ),
        "{result:?}"
    );
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn failing_operations_end_it_with_the_first_error() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 500);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    for access in [Access::best(), Access::blocking()] {
        // Most file systems refuse direct I/O of 1000 bytes.
        match random_read_once(&ctx, &file, &access, 1000, 2, ctx.window) {
            Err(BlockError::Failing { failed, first, .. }) => {
                assert!(failed >= 100);
                assert_eq!(first.raw_os_error(), Some(libc::EINVAL));
            }
            Ok(_) => eprintln!("SKIPPED: this file system takes direct I/O of any size"),
            Err(other) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_file_too_small_for_its_blocks_is_said() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 10);
    let path = dir.path().join("tiny");
    fs::write(&path, vec![1; 4096]).unwrap();
    let file = TestFile::existing(&path, None).unwrap();
    let error = random_read_once(&ctx, &file, &Access::blocking(), 8192, 1, ctx.window)
        .unwrap_err()
        .to_string();
    assert!(error.contains("4096") && error.contains("hint: "), "{error}");
}

#[test]
fn the_mix_of_a_workload_is_read_and_written_in_its_shares() {
    let dir = folder();
    let stop = Stop::new();
    let ctx = context(&stop, 200);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    // A window ends after its time, or with its part of the budget: an eighth of 256 MiB over two repeats.
    let plan = BlockPlan { write_budget_bytes: Some(256 * MIB), ..plan() };
    let requested = Requested { workload: "update", read_share: 0.75, depth: 4, threads: 1 };
    let measured = after(&ctx, &file, &Watch::none(), &plan, &requested).unwrap();
    assert_eq!((measured.id.as_str(), measured.repeats), ("block.after.update", 2));
    assert_eq!(measured.number(condition::DEPTH), Some(4.0));
    assert_eq!(measured.text(condition::WRITE_STATE), Some("burst"));
    let (reads, writes) =
        (samples(&measured, metric::READ_THROUGHPUT), samples(&measured, metric::WRITE_THROUGHPUT));
    let operations = samples(&measured, metric::OPERATIONS);
    for ((reads, writes), operations) in reads.iter().zip(writes).zip(operations) {
        // 2048 blocks are written in a window, a quarter of its operations.
        assert!(*operations <= 4.0 * 2048.0 + 8.0, "{operations}");
        // The shares are exact over a hundred, and a busy machine leaves few.
        let share = reads / (reads + writes);
        assert!(*operations < 200.0 || (share - 0.75).abs() < 0.05, "{share} of {operations}");
    }
    stop.set();
    assert!(matches!(
        after(&ctx, &file, &Watch::none(), &plan, &requested),
        Err(BlockError::Stopped(_))
    ));
}

#[test]
fn a_second_repeat_is_announced_with_what_the_first_gave() {
    let dir = folder();
    let (stop, told) = (Stop::new(), Announced::default());
    let ctx = Context { progress: &told, ..context(&stop, 20) };
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let requested = Requested { workload: "update", read_share: 1.0, depth: 2, threads: 1 };
    after(&ctx, &file, &Watch::none(), &plan(), &requested).unwrap();
    let told = told.of(Phase::Measure);
    let [first, second] = &told[..] else { panic!("{told:?}") };
    assert_eq!(first, "block.after.update, repeat 1 of 2");
    assert!(second.starts_with("block.after.update, repeat 2 of 2, "), "{second}");
    assert!(second.ends_with(" IOPS so far"), "{second}");
}
