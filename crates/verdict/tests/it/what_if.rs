//! What changes would allow, against sums that a pencil can do; and properties that hold for every server.

use crate::servers;
use crate::servers::{Drawn, drawn, lookups, observed, updates};
use narrows_model::{Bottleneck, Run, WhatIf};
use narrows_verdict::{Scenario, what_if};
use proptest::prelude::*;

fn ask(run: &Run, changes: &[&str]) -> WhatIf {
    let scenario = Scenario::parse(changes).unwrap_or_else(|error| panic!("{error}"));
    let mut answers = what_if(run, &scenario, None);
    assert_eq!(answers.len(), 1, "{answers:?}");
    answers.remove(0).1
}

fn rate(answer: &WhatIf) -> f64 {
    answer.then.as_ref().unwrap_or_else(|| panic!("{:?}", answer.refused)).at_most_per_s
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

// 128 sessions; per lookup CPU 96 µs, run queue 3, read 131, lock 5, client 20, other 5; 96 CPUs, drives 2.31M/s.
#[test]
fn drives_twice_as_fast_halve_the_read_and_nothing_else() {
    let answer = ask(&lookups(), &["storage=2x"]);
    let then = answer.then.as_ref().expect("the sum agrees");
    assert!(close(answer.now_at_most_per_s, 128.0 / 257e-6), "{answer:?}");
    assert!(close(then.at_most_per_s, 128.0 / (96.0 + 65.5 + 5.0 + 20.0 + 5.0) * 1e6), "{then:?}");
    assert_eq!(then.binds, Bottleneck::CpuPerSession, "{then:?}");
    assert!(close(then.time_at_least_ns.unwrap(), 191_500.0), "{then:?}");
    assert_eq!(then.time_at_most_ns, None, "a closed loop's rate rises, and queues with it");
    let (interval, gain) = (then.interval_95.unwrap(), then.gain_at_most);
    assert!(interval.low < then.at_most_per_s && then.at_most_per_s < interval.high);
    assert!((gain - (then.at_most_per_s / 492_300.0 - 1.0)).abs() < 1e-3, "{gain}");
}

#[test]
fn what_comes_next_binds_when_enough_is_taken_away() {
    // Without reads 126 µs remain: 1.016M/s, but the CPUs end at 96 / 96 µs.
    let answer = ask(&lookups(), &["reads=-100%"]);
    let then = answer.then.as_ref().expect("the sum agrees");
    assert_eq!(then.binds, Bottleneck::Cpu);
    assert!(close(then.at_most_per_s, 1e6), "{then:?}");
    assert!(answer.assumed.iter().any(|text| text.contains("the part of a read in")), "{answer:?}");
    // Eight more cores let the sessions be the end again.
    let with_cores = ask(&lookups(), &["reads=-100%", "cores=+8"]);
    assert!(close(rate(&with_cores), 128.0 / 126e-6), "{with_cores:?}");
}

#[test]
fn twice_the_sessions_double_their_bound_up_to_the_next() {
    let answer = ask(&lookups(), &["sessions=2x"]);
    // 256 / 257 µs = 0.996M/s, just below the CPUs.
    assert!(close(rate(&answer), 256.0 / 257e-6), "{answer:?}");
    assert!(close(rate(&ask(&lookups(), &["sessions=4x"])), 1e6));
    assert!(close(rate(&ask(&lookups(), &["sessions=+128"])), rate(&answer)));
}

#[test]
fn cheaper_reads_spare_the_processors_what_reads_take_of_them() {
    // 10 µs a read by the server's path: 4 µs less of 96.
    let answer = ask(&lookups(), &["cpu-per-io=-40%", "sessions=4x"]);
    assert_eq!(answer.then, None, "nothing says what a read takes: {answer:?}");
    assert!(answer.refused[0].contains("unknown"), "{answer:?}");
    let mut run = lookups();
    servers::cost_of_reads(&mut run, 10_000.0);
    assert!(close(rate(&ask(&run, &["cpu-per-io=-40%", "sessions=4x"])), 96.0 / 92e-6));
    // Fewer reads take less of it too, and cheaper ones are those that remain: 96 - 10 + 0.5 × 6.
    let both = ask(&run, &["cpu-per-io=-40%,reads=-50%", "sessions=8x"]);
    assert!(close(rate(&both), 96.0 / 89e-6), "{both:?}");
}

#[test]
fn sharing_grows_with_cores_and_a_quota_stays() {
    // × 1.30 at 8 CPUs: 0.3 / 7 for each further one. 16 CPUs: × (1 + 15 × 0.3 / 7).
    let run = servers::full_cpus(8, 1.3);
    let growth = (1.0 + 15.0 * 0.3 / 7.0) / 1.3;
    let answer = ask(&run, &["cores=+8"]);
    assert!(close(rate(&answer), 16.0 / (50e-6 * growth)), "{answer:?}");
    assert!(answer.assumed.iter().any(|text| text.contains("× 1.30 at 8 CPUs")), "{answer:?}");
    let quota = servers::quota(8, 2.0);
    let answer = ask(&quota, &["cores=+8"]);
    assert!(close(rate(&answer), 2.0 / 50e-6), "{answer:?}");
    assert!(answer.assumed.iter().any(|text| text.contains("quota")), "{answer:?}");
    let none = ask(&run, &["cores=-8"]);
    assert!(none.then.is_none() && none.refused[0].contains("none would be left"), "{none:?}");
}

#[test]
fn a_faster_flush_shortens_the_wait_and_lifts_the_ladder() {
    // 16 sessions: CPU 100 µs, flush 400; a flush of 200 µs; the ladder at 16 allows 60k/s.
    let run = updates(200e3);
    assert!(close(rate(&ask(&run, &["log=2x"])), 16.0 / 300e-6));
    assert!(close(rate(&ask(&run, &["log=flush:50us"])), 16.0 / 200e-6));
    let answer = ask(&run, &["log=flush:20us"]);
    assert!(close(rate(&answer), 8.0 / 100e-6), "{answer:?}");
    assert_eq!(answer.then.unwrap().binds, Bottleneck::Cpu);
    // Of 800 µs inside the server 200 are the device's: of its wait only a quarter can go.
    let inside = updates(800e3);
    assert!(close(rate(&ask(&inside, &["log=2x"])), 16.0 / (100e-6 + 400e-6 * (1.0 - 0.25 / 2.0))));
}

#[test]
fn what_touches_nothing_gains_nothing() {
    // Lookups write nothing, so that neither the log nor a flush's time is in their sum.
    let answer = ask(&lookups(), &["log=2x"]);
    let then = answer.then.as_ref().expect("the sum agrees");
    assert_eq!(then.gain_at_most, 0.0, "{then:?}");
    assert!(close(then.at_most_per_s, answer.now_at_most_per_s), "{answer:?}");
    assert!(answer.assumed[0].contains("changes nothing"), "{answer:?}");
    let same = ask(&updates(200e3), &["reads=1x"]);
    assert_eq!(same.then.as_ref().unwrap().gain_at_most, 0.0, "{same:?}");
    assert!(same.assumed.iter().any(|text| text.contains("changes nothing")), "{same:?}");
    let shorter = ask(&updates(200e3), &["log=2x"]);
    assert!(shorter.then.unwrap().gain_at_most > 0.0);
}

#[test]
fn one_cpu_does_not_tell_how_sharing_grows_and_that_is_said() {
    let answer = ask(&servers::full_cpus(1, 1.3), &["cores=+1"]);
    assert!(close(rate(&answer), 2.0 / 50e-6), "{answer:?}");
    let said = |text: &str| answer.assumed.iter().any(|assumed| assumed.contains(text));
    assert!(said("× 1.30") && said("assumed to stay"), "{answer:?}");
    let none = ask(&servers::full_cpus(8, 1.0), &["cores=+8"]);
    assert!(none.assumed.iter().any(|text| text.contains("no sharing")), "{none:?}");
}

#[test]
fn another_runs_log_stands_in_for_this_one() {
    let (run, mut other) = (updates(200e3), updates(200e3));
    servers::faster_log(&mut other, 4.0);
    let scenario = Scenario::parse(&["log=other"]).unwrap();
    assert_eq!(scenario.log_run(), Some("other"));
    let answer = &what_if(&run, &scenario, Some(&other))[0].1;
    assert!(close(rate(answer), 16.0 / 200e-6), "{answer:?}");
    // A run without a log has no answer.
    let answer = &what_if(&run, &scenario, Some(&lookups()))[0].1;
    assert!(answer.refused[0].contains("no valid measurement of a flush"), "{answer:?}");
}

#[test]
fn an_observed_transaction_is_shorter_by_what_is_taken_off_it_at_the_same_rate() {
    // 4 of 40 sessions at work, 2000/s: 2 ms, of them flush 1.2.
    let answer = ask(&observed(), &["log=2x"]);
    let then = answer.then.as_ref().expect("the sum agrees");
    assert!(close(then.time_at_most_ns.unwrap(), 1.4e6), "{then:?}");
    assert!(then.time_at_least_ns.unwrap() <= then.time_at_most_ns.unwrap(), "{then:?}");
    // Its clients choose the rate: no faster log makes them ask much more.
    assert_eq!(then.binds, Bottleneck::Client);
    assert!(then.gain_at_most < 0.05, "{then:?}");
    let more = ask(&observed(), &["sessions=2x"]).then.unwrap();
    assert_eq!(more.time_at_most_ns, None, "with more load nobody knows how queues grow");
}

#[test]
fn where_the_law_fails_nothing_is_promised() {
    let mut run = lookups();
    servers::hide_a_part(&mut run);
    let answer = ask(&run, &["storage=2x"]);
    assert_eq!(answer.then, None);
    assert!(answer.refused.iter().any(|why| why.contains("sum")), "{answer:?}");
}

#[test]
fn wal_is_another_word_for_log() {
    for (wal, log) in
        [("wal=2x", "log=2x"), ("wal=flush:80us", "log=flush:80us"), ("wal=2c91", "log=2c91")]
    {
        assert_eq!(Scenario::parse(&[wal]).unwrap(), Scenario::parse(&[log]).unwrap(), "{wal}");
    }
    assert!(Scenario::parse(&["wal=2x", "log=3x"]).unwrap_err().what.contains("twice"));
}

#[test]
fn what_is_no_change_is_refused_with_what_to_say_instead() {
    let refused = |texts: &[&str]| Scenario::parse(texts).expect_err("it must be refused");
    for (texts, what, hint) in [
        (&["storage"][..], "no `=`", "storage=2x"),
        (&["disks=2x"], "`disks` cannot be changed", "known are"),
        (&["storage=fast"], "how many times as fast", "storage=2x"),
        (&["storage=0x"], "how many times as fast", "storage=2x"),
        (&["reads=-150%"], "by how much", "no less than -100%"),
        (&["cores=8"], "how many more", "cores=+8"),
        (&["sessions=0x"], "how many more", "sessions=+8"),
        (&["log=flush:80"], "how long a flush takes", "flush:80us"),
        (&["log="], "which WAL device", "log=2x"),
        (&["storage=2x", "log=2x"], "contradict", "data="),
        (&["data=2x,storage=2x"], "contradict", "data="),
        (&["cores=+1", "cores=+2"], "twice", "once"),
        (&["storage=2x,"], "no `=`", "known are"),
    ] {
        let error = refused(texts);
        assert!(error.what.contains(what), "{texts:?}: {error}");
        assert!(error.hint.contains(hint), "{texts:?}: {}", error.hint);
    }
}

/// Changes that take work away or add means.
fn easing() -> impl Strategy<Value = String> {
    prop_oneof![
        (1.0..8.0f64).prop_map(|f| format!("data={f}x")),
        (1.0..8.0f64).prop_map(|f| format!("log={f}x")),
        (0..=100u32).prop_map(|p| format!("reads=-{p}%")),
        (0..=100u32).prop_map(|p| format!("cpu-per-io=-{p}%")),
        (0..64u32).prop_map(|n| format!("cores=+{n}")),
        (1.0..8.0f64).prop_map(|f| format!("sessions={f}x")),
    ]
}

/// Several of different kinds.
fn scenario() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(easing(), 0..5).prop_map(|mut all| {
        let mut seen: Vec<String> = Vec::new();
        all.retain(|text| {
            let key = text.split('=').next().unwrap_or_default().to_string();
            let new = !seen.contains(&key);
            seen.push(key);
            new
        });
        all
    })
}

