//! Read bandwidth of memory: every processor of a node sums its own buffer, all in one common window.
//!
//! Bytes are counted once, as they are read (no write-allocate, no stores). Each chunk's sum is compared with the
//! sum known from filling it, so that a read that did not happen is an error.

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::{Context, Gate, Phase, Rng, Samples, Stop, Window, now_ns};
use narrows_facts::affinity;
use narrows_model::{Better, Layer, Measurement, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::MemoryError;
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::sizing::Sizing;
use crate::sum::Kernel;

/// Read between two looks at the clock: some 30 µs.
const CHUNK: usize = 1 << 20;
const WORDS: usize = CHUNK / 8;
const WARM_UP: Duration = Duration::from_millis(100);
const LONGEST_REPEAT: Duration = Duration::from_secs(1);

/// Who reads what.
#[derive(Debug, Clone)]
pub struct Readers {
    /// The measurement's id.
    pub id: String,
    /// The node whose memory is read.
    pub node: u32,
    /// Whether the node has to be asked for.
    pub bind: bool,
    /// One thread on each.
    pub cpus: Vec<u32>,
}

/// How long one repeat counts.
pub fn repeat_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_REPEAT)
}

struct Count {
    bytes: u64,
    wrong: u64,
}

/// One measurement, or why it can't be had.
pub fn measure(
    ctx: &Context,
    readers: &Readers,
    sizing: &Sizing,
    watch: &Watch,
) -> Result<Result<Measurement, MapError>, MemoryError> {
    let threads = readers.cpus.len();
    let buffer_bytes = (sizing.footprint_bytes / threads as u64).next_multiple_of(HUGE).max(HUGE);
    let gates: Vec<Gate> = (0..ctx.repeats.max(1)).map(|_| Gate::new(threads)).collect();
    let kernel = Kernel::best();
    let (counts_to, counts) = mpsc::channel();
    let (shares_to, shares) = mpsc::channel();

    ctx.progress.phase(Layer::Memory, Phase::Prepare, &readers.id);
    let outcome = std::thread::scope(|scope| {
        let workers: Vec<_> = readers
            .cpus
            .iter()
            .map(|&cpu| {
                let (counts_to, shares_to, gates) = (counts_to.clone(), shares_to.clone(), &gates);
                scope.spawn(move || {
                    let prepared = prepare(ctx, readers, cpu, buffer_bytes);
                    if prepared.is_err() {
                        gates.iter().for_each(Gate::fail);
                    }
                    let buffer = prepared?;
                    let _ = shares_to.send(buffer.mapping.huge_share);
                    for gate in gates {
                        let Ok(window) = gate.ready() else { break };
                        let _ = counts_to.send(buffer.read(kernel, window, ctx.stop));
                    }
                    Ok::<(), Failure>(())
                })
            })
            .collect();
        drop((counts_to, shares_to));
        let measured = repeats(ctx, readers, &gates, &counts, watch);
        // Whoever still waits is released: after a stop, or when a sibling could not prepare.
        gates.iter().for_each(Gate::fail);
        for worker in workers {
            worker.join().expect("the reading threads do not panic")?;
        }
        measured.map_err(Failure::Memory)
    });
    let repeats = match outcome {
        Ok(repeats) => repeats,
        Err(Failure::Map(MapError::Stopped(stopped))) => return Err(stopped.into()),
        Err(Failure::Map(refused)) => return Ok(Err(refused)),
        Err(Failure::Memory(error)) => return Err(error),
    };

    let mut measurement = Measurement::new(readers.id.clone(), Layer::Memory);
    measurement.repeats = ctx.repeats.max(1);
    measurement.metrics = repeats.samples.into_metrics();
    let workload = &mut measurement.workload;
    workload.insert(condition::DIRECTION.into(), json!("read"));
    workload.insert(condition::PATTERN.into(), json!("sequential"));
    workload.insert(condition::METHOD.into(), json!(kernel.word()));
    workload.insert(condition::THREADS.into(), json!(threads));
    workload.insert("cpus".into(), json!(readers.cpus));
    workload.insert("footprint_bytes".into(), json!(buffer_bytes * threads as u64));
    workload.insert("convention".into(), json!("bytes read, each once"));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::NODE.into(), json!(readers.node));
    conditions.insert(
        "huge_page_share_least".into(),
        json!(shares.iter().fold(1.0f64, |least, share| least.min(share))),
    );
    conditions.insert("slowest_over_fastest_thread".into(), json!(repeats.slowest_over_fastest));
    crate::add_sizing(conditions, sizing);
    Ok(Ok(measurement))
}

struct Repeats {
    samples: Samples,
    slowest_over_fastest: f64,
}

