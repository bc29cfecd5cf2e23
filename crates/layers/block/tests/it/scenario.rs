//! Scenarios on real files, by every way, under every load: the figures add up, nothing is lost at the borders, and what
//! was asked is what the file saw.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{MIB, context, folder, made, samples};
use narrows_engine::{Arrivals, Stop};
use narrows_io::{
    Access, Arena, DevicePath, Effect, Error, Fault, Method, Op, Options, Remote, Tag, TestFile,
    When,
};
use narrows_layer_block::{
    AccessPattern, BlockError, Counted, Distribution, Limit, Load, Mix, Record, Region, Route,
    Scenario, Share, Sizes, Stream, StreamOutcome, Then, Writers, run_scenario,
    writers_together_and_apart,
};
use narrows_model::{condition, metric};
use narrows_observe::Watch;

const KINDS: [Op; 4] = [Op::Read, Op::Write, Op::Trim, Op::Sync];

fn open(rate_per_s: f64, arrivals: Arrivals, most_in_flight: u32) -> Load {
    Load::Open { rate_per_s, arrivals, most_in_flight }
}

fn stream(file: &TestFile, access: &Access, load: Load) -> Stream {
    let depth = load.in_flight();
    let stream = Stream::reads("stream", Region::of(file), 8192, depth, access.clone());
    Stream { load, ..stream }
}

fn scenario(streams: Vec<Stream>, window_ms: u64) -> Scenario {
    let (warm_up, length) = (Duration::from_millis(10), Duration::from_millis(window_ms));
    let one = Scenario::of(streams[0].clone(), warm_up, length, 77);
    Scenario { streams, slice: Duration::from_millis(10), ..one }
}

fn ways() -> Vec<Access> {
    let wanted = [Method::Null, Method::Blocking, Method::Aio, Method::IoUring, Method::Nop];
    let mut ways = Vec::new();
    for method in wanted {
        let access = Access::named(method, Options::default());
        if access.method() == method {
            ways.push(access);
        } else {
            eprintln!("SKIPPED: {method}: {:?}", access.refusals());
        }
    }
    ways
}

/// The outcomes of the first window in which each kind that was asked for was completed: a flush of a shared disk can take
/// longer than a short window.
fn with_every_kind(
    ctx: &narrows_engine::Context<'_>,
    streams: &[Stream],
    windows_ms: [u64; 3],
) -> Vec<StreamOutcome> {
    let mut outcomes = Vec::new();
    for window_ms in windows_ms {
        let scenario = scenario(streams.to_vec(), window_ms);
        outcomes = run_scenario(ctx, &scenario, &Watch::none()).unwrap();
        let seen = |(outcome, stream): (&StreamOutcome, &Stream)| {
            let mut asked = KINDS.iter().filter(|op| stream.mix.weight(**op) > 0);
            let synced = stream.sync_after.is_none() || outcome.of(Op::Sync).operations > 0;
            synced && asked.all(|op| outcome.of(*op).operations > 0)
        };
        if outcomes.iter().zip(streams).all(seen) {
            break;
        }
        eprintln!("{window_ms} ms were too short for every kind: {outcomes:?}");
    }
    outcomes
}

