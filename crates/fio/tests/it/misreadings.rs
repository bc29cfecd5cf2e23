//! What fio takes for something else: said, and decided per case.

use crate::common::{InMemory, MACHINE, job, plan};
use narrows_fio::verify::parse_pattern;
use narrows_fio::{
    Amount, Blocks, Cause, Direction, Distribution, Engine, Order, Seed, SettingTreatment, Share,
    Targets, read,
};
use narrows_units::Nanos;

/// Values that stop the file, and a part of what is said about them.
#[test]
fn what_nobody_can_mean_stops_and_says_what_fio_makes_of_it() {
    for (setting, said) in [
        ("runtime=2sec", "as 2us"),
        ("runtime=1min", "as 1us"),
        ("runtime=1m30s", "as 1us"),
        ("runtime=1.5", "as 1s"),
        ("runtime=0x10", "as 16us"),
        ("runtime=(500ms)", "as 0"),
        ("runtime=1,000", "apart"),
        ("ramp_time=1week", "as 1us"),
        ("size=1.5m", "as 1 byte"),
        ("size=0x10k", "as 16"),
        ("size=1 m", "as 1"),
        ("size=2*8k", "as 2"),
        ("size=5e", "as 5"),
        ("size=4klingons", "as 4096"),
        ("size=1,000,000", "apart"),
        ("size=(2^40)", "as -2147483648"),
        ("size=(1.5k)", "as 1024"),
        ("size=150%", "near 2^64"),
        ("size=-1", "as -1"),
        ("bs=4k-16k", "`4k-16k` for one and `16k`"),
        ("bs=4k:8k", "for the next kind"),
        ("bs=4k,0x10k", "as 16 bytes"),
        ("bs = 4kib", "as 4 bytes"),
        ("iodepth=16x", "as 16"),
        ("iodepth=16,32", "apart"),
        ("direct=1k", "digits"),
        ("rw=read,write", "as `read`"),
        ("bssplit=4k/60:8k/50", "110 %"),
        ("bssplit=4k/50:8k/30", "80 %"),
        ("bssplit=4k/0:8k/", "blank"),
        ("bssplit=4k/50.5:8k/", "as 50 %"),
        ("filename=/tmp/a\nfilename=/tmp/b", "keeps every filename"),
        ("filename=/tmp/a::/tmp/b", "empty name"),
        ("random_distribution=random:5", "ignores"),
    ] {
        let stopped = job(setting).expect_err(setting);
        let problem = &stopped.0[0];
        assert_eq!(problem.cause, Cause::Misread, "{setting}: {problem}");
        assert!(problem.reason.contains(said), "{setting}: {problem}");
    }
}

#[test]
fn a_hint_says_what_to_write() {
    let hint = |setting: &str| job(setting).expect_err(setting).0[0].hint.clone();
    assert_eq!(hint("runtime=2sec").as_deref(), Some("write 2s"));
    assert_eq!(hint("runtime=1min").as_deref(), Some("write 1m"));
    assert_eq!(hint("size=1.5m").as_deref(), Some("write 1572864"));
    assert_eq!(hint("size=0x10k").as_deref(), Some("write 16384"));
}

#[test]
fn kib_is_taken_as_fio_does_and_said() {
    let plan = job("bs=4kib\nsize=1mib").expect("a plan");
    assert_eq!(plan.jobs[0].blocks.read, Blocks::Fixed(4000));
    assert_eq!(plan.jobs[0].region.size, Some(Amount::Bytes(1_000_000)));
    let said: Vec<_> = plan.notes.iter().filter(|n| n.taken == SettingTreatment::AsFio).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].sentence.contains("as 4000 bytes, not 4096"), "{}", said[0].sentence);
    assert_eq!(said[0].place.line, 2);
    // With `ki` fio is right, and silent.
    let plan = job("bs=4ki").expect("a plan");
    assert_eq!(plan.jobs[0].blocks.read, Blocks::Fixed(4096));
    assert!(plan.notes.iter().all(|n| n.taken == SettingTreatment::Same));
    // And with the other base it is the other way around.
    let plan = job("bs=4ki\nkb_base=1000\nsize=8k").expect("a plan");
    assert_eq!(plan.jobs[0].blocks.read, Blocks::Fixed(4000));
    assert_eq!(plan.jobs[0].region.size, Some(Amount::Bytes(8000)));
}

