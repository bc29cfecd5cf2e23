//! The flush once more, right after a workload that committed: `log.after.WORKLOAD` with as many committers as the workload had sessions and
//! as many log bytes in a flush as its flushes had, and `log.after.WORKLOAD.lone`, one writer of 8 KiB.
//!
//! A server's flush that takes longer than the log layer's own is the server's doing only if both flushed as much, as many waited for it, and
//! the device is still the one that was measured: credits are spent and caches fill while a workload runs. So the comparison is with
//! these, and the lone flush says against `log.append.fdatasync.idle` whether the device has changed since.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use narrows_engine::{Context, Phase, repeat_of};
use narrows_model::{Layer, Measurement, PlannedStep, condition, family};
use narrows_observe::Watch;
use serde_json::json;

use crate::append::{Appender, SyncMethod};
use crate::collect::Collected;
use crate::commit::{self, SegmentFlusher};
use crate::medium::LogMedium as _;
use crate::page::{PAGE, Pages};
use crate::segment::Segment;
use crate::writer::drive::{Drive, Driven, Load, drive};
use crate::writer::{CommitLog, CommitSizes, Delay, Style};
use crate::{LogError, READ_BACK, SEGMENT_BYTES, most_bytes, on_server_cpus};

/// One window of the committers.
const SHARED: Duration = Duration::from_millis(200);
/// One window of the lone writer.
const LONE: Duration = Duration::from_millis(100);
/// Warm-up of the committers.
const WARM_UP: Duration = Duration::from_millis(30);
/// More repeats than this say no more about a device that was just loaded.
const MOST_REPEATS: u32 = 6;

/// What a workload's commits were like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Committed<'a> {
    /// The workload's word.
    pub workload: &'a str,
    /// Its sessions.
    pub committers: u32,
    /// Log bytes of one commit.
    pub bytes_per_commit: f64,
    /// Log bytes of one flush, where the server counts its flushes.
    pub bytes_per_flush: Option<f64>,
}

/// How many bytes a commit of ours has to log, so that with so many of them in a flush it has the workload's bytes: the server's commits
/// may share flushes more or less than ours do, because they come back later.
fn bytes_per_commit(committed: &Committed<'_>, per_flush: Option<f64>) -> u64 {
    let same = committed.bytes_per_commit;
    let bytes = match (committed.bytes_per_flush, per_flush) {
        (Some(bytes), Some(commits)) if commits > 0.0 => bytes / commits,
        _ => same,
    };
    (bytes.round() as u64).max(1)
}

/// Measures both; the lone writer first.
///
/// # Errors
/// As [`crate::measure`].
pub fn after(
    ctx: &Context,
    dir: &Path,
    watch: &Watch,
    committed: &Committed<'_>,
    cpus: &[u32],
) -> Result<Vec<Measurement>, LogError> {
    ctx.progress.phase(Layer::Log, Phase::Fill, "segment");
    let segment = Segment::create(dir, "log-segment", SEGMENT_BYTES, ctx.seed, ctx.stop)?;
    let pages = Pages::new(ctx.seed);
    let repeats = ctx.repeats.clamp(1, MOST_REPEATS);
    let ctx = Context { repeats, window: SHARED, ..*ctx };
    on_server_cpus(cpus, || {
        let lone = lone(&ctx, &segment, &pages, watch, (committed, cpus))?;
        let shared = shared(&ctx, &segment, &pages, watch, (committed, cpus))?;
        Ok(vec![shared, lone])
    })
}

