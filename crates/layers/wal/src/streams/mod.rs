//! Several WAL streams on one device: what they do to each other, and how many it holds.
//!
//! Each stream is a log of its own: one file, one writer, writes of one size by a schedule of constant gaps, each followed by
//! `fdatasync`. Latency counts from when a write was due, so that a stream which the device can't keep up with shows it. Streams begin at
//! times spread over one gap, as logs of different databases do. The casebook's ten databases with 4 MB/s each are 320 writes of
//! 128 KiB per second.
//!
//! A stream alone is measured in the same repeat as many together: what the others do to it is the ratio of the two. How many the
//! device holds is searched by their number ([`hold`]).

pub(crate) mod hold;
mod one;
mod plan;

use std::time::Duration;

use narrows_engine::{
    Context, Gate, LiveValue, Phase, Samples, Window, held_quantile, record_latency, repeat_of,
};
use narrows_model::{Histogram, Layer, Measurement, Role, Unit, condition, metric};
use narrows_observe::{HostWindow, Watch};
use narrows_stats::Recorder;
use serde_json::json;

pub use hold::{Held, Holding};
pub use plan::{StreamsPlan, planned_streams};

use crate::medium::LogMedium;
use crate::page::Pages;
use crate::{LogError, LogGround, on_server_cpus};
use one::{Stream, Streamed};

/// The logs, and what was found about them.
#[derive(Debug)]
pub struct StreamsMeasured {
    /// `log.streams.N` for each number that was tried.
    pub measurements: Vec<Measurement>,
    /// How many the device holds at the target.
    pub holding: Holding,
}

/// Measures one stream alone, `plan.streams` together and what lies between, and searches how many keep the target.
///
/// # Errors
/// A folder that is missing, read-only, full or in memory; a write that failed; a stop. Nothing is left behind.
pub fn streams(
    ctx: &Context,
    ground: LogGround<'_>,
    watch: &Watch,
    plan: &StreamsPlan,
) -> Result<StreamsMeasured, LogError> {
    on_server_cpus(&plan.cpus, || {
        let mut logs = Logs::new(ctx, ground, plan);
        let mut holding = Holding::new(plan);
        let mut kept: Vec<(u32, StreamWindows)> = Vec::new();
        for repeat in 0..ctx.repeats.max(1) {
            for &n in &plan.counts() {
                let shown = logs.window(n, (repeat, so_far(&kept, n)), watch)?;
                add(&mut kept, n, shown);
            }
        }
        for (n, kept) in &kept {
            holding.saw(*n, &kept.held());
        }
        while let Some(n) = holding.next_count() {
            for repeat in 0..ctx.repeats.max(1) {
                let shown = logs.window(n, (repeat, so_far(&kept, n)), watch)?;
                add(&mut kept, n, shown);
            }
            let held = kept.iter().find(|(at, _)| *at == n).map(|(_, kept)| kept.held());
            holding.saw(n, &held.unwrap_or_default());
        }
        let wrong = logs.verify()?;
        kept.sort_by_key(|(n, _)| *n);
        let alone: Vec<f64> = kept
            .iter()
            .find(|(n, _)| *n == 1)
            .map(|(_, kept)| kept.samples.get(metric::LATENCY_MEAN).to_vec())
            .unwrap_or_default();
        let measurements =
            kept.into_iter().map(|(n, kept)| kept.finish(n, plan, &alone, wrong)).collect();
        Ok(StreamsMeasured { measurements, holding })
    })
}

fn add(kept: &mut Vec<(u32, StreamWindows)>, n: u32, shown: StreamsWindow) {
    let at = kept.iter().position(|(of, _)| *of == n).unwrap_or_else(|| {
        kept.push((n, StreamWindows::default()));
        kept.len() - 1
    });
    kept[at].1.add(shown);
}

/// What a write of one of so many streams took so far.
fn so_far(kept: &[(u32, StreamWindows)], n: u32) -> Option<LiveValue> {
    let (_, kept) = kept.iter().find(|(of, _)| *of == n)?;
    kept.samples.so_far(metric::LATENCY_MEAN).map(LiveValue::Nanos)
}

/// The files, made when they are first needed.
struct Logs<'a> {
    ctx: &'a Context<'a>,
    ground: LogGround<'a>,
    plan: &'a StreamsPlan,
    pages: Pages,
    files: Vec<Box<dyn LogMedium + Send>>,
    positions: Vec<u64>,
}

/// One window: all streams together.
struct StreamsWindow {
    streams: Vec<Streamed>,
    length_ns: u64,
    seen: HostWindow,
    sentinels: (f64, f64),
}

