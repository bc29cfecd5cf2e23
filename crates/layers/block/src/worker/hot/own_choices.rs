//! What a loop does before an operation for some streams alone: it waits for others that share bytes with it, gives it a priority, and has
//! a write follow a trim. Looked at where operations reach the device.

use std::time::Duration;

use narrows_io::{Completion, DevicePath, Error, Method, Op};

use super::Tally;
use super::simulated::{Device, device, run_by, stream};
use crate::scenario::{
    AccessPattern, Limit, Load, Mix, Priorities, PriorityShare, Serialize, Stream, Then,
};

/// A way that sees what is in flight together, and with which priority.
struct Watched {
    device: Device,
    /// By slot: first byte and end.
    flying: Vec<(u32, u64, u64)>,
    overlaps: usize,
    deepest: usize,
    priority: u16,
    /// Of each operation.
    given: Vec<(Op, u16)>,
    /// Submitted since it was last asked for completions, and the most that ever was.
    kept_back: (usize, usize),
}

impl DevicePath for Watched {
    fn method(&self) -> Method {
        Method::IoUring
    }

    fn slots(&self) -> u32 {
        self.device.slots()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.device.buffer(slot)
    }

    fn set_priority(&mut self, priority: u16) {
        self.priority = priority;
    }

    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        let end = offset + u64::from(bytes);
        let shares = |other: &&(u32, u64, u64)| other.1 < end && offset < other.2;
        self.overlaps += usize::from(op != Op::Sync && self.flying.iter().any(|one| shares(&one)));
        self.flying.push((slot, offset, end));
        self.deepest = self.deepest.max(self.flying.len());
        self.given.push((op, self.priority));
        self.kept_back.0 += 1;
        self.kept_back.1 = self.kept_back.1.max(self.kept_back.0);
        self.device.submit(op, slot, offset, bytes);
    }

    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        let before = out.len();
        self.kept_back.0 = 0;
        self.device.reap(min, out)?;
        self.landed(&out[before..]);
        Ok(())
    }

    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let before = out.len();
        self.kept_back.0 = 0;
        self.device.reap_within(min, wait, out)?;
        self.landed(&out[before..]);
        Ok(())
    }

    fn in_flight(&self) -> u32 {
        self.device.in_flight()
    }
}

impl Watched {
    fn landed(&mut self, out: &[Completion]) {
        self.flying.retain(|(slot, ..)| out.iter().all(|completion| completion.slot != *slot));
    }
}

/// So many operations of the stream, on eight servers that take 100 µs each.
fn run(stream: &Stream, operations: u64) -> (Watched, Tally) {
    let limit = Some(Limit { operations, then: Then::EndStream });
    let device = device(8, 100_000);
    let clock = device.clock.clone();
    let mut watched = Watched {
        device,
        flying: Vec::new(),
        overlaps: 0,
        deepest: 0,
        priority: 0,
        given: Vec::new(),
        kept_back: (0, 0),
    };
    let tally = run_by(&Stream { limit, ..stream.clone() }, &mut watched, clock, 100).unwrap();
    (watched, tally)
}

/// Reads and writes of 512 bytes, eight in flight.
fn few_blocks() -> Stream {
    let mut few = stream(Load::Closed { depth: 8 }, Mix::read_percent(50));
    few.region = few.region.part(0, 12 * 512).unwrap();
    few
}

#[test]
fn a_whole_queue_is_handed_over_in_parts() {
    for (depth, part) in [(3, 3), (8, 4), (32, 4), (128, 16)] {
        let reads = stream(Load::Closed { depth }, Mix::only(Op::Read));
        let (seen, tally) = run(&reads, 1000);
        assert_eq!((seen.deepest, seen.kept_back.1), (depth as usize, part), "depth {depth}");
        assert_eq!(tally.issued, 1000);
    }
}

