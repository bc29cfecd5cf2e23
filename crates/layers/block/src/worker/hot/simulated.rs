//! The loop on a simulated device by a simulated clock: what it counts must be what the device did, to the operation.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use narrows_engine::{Arrivals, Schedule, Stop, Window};
use narrows_io::{Access, Completion, DevicePath, Error, Method, Op, Outages, TestFile};

use super::{Orders, Pace, Tally, run};
use crate::BlockError;
use crate::outcome::Counted;
use crate::scenario::{
    AccessPattern, Distribution, Judge, Judged, Limit, Load, MinimumRate, Mix, Region, Rule,
    Serialize, Sizes, Stream, Then, Think,
};
use crate::worker::clock::Clock;
use crate::worker::due::{Due, Queue, Source};
use crate::worker::operation_generator::OperationGenerator;
use crate::worker::priority_choice::PriorityChoice;
use crate::worker::shared::Shared;
use crate::worker::tally::Expected;

/// Reading it takes 20 ns, as on real machines; else it moves only when somebody waits. Timers are late by the second, ns.
#[derive(Clone)]
pub(super) struct Simulated(Rc<Cell<u64>>, u64);

impl Simulated {
    fn move_to(&self, at_ns: u64) {
        self.0.set(self.0.get().max(at_ns));
    }
}

const TICK_NS: u64 = 20;
const SPIN_NS: u64 = 200;
const SLOTS: usize = 1 << 15;

impl Clock for Simulated {
    fn now_ns(&self) -> u64 {
        self.0.set(self.0.get() + TICK_NS);
        self.0.get()
    }

    fn sleep_until(&self, at_ns: u64) {
        self.move_to(at_ns + self.1);
    }

    fn spin(&self) {
        self.0.set(self.0.get() + SPIN_NS);
    }
}

/// `servers` at work, each `service_ns` for an operation, and none of them between the two ends of `stall`.
pub(super) struct Device {
    pub(super) clock: Simulated,
    /// One for all slots: nobody looks into it.
    buffer: [u8; 512],
    free_at_ns: Vec<u64>,
    service_ns: u64,
    /// From the operation with this number on, counted from 0, one takes so long.
    pub(super) slower: Option<(usize, u64)>,
    stall: (u64, u64),
    /// A call between these two returns at the second.
    pub(super) blocks: (u64, u64),
    /// The stall is a lost connection, and it says so.
    tells_outages: bool,
    /// When each operation in flight completes, and its slot.
    flying: BTreeSet<(u64, u32)>,
    /// Of every operation submitted.
    pub(super) log: Rc<RefCell<Vec<(Op, u64, u32)>>>,
    deepest: Rc<Cell<usize>>,
    errors_every: Option<usize>,
    lengths: Vec<u32>,
}

impl Device {
    fn new(clock: &Simulated, servers: usize, service_ns: u64, stall: (u64, u64)) -> Self {
        Device {
            clock: clock.clone(),
            buffer: [0; 512],
            free_at_ns: vec![0; servers],
            service_ns,
            slower: None,
            stall,
            blocks: (0, 0),
            tells_outages: false,
            flying: BTreeSet::new(),
            log: Rc::default(),
            deepest: Rc::default(),
            errors_every: None,
            lengths: vec![0; SLOTS],
        }
    }

    fn take(&mut self, until_ns: u64, out: &mut Vec<Completion>) {
        while let Some(&(at_ns, slot)) = self.flying.first()
            && at_ns <= until_ns
        {
            self.flying.pop_first();
            let failed =
                self.errors_every.is_some_and(|every| (slot as usize).is_multiple_of(every));
            let result = if failed { -libc::EIO } else { self.lengths[slot as usize] as i32 };
            out.push(Completion { slot, result });
        }
    }
}

impl DevicePath for Device {
    fn method(&self) -> Method {
        Method::Null
    }

    fn slots(&self) -> u32 {
        SLOTS as u32
    }

