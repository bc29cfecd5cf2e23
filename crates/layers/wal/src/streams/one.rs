//! One stream: its own file, its own writer, writes when they are due.

use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

use narrows_engine::{Constant, Gate, Stop, Window, now_ns};
use narrows_facts::{affinity, process};
use narrows_stats::Recorder;

use super::plan::StreamsPlan;
use crate::LogError;
use crate::medium::LogMedium;
use crate::page::Pages;

/// Before a write is due its writer spins for so long; longer than that only where few streams run.
const SPIN_NS: u64 = 20_000;
/// A stream that is so much behind at the window's end gives up what was due.
const GRACE_NS: u64 = 500_000_000;

/// A stream in one window.
pub struct Stream<'a> {
    pub file: &'a (dyn LogMedium + Send),
    pub pages: &'a Pages,
    pub plan: &'a StreamsPlan,
    /// Where it goes on.
    pub position: u64,
    /// Its first write is due so long after the others' beginning.
    pub offset_ns: u64,
}

/// What it did.
#[derive(Debug, Default)]
pub struct Streamed {
    /// From when a write was due until it was durable; those that were due in the window.
    pub latency: Recorder,
    /// Write and flush alone.
    pub flush: Recorder,
    /// Writes due in the window.
    pub due: u64,
    /// Writes that became durable in it.
    pub done: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Writes due in the window that took longer than the limit.
    pub over: u64,
    /// Writes due in the window that were given up.
    pub late: u64,
    /// Where the log ends.
    pub position: u64,
}

impl Stream<'_> {
    /// Waits at the gate and writes until the window is over.
    pub fn run(mut self, gate: &Gate, stop: &Stop) -> Result<Streamed, LogError> {
        if let Err(reason) = affinity::pin(&self.plan.cpus) {
            gate.fail();
            return Err(LogError::Pin { cpus: self.plan.cpus.clone(), reason });
        }
        // It sleeps until a write is due, and must not be woken together with others.
        process::wake_within_ns(NonZeroU64::new(1_000).expect("not zero"));
        let mut buffer = vec![0; self.plan.write_bytes as usize];
        let Ok(window) = gate.ready() else { return Ok(Streamed::default()) };
        self.until_its_end(window, stop, &mut buffer)
            .map_err(|reason| LogError::of("writing", self.file.path(), self.file.bytes(), reason))
    }

    fn until_its_end(
        &mut self,
        window: Window,
        stop: &Stop,
        buffer: &mut [u8],
    ) -> io::Result<Streamed> {
        let mut streamed = Streamed::default();
        let rate_per_s = 1e9 / self.plan.gap_ns();
        let mut schedule = Constant::new(rate_per_s, (0, 1));
        let lead_ns = self.plan.warm_up().as_nanos() as u64;
        let base_ns = window.start_ns.saturating_sub(lead_ns) + self.offset_ns;
        loop {
            let due_ns = base_ns + schedule.next_ns();
            if due_ns >= window.end_ns || stop.is_set() {
                break;
            }
            let own = window.contains(due_ns);
            streamed.due += u64::from(own);
            if now_ns() > window.end_ns + GRACE_NS {
                // It waits still; how long in the end nobody will know, but longer than allowed.
                if own {
                    let waited_ns = now_ns() - due_ns;
                    streamed.latency.record(waited_ns);
                    streamed.over += u64::from(waited_ns > self.plan.limit_ns);
                    streamed.late += 1;
                }
                continue;
            }
            wait_until(due_ns, stop);
            if stop.is_set() {
                break;
            }
            let began_ns = now_ns();
            self.write(buffer)?;
            let ended_ns = now_ns();
            if window.contains(ended_ns) {
                streamed.done += 1;
                streamed.bytes += self.plan.write_bytes;
                streamed.flush.record(ended_ns - began_ns);
            }
            if own {
                streamed.latency.record(ended_ns - due_ns);
                streamed.over += u64::from(ended_ns - due_ns > self.plan.limit_ns);
            }
        }
        streamed.position = self.position;
        Ok(streamed)
    }

    fn write(&mut self, buffer: &mut [u8]) -> io::Result<()> {
        self.pages.fill_sectors(self.position, buffer);
        self.file.write_around(self.position, buffer)?;
        self.file.make_durable()?;
        self.position += self.plan.write_bytes;
        Ok(())
    }
}

fn wait_until(due_ns: u64, stop: &Stop) {
    loop {
        let now = now_ns();
        if now >= due_ns || stop.is_set() {
            return;
        }
        let left_ns = due_ns - now;
        if left_ns > SPIN_NS {
            let nap = Duration::from_nanos(left_ns - SPIN_NS);
            std::thread::sleep(nap.min(Duration::from_millis(20)));
        } else {
            std::hint::spin_loop();
        }
    }
}

/// Reads the last writes back, from the medium where the cache can be dropped: how many, and how many were wrong.
pub fn verify(
    segment: &dyn LogMedium,
    pages: &Pages,
    end: u64,
    plan: &StreamsPlan,
) -> Result<(u64, u64), LogError> {
    let failed = |reason| LogError::of("reading back", segment.path(), 0, reason);
    segment.forget().map_err(failed)?;
    let bytes = plan.write_bytes;
    let count = 4.min(end / bytes).min(segment.bytes() / bytes);
    let (mut found, mut expected) = (vec![0; bytes as usize], vec![0; bytes as usize]);
    let mut wrong = 0;
    for back in 1..=count {
        let position = end - back * bytes;
        segment.read_at(position % segment.bytes(), &mut found).map_err(failed)?;
        pages.fill_sectors(position, &mut expected);
        wrong += u64::from(found != expected);
    }
    Ok((count, wrong))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::Segment;

    #[test]
    fn what_is_given_up_counts_only_where_it_was_due_in_the_window() {
        let Some(dir) = crate::tests::folder() else { return };
        let stop = Stop::new();
        let plan = crate::streams::tests::plan(1);
        let file = Segment::create(dir.path(), "s", plan.file_bytes(), 1, &stop).unwrap();
        let pages = Pages::new(2);
        let mut stream =
            Stream { file: &file, pages: &pages, plan: &plan, position: 0, offset_ns: 0 };
        // Over for longer than the grace: nothing of it is written any more.
        let end_ns = now_ns() + 300_000_000;
        let window = Window { start_ns: end_ns - 100_000_000, end_ns };
        while now_ns() <= end_ns + GRACE_NS {
            std::thread::sleep(Duration::from_millis(20));
        }
        let mut buffer = vec![0; plan.write_bytes as usize];
        let streamed = stream.until_its_end(window, &stop, &mut buffer).unwrap();
        assert!(streamed.due >= 3, "{}", streamed.due);
        assert_eq!((streamed.latency.count(), streamed.late), (streamed.due, streamed.due));
        assert_eq!((streamed.done, streamed.position), (0, 0));
    }
}
