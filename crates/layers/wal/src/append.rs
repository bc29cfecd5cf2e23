//! One writer appends 8 KiB records to a recycled segment, each durable before the next: the cost of a flush, alone.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use narrows_engine::{Context, now_ns, record_latency};
use narrows_facts::process;
use narrows_model::metric;
use narrows_observe::Watch;
use narrows_stats::Recorder;

use crate::LogError;
use crate::busy::BusyWriter;
use crate::collect::Collected;
use crate::medium::LogMedium as _;
use crate::page::{PAGE, Pages};
use crate::segment::Segment;

/// How a record becomes durable; the kinds of PostgreSQL's `wal_sync_method` that a Linux server uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncMethod {
    /// A write, then `fdatasync`.
    Fdatasync,
    /// One write to a file opened with `O_DSYNC`.
    Dsync,
}

impl SyncMethod {
    /// The part of the measurement's id.
    pub fn id_part(self) -> &'static str {
        match self {
            SyncMethod::Fdatasync => "fdatasync",
            SyncMethod::Dsync => "dsync",
        }
    }

    /// The word in the conditions.
    pub fn word(self) -> &'static str {
        match self {
            SyncMethod::Fdatasync => "fdatasync",
            SyncMethod::Dsync => "open_dsync",
        }
    }
}

/// A log with one writer.
pub struct Appender<'a> {
    segment: &'a Segment,
    pages: &'a Pages,
    dsync: File,
    position: u64,
    record: Vec<u8>,
    /// Time in which records were made up, ns.
    making_ns: u64,
}

/// What one append took, ns.
#[derive(Debug, Clone, Copy)]
pub struct Appended {
    /// From the write to the return of what makes it durable.
    pub took_ns: u64,
    /// Of that, the flush without the write, where they are two calls.
    pub flush_ns: Option<u64>,
}

impl<'a> Appender<'a> {
    /// At the beginning of the segment.
    pub fn new(segment: &'a Segment, pages: &'a Pages) -> Result<Self, LogError> {
        let dsync = segment.open_dsync()?;
        Ok(Appender { segment, pages, dsync, position: 0, record: vec![0; PAGE], making_ns: 0 })
    }

    /// Appends one record; returns when it is durable. What it holds is made up before, as a server's is.
    pub fn append(&mut self, method: SyncMethod) -> io::Result<Appended> {
        let making_ns = now_ns();
        self.pages.fill(self.position, &mut self.record);
        // A segment is whole pages, so that none goes around its end.
        let offset = self.position % self.segment.bytes();
        let begun_ns = now_ns();
        self.making_ns += begun_ns - making_ns;
        let mut flush_from_ns = None;
        match method {
            SyncMethod::Fdatasync => {
                self.segment.write_at(offset, &self.record)?;
                flush_from_ns = Some(now_ns());
                self.segment.make_durable()?;
            }
            SyncMethod::Dsync => self.dsync.write_all_at(&self.record, offset)?,
        }
        let ended_ns = now_ns();
        self.position += PAGE as u64;
        Ok(Appended {
            took_ns: ended_ns - begun_ns,
            flush_ns: flush_from_ns.map(|from_ns| ended_ns - from_ns),
        })
    }

    /// Bytes appended so far.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// One repeat: warm-up, then a window of appends back to back that ends by time or by `most_bytes`.
    pub fn repeat(
        &mut self,
        ctx: &Context,
        method: SyncMethod,
        busy: Option<&BusyWriter>,
        most_bytes: u64,
        watch: &Watch,
        collected: &mut Collected,
    ) -> Result<(), LogError> {
        let failed = |path: &std::path::Path, reason| LogError::of("appending to", path, 0, reason);
        let warm_up = (ctx.window / 10).min(Duration::from_millis(300));
        let warm_end = now_ns() + warm_up.as_nanos() as u64;
        while now_ns() < warm_end {
            ctx.stop.check()?;
            self.append(method).map_err(|reason| failed(self.segment.path(), reason))?;
        }

        let (mut latency, mut flush) = (Recorder::new(), Recorder::new());
        let sentinel_before = narrows_observe::sentinel();
        let busy_before = busy.map(BusyWriter::done);
        let before = watch.snapshot();
        let cpu_before = process::thread_cpu_ns();
        let from = self.position;
        self.making_ns = 0;
        let start = now_ns();
        let end = start + ctx.window.as_nanos() as u64;
        let mut ended;
        loop {
            let appended = self.append(method);
            let appended = appended.map_err(|reason| failed(self.segment.path(), reason))?;
            ended = now_ns();
            if let Some(ns) = appended.flush_ns {
                flush.record(ns);
            }
            latency.record(appended.took_ns);
            if ended >= end || self.position - from >= most_bytes {
                break;
            }
            ctx.stop.check()?;
        }
        let window_ns = ended - start;
        let cpu_ns = (process::thread_cpu_ns() - cpu_before).saturating_sub(self.making_ns);
        let seen = watch.since(&before);
        let busy_done = busy.zip(busy_before).map(|(busy, before)| busy.done().since(&before));
        let sentinel_after = narrows_observe::sentinel();

        let operations = latency.count() as f64;
        let seconds = window_ns as f64 / 1e9;
        // A window without the time in which records were made up.
        let window_ns = (window_ns - self.making_ns).max(1);
        let rate = operations * 1e9 / window_ns as f64;
        let samples = &mut collected.samples;
        samples.add(metric::THROUGHPUT, rate);
        record_latency(samples, &latency);
        if let Some(ns) = flush.mean() {
            samples.add(metric::FLUSH_TIME_MEAN, ns);
        }
        samples.add(metric::FLUSH_BYTES, PAGE as f64);
        samples.add(metric::CPU_PER_OP, cpu_ns as f64 / operations);
        samples.add(metric::WINDOW, window_ns as f64);
        samples.add(metric::OPERATIONS, operations);
        samples.add(metric::ISSUED_WRITE_BYTES, operations * PAGE as f64);
        collected.little(rate, &latency, 1);
        collected.seen(&seen, sentinel_before, sentinel_after);
        if let Some(done) = busy_done {
            collected.busy_writes_per_s.push(done.writes as f64 / seconds);
            collected.busy_flushes.push(done.flushes as f64);
        }
        collected.histogram(&latency);
        Ok(())
    }
}