    fn buffer(&mut self, _: u32) -> &mut [u8] {
        &mut self.buffer
    }

    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        let server = self.free_at_ns.iter_mut().min().unwrap();
        let mut begin_ns = self.clock.0.get().max(*server);
        if begin_ns >= self.stall.0 && begin_ns < self.stall.1 {
            begin_ns = self.stall.1;
        }
        let number = self.log.borrow().len();
        let slower = self.slower.filter(|(from, _)| number >= *from);
        *server = begin_ns + slower.map_or(self.service_ns, |(_, service_ns)| service_ns);
        assert!(self.flying.insert((*server, slot)));
        self.lengths[slot as usize] = if op.moves_data() { bytes } else { 0 };
        self.log.borrow_mut().push((op, offset, bytes));
        self.deepest.set(self.deepest.get().max(self.flying.len()));
    }

    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        self.reap_within(min, Duration::from_millis(20), out)
    }

    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let limit_ns = self.clock.0.get() + wait.as_nanos() as u64;
        if (self.blocks.0..self.blocks.1).contains(&self.clock.0.get()) {
            self.clock.move_to(self.blocks.1);
        }
        if let Some(last) = (min as usize).checked_sub(1)
            && let Some(&(at_ns, _)) = self.flying.iter().nth(last)
        {
            if at_ns <= limit_ns {
                self.clock.move_to(at_ns);
            } else {
                self.clock.sleep_until(limit_ns);
            }
        }
        self.clock.spin();
        self.take(self.clock.0.get(), out);
        Ok(())
    }

    fn in_flight(&self) -> u32 {
        self.flying.len() as u32
    }

    fn outages(&self) -> Option<Outages> {
        let (begin_ns, end_ns) = self.stall;
        let now_ns = self.clock.0.get();
        self.tells_outages.then(|| Outages {
            reconnects: u32::from(now_ns >= end_ns),
            disconnected_ns: now_ns.clamp(begin_ns, end_ns) - begin_ns,
            longest_stall_ns: 0,
            disconnected: (begin_ns..end_ns).contains(&now_ns),
        })
    }
}

pub(super) const START_NS: u64 = 1_000_000_000;
pub(super) const SECOND: u64 = 1_000_000_000;

pub(super) fn stream(load: Load, mix: Mix) -> Stream {
    // The simulated device has no contents, so any file serves.
    let file = TestFile::existing(std::path::Path::new("/proc/self/exe"), None).unwrap();
    let mut stream = Stream::reads("simulated", Region::of(&file), 512, 1, Access::null());
    (stream.load, stream.mix, stream.sizes) = (load, mix, Sizes::all(512));
    stream.place = AccessPattern::Random(Distribution::Uniform);
    stream
}

pub(super) fn open(rate_per_s: f64, arrivals: Arrivals, most_in_flight: u32) -> Load {
    Load::Open { rate_per_s, arrivals, most_in_flight }
}

/// Runs one thread of `stream` for a second after a second of warm-up.
fn second(stream: &Stream, device: &mut Device) -> Result<Tally, BlockError> {
    run_for(stream, device, 1)
}

/// Runs it for so many seconds after a second of warm-up; ten slices each.
pub(super) fn run_for(stream: &Stream, device: &mut Device, s: u64) -> Result<Tally, BlockError> {
    let clock = device.clock.clone();
    run_by(stream, device, clock, s)
}

/// The same by any way over such a device, whose clock it is.
pub(super) fn run_by(
    stream: &Stream,
    path: &mut dyn DevicePath,
    clock: Simulated,
    s: u64,
) -> Result<Tally, BlockError> {
    let (epoch_ns, stop) = (START_NS, Stop::new());
    let window = Window { start_ns: epoch_ns + SECOND, end_ns: epoch_ns + (1 + s) * SECOND };
    let pace = match stream.load {
        Load::Closed { .. } => Pace::Closed,
        Load::Open { .. } if let AccessPattern::Recorded(record) = &stream.place => {
            let queue = Queue::recorded(Arc::clone(record));
            Pace::Open(Due::new(Source::Own(queue), epoch_ns))
        }
        Load::Open { rate_per_s, arrivals, .. } => {
            let schedule = Schedule::new(arrivals, rate_per_s, (0, 1), 7);
            Pace::Open(Due::new(Source::Own(Queue::new(schedule)), epoch_ns))
        }
    };
    let depth = stream.load.in_flight();
    let orders = Orders {
        chooser: OperationGenerator::new(stream, 0, 1, 2),
        depth,
        read_slots: depth,
        write_slots: 2 * depth,
        sync_after: stream.sync_after,
        limit: stream.limit.map(|limit| (limit.operations, limit.then)),
        ends_after: stream.ends_after,
        think: stream.think,
        payload: None,
        expected: Expected { pattern: None, written: true },
        over_ns: stream.over_ns,
        depth_search: stream.depth_search,
        judged: stream.judged.iter().map(|judged| judged.cell(0)).collect(),
        time_submissions: stream.time_submissions,
        verifying: None,
        name: std::path::Path::new("simulated"),
        priorities: stream.priorities.as_ref().map(|all| PriorityChoice::new(all, 5)),
        ranges: stream.serialize.as_ref().map(Serialize::ranges),
        flow: stream.flow.clone(),
        slice_ns: SECOND / 10,
        slices: 10 * s as usize,
        pace,
        epoch_ns,
        cpu_ns: || 0,
        run_delay_ns: || None,
    };
    run(orders, path, window, &Shared::new(1, &stop), &clock)
}

