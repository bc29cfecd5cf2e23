//! Calls that move no data beside reads that do: counted and timed like other operations, and no part of a bandwidth.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use narrows_engine::Stop;
use narrows_io::{Access, FileCall, Op};
use narrows_layer_block::{
    AccessPattern, Limit, Mix, Record, Region, Route, Scenario, Stream, Then, run_scenario,
};
use narrows_model::{condition, metric};
use narrows_observe::Watch;

use crate::common::{MIB, context, folder, made};

const BLOCK: u32 = 4096;
const BLOCKS: u64 = MIB / BLOCK as u64;

fn ending_after(operations: u64, stream: Stream) -> Stream {
    let limit = Some(Limit { operations, then: Then::EndStream });
    Stream { limit, ..stream }
}

#[test]
fn calls_are_counted_and_timed_and_nothing_is_said_of_bytes() {
    let (dir, other, stop) = (folder(), folder(), Stop::new());
    let ctx = context(&stop, 100);
    let Some(file) = made(&ctx, dir.path(), 1) else { return };
    let Some(beside) = made(&ctx, other.path(), 1) else { return };
    let on_disk = || file.buffered_file().metadata().unwrap().blocks() * 512;
    for (call, blocks) in [
        (FileCall::PunchHole, 0),
        (FileCall::Allocate { keep_size: false }, BLOCKS),
        (FileCall::Truncate, 0),
    ] {
        let access = Access::file_calls(call, None);
        let calls = Stream {
            mix: Mix::only(Op::Trim),
            place: AccessPattern::Sequential,
            route: Route::Buffered,
            ..Stream::reads("calls", Region::of(&file), BLOCK, 1, access)
        };
        let reads = Stream::reads("reads", Region::of(&beside), 8192, 1, Access::blocking());
        let streams = vec![ending_after(BLOCKS, calls), ending_after(64, reads)];
        let length = Duration::from_secs(60);
        let one = Scenario::of(streams[0].clone(), Duration::ZERO, length, 5);
        let scenario = Scenario { streams: streams.clone(), ..one };
        let outcomes = run_scenario(&ctx, &scenario, &Watch::none()).unwrap();
        let least = blocks * u64::from(BLOCK);
        // A file system may keep a block of its own beside.
        assert!((least..=least + 65_536).contains(&on_disk()), "{call:?}: {}", on_disk());

        let [called, read] = &outcomes[..] else { panic!("{outcomes:?}") };
        assert_eq!((called.operations(), called.failed(), called.short()), (BLOCKS, 0, 0));
        assert_eq!(called.latency().count(), BLOCKS);
        let told = called.clone().counted_as(Op::Read);
        assert_eq!((told.of(Op::Read).operations, told.of(Op::Trim).operations), (BLOCKS, 0));
        assert_eq!(told.of(Op::Read).bytes, MIB, "what fio counts");

        let mut record = Record::new();
        record.add(called);
        let measured = record.into_measurement("block.test", &streams[0]);
        assert_eq!(measured.value(metric::OPERATIONS), Some(BLOCKS as f64));
        let of_bytes = [
            metric::BANDWIDTH,
            metric::ISSUED_READ_BYTES,
            metric::ISSUED_WRITE_BYTES,
            metric::UNWRITTEN,
            metric::RESIDENT_BEFORE,
        ];
        for absent in of_bytes {
            assert_eq!(measured.value(absent), None, "{call:?}: {absent}");
        }
        assert_eq!(measured.text(condition::DIRECTION), Some(call.word()));
        assert_eq!(measured.text(condition::METHOD), Some("file calls"));

        let mut record = Record::new();
        record.add_together(&outcomes);
        let together = record.into_together("block.together", &streams);
        let seconds = together.value(metric::WINDOW).unwrap() / 1e9;
        let bytes = together.value(metric::BANDWIDTH).unwrap() * seconds;
        assert!((bytes - read.bytes() as f64).abs() < 1.0, "of the reads alone: {bytes}");
    }
}

#[test]
fn calls_that_fail_are_no_operations() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 100);
    let Some(file) = made(&ctx, dir.path(), 1) else { return };
    // There are no names that it could be called on.
    let access = Access::file_calls(FileCall::Delete, None);
    let calls = Stream {
        mix: Mix::only(Op::Trim),
        ..Stream::reads("calls", Region::of(&file), BLOCK, 1, access)
    };
    let scenario = Scenario::of(calls, Duration::ZERO, Duration::from_secs(60), 5);
    let error = run_scenario(&ctx, &scenario, &Watch::none()).unwrap_err();
    assert!(error.to_string().contains("calls"), "{error}");
    assert!(file.path().exists());
}
