//! The whole layer on a real folder: what must hold on any drive.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use narrows_engine::{Announced, Phase, Silent, Stop};
use narrows_facts::file;
use narrows_model::{Metric, metric};

use super::*;

/// A folder on something that isn't memory: in the build folder if /tmp is a tmpfs.
pub(crate) fn folder() -> Option<tempfile::TempDir> {
    let build = std::env::current_exe().ok()?.parent()?.to_path_buf();
    for parent in [std::env::temp_dir(), build] {
        if file::volatile(&parent).unwrap_or(false) {
            continue;
        }
        if let Ok(dir) = tempfile::tempdir_in(&parent) {
            return Some(dir);
        }
    }
    eprintln!("SKIPPED: no folder on a drive that can be written to");
    None
}

fn context(stop: &Stop) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 11,
        repeats: 2,
        quick: true,
        window: Duration::from_millis(150),
    }
}

fn plan() -> LogPlan {
    LogPlan {
        commit_bytes: vec![(1, 400), (8, 400)],
        cpus: affinity::current(),
        busy_file_bytes: 8 << 20,
    }
}

fn left_in(dir: &tempfile::TempDir) -> usize {
    std::fs::read_dir(dir.path()).unwrap().count()
}

#[test]
fn a_second_repeat_is_announced_with_what_the_first_gave() {
    let Some(dir) = folder() else { return };
    let (stop, told) = (Stop::new(), Announced::default());
    let window = Duration::from_millis(20);
    let ctx = Context { progress: &told, window, ..context(&stop) };
    let plan = LogPlan { commit_bytes: vec![(2, 400)], busy_file_bytes: 0, ..plan() };
    measure(&ctx, dir.path(), dir.path(), &Watch::none(), &plan).unwrap();
    let told = told.of(Phase::Measure);
    let of = |id: &str| told.iter().filter(|detail| detail.starts_with(id)).collect::<Vec<_>>();
    for (id, unit) in [
        ("log.append.fdatasync.idle", "s so far"),
        ("log.append.dsync.idle", "s so far"),
        ("log.commit.2", " commits/s so far"),
    ] {
        let [first, second] = of(id)[..] else { panic!("{id}: {told:?}") };
        assert_eq!(*first, format!("{id}, repeat 1 of 2"));
        assert!(second.starts_with(&format!("{id}, repeat 2 of 2, ")), "{second}");
        assert!(second.ends_with(unit), "{second}");
    }
}

#[test]
fn every_measurement_is_there_and_adds_up() {
    let (Some(dir), Some(data)) = (folder(), folder()) else { return };
    let stop = Stop::new();
    let measurements =
        measure(&context(&stop), dir.path(), data.path(), &Watch::none(), &plan()).unwrap();
    let ids: Vec<_> = measurements.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "log.append.fdatasync.idle",
            "log.append.dsync.idle",
            "log.append.fdatasync.busy",
            "log.append.dsync.busy",
            "log.commit.1",
            "log.commit.8"
        ]
    );
    for m in &measurements {
        assert_eq!((m.repeats, m.histograms.len()), (2, 2), "{}", m.id);
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "{}", m.id);
        assert!(m.number(narrows_model::condition::PAGES_READ_BACK).unwrap() > 0.0);
        let samples = |name: Metric| m.metric(name).unwrap().samples.clone();
        for repeat in 0..2 {
            // Rate x window = operations, and Little's law gives about the depth.
            let counted =
                samples(metric::THROUGHPUT)[repeat] * samples(metric::WINDOW)[repeat] / 1e9;
            let operations = samples(metric::OPERATIONS)[repeat];
            assert!((counted - operations).abs() < 1e-6, "{}", m.id);
            // What was on its way when the window began counts with all of its wait, and the longest is all that is known of it.
            let waits = narrows_stats::Recorder::from_hdr_v2(&m.histograms[repeat].hdr_v2).unwrap();
            let before = waits.max().unwrap_or(0) as f64 / samples(metric::WINDOW)[repeat];
            let most = samples(metric::DEPTH)[repeat] * (1.2 + before);
            assert!(operations == 0.0 || samples(metric::IN_FLIGHT)[repeat] <= most, "{}", m.id);
        }
    }
    let busy = &measurements[2];
    assert!(busy.number(narrows_model::condition::BUSY_WRITES_PER_S).is_some());
    let eight = &measurements[5];
    // Nobody commits twice in a flush. On a drive that stands still a window may hold none.
    let commits = eight.value(metric::COMMITS_PER_FLUSH);
    assert!(commits.is_none_or(|n| !n.is_finite() || n <= 8.5), "{commits:?}");
    // Whole pages only, and as many as the bytes need.
    assert!(eight.value(metric::FLUSH_BYTES).is_none_or(|n| !n.is_finite() || n >= 8192.0));
    assert_eq!((left_in(&dir), left_in(&data)), (0, 0));
}