pub(super) fn device(servers: usize, service_ns: u64) -> Device {
    Device::new(&Simulated(Rc::new(Cell::new(START_NS)), 0), servers, service_ns, (0, 0))
}

fn sums(tally: &Tally) -> (u64, u64) {
    let moves = &tally.kinds[..3];
    let operations = moves.iter().map(|kind| kind.operations).sum();
    (operations, moves.iter().map(|kind| kind.latency.count()).sum())
}

fn quantile(tally: &Tally, quantile: f64) -> u64 {
    tally.kinds[0].latency.quantile(quantile).unwrap()
}

#[test]
fn a_closed_loop_keeps_its_depth_and_counts_what_the_device_did() {
    for (depth, servers) in [(1, 1), (4, 4), (32, 8), (100, 200)] {
        let mut device = device(servers, 100_000);
        let deepest = Rc::clone(&device.deepest);
        let stream = stream(Load::Closed { depth }, Mix::only(Op::Read));
        let tally = second(&stream, &mut device).unwrap();
        assert_eq!(deepest.get(), depth as usize);
        let (operations, samples) = sums(&tally);
        assert_eq!(operations, samples);
        // Servers that are always busy do 10,000 per second each, less the generator's moments.
        let ideal = 10_000 * servers.min(depth as usize) as u64;
        assert!(operations <= ideal + u64::from(depth), "{depth}: {operations}");
        assert!(operations as f64 > 0.97 * ideal as f64, "{depth}: {operations} of {ideal}");
        let series: u64 = tally.slices.iter().map(|slice| slice.operations).sum();
        assert_eq!(series, operations);
    }
}

#[test]
fn an_open_loop_sends_what_is_due_when_it_is_due_at_any_rate() {
    for rate in [100.0, 1000.0, 10_000.0, 150_000.0, 1_000_000.0] {
        for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
            let mut device = device(64, 5_000);
            let stream = stream(open(rate, arrivals, 1024), Mix::only(Op::Read));
            let tally = second(&stream, &mut device).unwrap();
            let open = tally.open.as_ref().unwrap();
            let due = open.due_sent + open.unsent_due;
            let spread = if arrivals == Arrivals::Constant { 1.0 } else { 5.0 * rate.sqrt() };
            assert!((due as f64 - rate).abs() <= spread, "{rate}: {due}");
            assert_eq!(open.unsent, 0);
            assert_eq!(open.held, 0);
            let (operations, samples) = sums(&tally);
            assert_eq!((operations, operations), (samples, open.lateness.count()));
            // What came back in the window, and what after it, is what was due and what was on its way before.
            assert_eq!(open.stragglers.count(), open.in_flight);
            let late_ns = open.lateness.quantile(0.99).unwrap();
            assert!(late_ns < 1000, "{rate} {arrivals:?}: late by {late_ns} ns");
            let (p50, p99) = (quantile(&tally, 0.5), quantile(&tally, 0.99));
            assert!(p50 >= 5_000 && p99 < 7_000, "{rate} {arrivals:?}: {p50} {p99}");
            let by_due: u64 = tally.slices.iter().map(|slice| slice.due).sum();
            assert_eq!(by_due, due);
        }
    }
}