/// What holds in every mode.
fn adds_up(outcome: &StreamOutcome, stream: &Stream, about: &str) {
    let mut series = 0;
    for op in KINDS {
        let kind: &Counted = outcome.of(op);
        assert_eq!(kind.latency.count(), kind.operations, "{about} {op:?}: one sample each");
        assert_eq!((kind.failed, kind.short), (0, 0), "{about} {op:?}");
        assert_eq!(kind.bytes, kind.asked_bytes, "{about} {op:?}");
        if op != Op::Sync {
            assert_eq!(kind.operations > 0, stream.mix.weight(op) > 0, "{about} {op:?}");
            series += kind.operations;
        }
    }
    assert_eq!(outcome.operations(), series, "{about}");
    assert_eq!(outcome.latency().count(), series, "{about}");
    let sliced: u64 = outcome.slices.iter().map(|slice| slice.operations).sum();
    assert!(sliced <= series, "{about}");
    let full = u128::from(outcome.window_ns / outcome.slice_ns) * u128::from(outcome.slice_ns);
    let whole = full == u128::from(outcome.window_ns);
    assert!(!whole || sliced == series, "{about}: the slices are the window");
    assert_eq!(outcome.wrong, 0, "{about}");
    match (&outcome.open, stream.load) {
        (None, Load::Closed { depth }) => {
            // Operations that were on their way when the window began count with all of their latency.
            let before = outcome.latency().max().unwrap() as f64 / outcome.window_ns as f64;
            let (in_flight, most) = (outcome.in_flight().unwrap(), f64::from(depth));
            assert!(in_flight <= most * (1.01 + before), "{about}: {in_flight} of {depth}");
        }
        (Some(open), Load::Open { .. }) => {
            assert_eq!(open.lateness.count(), series, "{about}: one lateness each");
            let balance = open.backlog_before + open.due;
            assert_eq!(balance, series + open.backlog_after, "{about}: what came, went or waits");
            assert_eq!(open.unfinished, 0, "{about}");
            let by_slice: u64 = outcome.slices.iter().map(|slice| slice.due).sum();
            assert!(if whole { by_slice == open.due } else { by_slice <= open.due }, "{about}");
        }
        other => panic!("{about}: {other:?}"),
    }
}

#[test]
fn samples_are_operations_by_every_way_under_every_load_with_every_mix() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 40);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let split =
        |first, second| vec![Share { what: first, weight: 70 }, Share { what: second, weight: 30 }];
    let splits = Sizes {
        read: split(4096, 65_536),
        write: split(8192, 16_384),
        trim: vec![Share { what: 4096, weight: 1 }],
    };
    let loads = [
        Load::Closed { depth: 1 },
        Load::Closed { depth: 9 },
        open(2000.0, Arrivals::Poisson, 8),
        open(2000.0, Arrivals::Constant, 64),
    ];
    let mixes = [
        (Mix::only(Op::Read), None),
        (Mix::only(Op::Write), Some(3)),
        (Mix::read_percent(70), None),
        (Mix { read: 5, write: 3, trim: 2 }, Some(8)),
    ];
    let mut runs = 0;
    for access in ways() {
        for (of_loads, load) in loads.into_iter().enumerate() {
            for (number, (mix, sync_after)) in mixes.iter().enumerate() {
                // One and three in turn: each load and each mix meets both.
                let threads = [1, 3][(of_loads + number) % 2];
                let sizes = if number % 2 == 0 { Sizes::all(8192) } else { splits.clone() };
                let wanted = Stream::threads_for(&access, load.in_flight(), threads);
                let stream = Stream {
                    mix: *mix,
                    sizes,
                    threads: wanted,
                    sync_after: *sync_after,
                    place: AccessPattern::Random(Distribution::Uniform),
                    ..stream(&file, &access, load)
                };
                let about = format!("{} {load:?} {mix:?} {wanted}", access.method());
                let outcomes =
                    with_every_kind(&ctx, std::slice::from_ref(&stream), [40, 400, 4000]);
                assert_eq!(outcomes.len(), 1);
                adds_up(&outcomes[0], &stream, &about);
                runs += 1;
            }
        }
    }
    assert!(runs >= 32, "{runs}");
}

/// A target that grants so many queues, of which so many are asked for.
#[derive(Debug)]
struct Granted(u32, u32);

impl Remote for Granted {
    fn open(&self, _: Arena, _: u32) -> Result<Box<dyn DevicePath>, Error> {
        unreachable!("nothing is opened")
    }

    fn most_bytes(&self) -> u32 {
        1 << 20
    }

    fn ways(&self) -> (u32, u32) {
        (self.0, self.1)
    }
}

#[test]
fn a_load_takes_no_more_threads_than_there_are_queues_and_as_many_as_are_asked_for() {
    for (least, most, depth, generators, threads) in [
        (1, 4, 32, 1, 1),
        (1, 4, 32, 8, 4),
        (4, 4, 32, 1, 4),
        (4, 4, 32, 8, 4),
        // An operation is one thread's.
        (4, 4, 2, 1, 2),
    ] {
        let access = Access::remote(Arc::new(Granted(least, most)));
        let of = (least, most, depth, generators);
        assert_eq!(Stream::threads_for(&access, depth, generators), threads, "{of:?}");
    }
    assert_eq!(Stream::threads_for(&Access::best(), 32, 8), 8, "a device of this machine");
}

