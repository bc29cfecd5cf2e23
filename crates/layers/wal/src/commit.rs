//! Committers that share flushes, in a closed loop: what the log gives to that many sessions.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Context, Phase, now_ns, repeat_of};
use narrows_model::{Layer, Measurement, condition};
use narrows_observe::Watch;
use serde_json::json;

use crate::LogError;
use crate::collect::Collected;
use crate::medium::LogMedium;
use crate::page::{PAGE, Pages};
use crate::writer::drive::{Drive, Driven, Load, drive};
use crate::writer::{CommitLog, CommitSizes, Delay, Flusher, Style};

/// Pages written by one call at most.
const WRITE_PAGES: u64 = 128;

/// Writes whole pages and makes them durable: by `fdatasync`, on a namespace by Flush. The page in which the last flush ended is written again,
/// as a server does whose last page was not full.
pub struct SegmentFlusher<'a> {
    medium: &'a dyn LogMedium,
    pages: &'a Pages,
    buffer: Vec<u8>,
    written: &'a AtomicU64,
    /// How long the last flush took, without its write.
    flush_ns: Option<u64>,
    /// While it is set, nothing is flushed.
    free: Option<&'a AtomicBool>,
    /// Grows by the time in which pages were made up, ns.
    making_ns: Option<&'a AtomicU64>,
}

impl<'a> SegmentFlusher<'a> {
    /// Flushes to that medium; `written` counts its bytes.
    pub(crate) fn new(medium: &'a dyn LogMedium, pages: &'a Pages, written: &'a AtomicU64) -> Self {
        let buffer = vec![0; WRITE_PAGES as usize * PAGE];
        SegmentFlusher {
            medium,
            pages,
            buffer,
            written,
            flush_ns: None,
            free: None,
            making_ns: None,
        }
    }
}

impl<'a> SegmentFlusher<'a> {
    /// The same, which only writes while `free` is set: a log that costs next to nothing, and keeps nothing.
    #[must_use]
    pub fn with_free(self, free: &'a AtomicBool) -> Self {
        SegmentFlusher { free: Some(free), ..self }
    }

    /// The same, which tells there how long pages were made up, ns: a server's are filled before they are flushed.
    #[must_use]
    pub fn with_making(self, making_ns: &'a AtomicU64) -> Self {
        SegmentFlusher { making_ns: Some(making_ns), ..self }
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
            let begun_ns = self.making_ns.map(|_| now_ns());
            self.pages.fill(page * PAGE as u64, buffer);
            if let (Some(making_ns), Some(begun_ns)) = (self.making_ns, begun_ns) {
                making_ns.fetch_add(now_ns() - begun_ns, Ordering::Relaxed);
            }
            self.medium.write_around(page * PAGE as u64, buffer)?;
            page += count;
        }
        self.flush_ns = None;
        if !self.free.is_some_and(|free| free.load(Ordering::Relaxed)) {
            let begun_ns = now_ns();
            self.medium.make_durable()?;
            self.flush_ns = Some(now_ns() - begun_ns);
        }
        let bytes = (end - first) * PAGE as u64;
        self.written.fetch_add(bytes, Ordering::Relaxed);
        Ok(bytes)
    }

    fn last_flush_ns(&self) -> Option<u64> {
        self.flush_ns
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

/// Measures with an existing segment. The id is `log.commit.N`.
pub(crate) fn measure(
    ctx: &Context,
    ladder: &Ladder,
    segment: &dyn LogMedium,
    pages: &Pages,
    watch: &Watch,
) -> Result<Measurement, LogError> {
    let id = format!("log.commit.{}", ladder.committers);
    let written = AtomicU64::new(0);
    let flusher = SegmentFlusher::new(segment, pages, &written);
    let log = CommitLog::new(flusher, Style::Leader, Delay::default());
    let sizes = CommitSizes::fixed(ladder.bytes_per_commit);
    let mut collected = Collected::default();
    let repeats = ctx.repeats.max(1);
    for repeat in 0..repeats {
        let detail = repeat_of(&id, repeat, repeats, collected.commits_so_far());
        ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
        let how = Drive {
            load: Load::Closed { sessions: ladder.committers },
            sizes: &sizes,
            cpus: ladder.cpus,
            client_cpus: &[],
            warm_up: (ctx.window / 10).min(Duration::from_millis(300)),
            length: ctx.window,
            seed: ctx.seed ^ u64::from(repeat),
            most_bytes: ladder.most_bytes,
        };
        let driven = drive(ctx, &log, &written, segment.path(), &how, watch)?;
        add(&mut collected, &driven, ladder.committers);
    }
    ctx.progress.phase(Layer::Log, Phase::Verify, &id);
    // The last page may hold no whole record yet, but it was written whole.
    let end = log.flushed().next_multiple_of(PAGE as u64);
    let verified = segment.verify(pages, end, crate::READ_BACK)?;

    let mut measurement = collected.into_measurement(id, segment, verified);
    let workload = &mut measurement.workload;
    workload.insert(condition::SESSIONS, json!(ladder.committers));
    workload.insert(condition::SYNC_METHOD, json!("fdatasync"));
    workload.insert(condition::BYTES_PER_COMMIT, json!(ladder.bytes_per_commit));
    workload.insert(condition::CPUS, json!(ladder.cpus));
    Ok(measurement)
}

/// Adds one window of so many sessions in a closed loop.
pub fn add(collected: &mut Collected, driven: &Driven, sessions: u32) {
    let account = driven.went.account();
    account.add_to(&mut collected.samples);
    collected.little(account.rate_per_s(), &account.wait, sessions);
    collected.seen(&driven.seen, driven.sentinels.0, driven.sentinels.1);
    collected.histogram(&account.wait);
}
