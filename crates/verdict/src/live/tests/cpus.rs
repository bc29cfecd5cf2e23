//! The server's CPUs beside what commits wait for.

use super::*;

/// Eight sessions that wait for flushes most of their time, on two CPUs; what the windows differ by is the load's.
fn with_cpus(used: f64, run_queue: f64) -> LiveLog {
    use LiveWaitKind::*;
    let mut log = server(&[(Flush, 0.9), (Behind, 5.0), (Running, 0.4)]);
    let windows = (0..WINDOWS as u32).map(|index| {
        let load = 0.85 + 0.05 * f64::from(index);
        LiveCpuWindow { available: 2.0, used: used * load, run_queue: run_queue * load }
    });
    log.cpus = Some(LiveCpus {
        available: 2.0,
        used,
        run_queue,
        sessions: Some(8.0),
        windows: windows.collect(),
    });
    log
}

#[test]
fn cpus_that_are_far_from_full_leave_the_verdict_and_end_its_gain() {
    let log = with_cpus(1.0, 1.0);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Likely));
    // Twice the rate of now, and not the fifteen times that the share of the time alone would allow.
    assert!((verdict.gain_at_most.unwrap() - 1.0).abs() < 1e-9, "{verdict:#?}");
    let said = said(&verdict);
    assert!(said.contains("at most 2.0x, where the server's CPUs are full"), "{said}");
    assert!(said.contains("uses 1.0 of the 2.0 CPUs that it could use (50 %)"), "{said}");
    let blind = live(&LiveLog { cpus: None, ..log });
    assert!(blind.gain_at_most.unwrap() > 10.0);
    assert!(self::said(&blind).contains("or less if CPUs or clients cannot follow"));
}

#[test]
fn cpus_whose_limit_is_close_leave_it_undecided() {
    // Without the run queue eight sessions would do a third more, and the CPUs a third more than now are full.
    let verdict = live(&with_cpus(1.5, 2.0));
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Undecided));
    let said = said(&verdict);
    assert!(said.contains("1.3x the rate of now, is too close to the sessions'"), "{said}");
    assert!(said.contains("narrows observe weighs all of them"), "{said}");
}

#[test]
fn full_cpus_are_the_bottleneck_also_where_sessions_are_found_at_the_log() {
    let mut log = with_cpus(1.96, 4.5);
    for window in &mut log.cpus.as_mut().unwrap().windows {
        (window.used, window.run_queue) = (1.96, 4.5);
    }
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotTheLog, Grade::Likely));
    assert!(verdict.changes[0].contains("more CPUs"), "{:?}", verdict.changes);
    assert!(verdict.gain_at_most.unwrap() < 0.05, "{verdict:#?}");
    // Half used, they are not.
    for window in &mut log.cpus.as_mut().unwrap().windows {
        (window.used, window.run_queue) = (1.0, 0.5);
    }
    let cpus = log.cpus.as_mut().unwrap();
    (cpus.used, cpus.run_queue) = (1.0, 0.5);
    assert_eq!(live(&log).bound, LiveBound::FlushTime);
}
