use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_io::{Access, Op, Target};
use narrows_observe::Watch;

use super::*;
use crate::{
    AccessPattern, BlockError, Distribution, FlowGroup, Limit, Load, Mix, Region, Route, Scenario,
    Sizes, Stream, StreamOutcome, Then, run_scenario,
};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = 64;

/// Number and place in every word.
#[derive(Debug)]
struct Stamped;

fn word(at: u64, number: u64) -> [u8; 16] {
    let mut word = [0; 16];
    word[..8].copy_from_slice(&at.to_le_bytes());
    word[8..].copy_from_slice(&number.to_le_bytes());
    word
}

impl BlockFormat for Stamped {
    fn make(&self, block: &mut [u8], offset: u64, number: u64) {
        for (at, part) in (offset..).step_by(16).zip(block.chunks_exact_mut(16)) {
            part.copy_from_slice(&word(at, number));
        }
    }

    fn check(
        &self,
        block: &mut [u8],
        offset: u64,
        number: Option<u64>,
    ) -> Result<(), BlockMismatch> {
        let own = u64::from_le_bytes(block[8..16].try_into().unwrap());
        let number = number.unwrap_or(own);
        for (at, part) in (offset..).step_by(16).zip(block.chunks_exact(16)) {
            if *part != word(at, number) {
                let told = |bytes: &[u8]| format!("{bytes:?}");
                return Err(BlockMismatch {
                    offset: at,
                    what: "stamp".to_string(),
                    expected: told(&word(at, number)),
                    found: told(part),
                });
            }
        }
        Ok(())
    }
}

fn region(path: &Path) -> Region {
    File::create(path).unwrap().set_len(BLOCKS * u64::from(BLOCK)).unwrap();
    Region::from(Target::open_write_exclusive(path, false).unwrap())
}

fn writer(region: &Region, depth: u32, operations: u64) -> Stream {
    let access = Access::blocking();
    let threads = if access.depth_per_thread().is_some() { 1 } else { depth };
    Stream {
        mix: Mix::only(Op::Write),
        sizes: Sizes::all(BLOCK),
        load: Load::Closed { depth: 1 },
        threads,
        route: Route::Buffered,
        limit: Some(Limit { operations, then: Then::EndStream }),
        verify: Some(Verify { remembers: true, ..Verify::of(Arc::new(Stamped)) }),
        ..Stream::reads("writes", region.clone(), BLOCK, 1, access)
    }
}

/// A stream that reads what was written.
fn reader(writer: &Stream, written: Vec<WrittenBlock>) -> Stream {
    let operations = written.len() as u64;
    Stream {
        name: "reads".to_string(),
        mix: Mix::only(Op::Read),
        limit: Some(Limit { operations, then: Then::EndStream }),
        verify: Some(Verify {
            checks_reads: true,
            list: Some(Arc::new(ReadList::new(written))),
            ..Verify::of(Arc::new(Stamped))
        }),
        ..writer.clone()
    }
}

fn run(streams: Vec<Stream>, length: Duration) -> Result<Vec<StreamOutcome>, BlockError> {
    let stop = Stop::new();
    let (progress, seed, window) = (&Silent, 1, length);
    let ctx = Context { stop: &stop, progress, seed, repeats: 1, quick: true, window };
    let slice = Duration::from_millis(100);
    let scenario = Scenario {
        streams,
        warm_up: Duration::ZERO,
        length,
        slice,
        seed: 3,
        cpu_loads: Vec::new(),
    };
    run_scenario(&ctx, &scenario, &Watch::none())
}

fn run_one(stream: Stream) -> StreamOutcome {
    run(vec![stream], Duration::from_secs(60)).unwrap().remove(0)
}

#[test]
fn what_was_written_is_read_back_and_a_byte_that_changed_is_found_at_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    let writes = writer(&region(&path), 1, BLOCKS);
    let wrote = run_one(writes.clone());
    assert_eq!(wrote.of(Op::Write).operations, BLOCKS);
    assert_eq!((wrote.of(Op::Read).operations, wrote.verified.blocks), (0, 0));
    let numbers: Vec<u64> = wrote.written.iter().filter_map(|block| block.number).collect();
    assert_eq!(numbers, (0..BLOCKS).collect::<Vec<_>>(), "in the order of writing");

    let read = run_one(reader(&writes, wrote.written.clone()));
    assert_eq!((read.verified.blocks, read.verified.wrong, read.wrong), (BLOCKS, 0, 0));
    assert_eq!(read.of(Op::Read).operations, BLOCKS);

    let file = File::options().write(true).open(&path).unwrap();
    file.write_all_at(&[0xff], 5 * 4096 + 100).unwrap();
    let read = run_one(reader(&writes, wrote.written.clone()));
    assert_eq!((read.verified.blocks, read.verified.wrong, read.wrong), (BLOCKS, 1, 1));
    assert_eq!(read.verified.first[0].offset, 5 * 4096 + 96);

    let mut fatal = reader(&writes, wrote.written);
    fatal.verify.as_mut().unwrap().fatal = true;
    match run(vec![fatal], Duration::from_secs(60)) {
        Err(BlockError::Mismatch { path: named, mismatch }) => {
            assert_eq!((named, mismatch.offset), (path, 5 * 4096 + 96));
        }
        other => panic!("a fatal mismatch ends the run: {other:?}"),
    }
}

