//! What settings of verification and flow come to: as fio settles them, or a reason to stop.

use narrows_fio::verify::Method;
use narrows_fio::{Backlog, Cause, SettingTreatment, Verify};

use crate::common::job;

fn verify(settings: &str) -> Verify {
    let plan = job(&format!("size=1m\n{settings}")).expect(settings);
    plan.jobs[0].verify.clone().expect("it verifies")
}

fn stops(settings: &str) -> String {
    let stopped = job(&format!("size=1m\n{settings}")).expect_err(settings);
    assert!(stopped.0.iter().all(|p| p.hint.is_some()), "{stopped}");
    stopped.to_string()
}

#[test]
fn the_unit_is_the_interval_or_what_divides_the_blocks() {
    // By fio's rules (init.c); 512 to 1 MiB has 512 as its largest common divisor.
    for (settings, unit_bytes) in [
        ("bs=4k", 4096),
        ("bs=4k\nverify_interval=512", 512),
        ("bs=512\nverify_interval=1m", 512),
        ("bs=4k\nverify_interval=1000", 4096),
        ("bs=4k\nverify_interval=96", 4096),
        ("bssplit=512/50:1m/50", 512),
        ("bsrange=8k-24k", 8192),
        ("bs=1m,4k", 4096),
        ("rw=randrw\nbs=1k,4k\nverify_interval=2k", 1024),
    ] {
        let settings = if settings.contains("rw=") {
            settings.to_string()
        } else {
            format!("rw=write\n{settings}")
        };
        assert_eq!(
            verify(&format!("{settings}\nverify=crc32c")).unit_bytes,
            unit_bytes,
            "{settings}"
        );
    }
    let plan = job("size=1m\nrw=write\nverify=md5\nverify_interval=1000").expect("a plan");
    let taken = plan
        .notes
        .iter()
        .any(|n| n.option == "verify_interval" && n.taken == SettingTreatment::AsFio);
    assert!(taken, "another unit than the one written is said: {:?}", plan.notes);
    let why = stops("rw=write\nbssplit=4k/50:6k/30:8k/20\nverify=md5\nverify_interval=4k");
    assert!(why.contains("blocks of 6144 bytes are no multiples of 4096"), "{why}");
}

#[test]
fn header_and_sum_need_room() {
    assert!(stops("rw=write\nbs=128\nverify=sha512").contains("a unit has 128 bytes"));
    verify("rw=write\nbs=512\nverify=sha512");
    // crc32c: 48 and 4 bytes.
    for (at, room) in [(51, false), (52, true), (460, true), (461, false)] {
        let settings = format!("rw=write\nbs=512\nverify=crc32c\nverify_offset={at}");
        if room {
            assert_eq!(verify(&settings).header_at, Some(at));
        } else {
            assert!(stops(&settings).contains("have no room"));
        }
    }
    assert_eq!(
        verify("rw=write\nverify=pattern\nverify_pattern=0xff\nverify_offset=4000").header_at,
        None
    );
}

#[test]
fn a_pattern_alone_is_a_method_and_a_method_of_patterns_needs_one() {
    assert_eq!(verify("rw=write\nverify_pattern=0xaaa").method, Method::PatternHdr);
    assert_eq!(verify("rw=write\nverify_pattern=0xaaa\nverify=meta").method, Method::Meta);
    assert!(stops("rw=write\nverify=pattern").contains("needs a pattern"));
    let none = job("size=1m\nrw=write\nverify_pattern=0xaaa\nverify=0").expect("a plan");
    assert_eq!(none.jobs[0].verify, None);
}

#[test]
fn what_is_read_back_and_when() {
    let backlog = |every, batch| Some(Backlog { every, batch });
    let plain = verify("rw=write\nverify=md5");
    assert_eq!(
        (plain.reads_back, plain.backlog, plain.only, plain.fatal),
        (true, None, false, false)
    );
    assert_eq!(verify("rw=write\nverify=md5\nverify_backlog=1024").backlog, backlog(1024, 1024));
    assert_eq!(
        verify("rw=write\nverify=md5\nverify_backlog=8\nverify_backlog_batch=3").backlog,
        backlog(8, 3)
    );
    // Without do_verify nothing is looked at, and the backlog does nothing.
    let not = verify("rw=write\nverify=md5\ndo_verify=0\nverify_backlog=8");
    assert_eq!((not.reads_back, not.backlog), (false, None));
    // A job that reads has nothing to read back.
    assert!(!verify("rw=read\nverify=md5").reads_back);
    let endless = verify("rw=randwrite\nverify=md5\ntime_based\nruntime=1\nverify_backlog=8");
    assert_eq!((endless.reads_back, endless.backlog), (false, backlog(8, 8)));
    assert!(verify("rw=write\nverify=md5\nverify_only").only);
    assert!(
        stops("rw=write\nverify=md5\nverify_only\ntime_based\nruntime=1").contains("verify_only")
    );
    assert_eq!(job("size=1m\nrw=trim\nverify=md5").expect("a plan").jobs[0].verify, None);
}

#[test]
fn what_cannot_be_compared_stops() {
    for settings in ["rw=write\nverify=sha3-256", "rw=read\nverify=md5\nverify_header_seed=1"] {
        let stopped = job(&format!("size=1m\n{settings}")).expect_err(settings);
        assert_eq!(stopped.0[0].cause, Cause::Refused, "{stopped}");
    }
    assert!(verify("rw=write\nverify=md5\nverify_header_seed=1").compares_seed);
    assert!(!verify("rw=write\nverify=md5\nverify_header_seed=0").compares_seed);
    assert!(!verify("rw=write\nverify=md5\nverify_write_sequence=0").compares_number);
    let unknown = job("size=1m\nrw=write\nverify=md6").expect_err("no method");
    assert_eq!(unknown.0[0].cause, Cause::Value, "{unknown}");
}

#[test]
fn a_flow_is_a_weight_in_a_group() {
    let flow = |settings: &str| job(&format!("size=1m\n{settings}")).expect(settings).jobs[0].flow;
    assert_eq!(flow("rw=read"), None);
    assert_eq!(flow("flow=0"), None);
    let found = flow("flow=8\nflow_id=3\nflow_sleep=100").expect("a flow");
    assert_eq!((found.weight, found.group, found.sleep.0), (8, 3, 100_000));
    assert!(job("size=1m\nflow=1001").is_err(), "fio's largest weight is 1000");
}

#[test]
fn pauses_are_counted_as_fio_counts_them() {
    let think = |settings: &str| {
        let plan = job(&format!("size=1m\nthinktime=100\n{settings}")).expect(settings);
        let think = plan.jobs[0].think.expect("it pauses");
        (think.after, think.counts_completed, think.every.map(|every| every.0))
    };
    assert_eq!(think(""), (Some(1), true, None));
    assert_eq!(think("thinktime_blocks=8\nthinktime_blocks_type=issue"), (Some(8), false, None));
    assert_eq!(think("thinktime_iotime=2"), (None, true, Some(2_000_000_000)));
    assert_eq!(
        think("thinktime_iotime=2\nthinktime_blocks=1"),
        (Some(1), true, Some(2_000_000_000))
    );
}