fn lone(
    ctx: &Context,
    segment: &Segment,
    pages: &Pages,
    watch: &Watch,
    (committed, cpus): (&Committed<'_>, &[u32]),
) -> Result<Measurement, LogError> {
    let ctx = Context { window: LONE, ..*ctx };
    let id = family::LOG_AFTER.id(format_args!("{}.lone", committed.workload));
    let method = SyncMethod::Fdatasync;
    let mut appender = Appender::new(segment, pages)?;
    let mut collected = Collected::default();
    for repeat in 0..ctx.repeats {
        let detail = repeat_of(&id, repeat, ctx.repeats, collected.append_so_far());
        ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
        appender.repeat(&ctx, method, None, most_bytes(&ctx), watch, &mut collected)?;
    }
    let verified = segment.verify(pages, appender.position(), READ_BACK)?;
    let mut measurement = collected.into_measurement(id.to_string(), segment, verified);
    let workload = &mut measurement.workload;
    workload.insert(condition::SYNC_METHOD, json!(method.word()));
    workload.insert(condition::THREADS, json!(1));
    workload.insert(condition::CPUS, json!(cpus));
    Ok(measurement)
}

fn shared(
    ctx: &Context,
    segment: &Segment,
    pages: &Pages,
    watch: &Watch,
    (committed, cpus): (&Committed<'_>, &[u32]),
) -> Result<Measurement, LogError> {
    let id = family::LOG_AFTER.id(committed.workload);
    let committers = committed.committers.max(1);
    let written = AtomicU64::new(0);
    let flusher = SegmentFlusher::new(segment, pages, &written);
    let log = CommitLog::new(flusher, Style::Leader, Delay::default());
    let window = |detail: &str, repeat: u32, bytes: u64| -> Result<Driven, LogError> {
        ctx.progress.phase(Layer::Log, Phase::Measure, detail);
        let sizes = CommitSizes::fixed(bytes);
        let how = Drive {
            load: Load::Closed { sessions: committers },
            sizes: &sizes,
            cpus,
            client_cpus: &[],
            warm_up: WARM_UP,
            length: ctx.window,
            seed: ctx.seed ^ u64::from(repeat),
            most_bytes: most_bytes(ctx),
        };
        drive(ctx, &log, &written, segment.path(), &how, watch)
    };
    // One window is thrown away: it says how many commits share a flush here.
    let first = window(&id, ctx.repeats, bytes_per_commit(committed, None))?.went.account();
    let flushes = first.flush_lengths_ns.len() as f64;
    let per_flush = (flushes > 0.0).then(|| first.flush_commits as f64 / flushes);
    let bytes = bytes_per_commit(committed, per_flush);
    let mut collected = Collected::default();
    for repeat in 0..ctx.repeats {
        let detail = repeat_of(&id, repeat, ctx.repeats, collected.commits_so_far());
        commit::add(&mut collected, &window(&detail, repeat, bytes)?, committers);
    }
    ctx.progress.phase(Layer::Log, Phase::Verify, &id);
    let end = log.flushed().next_multiple_of(PAGE as u64);
    let verified = segment.verify(pages, end, READ_BACK)?;
    let mut measurement = collected.into_measurement(id.to_string(), segment, verified);
    let workload = &mut measurement.workload;
    workload.insert(condition::SESSIONS, json!(committers));
    workload.insert(condition::SYNC_METHOD, json!("fdatasync"));
    workload.insert(condition::BYTES_PER_COMMIT, json!(bytes));
    if let Some(bytes) = committed.bytes_per_flush {
        workload.insert(condition::BYTES_PER_FLUSH_WANTED, json!(bytes));
    }
    workload.insert(condition::CPUS, json!(cpus));
    Ok(measurement)
}

/// What [`after`] will do, for how long, and what it may write.
pub fn planned(repeats: u32, workload: &str) -> PlannedStep {
    let repeats = repeats.clamp(1, MOST_REPEATS);
    let shared = (SHARED + WARM_UP) * (repeats + 1);
    let lone = LONE * repeats * 11 / 10;
    let windows_s = (shared + lone).as_secs_f64();
    PlannedStep {
        layer: Layer::Log,
        what: format!("the flush again after {workload}: as many bytes and committers, and alone"),
        expected_s: windows_s + SEGMENT_BYTES as f64 / 500e6,
        writes_bytes: (windows_s * crate::MOST_BYTES_PER_S) as u64 + SEGMENT_BYTES,
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::{Silent, Stop};
    use narrows_facts::affinity;
    use narrows_model::metric;

    use super::*;

    fn heavy(committers: u32) -> Committed<'static> {
        Committed {
            workload: "update",
            committers,
            bytes_per_commit: 9_000.0,
            bytes_per_flush: Some(72_000.0),
        }
    }

    #[test]
    fn a_flush_of_ours_has_the_bytes_of_the_servers() {
        assert_eq!(bytes_per_commit(&heavy(8), None), 9_000, "before it is known");
        assert_eq!(bytes_per_commit(&heavy(8), Some(4.0)), 18_000, "fewer share one here");
        assert_eq!(bytes_per_commit(&heavy(8), Some(16.0)), 4_500);
        let uncounted = Committed { bytes_per_flush: None, ..heavy(8) };
        assert_eq!(bytes_per_commit(&uncounted, Some(4.0)), 9_000, "13 counts no flushes");
        let tiny = Committed { bytes_per_commit: 0.2, ..uncounted };
        assert_eq!(bytes_per_commit(&tiny, None), 1);
    }

    #[test]
    fn it_takes_three_seconds_at_most() {
        for repeats in [1, 3, 6, 40] {
            let step = planned(repeats, "update");
            assert!(step.expected_s <= 3.0, "{step:?}");
        }
    }

    #[test]
    fn both_are_there_with_what_a_comparison_needs() {
        let Some(dir) = crate::tests::folder() else { return };
        let stop = Stop::new();
        let ctx = Context {
            stop: &stop,
            progress: &Silent,
            seed: 5,
            repeats: 2,
            quick: true,
            window: Duration::from_secs(60),
        };
        let cpus = affinity::current();
        let measured = after(&ctx, dir.path(), &Watch::none(), &heavy(4), &cpus).unwrap();
        let ids: Vec<_> = measured.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["log.after.update", "log.after.update.lone"]);
        for m in &measured {
            assert_eq!((m.repeats, m.value(metric::ERRORS)), (2, Some(0.0)), "{}", m.id);
            // A flush alone is shorter than with its write.
            let alone = m.value(metric::FLUSH_TIME_MEAN).unwrap();
            let both = m.value(metric::PARALLEL_WRITE_MEAN).or(m.value(metric::LATENCY_MEAN));
            assert!(alone > 0.0 && alone < both.unwrap(), "{}: {alone} of {both:?}", m.id);
        }
        let [shared, lone] = &measured[..] else { panic!("{ids:?}") };
        assert_eq!(lone.value(metric::FLUSH_BYTES), Some(8192.0));
        assert_eq!(shared.number(condition::SESSIONS), Some(4.0));
        assert_eq!(shared.number(condition::BYTES_PER_FLUSH_WANTED), Some(72_000.0));
        let bytes = shared.number(condition::BYTES_PER_COMMIT).unwrap();
        // Of full-page images, at most one more than the log's bytes need.
        let log_bytes = bytes * shared.value(metric::COMMITS_PER_FLUSH).unwrap();
        let flushed = shared.value(metric::FLUSH_BYTES).unwrap();
        assert!(flushed >= log_bytes * 0.99, "{flushed} of {log_bytes}");
        assert!(flushed <= log_bytes + 2.0 * PAGE as f64, "{flushed} of {log_bytes}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left");
    }
}
