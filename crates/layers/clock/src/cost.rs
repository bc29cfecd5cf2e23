//! The cost of one reading, and backward steps that one thread sees.

use std::hint::black_box;
use std::time::{Duration, Instant};

use narrows_engine::{Stop, Stopped};
use narrows_facts::affinity;

use crate::{ClockError, Reader};

/// Readings between two stamps: long enough (10 µs and more) that the stamps don't show, short enough that most
/// batches see no interrupt.
pub const BATCH: u32 = 1000;

/// What one repeat saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Median batch, ns per reading.
    pub ns_per_read: f64,
    /// Readings taken.
    pub reads: u64,
    /// Readings that were earlier than the one before.
    pub backward_steps: u64,
    /// The largest of them, in the reader's ticks.
    pub largest_back: u64,
    /// Smallest difference above zero between two readings, in the reader's ticks.
    pub smallest_step: Option<u64>,
}

/// Reads the clock for `length` on a thread of its own that stays on `cpu`.
pub fn cost_on(
    cpu: u32,
    reader: Reader,
    length: Duration,
    stop: &Stop,
) -> Result<Cost, ClockError> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                affinity::pin(&[cpu]).map_err(|reason| ClockError::Pin { cpu, reason })?;
                // One loop per way, so that the choice is not made again at every reading.
                Ok(match reader {
                    Reader::Vdso => cost(|| Reader::Vdso.read(), length, stop)?,
                    Reader::Syscall => cost(|| Reader::Syscall.read(), length, stop)?,
                    Reader::Tsc => cost(|| Reader::Tsc.read(), length, stop)?,
                })
            })
            .join()
            .expect("the reading thread does not panic")
    })
}

/// The loop itself, over any clock.
pub fn cost(read: impl Fn() -> u64, length: Duration, stop: &Stop) -> Result<Cost, Stopped> {
    let began = Instant::now();
    let mut batches = Vec::with_capacity(1 << 14);
    let mut backward_steps = 0;
    let mut largest_back = 0;
    let mut smallest_step = u64::MAX;
    let mut last = read();
    loop {
        stop.check()?;
        let from = Instant::now();
        for _ in 0..BATCH {
            let now = black_box(read());
            if now < last {
                backward_steps += 1;
                largest_back = largest_back.max(last - now);
            } else if now > last {
                smallest_step = smallest_step.min(now - last);
            }
            last = now;
        }
        batches.push(from.elapsed().as_nanos() as f64);
        if began.elapsed() >= length {
            break;
        }
    }
    let reads = batches.len() as u64 * u64::from(BATCH);
    let median = narrows_stats::median(&batches).unwrap_or(f64::NAN);
    Ok(Cost {
        ns_per_read: median / f64::from(BATCH),
        reads,
        backward_steps,
        largest_back,
        smallest_step: (smallest_step != u64::MAX).then_some(smallest_step),
    })
}

/// How fast the counter runs, against the monotonic clock over 20 ms; `None` for clocks that count ns.
pub fn tick_hz(reader: Reader, stop: &Stop) -> Result<Option<f64>, Stopped> {
    if reader != Reader::Tsc {
        return Ok(None);
    }
    let (from, ticks_from) = (Instant::now(), reader.read_ordered());
    stop.sleep(Duration::from_millis(20))?;
    let (elapsed, ticks) = (from.elapsed(), reader.read_ordered().wrapping_sub(ticks_from));
    Ok(Some(ticks as f64 / elapsed.as_secs_f64()))
}