fn server() -> impl Strategy<Value = Drawn> {
    let time = 1.0..1000.0f64;
    (time.clone(), time.clone(), time, 1u32..64, 1u32..64, 1.0..3.0f64, any::<bool>()).prop_map(
        |(cpu_us, read_us, flush_us, sessions, cpus, sharing, observed)| Drawn {
            cpu_us,
            read_us,
            flush_us,
            sessions,
            cpus,
            sharing,
            observed,
        },
    )
}

proptest! {
    #[test]
    fn nothing_that_takes_work_away_lowers_the_bound(of in server(), changes in scenario()) {
        let run = drawn(&of);
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let answer = ask(&run, &changes);
        prop_assert!(rate(&answer) >= answer.now_at_most_per_s * (1.0 - 1e-9), "{answer:?}");
    }

    #[test]
    fn no_change_changes_nothing(of in server()) {
        let run = drawn(&of);
        let same = ["data=1x", "log=1x", "reads=-0%", "cpu-per-io=1x", "cores=+0", "sessions=1x"];
        for changes in [&[][..], &same[..]] {
            let answer = ask(&run, changes);
            prop_assert!(close(rate(&answer), answer.now_at_most_per_s), "{answer:?}");
        }
    }

    #[test]
    fn several_changes_allow_no_less_than_each_of_them(of in server(), changes in scenario()) {
        let run = drawn(&of);
        let all: Vec<&str> = changes.iter().map(String::as_str).collect();
        let together = rate(&ask(&run, &all));
        for one in &all {
            prop_assert!(rate(&ask(&run, &[one])) <= together * (1.0 + 1e-9), "{one} of {all:?}");
        }
        let mut backwards = all.clone();
        backwards.reverse();
        prop_assert!(close(rate(&ask(&run, &backwards)), together), "the order matters: {all:?}");
    }

    #[test]
    fn the_time_promised_at_most_is_not_below_the_time_at_least(of in server(), changes in scenario()) {
        let of = Drawn { observed: true, ..of };
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let then = ask(&drawn(&of), &changes).then.unwrap();
        if let (Some(most), Some(least)) = (then.time_at_most_ns, then.time_at_least_ns) {
            prop_assert!(least <= most * (1.0 + 1e-9), "{then:?}");
        }
    }
}