#[test]
fn streams_of_one_scenario_share_its_window_and_are_told_apart() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 100);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let access = Access::best();
    let whole = Region::of(&file);
    let (front, back) = (whole.part(0, 8 * MIB).unwrap(), whole.part(8 * MIB, 8 * MIB).unwrap());
    assert!(whole.part(8 * MIB, 8 * MIB + 1).is_err());
    let reads = Stream {
        name: "reads".into(),
        region: front,
        ..stream(&file, &access, Load::Closed { depth: 4 })
    };
    let log = Stream {
        name: "log".into(),
        region: back,
        mix: Mix::only(Op::Write),
        place: AccessPattern::Sequential,
        sync_after: Some(1),
        threads: 1,
        ..stream(&file, &access, Load::Closed { depth: 1 })
    };
    let streams = vec![reads, log];
    let outcomes = with_every_kind(&ctx, &streams, [100, 1000, 10_000]);
    for (outcome, stream) in outcomes.iter().zip(&streams) {
        adds_up(outcome, stream, &stream.name);
        assert_eq!(outcome.name, stream.name);
        assert_eq!(outcome.window_ns, outcomes[0].window_ns);
        assert!(outcome.beside_others);
    }
    let log = &outcomes[1];
    assert!(log.of(Op::Sync).operations.abs_diff(log.of(Op::Write).operations) <= 1);
    let mut together = Record::new();
    together.add_together(&outcomes);
    let together = together.into_together("block.test", &streams);
    let sum: u64 = outcomes.iter().map(StreamOutcome::operations).sum();
    assert_eq!(together.value(metric::OPERATIONS), Some(sum as f64));
    let asked = outcomes[0].of(Op::Read).asked_bytes;
    assert_eq!(together.value(metric::ISSUED_READ_BYTES), Some(asked as f64));
    let mut record = Record::new();
    record.add(log);
    let measurement = record.into_measurement("block.test.log", &streams[1]);
    assert!(measurement.value(metric::SYNC_LATENCY_MEAN).unwrap() > 0.0);
    assert_eq!(measurement.text(condition::DIRECTION), Some("write"));
    assert_eq!(measurement.text(condition::LOOP), Some("closed"));

    // Nobody left his part: the front was only read.
    let pattern = file.pattern().unwrap();
    let mut block = vec![0; 16 * MIB as usize];
    std::os::unix::fs::FileExt::read_exact_at(&**file.buffered_file(), &mut block, 0).unwrap();
    let (mut renewed, half) = (0, block.len() / 2);
    for (number, sector) in block.chunks(512).enumerate() {
        match pattern.tag(sector, 512 * number as u64) {
            Tag::Ours { generation } => {
                assert!(generation == 0 || 512 * number >= half, "sector {number}");
                renewed += u64::from(generation > 0);
            }
            other => panic!("sector {number}: {other:?}"),
        }
    }
    assert_eq!(renewed > 0, log.written_bytes > 0);
}

#[test]
fn a_stall_of_a_real_path_is_in_the_percentiles_of_an_open_loop() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 60_000);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let stall = Fault::any(When::Nth(500), Effect::StallNs(300_000_000));
    for access in ways() {
        if access.depth_per_thread().is_some() {
            continue;
        }
        let access = access.with_faults(vec![stall.clone()]);
        let mut stream = stream(&file, &access, open(1000.0, Arrivals::Constant, 4096));
        let method = access.method();
        // The window ends with the last of them, so that all are in it.
        stream.limit = Some(Limit { operations: 1500, then: Then::EndStream });
        stream.over_ns = Some(20_000_000);
        let one = scenario(vec![stream.clone()], 60_000);
        let scenario = Scenario { warm_up: Duration::ZERO, ..one };
        let outcome = run_scenario(&ctx, &scenario, &Watch::none()).unwrap().remove(0);
        adds_up(&outcome, &stream, method.word());
        let latency = outcome.latency();
        // 300 of 1500 wait at least, the first for all of it.
        assert_eq!(outcome.operations(), 1500, "{method}");
        assert!(latency.max().unwrap() >= 299_000_000, "{method}: {latency:?}");
        assert!(latency.quantile(0.99).unwrap() >= 280_000_000, "{method}: {latency:?}");
        let over: u64 = outcome.slices.iter().map(|slice| slice.over).sum();
        assert!(over >= 279, "{method}: {over}");
    }
}

