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
fn cpus_that_are_far_from_full_leave_the_verdict_and_say_where_they_end() {
    let log = with_cpus(1.0, 1.0);
    let verdict = live(&log);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Likely));
    let said = said(&verdict);
    assert!(said.contains("full at 2.0x, at today's CPU time per transaction"), "{said}");
    assert!(said.contains("uses 1.0 of the 2.0 CPUs that it could use (50 %)"), "{said}");
    let blind = live(&LiveLog { cpus: None, ..log });
    assert!(self::said(&blind).contains("or less if CPUs or clients cannot follow"));
}

#[test]
fn cpus_whose_limit_is_close_leave_it_undecided() {
    // Without the run queue eight sessions would do a third more, and the CPUs a third more than now are full.
    let verdict = live(&with_cpus(1.5, 2.0));
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::FlushTime, Grade::Undecided));
    assert!(verdict.or_cpus && verdict.changes.is_empty(), "{verdict:#?}");
    let said = said(&verdict);
    assert!(said.contains("allow 1.3x today's rate, about as much as the sessions do"), "{said}");
    assert!(said.contains("narrows observe compares all limits"), "{said}");
}

#[test]
fn cpus_that_end_first_and_are_not_full_leave_it_undecided_and_so_do_those_that_nearly_are() {
    let undecided = |used: f64, run_queue: f64| {
        let verdict = live(&with_cpus(used, run_queue));
        assert_eq!((verdict.or_cpus, verdict.grade), (true, Grade::Undecided), "{verdict:#?}");
        said(&verdict)
    };
    let first = undecided(1.6, 5.0);
    assert!(first.contains("end first, at 1.2x today's rate, but only 80 %"), "{first}");
    let nearly = undecided(1.6, 0.2);
    assert!(nearly.contains("80 % of the CPUs are in use: what waits for them"), "{nearly}");
}

#[test]
fn without_the_number_of_sessions_only_nearly_full_cpus_are_a_doubt() {
    let with = |used: f64| {
        let mut log = with_cpus(used, 6.0);
        log.cpus.as_mut().unwrap().sessions = None;
        live(&log)
    };
    assert_eq!((with(1.0).or_cpus, with(1.0).grade), (false, Grade::Likely));
    assert_eq!((with(1.6).or_cpus, with(1.6).grade), (true, Grade::Undecided));
}

#[test]
fn windows_in_which_nothing_ran_or_the_load_changed_do_not_tell_limits_apart() {
    let mut log = with_cpus(1.5, 2.0);
    for used in [0.0, 0.3] {
        log.cpus.as_mut().unwrap().windows[0].used = used;
        let verdict = live(&log);
        assert_eq!((verdict.or_cpus, verdict.grade), (true, Grade::Undecided), "{used}");
    }
}

#[test]
fn full_cpus_are_the_bottleneck_also_where_sessions_are_found_at_the_log() {
    let full = |mut log: LiveLog| {
        let cpus = log.cpus.as_mut().unwrap();
        let whole = (cpus.used, cpus.run_queue);
        for window in &mut cpus.windows {
            (window.used, window.run_queue) = whole;
        }
        log
    };
    let verdict = live(&full(with_cpus(1.96, 4.5)));
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::NotTheLog, Grade::Likely));
    assert!(verdict.changes[0].contains("more CPUs"), "{:?}", verdict.changes);
    let said = said(&verdict);
    assert!(said.contains("(98 %): they are full, and their limit is the lowest"), "{said}");
    // Half used, they are not.
    assert_eq!(live(&full(with_cpus(1.0, 0.5))).bound, LiveBound::FlushTime);
}