fn repeats(
    ctx: &Context,
    readers: &Readers,
    gates: &[Gate],
    counts: &mpsc::Receiver<Count>,
    watch: &Watch,
) -> Result<Repeats, MemoryError> {
    let mut samples = Samples::new();
    let mut slowest_over_fastest = 1.0f64;
    for gate in gates {
        let sentinel_before = narrows_observe::sentinel();
        ctx.progress.phase(Layer::Memory, Phase::Measure, &readers.id);
        // A failed gate is explained by the worker that failed it, whose error comes before this result.
        let Ok(window) = gate.open(WARM_UP, repeat_length(ctx)) else { break };
        window.wait_start(ctx.stop)?;
        let before = watch.snapshot();
        window.wait_end(ctx.stop)?;
        let seen = watch.since(&before);
        let counted: Vec<Count> = counts.iter().take(readers.cpus.len()).collect();
        ctx.stop.check()?;
        let sentinel_after = narrows_observe::sentinel();

        let seconds = window.length_ns() as f64 / 1e9;
        let bytes: u64 = counted.iter().map(|count| count.bytes).sum();
        let wrong: u64 = counted.iter().map(|count| count.wrong).sum();
        let least = counted.iter().map(|count| count.bytes).min().unwrap_or(0);
        let most = counted.iter().map(|count| count.bytes).max().unwrap_or(0);
        slowest_over_fastest = slowest_over_fastest.min(least as f64 / most.max(1) as f64);
        samples.add(metric::BANDWIDTH, Unit::BytesPerS, Better::More, bytes as f64 / seconds);
        samples.add(metric::ERRORS, Unit::Count, Better::Less, wrong as f64);
        samples.extend(seen.metrics());
        crate::add_sentinel(&mut samples, sentinel_before, sentinel_after);
    }
    Ok(Repeats { samples, slowest_over_fastest })
}

#[derive(Debug)]
enum Failure {
    Map(MapError),
    Memory(MemoryError),
}

struct Buffer {
    mapping: Mapping,
    sums: Vec<u64>,
}

/// Pins the calling thread and fills a buffer of its own, so that first touch puts it on the thread's node.
fn prepare(ctx: &Context, readers: &Readers, cpu: u32, bytes: u64) -> Result<Buffer, Failure> {
    affinity::pin(&[cpu]).map_err(|reason| Failure::Memory(MemoryError::Pin { cpu, reason }))?;
    let node = readers.bind.then_some(readers.node);
    let mapping = Mapping::new(bytes, Pages::Any, node, ctx.stop).map_err(Failure::Map)?;
    Buffer::fill(mapping, ctx.seed ^ u64::from(cpu), ctx.stop).map_err(Failure::Map)
}

impl Buffer {
    fn fill(mut mapping: Mapping, seed: u64, stop: &Stop) -> Result<Buffer, MapError> {
        let mut rng = Rng::new(seed);
        let mut sums = Vec::with_capacity(mapping.len() / CHUNK);
        for chunk in mapping.words_mut().chunks_exact_mut(WORDS) {
            stop.check()?;
            let mut sum = 0u64;
            for word in chunk {
                *word = rng.next_u64();
                sum = sum.wrapping_add(*word);
            }
            sums.push(sum);
        }
        Ok(Buffer { mapping, sums })
    }

    /// Reads around the buffer until the window ends; counts the chunks that were completed inside it.
    fn read(&self, kernel: Kernel, window: Window, stop: &Stop) -> Count {
        let mut count = Count { bytes: 0, wrong: 0 };
        loop {
            for (chunk, known) in self.mapping.words().chunks_exact(WORDS).zip(&self.sums) {
                let sum = std::hint::black_box(kernel.sum(chunk));
                count.wrong += u64::from(sum != *known);
                let at = now_ns();
                if at >= window.end_ns || stop.is_set() {
                    return count;
                }
                if at >= window.start_ns {
                    count.bytes += CHUNK as u64;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(bytes: u64) -> Buffer {
        let stop = Stop::new();
        Buffer::fill(Mapping::new(bytes, Pages::Any, None, &stop).unwrap(), 4, &stop).unwrap()
    }

    #[test]
    fn a_changed_word_is_an_error_in_every_lap() {
        let stop = Stop::new();
        let mut buffer = buffer(HUGE);
        // Windows get longer until one chunk fits, however slow the machine is just now.
        let counted = |buffer: &Buffer, kernel: Kernel| {
            let mut length_ns = 20_000_000;
            loop {
                let start_ns = now_ns();
                let window = Window { start_ns, end_ns: start_ns + length_ns };
                let count = buffer.read(kernel, window, &stop);
                if count.bytes >= 2 * CHUNK as u64 {
                    return count;
                }
                length_ns *= 2;
            }
        };
        for kernel in Kernel::available() {
            let count = counted(&buffer, kernel);
            assert_eq!(count.wrong, 0, "{kernel:?}");
            assert!(count.bytes.is_multiple_of(CHUNK as u64));
        }
        buffer.mapping.words_mut()[WORDS + 3] ^= 1 << 40;
        assert!(counted(&buffer, Kernel::best()).wrong > 0);
    }

    #[test]
    fn nothing_counts_outside_the_window() {
        let past = Window { start_ns: 0, end_ns: now_ns() };
        assert_eq!(buffer(HUGE).read(Kernel::best(), past, &Stop::new()).bytes, 0);
        let stop = Stop::new();
        stop.set();
        let never = Window { start_ns: u64::MAX - 1, end_ns: u64::MAX };
        assert_eq!(buffer(HUGE).read(Kernel::best(), never, &stop).bytes, 0);
    }
}