#[test]
fn threads_that_block_take_turns_at_one_schedule() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 60_000);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    // The first block takes 2 s; one thread begins with it, and is stuck alone.
    let stuck = Fault::any(When::At(0..1), Effect::DelayNs(2_000_000_000));
    let access = Access::blocking().with_faults(vec![stuck]);
    let stream = stream(&file, &access, open(600.0, Arrivals::Constant, 4));
    let stream = Stream { place: AccessPattern::Sequential, ..stream };
    let one = scenario(vec![stream.clone()], 3400);
    let scenario = Scenario { warm_up: Duration::ZERO, ..one };
    let outcome = run_scenario(&ctx, &scenario, &Watch::none()).unwrap().remove(0);
    adds_up(&outcome, &stream, "turns");
    let waited: u64 = outcome
        .latency()
        .buckets()
        .filter(|(from_ns, ..)| *from_ns >= 1_000_000_000)
        .map(|(.., count)| count)
        .sum();
    // With a part of the rate for each thread, a quarter of what was due in the second after it began, 150, would have waited behind
    // it as long as that; as it is, it waited alone.
    assert!((1..75).contains(&waited), "{waited} waited");
    let open = outcome.open.unwrap();
    assert!((2039..=2041).contains(&open.due), "{}", open.due);
}

#[test]
fn threads_have_the_priority_that_was_asked_for_or_say_why_not() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 10_000);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let with = |priority: u16| {
        let plain = stream(&file, &Access::null(), Load::Closed { depth: 1 });
        let stream = Stream { io_priority: Some(priority), ..plain };
        let outcomes = run_scenario(&ctx, &scenario(vec![stream.clone()], 20), &Watch::none());
        (outcomes, stream)
    };
    // Best effort 7; then a class that no kernel has.
    let (outcomes, stream) = with((2 << 13) | 7);
    match outcomes {
        Ok(outcomes) => {
            let mut record = Record::new();
            record.add(&outcomes[0]);
            let measured = record.into_measurement("block.job.a".to_string(), &stream);
            assert_eq!(measured.text(condition::IO_PRIORITY), Some("best effort 7"));
        }
        Err(error) => eprintln!("SKIPPED: I/O priorities can't be set here: {error}"),
    }
    let refused = with(7 << 13).0.unwrap_err();
    assert!(refused.to_string().contains("give a thread the I/O priority"), "{refused}");
}

#[test]
fn a_stream_that_is_done_lets_the_others_go_on_and_the_last_one_ends_the_window() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 10_000);
    let Some(file) = made(&ctx, dir.path(), 16) else { return };
    let limited = |name: &str, operations, rate| Stream {
        name: name.into(),
        limit: Some(Limit { operations, then: Then::EndStream }),
        threads: 1,
        ..stream(&file, &Access::null(), open(rate, Arrivals::Constant, 64))
    };
    let streams = vec![limited("short", 100, 1000.0), limited("long", 400, 1000.0)];
    let scenario = Scenario { warm_up: Duration::ZERO, ..scenario(streams, 60_000) };
    let outcomes = run_scenario(&ctx, &scenario, &Watch::none()).unwrap();
    let operations: Vec<u64> = outcomes.iter().map(StreamOutcome::operations).collect();
    assert_eq!(operations, [100, 400]);
    let windows: Vec<u64> = outcomes.iter().map(|outcome| outcome.window_ns / 1_000_000).collect();
    assert!(windows[0] >= 98 && windows[1] >= 398 && windows[0] < windows[1], "{windows:?}");
    assert!(windows[1] < 50_000, "{windows:?}");
}