#[test]
fn long_numbers_stay_exact() {
    let plan = job("randseed=1234567890123456789\nsize=8p").expect("a plan");
    assert_eq!(plan.jobs[0].access.seed, Seed::Given(1_234_567_890_123_456_789));
    assert_eq!(plan.jobs[0].region.size, Some(Amount::Bytes(8 << 50)));
}

#[test]
fn a_blank_after_the_equals_sign_is_taken_as_written_and_said() {
    let plan =
        job("rw = randread\nbs = 2k\nioengine = null\nruntime = 1m\nsize = 16\nbs= 16\nsize=1g")
            .expect("a plan");
    let job = &plan.jobs[0];
    assert_eq!(job.access.direction, Direction::Read);
    assert_eq!(job.engine, Engine::Null);
    assert_eq!(job.ending.runtime, Some(Nanos(60_000_000_000)));
    let said: Vec<_> =
        plan.notes.iter().filter(|n| n.taken == SettingTreatment::AsWritten).collect();
    let options: Vec<_> = said.iter().map(|n| n.option.as_str()).collect();
    // A blank before a number without a unit changes nothing, and nothing is said.
    assert_eq!(options, ["rw", "bs", "ioengine", "runtime"]);
    assert!(said[1].sentence.contains("as 2 bytes,"), "{}", said[1].sentence);
    assert!(said[3].sentence.contains("as 1s,"), "{}", said[3].sentence);
}

#[test]
fn a_file_with_a_filename_in_global_and_in_the_job_stops() {
    let stopped = plan("[global]\nfilename=/tmp/a\n[j]\nfilename=/tmp/b\n").expect_err("stops");
    assert!(stopped.0[0].reason.contains("/tmp/a"), "{stopped}");
    assert_eq!(stopped.0[0].place.line, 4);
}

#[test]
fn refused_and_unknown_options_stop_together_each_with_its_line() {
    let stopped =
        job("exec_postrun=ls\nrw=read\nrunntime=3\nexec_prerun=rm -rf /\nbs=,").expect_err("stops");
    let seen: Vec<_> = stopped.0.iter().map(|p| (p.place.line, p.cause)).collect();
    assert_eq!(seen.len(), 4);
    for expected in
        [(2, Cause::Refused), (4, Cause::Unknown), (5, Cause::Refused), (6, Cause::Value)]
    {
        assert!(seen.contains(&expected), "{expected:?} not in {seen:?}");
    }
    let unknown = stopped.0.iter().find(|p| p.cause == Cause::Unknown).expect("one");
    assert_eq!(unknown.hint.as_deref(), Some("is it runtime?"));
    assert!(stopped.to_string().contains("f:2: exec_postrun is refused"), "{stopped}");
}

#[test]
fn saying_what_is_so_anyway_is_accepted() {
    job("verify=0\nzonemode=none\nio_submit_mode=inline\nthinktime=0").expect("a plan");
}

#[test]
fn engines_that_are_done_in_another_way_say_so() {
    for (engine, direct) in [("posixaio", true), ("mmap", false), ("cpp_null", true)] {
        let settings = format!("ioengine={engine}\niodepth=8\ndirect=1");
        let plan = job(&settings).expect(&settings);
        let said = plan.notes.iter().filter(|n| n.option == "ioengine");
        let taken: Vec<_> = said.map(|n| n.taken).collect();
        assert!(taken.contains(&SettingTreatment::Approximated), "{settings}: {:?}", plan.notes);
        assert_eq!(plan.jobs[0].files.direct, direct, "{settings}");
        // Where one operation is in flight, the depth is not as asked for, and that is said.
        let one = engine != "cpp_null";
        assert_eq!(plan.jobs[0].depth, if one { 1 } else { 8 }, "{settings}");
        let depth =
            plan.notes.iter().any(|n| n.option == "iodepth" && n.taken != SettingTreatment::Same);
        assert_eq!(depth, one, "{settings}: {:?}", plan.notes);
    }
    for engine in ["splice", "sg", "net"] {
        let stopped = job(&format!("ioengine={engine}")).expect_err(engine);
        assert_eq!(stopped.0[0].cause, Cause::Refused, "{stopped}");
    }
}