impl<'a> Logs<'a> {
    fn new(ctx: &'a Context<'a>, ground: LogGround<'a>, plan: &'a StreamsPlan) -> Self {
        let pages = Pages::new(ctx.seed);
        Logs { ctx, ground, plan, pages, files: Vec::new(), positions: Vec::new() }
    }

    fn window(
        &mut self,
        n: u32,
        (repeat, so_far): (u32, Option<LiveValue>),
        watch: &Watch,
    ) -> Result<StreamsWindow, LogError> {
        while self.files.len() < n as usize {
            let number = self.files.len();
            let what = format!("log of stream {}", number + 1);
            self.ctx.progress.phase(Layer::Log, Phase::Fill, &what);
            let seed = self.ctx.seed ^ ((number as u64 + 1) << 32);
            let name = format!("log-stream-{number}");
            let bytes = self.plan.file_bytes();
            let place = (number as u64, name.as_str());
            self.files.push(self.ground.medium(place, bytes, seed, self.ctx.stop)?);
            self.positions.push(0);
        }
        self.ctx.stop.check()?;
        let repeats = self.ctx.repeats.max(1);
        let detail = repeat_of(&format!("{n} streams together"), repeat, repeats, so_far);
        self.ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
        let (ctx, plan, pages) = (self.ctx, self.plan, &self.pages);
        let gate = Gate::new(n as usize);
        let before = narrows_observe::sentinel();
        let outcome = std::thread::scope(|scope| {
            let gap_ns = plan.gap_ns();
            let threads: Vec<_> = self
                .files
                .iter()
                .zip(&self.positions)
                .take(n as usize)
                .enumerate()
                .map(|(number, (file, position))| {
                    let offset_ns = gap_ns as u64 * number as u64 / u64::from(n);
                    let file = &**file;
                    let stream = Stream { file, pages, plan, position: *position, offset_ns };
                    let gate = &gate;
                    scope.spawn(move || stream.run(gate, ctx.stop))
                })
                .collect();
            let window = gate.open(plan.warm_up(), ctx.window).ok();
            let seen = match window {
                Some(window) => observe(ctx, window, watch).map(Some),
                None => Ok(None),
            };
            let mut streams = Vec::new();
            for thread in threads {
                streams.push(thread.join().expect("the streams do not panic")?);
            }
            Ok::<_, LogError>((seen?, streams))
        });
        let (seen, streams) = outcome?;
        ctx.stop.check()?;
        let after = narrows_observe::sentinel();
        for (position, streamed) in self.positions.iter_mut().zip(&streams) {
            *position = streamed.position;
        }
        let Some(seen) = seen else { return Err(narrows_engine::Stopped.into()) };
        let length_ns = ctx.window.as_nanos() as u64;
        let sentinels = (before.0 as f64, after.0 as f64);
        Ok(StreamsWindow { streams, length_ns, seen, sentinels })
    }

    /// Reads back the end of each log; gives how much was not what was written.
    fn verify(&self) -> Result<(u64, u64), LogError> {
        self.ctx.progress.phase(Layer::Log, Phase::Verify, "the ends of the logs");
        let (mut read, mut wrong) = (0, 0);
        for (file, position) in self.files.iter().zip(&self.positions) {
            let (pages, bad) = one::verify(&**file, &self.pages, *position, self.plan)?;
            read += pages;
            wrong += bad;
        }
        Ok((read, wrong))
    }
}

fn observe(ctx: &Context, window: Window, watch: &Watch) -> Result<HostWindow, LogError> {
    window.wait_start(ctx.stop)?;
    let before = watch.snapshot();
    window.wait_end(ctx.stop)?;
    Ok(watch.since(&before))
}

/// The windows of one number of streams.
#[derive(Default)]
struct StreamWindows {
    samples: Samples,
    histograms: Vec<Histogram>,
    all: Recorder,
    over: u64,
    operations: u64,
    late: u64,
    cpu_ns: Vec<f64>,
}

