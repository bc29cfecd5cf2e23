//! What a stream that is stopped leaves of its writes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_io::{Access, Op, Target};
use narrows_observe::Watch;

use super::{BlockFormat, BlockMismatch, Verify, WrittenBlock};
use crate::{
    BlockError, Limit, Load, Mix, Region, Route, Scenario, Sizes, Stream, Then, run_scenario,
};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 4096;
const STOPS_AFTER: u64 = 100;

/// Asks everybody to end when so many blocks were made.
#[derive(Debug)]
struct Stopping(Stop, AtomicU64);

impl BlockFormat for Stopping {
    fn make(&self, block: &mut [u8], _: u64, number: u64) {
        block.fill(number as u8);
        if self.1.fetch_add(1, Ordering::Relaxed) + 1 == STOPS_AFTER {
            self.0.set();
        }
    }

    fn check(&self, _: &mut [u8], _: u64, _: Option<u64>) -> Result<(), BlockMismatch> {
        Ok(())
    }
}

#[test]
fn what_had_come_back_is_left_when_a_stream_is_stopped_and_all_of_it_when_it_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    std::fs::write(&path, vec![0; BLOCKS as usize * BLOCK as usize]).unwrap();
    let region = Region::from(Target::open_write_exclusive(&path, false).unwrap());
    let run = |operations: u64| {
        let stop = Stop::new();
        let left: Arc<Mutex<Vec<WrittenBlock>>> = Arc::default();
        let format = Arc::new(Stopping(stop.clone(), AtomicU64::new(0)));
        let verify = Verify { left: Some(Arc::clone(&left)), ..Verify::of(format) };
        let access = Access::blocking();
        let stream = Stream {
            mix: Mix::only(Op::Write),
            sizes: Sizes::all(BLOCK),
            load: Load::Closed { depth: 1 },
            route: Route::Buffered,
            limit: Some(Limit { operations, then: Then::EndStream }),
            verify: Some(verify),
            ..Stream::reads("writes", region.clone(), BLOCK, 1, access)
        };
        let length = Duration::from_secs(60);
        let (progress, seed, window) = (&Silent, 1, length);
        let ctx = Context { stop: &stop, progress, seed, repeats: 1, quick: true, window };
        let scenario = Scenario::of(stream, Duration::ZERO, length, 3);
        let ended = run_scenario(&ctx, &scenario, &Watch::none());
        let left = left.lock().unwrap().clone();
        (ended, left)
    };
    let (ended, left) = run(BLOCKS);
    assert!(matches!(ended, Err(BlockError::Stopped(_))), "{ended:?}");
    // The write under way when it was asked to end has come back as well, or is not known.
    let count = left.len() as u64;
    assert!((STOPS_AFTER - 1..=STOPS_AFTER).contains(&count), "{count}");
    let numbers: Vec<u64> = left.iter().filter_map(|block| block.number).collect();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>());

    let (ended, left) = run(STOPS_AFTER / 2);
    let outcome = ended.unwrap().remove(0);
    assert_eq!(left.len() as u64, STOPS_AFTER / 2);
    assert!(outcome.written.is_empty(), "nobody asked for reading back");
}