#[test]
fn a_stall_of_the_device_is_in_the_percentiles_of_an_open_loop() {
    // A second of a thousand a second, in which the device stands still for 0.3 s: 300 operations wait, the first one
    // for 0.3 s. (With a stall of 1 s in 5 s that is how the references convict others.)
    let mut device = device(1, 10_000);
    let begin_ns = START_NS + SECOND + SECOND / 2;
    device.stall = (begin_ns, begin_ns + 300_000_000);
    let mut stream = stream(open(1000.0, Arrivals::Constant, 4096), Mix::only(Op::Read));
    stream.over_ns = Some(1_000_000);
    let tally = second(&stream, &mut device).unwrap();
    let (operations, samples) = sums(&tally);
    assert_eq!((operations, samples), (1000, 1000));
    let max_ns = tally.kinds[0].latency.max().unwrap();
    assert!((299_000_000..302_000_000).contains(&max_ns), "{max_ns}");
    let p99 = quantile(&tally, 0.99);
    assert!((285_000_000..300_000_000).contains(&p99), "{p99}");
    assert!(quantile(&tally, 0.6) < 20_000);
    let over: Vec<u64> = tally.slices.iter().map(|slice| slice.over).collect();
    // Those due in the stall but its last millisecond, and those that met the queue of 3 ms after it.
    assert_eq!(over.iter().sum::<u64>(), 303, "{over:?}");
    assert!(over[5..8].iter().all(|&count| count >= 98), "by when they were due: {over:?}");
    let open = tally.open.unwrap();
    assert!(open.lateness.max().unwrap() < 1000, "the generator was never late");
    // A closed loop at depth 1 has one sample of the same stall.
    let mut device = self::device(1, 10_000);
    device.stall = (begin_ns, begin_ns + 300_000_000);
    let stream = self::stream(Load::Closed { depth: 1 }, Mix::only(Op::Read));
    let closed = second(&stream, &mut device).unwrap();
    assert!(quantile(&closed, 0.999) < 20_000);
}

#[test]
fn an_outage_that_outlasts_the_window_is_waited_for_and_its_operations_are_counted() {
    // The connection is lost half a second before the window's end, for 10 s; 500 operations are due meanwhile.
    let begin_ns = START_NS + SECOND + SECOND / 2;
    for (tells_outages, unfinished, late) in [(true, 0, 500), (false, 500, 0)] {
        let mut device = device(1, 10_000);
        device.stall = (begin_ns, begin_ns + 10 * SECOND);
        device.tells_outages = tells_outages;
        let stream = stream(open(1000.0, Arrivals::Constant, 4096), Mix::only(Op::Read));
        let tally = second(&stream, &mut device).unwrap();
        assert_eq!(sums(&tally), (500, 500));
        let open = tally.open.unwrap();
        assert_eq!((open.unfinished, open.stragglers.count()), (unfinished, late));
        let seen = tally.outages.map(|outages| (outages.reconnects, outages.disconnected_ns));
        assert_eq!(seen, tells_outages.then_some((1, 10 * SECOND)));
        // None of them is shorter than the rest of the outage when it was due.
        let shortest = open.stragglers.min().filter(|_| tells_outages).unwrap_or(10 * SECOND);
        assert!(shortest >= 94 * SECOND / 10, "{shortest}");
    }
}

#[test]
fn timers_that_are_late_make_nothing_late() {
    // With nothing in flight when it sleeps, and with something.
    for service_ns in [5_000, 3_000_000] {
        let mut device = device(64, service_ns);
        device.clock.1 = 300_000;
        let stream = stream(open(1000.0, Arrivals::Constant, 64), Mix::only(Op::Read));
        let open = second(&stream, &mut device).unwrap().open.unwrap();
        assert_eq!(open.lateness.count(), 1000);
        let late_ns = open.lateness.quantile(0.99).unwrap();
        assert!(late_ns < 1000, "{service_ns}: late by {late_ns} ns");
    }
}