#[test]
fn a_stop_in_the_middle_leaves_no_file() {
    let (Some(dir), Some(data)) = (folder(), folder()) else { return };
    let stop = Stop::new();
    let mut ctx = context(&stop);
    ctx.window = Duration::from_secs(30);
    for (wait_ms, commits_only) in [(50, false), (700, false), (700, true)] {
        let stop = Stop::new();
        let stopper = stop.clone();
        let ctx = Context { stop: &stop, ..ctx };
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(wait_ms));
            stopper.set();
        });
        let cpus = affinity::current();
        let result = if commits_only {
            commit_ladder(&ctx, dir.path(), &Watch::none(), 4, 300, &cpus).map(|_| ())
        } else {
            measure(&ctx, dir.path(), data.path(), &Watch::none(), &plan()).map(|_| ())
        };
        thread.join().unwrap();
        assert!(matches!(result, Err(LogError::Stopped(_))), "{result:?}");
        assert_eq!((left_in(&dir), left_in(&data)), (0, 0));
    }
}

#[test]
fn a_missing_folder_and_one_in_memory_are_named() {
    let stop = Stop::new();
    let ctx = context(&stop);
    let at = |dir: &Path| measure(&ctx, dir, dir, &Watch::none(), &plan()).unwrap_err();
    let missing = at(Path::new("/nonexistent/wal"));
    assert!(matches!(missing, LogError::Missing { .. }));
    assert!(
        missing.to_string().contains("/nonexistent/wal") && missing.to_string().contains("hint:")
    );
    match tempfile::tempdir_in("/dev/shm") {
        Ok(memory) => {
            let error = at(memory.path());
            assert!(
                matches!(&error, LogError::Volatile { kind, .. } if kind == "tmpfs"),
                "{error}"
            );
        }
        Err(_) => eprintln!("SKIPPED: no /dev/shm to write to"),
    }
}

#[test]
fn a_read_only_file_system_is_named() {
    let Some(dir) = folder() else { return };
    let path = dir.path().to_path_buf();
    let result = std::thread::spawn(move || {
        if !read_only_in_this_thread(&path) {
            eprintln!("SKIPPED: a read-only mount in a name space of our own needs root");
            return None;
        }
        let stop = Stop::new();
        Some(measure(&context(&stop), &path, &path, &Watch::none(), &plan()))
    });
    if let Some(result) = result.join().unwrap() {
        let error = result.unwrap_err();
        assert!(
            matches!(&error, LogError::ReadOnly { dir: named } if named == dir.path()),
            "{error}"
        );
    }
}