#[test]
fn two_windows_of_a_stream_go_on_in_its_order() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 10_000);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    // 512 blocks in two windows of 256: the drive sees each once, so that no read can be the page cache's.
    let mut stream = stream(&file, &Access::blocking(), Load::Closed { depth: 2 });
    stream.route = Route::Buffered;
    stream.order_seed = Some(5);
    stream.limit = Some(Limit { operations: 256, then: Then::EndStream });
    narrows_facts::file::evict(file.buffered_file()).unwrap();
    for window in 1..=2u64 {
        let scenario =
            Scenario { warm_up: Duration::ZERO, ..scenario(vec![stream.clone()], 60_000) };
        let outcome = run_scenario(&ctx, &scenario, &Watch::none()).unwrap().remove(0);
        assert_eq!((outcome.issued, outcome.operations()), (256, 256));
        stream.cursor = outcome.cursor;
        assert_eq!(stream.cursor, 128 * window, "per thread");
    }
    let all = narrows_facts::file::resident_share(file.buffered_file()).unwrap();
    assert_eq!(all, 1.0, "every block was read, none twice");
}

#[test]
fn writers_on_one_file_and_on_several_are_measured_alike() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 60);
    let Some(first) = made(&ctx, dir.path(), 4) else { return };
    let more: Vec<_> = (0..2)
        .map(|number| {
            let dir = dir.path().join(number.to_string());
            std::fs::create_dir(&dir).unwrap();
            made(&ctx, &dir, 4).unwrap()
        })
        .collect();
    let mut files = vec![Region::of(&first)];
    files.extend(more.iter().map(Region::of));
    // Without a device something is done in every window, however busy the drive is.
    for (access, always) in
        [(Access::best(), false), (Access::blocking(), false), (Access::null(), true)]
    {
        let times =
            (Duration::from_millis(5), Duration::from_millis(if always { 300 } else { 30 }));
        let writers =
            Writers { block_bytes: 8192, depth_each: 2, access, route: Route::Direct, times };
        let windows = writers_together_and_apart(&ctx, &files, &writers, &Watch::none()).unwrap();
        assert_eq!((windows.together.len(), windows.apart.len()), (2, 2));
        for outcome in &windows.together {
            assert!(!always || outcome.operations() > 0);
            // Operations that were on their way when the window began count with all of their latency.
            let before = outcome.latency().max().unwrap_or(0) as f64 / outcome.window_ns as f64;
            assert!(outcome.in_flight().unwrap_or(0.0) <= 6.0 * (1.1 + before));
        }
        for outcomes in &windows.apart {
            assert_eq!(outcomes.len(), 3);
            assert!(!always || outcomes.iter().all(|outcome| outcome.operations() > 0));
        }
    }
    let alone = writers_together_and_apart(
        &ctx,
        &files[..1],
        &Writers {
            block_bytes: 8192,
            depth_each: 1,
            access: Access::null(),
            route: Route::Direct,
            times: (Duration::ZERO, Duration::from_millis(1)),
        },
        &Watch::none(),
    );
    assert!(matches!(alone, Err(BlockError::Scenario { .. })));
}