impl StreamWindows {
    fn add(&mut self, shown: StreamsWindow) {
        let mut latency = Recorder::new();
        let mut flush = Recorder::new();
        let (mut due, mut bytes, mut done) = (0, 0, 0);
        for stream in &shown.streams {
            latency.merge(&stream.latency);
            flush.merge(&stream.flush);
            due += stream.due;
            done += stream.done;
            bytes += stream.bytes;
            self.over += stream.over;
            self.late += stream.late;
        }
        self.operations += latency.count();
        self.all.merge(&latency);
        let seconds = shown.length_ns as f64 / 1e9;
        let samples = &mut self.samples;
        samples.add(metric::THROUGHPUT, done as f64 / seconds);
        samples.add(metric::OFFERED, due as f64 / seconds);
        samples.add(metric::BANDWIDTH, bytes as f64 / seconds);
        record_latency(samples, &latency);
        if let Some(mean) = flush.mean() {
            samples.add(metric::PARALLEL_WRITE_MEAN, mean);
        }
        if let Some(p50) = flush.quantile(0.5) {
            samples.add(metric::PARALLEL_WRITE_P50, p50 as f64);
        }
        samples.add(metric::WINDOW, shown.length_ns as f64);
        samples.add(metric::OPERATIONS, done as f64);
        samples.add(metric::ISSUED_WRITE_BYTES, bytes as f64);
        let cpu_ns = shown.seen.self_cpus * shown.seen.window.0 as f64;
        samples.add(metric::CPU_PER_OP, cpu_ns / done as f64);
        samples.extend(shown.seen.metrics());
        let drift = shown.sentinels.1 / shown.sentinels.0 - 1.0;
        samples.add(metric::SENTINEL_DRIFT, drift);
        self.cpu_ns.push(cpu_ns);
        self.histograms.push(Histogram {
            name: "latency".to_string(),
            unit: Unit::Ns,
            repeat: self.histograms.len() as u32,
            hdr_v2: latency.to_hdr_v2(),
        });
    }

    fn held(&self) -> Held {
        Held { operations: self.operations, over: self.over, late: self.late }
    }

    fn finish(
        self,
        n: u32,
        plan: &StreamsPlan,
        alone: &[f64],
        (read, wrong): (u64, u64),
    ) -> Measurement {
        let mut measurement = Measurement::new(format!("log.streams.{n}"), Layer::Log);
        measurement.repeats = self.histograms.len() as u32;
        let mut samples = self.samples;
        let together = samples.get(metric::LATENCY_MEAN).to_vec();
        // What the search tried ran in other repeats than the stream alone.
        let same_repeats = plan.counts().contains(&n) && together.len() == alone.len();
        if n > 1 && same_repeats {
            for (together, alone) in together.iter().zip(alone) {
                let ratio = together / alone;
                samples.add(metric::INTERFERENCE, ratio);
            }
        }
        let errors = wrong as f64;
        samples.add(metric::ERRORS, errors);
        // A window may have too few writes for a tail; all repeats together need ten beyond it as well.
        for (name, quantile) in [(metric::LATENCY_P99_ALL, 0.99), (metric::LATENCY_P999_ALL, 0.999)]
        {
            if let Some(ns) = held_quantile(&self.all, quantile) {
                samples.add(name, ns);
            }
        }
        let cache = plan.cache_bytes;
        let bytes_per_s = narrows_stats::median(samples.get(metric::BANDWIDTH));
        measurement.metrics = samples.into_metrics();
        measurement.histograms = self.histograms;
        let workload = &mut measurement.workload;
        workload.insert(condition::LOOP, json!("open"));
        workload.insert(condition::ARRIVALS, json!("constant"));
        workload.insert(condition::ROLE, json!(Role::Wal.word()));
        workload.insert(condition::DIRECTION, json!("write"));
        workload.insert(condition::PATTERN, json!("sequential"));
        workload.insert(condition::SYNC_METHOD, json!("fdatasync"));
        workload.insert(condition::BLOCK_BYTES, json!(plan.write_bytes));
        workload.insert(condition::THREADS, json!(n));
        workload.insert(condition::STREAMS, json!(n));
        workload.insert(condition::RATE_BYTES_PER_S, json!(plan.rate_bytes_per_s));
        workload.insert(condition::TARGET_QUANTILE, json!(plan.quantile));
        workload.insert(condition::TARGET_NS, json!(plan.limit_ns));
        workload.insert(condition::SEGMENT_BYTES, json!(plan.file_bytes()));
        workload.insert(condition::CPUS, json!(plan.cpus));
        let conditions = &mut measurement.conditions;
        conditions.insert(condition::PAGES_READ_BACK, json!(read));
        let over = self.over as f64 / self.operations.max(1) as f64;
        conditions.insert(condition::OVER_TARGET_SHARE, json!(over));
        if let (Some(cache), Some(rate)) = (cache, bytes_per_s.filter(|rate| *rate > 0.0)) {
            // A cache of that size holds what was written in so long.
            conditions.insert(condition::CACHE_BYTES, json!(cache));
            conditions.insert(condition::CACHE_TURNOVER_S, json!(cache as f64 / rate));
        }
        measurement
    }
}

/// Before a window.
pub(crate) const LEAD: Duration = Duration::from_millis(150);

#[cfg(test)]
mod tests;