/// Mounts the folder on itself, read-only, seen by this thread and its children alone.
fn read_only_in_this_thread(dir: &Path) -> bool {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(dir.as_os_str().as_bytes()).unwrap();
    let (root, none) = (c"/", std::ptr::null::<libc::c_char>());
    // SAFETY: all strings are NUL-terminated and live through the calls; the thread is the only one that leaves the
    // shared name space, and the first mount keeps what follows from reaching it.
    unsafe {
        libc::unshare(libc::CLONE_NEWNS) == 0
            && libc::mount(none, root.as_ptr(), none, libc::MS_REC | libc::MS_PRIVATE, none.cast())
                == 0
            && libc::mount(path.as_ptr(), path.as_ptr(), none, libc::MS_BIND, none.cast()) == 0
            && libc::mount(
                none,
                path.as_ptr(),
                none,
                libc::MS_BIND | libc::MS_REMOUNT | libc::MS_RDONLY,
                none.cast(),
            ) == 0
    }
}

#[test]
fn a_full_file_system_and_a_lack_of_rights_are_named() {
    let Some(dir) = folder() else { return };
    let file = dir.path().join("x");
    let full = std::io::Error::from_raw_os_error(libc::ENOSPC);
    let full = LogError::of("writing", &file, 64 << 20, full);
    assert!(matches!(full, LogError::Full { needed_mib: 64, .. }));
    assert!(full.to_string().contains("needs 64 MiB"), "{full}");
    if narrows_facts::process::is_root() {
        eprintln!("SKIPPED: root may write everywhere");
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
    let stop = Stop::new();
    let denied = measure(&context(&stop), dir.path(), dir.path(), &Watch::none(), &plan());
    assert!(matches!(denied.unwrap_err(), LogError::Denied { .. }));
}

#[test]
fn what_the_flusher_wrote_is_on_disk_page_by_page() {
    use crate::commit::SegmentFlusher;
    let Some(dir) = folder() else { return };
    let segment = Segment::create(dir.path(), "s", 1 << 20, 1, &Stop::new()).unwrap();
    let pages = Pages::new(2);
    let written = AtomicU64::new(0);
    let mut flusher = SegmentFlusher::new(&segment, &pages, &written);
    // Ends in the middle of a page, goes on from there, and then around the end of the file.
    assert_eq!(flusher.flush(0, 20_000).unwrap(), 3 * 8192);
    assert_eq!(flusher.flush(20_000, 20_001).unwrap(), 8192);
    assert_eq!(flusher.flush(20_001, 30_000).unwrap(), 2 * 8192);
    let end = (1 << 20) + 5 * 8192;
    flusher.flush(30_000, end).unwrap();
    assert_eq!(segment.verify(&pages, end, 64).unwrap(), (64, 0));
    assert_eq!(written.into_inner(), (3 + 1 + 2 + 128 + 5 - 3) * 8192);
}

#[test]
fn the_byte_budget_ends_a_window_early() {
    let Some(dir) = folder() else { return };
    let stop = Stop::new();
    let mut ctx = context(&stop);
    ctx.window = Duration::from_secs(20);
    ctx.repeats = 1;
    let segment = Segment::create(dir.path(), "s", 1 << 20, 1, &stop).unwrap();
    let pages = Pages::new(2);
    let cpus = affinity::current();
    let ladder =
        Ladder { committers: 2, bytes_per_commit: 8192, cpus: &cpus, most_bytes: 100 << 10 };
    let m = commit::measure(&ctx, &ladder, &segment, &pages, &Watch::none()).unwrap();
    assert!(m.value(metric::WINDOW).unwrap() < 20e9);
    assert!(m.value(metric::THROUGHPUT).unwrap() > 0.0);
}

#[test]
fn the_plan_counts_windows_and_bytes() {
    let stop = Stop::new();
    let steps = planned(&context(&stop), &plan());
    assert_eq!(steps.len(), 3);
    assert!(steps.iter().all(|step| step.writes_bytes > SEGMENT_BYTES && step.expected_s > 0.0));
    let without = LogPlan { busy_file_bytes: 0, commit_bytes: vec![], ..plan() };
    assert!(planned(&context(&stop), &without)[0].expected_s < steps[0].expected_s);
}
