//! Committers that share flushes, in a closed loop: what the log gives to that many sessions.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Context, Gate, Phase, Stop, Window, now_ns, record_latency};
use narrows_facts::affinity;
use narrows_model::{Better, Layer, Measurement, Unit, condition, metric};
use narrows_observe::Watch;
use narrows_stats::Recorder;
use serde_json::json;

use crate::LogError;
use crate::collect::Collected;
use crate::group::{Flusher, GroupCommit};
use crate::page::{PAGE, Pages};
use crate::segment::Segment;

/// Pages written by one call at most.
const WRITE_PAGES: u64 = 128;

/// Writes whole pages and flushes them by `fdatasync`. The page in which the last flush ended is written again,
/// as a server does whose last page was not full.
pub struct SegmentFlusher<'a> {
    segment: &'a Segment,
    pages: &'a Pages,
    buffer: Vec<u8>,
    written: &'a AtomicU64,
}

impl<'a> SegmentFlusher<'a> {
    /// Flushes to that segment; `written` counts its bytes.
    pub fn new(segment: &'a Segment, pages: &'a Pages, written: &'a AtomicU64) -> Self {
        let buffer = vec![0; WRITE_PAGES as usize * PAGE];
        SegmentFlusher { segment, pages, buffer, written }
    }
}

impl Flusher for SegmentFlusher<'_> {
    fn flush(&mut self, from: u64, to: u64) -> io::Result<u64> {
        let first = from / PAGE as u64;
        let end = to.div_ceil(PAGE as u64);
        let mut page = first;
        while page < end {
            let count = (end - page).min(WRITE_PAGES);
            let buffer = &mut self.buffer[..count as usize * PAGE];
            self.pages.fill(page * PAGE as u64, buffer);
            self.segment.write_around(self.segment.file(), page * PAGE as u64, buffer)?;
            page += count;
        }
        self.segment.file().sync_data()?;
        let bytes = (end - first) * PAGE as u64;
        self.written.fetch_add(bytes, Ordering::Relaxed);
        Ok(bytes)
    }
}

/// One group commit measurement.
pub struct Ladder<'a> {
    /// Threads that commit.
    pub committers: u32,
    /// Log bytes of each commit.
    pub bytes_per_commit: u64,
    /// Where they run.
    pub cpus: &'a [u32],
    /// Bytes one window may write.
    pub most_bytes: u64,
}

#[derive(Default)]
struct Count {
    latency: Recorder,
    flushes: u64,
    flush_bytes: u64,
}

/// Measures with an existing segment. The id is `log.commit.N`.
pub fn measure(
    ctx: &Context,
    ladder: &Ladder,
    segment: &Segment,
    pages: &Pages,
    watch: &Watch,
) -> Result<Measurement, LogError> {
    let id = format!("log.commit.{}", ladder.committers);
    let written = AtomicU64::new(0);
    let log = GroupCommit::new(SegmentFlusher::new(segment, pages, &written));
    let mut collected = Collected::default();
    for _ in 0..ctx.repeats.max(1) {
        ctx.progress.phase(Layer::Log, Phase::Measure, &id);
        repeat(ctx, ladder, &log, &written, segment.path(), watch, &mut collected)?;
    }
    ctx.progress.phase(Layer::Log, Phase::Verify, &id);
    // The last page may hold no whole record yet, but it was written whole.
    let end = log.flushed().next_multiple_of(PAGE as u64);
    let verified = segment.verify(pages, end, crate::READ_BACK)?;

    let mut measurement = collected.into_measurement(id, segment, verified);
    let workload = &mut measurement.workload;
    workload.insert(condition::SESSIONS.into(), json!(ladder.committers));
    workload.insert(condition::SYNC_METHOD.into(), json!("fdatasync"));
    workload.insert("bytes_per_commit".into(), json!(ladder.bytes_per_commit));
    workload.insert("cpus".into(), json!(ladder.cpus));
    Ok(measurement)
}