#[test]
fn what_its_own_time_cuts_off_is_backlog_and_what_its_limit_forbids_is_none() {
    let mut stream = stream(open(12_000.0, Arrivals::Constant, 64), Mix::only(Op::Read));
    stream.ends_after = Some(Duration::from_millis(500));
    let backlog = |stream: &Stream| {
        // One server at 10,000 per second, asked for 12,000, for a second and a half.
        let tally = second(stream, &mut device(1, 100_000)).unwrap();
        let open = tally.open.as_ref().unwrap();
        open.in_flight + open.unsent
    };
    let cut = backlog(&stream);
    // The 64 that were in flight have come back.
    assert!((2_900..2_960).contains(&cut), "{cut}");
    // And where somebody ends it by what it did, who says so from then on.
    let rule = MinimumRate {
        operations: [Some(u64::MAX), None, None],
        bytes: [None; 3],
        cycle: Duration::from_secs(1),
    };
    let judge = Judge::of(Rule::Minimum(rule), 1);
    let judged = Judged { judge: Arc::clone(&judge), first: 0 };
    let mut kinds: [Counted; 4] = std::array::from_fn(|_| Counted::default());
    kinds[0].operations = 1;
    for s in [3, 5] {
        judged.cell(0).tell((1, s * SECOND), &kinds, 0);
        judge.look(START_NS + SECOND + SECOND / 2);
    }
    let ended = Stream { ends_after: None, judged: vec![judged], ..stream.clone() };
    let cut = backlog(&ended);
    assert!((2_900..2_960).contains(&cut), "{cut}");
    stream.limit = Some(Limit { operations: 12_100, then: Then::EndStream });
    assert!(backlog(&stream) <= 64);
}

#[test]
fn a_rate_above_the_capacity_shows_as_backlog_and_not_as_the_generators_lateness() {
    for most_in_flight in [64, 10_000] {
        // One server at 10,000 per second, asked for 12,000.
        let mut device = device(1, 100_000);
        let mut stream =
            stream(open(12_000.0, Arrivals::Constant, most_in_flight), Mix::only(Op::Read));
        stream.over_ns = Some(1_000_000);
        let tally = second(&stream, &mut device).unwrap();
        let (operations, samples) = sums(&tally);
        assert_eq!(operations, samples);
        assert!((9_900..=10_001).contains(&operations), "{operations}");
        let open = tally.open.as_ref().unwrap();
        assert_eq!(open.due_sent + open.unsent_due, 12_000);
        // Two thousand a second stay behind, in two seconds.
        let backlog = open.in_flight + open.unsent;
        assert!((3_950..4_050).contains(&backlog), "{backlog}");
        if most_in_flight == 64 {
            assert_eq!(open.in_flight, 64);
            assert!(open.held > 9_900, "{} waited for the cap", open.held);
            assert!(open.lateness.quantile(0.5).unwrap() > 100_000_000, "waiting is latency");
        } else {
            assert_eq!((open.held, open.unsent), (0, 0));
            assert!(open.lateness.max().unwrap() < 1000);
        }
        let over: u64 = tally.slices.iter().map(|slice| slice.over).sum();
        assert_eq!(over, 12_000, "every one of them, also those that came later or never went");
        assert!(quantile(&tally, 0.5) > 150_000_000);
    }
}

#[test]
fn mixes_are_exact_and_every_kind_has_its_own_samples() {
    for load in [Load::Closed { depth: 16 }, open(40_000.0, Arrivals::Poisson, 256)] {
        let mut device = device(8, 100_000);
        let log = Rc::clone(&device.log);
        let mix = Mix { read: 70, write: 20, trim: 10 };
        let tally = second(&stream(load, mix), &mut device).unwrap();
        let log = log.borrow();
        let count = |op| log.iter().filter(|entry| entry.0 == op).count() as f64;
        let all = log.len() as f64;
        for (op, share) in [(Op::Read, 0.7), (Op::Write, 0.2), (Op::Trim, 0.1)] {
            assert!((count(op) - share * all).abs() <= 10.0, "{op:?}: {} of {all}", count(op));
            let kind = &tally.kinds[Counted::index(op)];
            assert_eq!(kind.operations, kind.latency.count());
            assert_eq!(kind.bytes, 512 * kind.operations, "{op:?}");
            assert_eq!((kind.short, kind.failed), (0, 0), "{op:?}");
            assert!(kind.operations > 0);
        }
    }
}

#[test]
fn a_sync_comes_after_so_many_writes_have_come_back() {
    for depth in [1, 8] {
        let mut device = device(depth as usize, 100_000);
        let log = Rc::clone(&device.log);
        let mut stream = stream(Load::Closed { depth }, Mix::only(Op::Write));
        stream.sync_after = Some(4);
        let tally = second(&stream, &mut device).unwrap();
        for group in log.borrow().chunks_exact(5) {
            let ops: Vec<Op> = group.iter().map(|entry| entry.0).collect();
            assert_eq!(ops, [Op::Write, Op::Write, Op::Write, Op::Write, Op::Sync]);
        }
        let (writes, syncs) = (&tally.kinds[1], &tally.kinds[3]);
        assert_eq!(syncs.operations, syncs.latency.count());
        assert!(writes.operations.abs_diff(4 * syncs.operations) <= 4);
        // Each waits for what is in flight: 4 writes one by one, or together, and a sync.
        let rounds_ns = if depth == 1 { 500_000 } else { 200_000 };
        let ideal = SECOND / rounds_ns;
        assert!(syncs.operations.abs_diff(ideal) <= ideal / 50, "{} {ideal}", syncs.operations);
        assert_eq!(sums(&tally).0, writes.operations, "syncs are not in the throughput");
    }
}