#[test]
fn a_block_of_another_write_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let writes = writer(&region(&dir.path().join("f")), 1, BLOCKS);
    let mut written = run_one(writes.clone()).written;
    written[7].number = Some(8);
    let read = run_one(reader(&writes, written.clone()));
    assert_eq!((read.verified.wrong, read.verified.first[0].offset), (1, written[7].offset));
}

#[test]
fn a_backlog_is_read_beside_the_writes_and_is_none_of_their_figures() {
    let dir = tempfile::tempdir().unwrap();
    for (every, batch, beside) in [(1, 1, 63), (8, 8, 56), (10, 3, 54), (1000, 1000, 0)] {
        let mut writes = writer(&region(&dir.path().join("f")), 1, BLOCKS);
        writes.verify.as_mut().unwrap().backlog = Some(Backlog { every, batch });
        let wrote = run_one(writes);
        assert_eq!(wrote.of(Op::Write).operations, BLOCKS, "{every}");
        assert_eq!(wrote.of(Op::Read).operations, 0, "{every}");
        assert_eq!((wrote.operations(), wrote.issued), (BLOCKS, BLOCKS), "{every}");
        assert_eq!(wrote.verified.wrong, 0, "{every}");
        let read = &wrote.verified.reads;
        assert_eq!((read.operations, read.latency.count()), (beside, beside), "{every}");
        assert_eq!(wrote.verified.blocks + wrote.written.len() as u64, BLOCKS, "{every}");
    }
}

#[test]
fn places_that_are_written_again_are_looked_at_in_their_last_state() {
    let dir = tempfile::tempdir().unwrap();
    for backlog in [None, Some(Backlog { every: 16, batch: 16 })] {
        let mut writes = writer(&region(&dir.path().join("f")), 1, 10 * BLOCKS);
        writes.place = AccessPattern::Random(Distribution::Uniform);
        let verify = writes.verify.as_mut().unwrap();
        (verify.overwrites, verify.backlog) = (true, backlog);
        let wrote = run_one(writes.clone());
        assert_eq!((wrote.of(Op::Write).operations, wrote.verified.wrong), (10 * BLOCKS, 0));
        let mut places: Vec<u64> = wrote.written.iter().map(|block| block.offset).collect();
        places.dedup();
        assert_eq!(places.len(), wrote.written.len(), "each place once");
        assert_eq!(wrote.verified.reads.operations > 0, backlog.is_some());
        if !wrote.written.is_empty() {
            let read = run_one(reader(&writes, wrote.written));
            assert_eq!((read.verified.wrong, read.verified.blocks), (0, places.len() as u64));
        }
    }
}

#[test]
fn ways_with_a_queue_keep_several_in_flight_and_find_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let access = Access::best();
    for overwrites in [false, true] {
        let mut writes = writer(&region(&dir.path().join("f")), 1, 4 * BLOCKS);
        writes.access = access.clone();
        writes.load = Load::Closed { depth: 8 };
        writes.threads = Stream::threads_for(&access, 8, 1);
        if writes.threads > 1 {
            eprintln!("SKIPPED: no way with a queue here: {:?}", access.refusals());
            return;
        }
        if overwrites {
            writes.place = AccessPattern::Random(Distribution::Uniform);
        } else {
            writes.limit = Some(Limit { operations: BLOCKS, then: Then::EndStream });
        }
        let verify = writes.verify.as_mut().unwrap();
        (verify.overwrites, verify.backlog) = (overwrites, Some(Backlog { every: 4, batch: 4 }));
        let wrote = run_one(writes.clone());
        assert_eq!(wrote.verified.wrong, 0, "{:?}", wrote.verified.first);
        assert!(wrote.verified.reads.operations > 0);
        let written = wrote.written.len() as u64;
        assert!(overwrites || wrote.verified.blocks + written == BLOCKS);
        if written > 0 {
            assert_eq!(run_one(reader(&writes, wrote.written)).verified.wrong, 0);
        }
    }
}

#[test]
fn streams_of_a_group_keep_their_weights() {
    let dir = tempfile::tempdir().unwrap();
    let region = region(&dir.path().join("f"));
    for pause in [Duration::ZERO, Duration::from_micros(100)] {
        let group = FlowGroup::empty();
        let streams = [("a", 1), ("b", 5)].map(|(name, weight)| Stream {
            flow: Some(group.join(weight, 1, pause)),
            ..Stream::reads(name, region.clone(), BLOCK, 1, Access::null())
        });
        let outcomes = run(streams.into(), Duration::from_millis(300)).unwrap();
        let [a, b] = [outcomes[0].issued as f64, outcomes[1].issued as f64];
        assert!(a > 20.0, "{a}");
        assert!((b / a / 5.0 - 1.0).abs() < 0.05, "{pause:?}: {a} and {b}");
    }
}

#[test]
fn a_stream_with_a_rate_holds_the_others_of_its_group_to_their_share_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let region = region(&dir.path().join("f"));
    let group = FlowGroup::empty();
    let of = |name, weight, load| Stream {
        load,
        flow: Some(group.join(weight, 1, Duration::ZERO)),
        ..Stream::reads(name, region.clone(), BLOCK, 1, Access::null())
    };
    let arrivals = narrows_engine::Arrivals::Constant;
    let rated = of("a", 1, Load::Open { rate_per_s: 1000.0, arrivals, most_in_flight: 1 });
    let free = of("b", 8, Load::Closed { depth: 1 });
    let outcomes = run(vec![rated, free], Duration::from_millis(300)).unwrap();
    let [a, b] = [outcomes[0].issued, outcomes[1].issued];
    assert!(a > 10 && b.abs_diff(8 * a) <= 16, "{a} and {b}");
}
