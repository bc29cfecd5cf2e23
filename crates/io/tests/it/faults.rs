//! The device that fails as planned does exactly that, by its own clock where one is given.

use crate::common;
use std::cell::Cell;
use std::fs::File;
use std::rc::Rc;
use std::sync::Arc;

use crate::common::{errno, folder, made, one, path};
use narrows_io::{
    Access, Arena, Clock, DevicePath, Effect, Fault, FaultPath, NullPath, Op, Tag, When,
};

/// Time that only the test moves.
#[derive(Default)]
struct ByHand(Rc<Cell<u64>>);

impl Clock for ByHand {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }

    fn wait_ns(&self, _: u64) {}
}

fn simulated(slots: u32, faults: Vec<Fault>) -> (FaultPath, Rc<Cell<u64>>) {
    let clock = ByHand::default();
    let hand = Rc::clone(&clock.0);
    let null = NullPath::new(Arena::new(slots, 4096, 4096).unwrap());
    (FaultPath::with_clock(Box::new(null), faults, Box::new(clock)), hand)
}

fn slots_seen(path: &mut FaultPath) -> Vec<u32> {
    let mut out = Vec::new();
    path.reap(path.in_flight(), &mut out).unwrap();
    let mut slots: Vec<_> = out.iter().map(|completion| completion.slot).collect();
    slots.sort_unstable();
    slots
}

#[test]
fn the_operations_that_were_named_fail_and_no_others() {
    let zero = Arc::new(File::open("/dev/zero").unwrap());
    let faults = vec![
        Fault::on(Op::Read, When::Nth(2), Effect::Errno(libc::EIO)),
        Fault::on(Op::Write, When::Every(2), Effect::Errno(libc::ENOSPC)),
        Fault::any(When::At(65_536..65_600), Effect::Errno(libc::EREMOTEIO)),
        Fault::on(Op::Sync, When::From(1), Effect::Errno(libc::EDQUOT)),
        Fault::on(Op::Read, When::Nth(4), Effect::Short(512)),
    ];
    let mut path = path(&Access::null().with_faults(faults), &zero, 1, 4096);
    let mut results = |op, offset: u64, times: usize| -> Vec<i32> {
        (0..times).map(|_| one(&mut *path, op, offset, 4096).result).collect()
    };
    assert_eq!(results(Op::Read, 0, 5), [4096, 4096, -libc::EIO, 4096, 512]);
    assert_eq!(results(Op::Write, 0, 4), [-libc::ENOSPC, 4096, -libc::ENOSPC, 4096]);
    assert_eq!(results(Op::Read, 65_536, 1), [-libc::EREMOTEIO]);
    assert_eq!(results(Op::Trim, 65_535, 1), [0]);
    assert_eq!(results(Op::Sync, 0, 3), [0, -libc::EDQUOT, -libc::EDQUOT]);
}

#[test]
fn data_are_spoiled_on_the_way_and_stay_whole_in_the_file() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 1) else { return };
    let pattern = file.pattern().unwrap();
    for access in common::ways() {
        let faults = vec![
            Fault::on(Op::Read, When::Nth(0), Effect::Zeros),
            Fault::on(Op::Read, When::Nth(1), Effect::Corrupt),
            Fault::on(Op::Write, When::Nth(0), Effect::Lost),
            Fault::on(Op::Read, When::Nth(4), Effect::Errno(libc::EIO)),
        ];
        let mut path = path(&access.with_faults(faults), file.buffered_file(), 1, 512);
        let mut read = || {
            let completion = one(&mut *path, Op::Read, 4096, 512);
            (
                completion.bytes().unwrap(),
                pattern.tag(path.buffer(0), 4096),
                path.buffer(0).to_vec(),
            )
        };
        assert_eq!(read().1, Tag::Zeros);
        let (spoiled, whole) = (read(), read());
        assert_eq!((spoiled.0, whole.0, whole.1), (512, 512, Tag::Ours { generation: 0 }));
        let bits: u32 =
            spoiled.2.iter().zip(&whole.2).map(|(one, other)| (one ^ other).count_ones()).sum();
        assert_eq!(bits, 1);
        path.buffer(0).fill(0xff);
        assert_eq!(one(&mut *path, Op::Write, 4096, 512).bytes().unwrap(), 512);
        assert_eq!(one(&mut *path, Op::Read, 4096, 512).bytes().unwrap(), 512);
        assert_eq!(pattern.tag(path.buffer(0), 4096), Tag::Ours { generation: 0 }, "lost");
        assert_eq!(errno(one(&mut *path, Op::Read, 4096, 512)), Some(libc::EIO));
    }
}

#[test]
fn a_delay_holds_one_completion_until_its_time() {
    let (mut path, now) = simulated(3, vec![Fault::any(When::Nth(1), Effect::DelayNs(1_000))]);
    for slot in 0..3 {
        path.submit(Op::Read, slot, 0, 4096);
    }
    assert_eq!(slots_seen(&mut path), [0, 2]);
    now.set(999);
    assert_eq!((slots_seen(&mut path), path.in_flight()), (vec![], 1));
    now.set(1_000);
    assert_eq!((slots_seen(&mut path), path.in_flight()), (vec![1], 0));
}

#[test]
fn a_stall_holds_everything_also_what_was_submitted_before_and_comes_after() {
    let (mut path, now) = simulated(4, vec![Fault::any(When::Nth(2), Effect::StallNs(1_000_000))]);
    now.set(500);
    path.submit(Op::Read, 0, 0, 4096);
    assert_eq!(slots_seen(&mut path), [0]);
    path.submit(Op::Read, 0, 0, 4096);
    path.submit(Op::Write, 1, 0, 4096);
    now.set(900_000);
    path.submit(Op::Read, 2, 0, 4096);
    assert_eq!((slots_seen(&mut path), path.in_flight()), (vec![], 3));
    now.set(1_000_500);
    assert_eq!(slots_seen(&mut path), [0, 1, 2]);
    path.submit(Op::Read, 3, 0, 4096);
    assert_eq!(slots_seen(&mut path), [3]);
}

#[test]
fn by_the_machines_clock_a_stall_lasts_as_long_as_planned() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 2) else { return };
    for access in common::ways() {
        let stall = Fault::any(When::Nth(1), Effect::StallNs(60_000_000));
        let mut path = path(&access.with_faults(vec![stall]), file.buffered_file(), 1, 512);
        one(&mut *path, Op::Read, 0, 512);
        let began = std::time::Instant::now();
        let (mut out, mut beats) = (Vec::new(), 0);
        path.submit(Op::Read, 0, 0, 512);
        while out.is_empty() {
            path.reap(1, &mut out).unwrap();
            beats += 1;
        }
        assert!(began.elapsed().as_millis() >= 60);
        assert!(beats > 1, "the caller could look at its stop token");
        assert_eq!(out[0].bytes().unwrap(), 512);
    }
}

#[test]
#[should_panic(expected = "slot 0 is in flight")]
fn a_buffer_whose_completion_is_held_cannot_be_reached() {
    let (mut path, _) = simulated(1, vec![Fault::any(When::Nth(0), Effect::DelayNs(1))]);
    path.submit(Op::Read, 0, 0, 512);
    path.reap(1, &mut Vec::new()).unwrap();
    path.buffer(0);
}