#[test]
fn operations_that_share_bytes_wait_for_one_another_and_others_do_not() {
    let free = few_blocks();
    let (seen, _) = run(&free, 5000);
    assert!(seen.overlaps > 1000, "without waiting they do: {}", seen.overlaps);
    for serialize in [Serialize::ByThread, Serialize::Among(std::sync::Arc::default())] {
        let waiting = Stream { serialize: Some(serialize), ..free.clone() };
        let (seen, tally) = run(&waiting, 5000);
        assert_eq!((seen.overlaps, tally.issued), (0, 5000));
        assert!(seen.deepest >= 3, "what shares nothing is in flight together: {}", seen.deepest);
    }
}

#[test]
fn whoever_is_waited_for_may_be_another_stream() {
    // Somebody else has the first block for ever: this stream does what comes before it, and then nothing.
    let ranges: std::sync::Arc<crate::scenario::RangesInFlight> = std::sync::Arc::default();
    assert!(ranges.enter(0, 512));
    let place = AccessPattern::Sequential;
    let serialize = Some(Serialize::Among(ranges));
    let waiting = Stream { serialize, place, mix: Mix::only(Op::Read), ..few_blocks() };
    let (seen, tally) = run(&waiting, 10);
    assert_eq!((seen.given.len(), tally.issued), (0, 0), "block 0 comes first");
}

#[test]
fn an_open_loop_waits_too_and_its_waiting_is_latency() {
    let place = AccessPattern::Stepped { gap_bytes: -512 };
    let load = super::simulated::open(20_000.0, narrows_engine::Arrivals::Constant, 8);
    let same_block = Stream { place, load, mix: Mix::only(Op::Read), ..few_blocks() };
    let waiting = Stream { serialize: Some(Serialize::ByThread), ..same_block };
    let (seen, tally) = run(&waiting, 30_000);
    assert_eq!((seen.overlaps, seen.deepest), (0, 1));
    // One every 100 µs, and two are due in that time.
    assert!(
        tally.kinds[0].latency.max().unwrap() > 10_000_000,
        "{:?}",
        tally.kinds[0].latency.max()
    );
}

#[test]
fn priorities_reach_the_device_and_their_latencies_are_kept_apart() {
    let high = 1 << 13;
    let share = PriorityShare { op: Op::Read, bytes: None, percent: 20, priority: high };
    let own = Stream { priorities: Some(Priorities { shares: vec![share] }), ..few_blocks() };
    let (seen, tally) = run(&own, 200_000);
    let count = |op, priority| seen.given.iter().filter(|one| **one == (op, priority)).count();
    assert_eq!(count(Op::Write, high), 0);
    let (high_reads, reads) = (count(Op::Read, high), count(Op::Read, 0));
    let share = high_reads as f64 / (high_reads + reads) as f64;
    assert!((0.18..0.22).contains(&share), "{share}");
    let told: u64 = tally.priorities.iter().map(|one| one.latency.count()).sum();
    assert_eq!(told, tally.kinds[0].operations + tally.kinds[1].operations);
    let of = |op, priority| {
        tally.priorities.iter().find(|one| (one.op, one.priority) == (op, priority)).unwrap()
    };
    let (high, plain) =
        (of(Op::Read, Some(high)).latency.count(), of(Op::Read, None).latency.count());
    assert_eq!(high + plain, tally.kinds[0].operations);
    assert!(high > 0 && high < plain);
}

#[test]
fn trims_and_the_writes_behind_them_are_counted_apart() {
    let mix = Mix { read: 0, write: 1, trim: 1 };
    let place = AccessPattern::TrimThenWrite(Box::new(AccessPattern::Sequential));
    let pairs = Stream { mix, place, load: Load::Closed { depth: 1 }, ..few_blocks() };
    let (seen, tally) = run(&pairs, 40_000);
    assert_eq!(tally.issued, 40_000);
    let log = seen.device.log.borrow();
    for pair in log.chunks(2) {
        assert_eq!((pair[0].0, pair[1].0), (Op::Trim, Op::Write));
        assert_eq!((pair[0].1, pair[0].2), (pair[1].1, pair[1].2));
    }
    assert!(tally.kinds[1].operations.abs_diff(tally.kinds[2].operations) <= 1);
}