#[test]
fn a_limit_ends_the_stream_or_closes_the_window() {
    for load in [Load::Closed { depth: 8 }, open(20_000.0, Arrivals::Constant, 8)] {
        let mut stream = stream(load, Mix::only(Op::Read));
        stream.limit = Some(Limit { operations: 24_000, then: Then::EndStream });
        let mut one = device(2, 100_000);
        let log = Rc::clone(&one.log);
        let tally = second(&stream, &mut one).unwrap();
        assert_eq!(log.borrow().len(), 24_000);
        // 20,000 in the warm-up, so that the last one comes 0.2 s after its end.
        let ended_ns = tally.ended_ns.unwrap() - START_NS - SECOND;
        assert!((190_000_000..215_000_000).contains(&ended_ns), "{ended_ns}");
        assert_eq!(sums(&tally).0, sums(&tally).1);
        assert!((3_900..4_100).contains(&sums(&tally).0));

        stream.limit = Some(Limit { operations: 8_000, then: Then::CloseWindow });
        let mut one = device(2, 100_000);
        let tally = second(&stream, &mut one).unwrap();
        assert_eq!(tally.issued, 8_000);
        // An eighth went into the warm-up; the figures end when the load can't be held any more.
        assert!((6_900..=7_000).contains(&sums(&tally).0), "{}", sums(&tally).0);
    }
}

#[test]
fn a_stream_ends_when_its_own_time_is_over() {
    for load in [Load::Closed { depth: 8 }, open(20_000.0, Arrivals::Constant, 64)] {
        let mut stream = stream(load, Mix::only(Op::Read));
        stream.ends_after = Some(Duration::from_millis(300));
        let tally = second(&stream, &mut device(8, 100_000)).unwrap();
        let ended_ns = tally.ended_ns.expect("it ended by itself") - START_NS - SECOND;
        assert!((300_000_000..301_000_000).contains(&ended_ns), "{ended_ns}");
        let (operations, samples) = sums(&tally);
        let ideal = if load.is_open() { 6_000 } else { 24_000 };
        assert!(operations.abs_diff(ideal) <= ideal / 30, "{operations} of {ideal}");
        assert_eq!(operations, samples);
        let open = tally.open.as_ref();
        assert_eq!(open.map_or(0, |open| open.unsent + open.unfinished), 0);
    }
}

#[test]
fn failures_are_counted_apart_and_too_many_end_it() {
    let mut few = device(4, 100_000);
    few.errors_every = Some(5000);
    let stream = self::stream(open(1000.0, Arrivals::Constant, 4000), Mix::only(Op::Read));
    let tally = second(&stream, &mut few).unwrap();
    // Slots go round: slot 0 comes once in 4000 operations, in the warm-up.
    assert_eq!((tally.failures, tally.kinds[0].failed), (1, 0));
    assert_eq!(tally.first_failure.unwrap().1.raw_os_error(), Some(libc::EIO));
    assert_eq!(tally.kinds[0].operations, tally.kinds[0].latency.count());

    let mut all = device(4, 100_000);
    all.errors_every = Some(1);
    let tally = second(&stream, &mut all).unwrap();
    assert_eq!(tally.failures, super::FAILURES);
}

#[test]
fn pauses_come_after_their_operations_and_are_no_latency() {
    let pause = Duration::from_millis(5);
    for (depth, after) in [(1, 1), (1, 10), (8, 4)] {
        for spin in [Duration::ZERO, Duration::from_millis(2)] {
            let mut device = device(64, 100_000);
            let deepest = Rc::clone(&device.deepest);
            let mut stream = stream(Load::Closed { depth }, Mix::only(Op::Read));
            stream.think = Some(Think {
                pause,
                spin,
                after: Some(after),
                counts_completed: false,
                every: None,
            });
            let tally = second(&stream, &mut device).unwrap();
            // Each round takes its operations' time and the pause.
            let round_ns = 5_000_000 + 100_000 * u64::from(after.div_ceil(depth));
            let ideal = u64::from(after) * SECOND / round_ns;
            let (operations, _) = sums(&tally);
            assert!(operations.abs_diff(ideal) <= ideal / 50 + 10, "{operations} of {ideal}");
            assert_eq!(deepest.get(), depth.min(after) as usize);
            assert!(quantile(&tally, 1.0) < 200_000, "the pause is not waited for");
        }
    }
}