#[test]
fn modes_and_patterns_are_read_before_they_are_approximated() {
    for settings in ["io_submit_mode=offload", "dedupe_mode=working_set", "write_iolog=log"] {
        let plan = job(settings).expect(settings);
        let said = plan.notes.iter().any(|n| n.taken == SettingTreatment::Approximated);
        assert!(said, "{settings}: {:?}", plan.notes);
    }
    // Threads that submit make a depth of an engine that waits.
    let depth =
        |mode: &str| job(&format!("iodepth=8\nio_submit_mode={mode}")).expect(mode).jobs[0].depth;
    assert_eq!((depth("inline"), depth("offload")), (1, 8));
    let plan = job("rw=write\nbuffer_pattern=0xdeadface").expect("a plan");
    assert_eq!(plan.jobs[0].buffer_pattern, parse_pattern("0xdeadface", false).unwrap());
    for settings in ["io_submit_mode=both", "dedupe_mode=once", "buffer_pattern="] {
        let stopped = job(settings).expect_err(settings);
        assert_eq!(stopped.0[0].cause, Cause::Value, "{settings}: {stopped}");
    }
    // Logs are read as they are asked for; binary traces aren't.
    let replay = job("read_iolog=a:b\nreplay_skip=read,sync\nreplay_scale=0").expect("a plan");
    let replay = replay.jobs[0].replay.clone().expect("a log");
    assert_eq!((replay.logs.len(), replay.scale, replay.align_bytes), (2, 1, 1));
    assert!(replay.skip.read && replay.skip.sync && !replay.skip.write);
    for settings in ["replay_align=3", "replay_align=0", "replay_skip=all", "replay_time_scale=0"] {
        let stopped = job(&format!("read_iolog=log\n{settings}")).expect_err(settings);
        assert_eq!(stopped.0[0].cause, Cause::Value, "{settings}: {stopped}");
    }
    assert_eq!(job("merge_blktrace_file=log").expect_err("no").0[0].cause, Cause::Refused);
}

#[test]
fn what_fio_ignores_is_said() {
    let said = |settings: &str, option: &str| {
        let plan = job(settings).expect(settings);
        plan.notes.iter().any(|n| n.option == option && n.taken != SettingTreatment::Same)
    };
    assert!(said("iodepth=32\nioengine=psync", "iodepth"));
    assert!(!said("iodepth=32\nioengine=io_uring\ndirect=1", "iodepth"));
    assert!(said("time_based", "time_based"));
    assert!(said("runtime=5\nsize=1g", "runtime"));
    assert!(said("rw=randread\nblockalign=512", "blockalign"));
    assert!(said("filename=/tmp/x\nnumjobs=2\nrw=read", "numjobs"));
    assert!(!said("filename=/tmp/x\nnumjobs=2\nrw=read\noffset_increment=1g", "numjobs"));
    assert!(said("size=${NOPE}1m", "size"));
    assert!(said("bsrange=1k-4k\nbs=8k", "bs"));
    assert!(said("rw=read\nrw=write", "rw"));
}

#[test]
fn settings_that_exclude_each_other_stop() {
    for settings in [
        "rate=1m\nrate_iops=100",
        "size=1k\nbs=4k",
        "rw=write\nreadonly",
        "hipri\nioengine=libaio",
        "registerfiles",
    ] {
        let stopped = job(settings).expect_err(settings);
        assert_eq!(stopped.0[0].cause, Cause::Conflict, "{settings}: {stopped}");
    }
}

#[test]
fn triplets_fall_to_the_types_that_they_name() {
    let bs = |value: &str| {
        let blocks = job(&format!("bs={value}")).expect(value).jobs[0].blocks.clone();
        [blocks.read, blocks.write, blocks.trim].map(|b| b.smallest_bytes())
    };
    assert_eq!(bs("8k"), [8192, 8192, 8192]);
    assert_eq!(bs("8k,32k"), [8192, 32768, 32768]);
    assert_eq!(bs("8k,32k,"), [8192, 32768, 4096]);
    assert_eq!(bs(",8k"), [4096, 8192, 8192]);
    assert_eq!(bs("8k,"), [8192, 4096, 4096]);
}