#[test]
fn what_cannot_be_run_is_refused_with_its_stream_and_reason() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 10);
    let path = dir.path().join("foreign");
    std::fs::write(&path, vec![1; 65_536]).unwrap();
    let file = TestFile::existing(&path, None).unwrap();
    let good = stream(&file, &Access::blocking(), Load::Closed { depth: 2 });
    let hot = |blocks_share| Distribution::HotSpot { blocks_share, accesses_share: 0.5 };
    let bad: Vec<(Stream, &str)> = vec![
        (Stream { mix: Mix::only(Op::Write), ..good.clone() }, "may only be read"),
        (Stream { threads: 0, ..good.clone() }, "threads"),
        (Stream { load: Load::Closed { depth: 0 }, ..good.clone() }, "nothing in flight"),
        (Stream { load: open(0.0, Arrivals::Poisson, 1), ..good.clone() }, "rate"),
        (Stream { load: open(f64::NAN, Arrivals::Poisson, 1), ..good.clone() }, "rate"),
        (Stream { place: AccessPattern::Random(hot(0.0)), ..good.clone() }, "hot spot"),
        (Stream { place: AccessPattern::Random(hot(f64::NAN)), ..good.clone() }, "hot spot"),
        (
            Stream { place: AccessPattern::Random(Distribution::Zoned(vec![])), ..good.clone() },
            "zones",
        ),
        (Stream { sizes: Sizes::all(0), ..good.clone() }, "no bytes"),
        (Stream { mix: Mix::only(Op::Sync), ..good.clone() }, "nothing"),
        (Stream { load: Load::Closed { depth: 3 }, ..good.clone() }, "just its depth"),
        (Stream { load: Load::Closed { depth: 1 }, ..good.clone() }, "just its depth"),
        (
            Stream {
                load: Load::Closed { depth: 1 << 20 },
                access: Access::null(),
                ..good.clone()
            },
            "4 GiB",
        ),
    ];
    for (stream, reason) in bad {
        let error = run_scenario(&ctx, &scenario(vec![stream], 10), &Watch::none()).unwrap_err();
        assert!(matches!(error, BlockError::Scenario { .. }), "{error:?}");
        let text = error.to_string();
        assert!(text.contains("`stream`") && text.contains(reason), "{text}");
        assert!(text.contains("hint: "), "{text}");
    }
    let twice = scenario(vec![good.clone(), good.clone()], 10);
    assert!(matches!(twice.check(), Err(BlockError::Scenario { .. })));
    // Two operations are done long before a window that begins after 2 s.
    let limit = Some(Limit { operations: 2, then: Then::EndStream });
    let over = Scenario {
        warm_up: Duration::from_secs(2),
        ..scenario(vec![Stream { limit, access: Access::null(), threads: 1, ..good }], 10)
    };
    let error = run_scenario(&ctx, &over, &Watch::none()).unwrap_err();
    assert!(error.to_string().contains("before the window"), "{error}");
}

#[test]
fn a_stop_ends_an_open_loop_that_waits_for_a_distant_arrival() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 60_000);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    for access in [Access::best(), Access::blocking(), Access::null()] {
        let stop = Stop::new();
        let ctx = context(&stop, 60_000);
        let stream = stream(&file, &access, open(0.01, Arrivals::Constant, 4));
        let result = std::thread::scope(|scope| {
            let setter = stop.clone();
            scope.spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                setter.set();
            });
            run_scenario(&ctx, &scenario(vec![stream], 60_000), &Watch::none())
        });
        assert!(matches!(result, Err(BlockError::Stopped(_))), "{result:?}");
    }
}

#[test]
fn a_record_of_an_open_loop_says_so_and_keeps_its_histograms() {
    let (dir, stop) = (folder(), Stop::new());
    let ctx = context(&stop, 200);
    let Some(file) = made(&ctx, dir.path(), 4) else { return };
    let stream = stream(&file, &Access::null(), open(20_000.0, Arrivals::Poisson, 1024));
    let mut record = Record::new();
    for _ in 0..2 {
        let one = scenario(vec![stream.clone()], 200);
        let outcome = run_scenario(&ctx, &one, &Watch::none()).unwrap().remove(0);
        record.add(&outcome);
    }
    let m = record.into_measurement("block.test.open", &stream);
    assert_eq!(m.text(condition::LOOP), Some("open"));
    assert_eq!(m.number(condition::RATE_PER_S), Some(20_000.0));
    assert_eq!(m.value(metric::DEPTH), None, "nobody asked for a depth");
    for name in [metric::OFFERED, metric::SENT_RATE, metric::LATENESS_P99, metric::BACKLOG] {
        assert_eq!(samples(&m, name).len(), 2, "{name}");
    }
    let names: Vec<&str> = m.histograms.iter().map(|h| h.name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| **name == "latency").count(), 2);
    assert_eq!(names.iter().filter(|name| **name == "lateness").count(), 2);
    for (repeat, &operations) in samples(&m, metric::OPERATIONS).iter().enumerate() {
        let latency = m
            .histograms
            .iter()
            .find(|h| h.name == "latency" && h.repeat == repeat as u32)
            .map(|h| narrows_stats::Recorder::from_hdr_v2(&h.hdr_v2).unwrap().count());
        assert_eq!(latency, Some(operations as u64));
    }
}