#[test]
fn pauses_come_when_enough_has_come_back_or_enough_time_has_passed() {
    let (ms, none) = (Duration::from_millis, Duration::ZERO);
    let think =
        |after, every| Think { pause: ms(5), spin: none, after, counts_completed: true, every };
    // With eight in flight that come back together four are eight; a pause after 10 ms has a hundred rounds of 0.1 ms.
    for (depth, think, round_operations, round_ns) in [
        (1, think(Some(4), None), 4, 5_400_000),
        (8, think(Some(4), None), 8, 5_100_000),
        (8, think(None, Some(ms(10))), 800, 15_000_000),
        (8, think(Some(16), Some(ms(10))), 16, 5_200_000),
    ] {
        let mut stream = stream(Load::Closed { depth }, Mix::only(Op::Read));
        stream.think = Some(think);
        let tally = second(&stream, &mut device(64, 100_000)).unwrap();
        let ideal = round_operations * SECOND / round_ns;
        let (operations, _) = sums(&tally);
        let slack = ideal / 40 + round_operations;
        assert!(
            operations.abs_diff(ideal) <= slack,
            "{think:?} at {depth}: {operations} of {ideal}"
        );
        assert!(quantile(&tally, 1.0) < 200_000, "the pause is not waited for");
    }
}

#[test]
fn a_limit_inside_a_pause_ends_the_stream() {
    let mut device = device(1, 100_000);
    let mut stream = stream(Load::Closed { depth: 1 }, Mix::only(Op::Read));
    stream.think = Some(Think {
        pause: Duration::from_millis(300),
        spin: Duration::ZERO,
        after: Some(2),
        counts_completed: false,
        every: None,
    });
    stream.limit = Some(Limit { operations: 9, then: Then::EndStream });
    let log = Rc::clone(&device.log);
    let tally = second(&stream, &mut device).unwrap();
    assert_eq!((tally.issued, log.borrow().len()), (9, 9));
    // Four pauses of 0.3 s, from the beginning of the warm-up.
    let ended_ns = tally.ended_ns.expect("it ended by itself") - START_NS;
    assert!((1_200_000_000..1_210_000_000).contains(&ended_ns), "{ended_ns}");
}

#[test]
fn submissions_that_are_timed_and_completions_add_up_to_latency() {
    let closed = Stream {
        time_submissions: true,
        ..stream(Load::Closed { depth: 3 }, Mix::read_percent(50))
    };
    let paced = Stream {
        time_submissions: true,
        ..stream(open(2_000.0, Arrivals::Constant, 8), Mix::read_percent(50))
    };
    for stream in [closed, paced] {
        let mut device = device(1, 100_000);
        let tally = second(&stream, &mut device).unwrap();
        let (operations, timed) = sums(&tally);
        assert!(operations > 1_000 && timed == operations, "{operations}");
        for kind in &tally.kinds[..2] {
            let split = kind.split.as_ref().unwrap();
            let counts = [split.submission.count(), split.completion.count()];
            assert_eq!(counts, [kind.operations; 2]);
            // Each call that hands over takes one turn of the simulated clock, and looking at it the rest.
            let submission = split.submission.mean().unwrap();
            assert!((200.0..400.0).contains(&submission), "{submission}");
            let (sum, all) = (submission + split.completion.mean().unwrap(), kind.latency.mean());
            assert!(sum <= all.unwrap() + 1.0, "{sum} {all:?}");
            assert!(tally.open.is_some() || sum > all.unwrap() - 1.0, "{sum} {all:?}");
        }
    }
    // Who doesn't ask for it gets neither.
    let tally =
        second(&stream(Load::Closed { depth: 3 }, Mix::only(Op::Read)), &mut device(1, 100_000));
    assert!(tally.unwrap().kinds.iter().all(|kind| kind.split.is_none()));
}