fn repeat<F: Flusher + Send>(
    ctx: &Context,
    ladder: &Ladder,
    log: &GroupCommit<F>,
    written: &AtomicU64,
    path: &Path,
    watch: &Watch,
    collected: &mut Collected,
) -> Result<(), LogError> {
    let gate = Gate::new(ladder.committers as usize);
    let end_ns = AtomicU64::new(u64::MAX);
    let warm_up = (ctx.window / 10).min(Duration::from_millis(300));
    let sentinel_before = narrows_observe::sentinel();
    std::thread::scope(|scope| {
        let committers: Vec<_> = (0..ladder.committers)
            .map(|_| {
                let (gate, end_ns) = (&gate, &end_ns);
                scope.spawn(move || {
                    if let Err(reason) = affinity::pin(ladder.cpus) {
                        gate.fail();
                        return Err(LogError::Pin { cpus: ladder.cpus.to_vec(), reason });
                    }
                    let Ok(window) = gate.ready() else { return Ok(Count::default()) };
                    commit_until(log, ladder.bytes_per_commit, window, end_ns, ctx.stop)
                        .map_err(|reason| LogError::of("flushing", path, 0, reason))
                })
            })
            .collect();
        let window = gate.open(warm_up, ctx.window).ok();
        let seen = match window {
            Some(window) => observe(ctx, ladder, window, &end_ns, written, watch),
            // The thread that failed the gate says why.
            None => Ok(None),
        };
        let mut sum = Count::default();
        for committer in committers {
            let count = committer.join().expect("the committers do not panic")?;
            sum.latency.merge(&count.latency);
            sum.flushes += count.flushes;
            sum.flush_bytes += count.flush_bytes;
        }
        if let (Some(window), Some(seen)) = (window, seen?) {
            let sentinel_after = narrows_observe::sentinel();
            let length_ns = end_ns.load(Ordering::Relaxed).min(window.end_ns) - window.start_ns;
            add(
                collected,
                &sum,
                length_ns,
                seen.self_cpus * seen.window.0 as f64,
                ladder.committers,
            );
            collected.seen(&seen, sentinel_before, sentinel_after);
        }
        Ok(())
    })
}

fn observe(
    ctx: &Context,
    ladder: &Ladder,
    window: Window,
    end_ns: &AtomicU64,
    written: &AtomicU64,
    watch: &Watch,
) -> Result<Option<narrows_observe::Seen>, LogError> {
    window.wait_start(ctx.stop)?;
    let written_before = written.load(Ordering::Relaxed);
    let before = watch.snapshot();
    while now_ns() < window.end_ns {
        let left = Duration::from_nanos(window.end_ns.saturating_sub(now_ns()));
        ctx.stop.sleep(left.min(Duration::from_millis(5)))?;
        if written.load(Ordering::Relaxed) - written_before >= ladder.most_bytes {
            break;
        }
    }
    // Everybody's window ends together, by time or by the bytes that may be written.
    end_ns.store(now_ns().min(window.end_ns), Ordering::Relaxed);
    Ok(Some(watch.snapshot().since(&before)))
}

fn commit_until<F: Flusher>(
    log: &GroupCommit<F>,
    bytes: u64,
    window: Window,
    end_ns: &AtomicU64,
    stop: &Stop,
) -> io::Result<Count> {
    let mut count = Count::default();
    let mut began = now_ns();
    loop {
        let committed = log.commit(bytes)?;
        let now = now_ns();
        if now >= window.end_ns.min(end_ns.load(Ordering::Relaxed)) || stop.is_set() {
            return Ok(count);
        }
        if now >= window.start_ns {
            count.latency.record(now - began);
            if let Some(bytes) = committed.led_bytes {
                count.flushes += 1;
                count.flush_bytes += bytes;
            }
        }
        began = now;
    }
}

fn add(collected: &mut Collected, sum: &Count, length_ns: u64, cpu_ns: f64, depth: u32) {
    let commits = sum.latency.count() as f64;
    let flushes = sum.flushes as f64;
    let rate = commits / (length_ns as f64 / 1e9);
    let samples = &mut collected.samples;
    samples.add(metric::THROUGHPUT, Unit::OpsPerS, Better::More, rate);
    // Without one flush there is no mean; `add` leaves out what is not finite.
    samples.add(metric::COMMITS_PER_FLUSH, Unit::Count, Better::Neither, commits / flushes);
    samples.add(
        metric::FLUSH_BYTES,
        Unit::Bytes,
        Better::Neither,
        sum.flush_bytes as f64 / flushes,
    );
    samples.add(metric::FLUSHES_PER_OP, Unit::CountPerOp, Better::Neither, flushes / commits);
    record_latency(samples, &sum.latency);
    samples.add(metric::CPU_PER_OP, Unit::NsPerOp, Better::Less, cpu_ns / commits);
    samples.add(metric::WINDOW, Unit::Ns, Better::Neither, length_ns as f64);
    samples.add(metric::OPERATIONS, Unit::Count, Better::Neither, commits);
    samples.add(metric::ISSUED_WRITE_BYTES, Unit::Bytes, Better::Neither, sum.flush_bytes as f64);
    collected.little(rate, &sum.latency, depth);
    collected.histogram(&sum.latency);
}
