//! Records that are done again, on the simulated device: just these operations, in their order, at their times.

use std::rc::Rc;
use std::sync::Arc;

use narrows_engine::Arrivals;
use narrows_io::Op;

use super::simulated::{SECOND, START_NS, device, open, run_for, stream};
use crate::scenario::{
    AccessPattern, Limit, Load, Mix, RangesInFlight, RecordedOperation, RecordedOperations,
    Serialize, Stream, Then,
};

fn record() -> Vec<RecordedOperation> {
    let one = |op, offset, bytes, due_ns| RecordedOperation { op, offset, bytes, due_ns };
    vec![
        one(Op::Read, 0, 512, 0),
        one(Op::Write, 8192, 512, SECOND + 1_000_000),
        one(Op::Trim, 4096, 2 << 30, SECOND + 1_000_000),
        one(Op::Sync, 0, 0, SECOND + 2_000_000),
        one(Op::Read, 512, 512, SECOND + 500_000_000),
    ]
}

fn replays(load: Load) -> Stream {
    let operations = record().len() as u64;
    let limit = Some(Limit { operations, then: Then::EndStream });
    let place = AccessPattern::Recorded(Arc::new(RecordedOperations::new(record())));
    Stream { place, limit, ..stream(load, Mix { read: 2, write: 1, trim: 1 }) }
}

#[test]
fn a_record_is_done_once_in_its_order_and_each_at_its_time() {
    let wanted: Vec<(Op, u64, u32)> =
        record().iter().map(|one| (one.op, one.offset, one.bytes)).collect();
    let mut device = device(8, 10_000);
    let log = Rc::clone(&device.log);
    let tally = run_for(&replays(open(3.0, Arrivals::Recorded, 8)), &mut device, 1).unwrap();
    assert_eq!(*log.borrow(), wanted);
    // The first one fell into the lead-in.
    let counted: Vec<u64> = tally.kinds.iter().map(|kind| kind.operations).collect();
    assert_eq!(counted, [1, 1, 1, 1]);
    let ended_ns = tally.ended_ns.unwrap();
    let last_ns = START_NS + SECOND + 500_000_000;
    assert!((last_ns..last_ns + 100_000).contains(&ended_ns), "{ended_ns}");
    let open = tally.open.unwrap();
    assert_eq!((open.due_sent, open.unsent), (3, 0), "a sync is no operation of the rate");
    assert!(open.lateness.max().unwrap() < 1000);
}

#[test]
fn syncs_of_a_record_wait_for_nobody_and_nobody_for_them() {
    let ranges: Arc<RangesInFlight> = Arc::default();
    let serialize = Some(Serialize::Among(Arc::clone(&ranges)));
    let waiting = Stream { serialize, ..replays(Load::Closed { depth: 8 }) };
    let mut device = device(8, 10_000);
    let log = Rc::clone(&device.log);
    run_for(&waiting, &mut device, 1).unwrap();
    assert_eq!((log.borrow().len(), ranges.count()), (record().len(), 0));
}

#[test]
fn without_times_a_record_keeps_the_depth() {
    let mut device = device(1, 300_000_000);
    let log = Rc::clone(&device.log);
    let tally = run_for(&replays(Load::Closed { depth: 1 }), &mut device, 1).unwrap();
    assert_eq!(log.borrow().len(), record().len());
    let ended_ns = tally.ended_ns.unwrap();
    let busy_ns = START_NS + 5 * 300_000_000;
    assert!((busy_ns..busy_ns + 1_000_000).contains(&ended_ns), "one after the other: {ended_ns}");
}

#[test]
fn a_record_that_a_stream_cannot_do_is_refused() {
    let of = |operations: Vec<RecordedOperation>, threads| {
        RecordedOperations::new(operations).reason((0, 1 << 40), threads)
    };
    assert_eq!(of(record(), 1), None);
    assert!(of(Vec::new(), 1).is_some() && of(record(), 2).is_some());
    let beyond = RecordedOperation { op: Op::Read, offset: 1 << 40, bytes: 512, due_ns: 0 };
    assert!(of(vec![beyond], 1).unwrap().contains("out of its region"));
    let mut back = record();
    back.reverse();
    assert!(of(back, 1).unwrap().contains("back in time"));
    let in_order = RecordedOperations::new(vec![
        RecordedOperation { offset: 0, ..beyond },
        RecordedOperation { offset: 512, ..beyond },
    ]);
    let jumps = RecordedOperations::new(vec![
        RecordedOperation { offset: 512, ..beyond },
        RecordedOperation { offset: 0, ..beyond },
    ]);
    assert!(in_order.is_in_order() && !jumps.is_in_order());
    assert_eq!(RecordedOperations::new(record()).offsets_divisor(), 512);
}