#[test]
fn a_whole_job_is_resolved() {
    let text = "
        [global]
        ioengine=io_uring   ; all of them
        direct=1
        registerfiles
        runtime=90
        time_based
        [mix]
        readwrite=randrw
        rwmixwrite=30
        bssplit=4k/25:8k/
        iodepth=64
        random_distribution=zipf:0.9
        rate_iops=1000,500
        rate_process=poisson
        filename=/data/a:/data/b
        fdatasync=8
        numjobs=4
        cpus_allowed=0-2,7
        prioclass=1
        prio=3
        randseed=42
        [tail]
        stonewall
        rw=write:8k
        bs=1m
        prio=6
        [tail2]
        new_group
        percentile_list=50:99.9
    ";
    let plan = plan(text).expect("a plan");
    let [mix, tail, tail2] = plan.jobs.as_slice() else { panic!("three jobs") };
    assert_eq!(mix.access.direction, Direction::Mixed { read_percent: 70 });
    assert!(matches!(mix.access.order, Order::Random { run: 1, .. }));
    assert_eq!(mix.access.distribution, Distribution::Zipf { theta: 0.9 });
    assert!(!mix.access.once_each);
    assert_eq!(mix.access.seed, Seed::Given(42));
    let shares = vec![Share { bytes: 4096, percent: 25 }, Share { bytes: 8192, percent: 75 }];
    assert_eq!(mix.blocks.write, Blocks::Split(shares));
    let rate = mix.rate.expect("a rate");
    assert_eq!((rate.per_second.read, rate.per_second.write), (Some(1000), Some(500)));
    assert!(rate.poisson);
    assert_eq!(mix.targets, Targets::Named(vec!["/data/a".into(), "/data/b".into()]));
    assert_eq!((mix.clones, mix.depth, mix.flushes.fdatasync_every), (4, 64, 8));
    assert_eq!(mix.placement.cpus, Some(vec![0, 1, 2, 7]));
    // Without a class it is best effort, as in fio; the kernel's classes stand from bit 13 on.
    let priority = |job: &narrows_fio::Job| job.placement.priority.map(|it| it.value());
    assert_eq!((priority(mix), priority(tail)), (Some(0x2003), Some(0x4006)));
    assert_eq!(priority(tail2), None);
    assert_eq!(mix.ending.runtime, Some(Nanos(90_000_000_000)));
    assert!(mix.ending.time_based && mix.files.direct && mix.files.overwrite);
    let uring =
        Engine::IoUring { registered_files: true, registered_buffers: false, polled: false };
    assert_eq!(mix.engine, uring);
    assert_eq!(tail.access.order, Order::Sequential { gap_bytes: 8192 });
    assert_eq!(tail.targets.of_clone(0), ["tail.0.0"]);
    assert_eq!((mix.group, tail.group, tail2.group), (0, 1, 2));
    assert!(tail.waits_for_previous && !tail2.waits_for_previous);
    assert_eq!(tail2.report.percentiles, [50.0, 99.9]);
    assert_eq!(plan.global_options.len(), 5);
    assert_eq!(mix.written[0], ("rw".to_string(), "randrw".to_string()));
}

#[test]
fn the_first_job_of_a_second_file_waits() {
    let mut loader = InMemory::default();
    loader.files.insert("a".into(), "[one]\nrw=read\n[two]\nrw=read\n".into());
    loader.files.insert("b".into(), "[three]\nrw=read\n[four]\nrw=read\n".into());
    let plan = read(&["a", "b"], &[], &loader, &MACHINE).expect("a plan");
    let waits: Vec<_> = plan.jobs.iter().map(|job| (job.waits_for_previous, job.group)).collect();
    assert_eq!(waits, [(false, 0), (false, 0), (true, 1), (false, 1)]);
}

#[test]
fn every_option_that_the_table_accepts_is_applied() {
    use narrows_fio::{
        OptionType,
        options::{Class, all},
    };
    for option in all().filter(|option| !matches!(option.class, Class::Refused { .. })) {
        // A value that some options take and others reject; what may not happen is that nobody takes it.
        let value = match option.kind {
            OptionType::Range => "4k-8k",
            OptionType::Text => "psync",
            _ => "1",
        };
        let engine = option.engines.first().copied().unwrap_or("null");
        let engine = if option.name == "ioengine" { "" } else { &format!("ioengine={engine}\n") };
        if let Err(stopped) = job(&format!("{engine}{}={value}", option.name)) {
            let reason = &stopped.0[0].reason;
            assert!(!reason.ends_with("is not done") || option.name == "hipri", "{stopped}");
            assert!(stopped.0[0].cause != Cause::Unknown, "{stopped}");
        }
    }
}
