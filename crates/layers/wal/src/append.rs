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
}

impl<'a> Appender<'a> {
    /// At the beginning of the segment.
    pub fn new(segment: &'a Segment, pages: &'a Pages) -> Result<Self, LogError> {
        let dsync = segment.open_dsync()?;
        Ok(Appender { segment, pages, dsync, position: 0, record: vec![0; PAGE] })
    }

    /// Appends one record; returns when it is durable, and how long the flush took without the write, ns, where they are two calls.
    pub fn append(&mut self, method: SyncMethod) -> io::Result<Option<u64>> {
        self.pages.fill(self.position, &mut self.record);
        // A segment is whole pages, so that none goes around its end.
        let offset = self.position % self.segment.bytes();
        let flush_ns = match method {
            SyncMethod::Fdatasync => {
                self.segment.write_at(offset, &self.record)?;
                let begun_ns = now_ns();
                self.segment.make_durable()?;
                Some(now_ns() - begun_ns)
            }
            SyncMethod::Dsync => {
                self.dsync.write_all_at(&self.record, offset)?;
                None
            }
        };
        self.position += PAGE as u64;
        Ok(flush_ns)
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
        let start = now_ns();
        let end = start + ctx.window.as_nanos() as u64;
        let mut began = start;
        loop {
            let appended = self.append(method);
            let flush_ns = appended.map_err(|reason| failed(self.segment.path(), reason))?;
            let now = now_ns();
            if let Some(ns) = flush_ns {
                flush.record(ns);
            }
            latency.record(now - began);
            began = now;
            if now >= end || self.position - from >= most_bytes {
                break;
            }
            ctx.stop.check()?;
        }
        let window_ns = began - start;
        let cpu_ns = process::thread_cpu_ns() - cpu_before;
        let seen = watch.since(&before);
        let busy_done = busy.zip(busy_before).map(|(busy, before)| busy.done().since(&before));
        let sentinel_after = narrows_observe::sentinel();

        let operations = latency.count() as f64;
        let seconds = window_ns as f64 / 1e9;
        let rate = operations / seconds;
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
