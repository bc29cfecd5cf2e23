//! Steps by what a run tells of itself, and whole runs replayed second by second.

use narrows_engine::repeat_of;

use super::*;

fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn step(layer: Layer, what: &str, expected_s: f64) -> PlannedStep {
    PlannedStep { layer, what: what.to_string(), expected_s, writes_bytes: 0 }
}

fn of_database(what: &str, expected_s: f64) -> PlannedStep {
    step(Layer::Database, what, expected_s)
}

/// Planned, done, and what that took, s.
fn known(steps: &Steps) -> [f64; 3] {
    let pace = steps.pace();
    [pace.planned, pace.done, pace.took].map(|time| time.as_secs_f64())
}

#[test]
fn a_layer_that_begins_ends_the_steps_before_it_once() {
    let mut steps = Steps::of(&[
        step(Layer::Clock, "", 1.0),
        step(Layer::Memory, "", 20.0),
        step(Layer::Log, "", 10.0),
        of_database("", 40.0),
        step(Layer::Log, "", 3.0),
        of_database("", 26.0),
    ]);
    assert_eq!(known(&steps), [100.0, 0.0, 0.0]);
    steps.begin(Layer::Clock, "", s(0));
    steps.begin(Layer::Memory, "", s(2));
    steps.begin(Layer::Log, "", s(30));
    assert_eq!(known(&steps), [100.0, 21.0, 30.0]);
    steps.begin(Layer::Database, "", s(45));
    assert_eq!(known(&steps), [100.0, 31.0, 45.0]);
    steps.begin(Layer::Log, "", s(70));
    steps.begin(Layer::Database, "", s(80));
    assert_eq!(known(&steps), [100.0, 31.0, 45.0], "a log within the database's steps");
}

#[test]
fn a_workload_that_begins_ends_those_before_it() {
    let mut steps = Steps::of(&[
        of_database("a private PostgreSQL instance", 10.0),
        of_database("lookup, cached", 20.0),
        of_database("update, with the log ladder at its flush size", 30.0),
        of_database("scan, by 1 worker and by several in turns", 40.0),
    ]);
    let done = |steps: &Steps| known(steps)[1..].to_vec();
    steps.begin(Layer::Database, "a server", s(0));
    steps.begin(Layer::Database, "database.lookup_cached, repeat 1 of 6", s(12));
    assert_eq!(done(&steps), [10.0, 12.0]);
    // Each of its windows and tests is of the same step.
    steps.begin(Layer::Database, "database.lookup_cached.test.more_cpus, repeat 1 of 6", s(20));
    assert_eq!(done(&steps), [10.0, 12.0]);
    steps.begin(Layer::Database, "database.update, repeat 1 of 6", s(30));
    steps.begin(Layer::Database, "database.scan_1, repeat 1 of 6", s(55));
    assert_eq!(done(&steps), [60.0, 55.0]);
    steps.begin(Layer::Database, "database.scan_n.test.workers_x2.base, repeat 2 of 6", s(70));
    assert_eq!(done(&steps), [60.0, 55.0], "one step of both");
}

#[test]
fn a_loads_own_step_is_found_by_its_first_word() {
    let plan =
        [of_database("a private instance", 10.0), of_database("lookup, from the pool", 20.0)];
    let mut steps = Steps::of(&plan);
    steps.begin_part(Workload::LookupCached, 5.0, s(9));
    assert_eq!(known(&steps), [30.0, 10.0, 9.0]);
    steps.begin_part(Workload::Update, 5.0, s(9));
    assert_eq!(known(&steps), [30.0, 10.0, 9.0], "there is none");
}

#[test]
fn repeats_of_a_part_count_as_they_are_begun() {
    let mut steps = Steps::of(&[of_database("lookup, cached", 100.0), of_database("rest", 50.0)]);
    steps.begin_part(Workload::LookupCached, 60.0, s(0));
    steps.begin(Layer::Database, "database.lookup_cached, repeat 1 of 6", s(0));
    steps.begin(Layer::Database, "database.lookup_cached, repeat 4 of 6, 9.81k tps so far", s(36));
    assert_eq!(known(&steps), [150.0, 30.0, 36.0]);
    steps.begin_part(Workload::LookupCached, 40.0, s(72));
    assert_eq!(known(&steps), [150.0, 60.0, 72.0]);
    // Both kinds in turns: the other's first repeats are none that went back.
    steps.begin(Layer::Database, "database.lookup_cached.test, repeat 3 of 4", s(90));
    steps.begin(Layer::Database, "database.lookup_cached.test.base, repeat 2 of 4", s(91));
    assert_eq!(known(&steps), [150.0, 80.0, 90.0]);
}

#[test]
fn what_is_not_needed_leaves_the_plan_when_that_is_known() {
    let plan = [of_database("lookup, cached", 80.0), of_database("update, durable", 60.0)];
    let mut steps = Steps::of(&plan);
    steps.begin_part(Workload::LookupCached, 40.0, s(0));
    steps.amend(Workload::LookupCached, -40.0);
    steps.amend(Workload::Update, 10.0);
    assert_eq!(known(&steps), [110.0, 0.0, 0.0]);
    steps.amend(Workload::LookupCached, -40.0);
    assert_eq!(known(&steps), [110.0, 0.0, 0.0], "no less than what was begun");
    // What nobody took back leaves with its step.
    let mut steps = Steps::of(&plan);
    steps.begin_part(Workload::LookupCached, 40.0, s(0));
    steps.begin_part(Workload::Update, 60.0, s(42));
    assert_eq!(known(&steps), [100.0, 40.0, 42.0]);
    steps.amend(Workload::LookupCached, 20.0);
    assert_eq!(known(&steps), [100.0, 40.0, 42.0], "it is over");
}

#[test]
fn what_the_plan_does_not_know_of_makes_it_longer() {
    let mut steps = Steps::of(&[of_database("scan, by 1 worker and by several in turns", 30.0)]);
    steps.begin_part(Workload::ScanMany, 30.0, s(0));
    steps.begin_part(Workload::ScanMany, 25.0, s(30));
    assert_eq!(known(&steps), [55.0, 30.0, 30.0]);
}

#[test]
fn a_layer_within_a_workload_is_of_its_step() {
    let plan = [of_database("update, durable", 60.0), step(Layer::Log, "the flush again", 2.0)];
    let mut steps = Steps::of(&plan);
    steps.begin_part(Workload::Update, 40.0, s(0));
    steps.begin(Layer::Log, "log.after.update", s(40));
    steps.begin_part(Workload::Update, 20.0, s(42));
    assert_eq!(known(&steps), [62.0, 40.0, 42.0]);
}

/// What a run tells.
#[derive(Clone, Copy)]
enum Event {
    /// A layer begins.
    Layer(Layer),
    /// Six repeats of a workload begin, that should take so long together, s.
    Repeats(Workload, f64),
    /// A part of a workload begins that tells no repeats.
    Part(Workload, f64),
    /// What a plan holds of a workload changes, s.
    Amended(Workload, f64),
    /// It is not known whether a part of it is done: how much less it may take, and how much more, s.
    Undecided(Workload, f64, f64),
    /// What no plan knows of.
    Other,
}

use Event::{Amended, Other, Part, Repeats, Undecided};

/// What it tells, each with what it took until the next, s.
type Recording = Vec<(Event, f64)>;

fn length_s(recording: &Recording) -> f64 {
    recording.iter().map(|(_, took_s)| took_s).sum()
}

/// An event with all that lies in it, from that moment on.
fn apply(steps: &mut Steps, event: Event, repeat: u32, at: Duration) {
    match event {
        Event::Layer(layer) => steps.begin(layer, "", at),
        Repeats(workload, expected_s) => {
            if repeat == 0 {
                steps.begin_part(workload, expected_s, at);
            }
            let detail = repeat_of(workload.measurement_id(), repeat, 6, None);
            steps.begin(Layer::Database, &detail, at);
        }
        Part(workload, expected_s) => steps.begin_part(workload, expected_s, at),
        Amended(workload, by_s) => steps.amend(workload, by_s),
        Undecided(workload, less_s, more_s) => steps.undecided(workload, less_s, more_s),
        Other => {}
    }
}

/// Every second of it: how long it ran, the least and the most that was said to be left, what was, s. `stretch` says when what was told at a time is told.
fn replayed(
    plan: &[PlannedStep],
    recording: &Recording,
    stretch: impl Fn(f64) -> f64,
) -> Vec<[f64; 4]> {
    let mut told = Vec::new();
    let mut at_s = 0.0;
    for (event, took_s) in recording {
        let repeats = if matches!(event, Repeats(..)) { 6 } else { 1 };
        for repeat in 0..repeats {
            let begun_s = at_s + took_s * f64::from(repeat) / f64::from(repeats);
            told.push((stretch(begun_s), *event, repeat));
        }
        at_s += took_s;
    }
    let all_s = stretch(at_s);
    let mut steps = Steps::of(plan);
    let mut told = told.into_iter().peekable();
    let mut seen = Vec::new();
    for second in 0..all_s as u32 {
        let now_s = f64::from(second);
        while let Some((at_s, event, repeat)) = told.next_if(|(at_s, ..)| *at_s <= now_s) {
            apply(&mut steps, event, repeat, Duration::from_secs_f64(at_s));
        }
        let (pace, elapsed) = (steps.pace(), Duration::from_secs_f64(now_s));
        let left = pace.left(elapsed).unwrap_or_default();
        let (least, most) = pace.left_between(elapsed).unwrap_or((left, left));
        seen.push([now_s, least.as_secs_f64(), most.as_secs_f64(), all_s - now_s]);
    }
    seen
}

/// From the first tenth on what is said is within a fifth of what is left, or 5 s.
fn keeps_its_word(seen: &[[f64; 4]]) {
    let all_s = seen[0][3];
    for [now_s, least_s, most_s, left_s] in seen.iter().filter(|[now_s, ..]| *now_s >= all_s / 10.0)
    {
        let within_s = (left_s * 0.2).max(5.0);
        let kept = least_s - within_s <= *left_s && *left_s <= most_s + within_s;
        assert!(kept, "{now_s} s: {least_s} to {most_s} said, {left_s} left");
    }
}

/// Of a test of a verdict: what it would take, and what a plan holds of it.
const TEST_S: f64 = 38.4;
const HELD_S: f64 = 25.6;
/// The same of scans.
const SCANS_TEST_S: f64 = 24.8;
const SCANS_HELD_S: f64 = 12.4;

/// A full run on two CPUs, as it was planned.
fn full_plan() -> Vec<PlannedStep> {
    vec![
        step(Layer::Clock, "cost of reading the time", 2.4),
        step(Layer::Memory, "dependent loads", 14.0),
        step(Layer::Memory, "read bandwidth", 14.4),
        step(Layer::Block, "write a file", 8.6),
        step(Layer::Block, "find the queue depth", 25.9),
        step(Layer::Block, "16 workloads by the best path", 94.7),
        step(Layer::Block, "4 workloads by the server's path", 27.8),
        step(Layer::Log, "durable appends", 27.1),
        of_database("a private PostgreSQL instance", 13.7),
        of_database("the load generator alone", 3.0),
        of_database("a short window", 2.2),
        of_database("lookup, cached", 57.6 + HELD_S),
        of_database("lookup, uncached", 57.6 + HELD_S),
        of_database("update, with the log ladder at its flush size", 125.8 + HELD_S),
        step(Layer::Log, "the flush again after update", 2.4),
        of_database("scan, by 1 worker and by several in turns", 34.2 * 1.5),
    ]
}

/// What it told and what that took, s; `tested` are the workloads whose verdicts asked for a test. The recorded run's were the uncached
/// lookups and the updates.
fn full_run(tested: &[Workload]) -> Recording {
    let verdict = |workload| {
        let needed_s = if tested.contains(&workload) { TEST_S } else { 0.0 };
        [(Amended(workload, needed_s - HELD_S), 0.0), (Undecided(workload, 0.0, 0.0), 0.0)]
    };
    let undecided = |workload| (Undecided(workload, HELD_S, TEST_S - HELD_S), 0.0);
    let test = |workload| tested.contains(&workload).then_some((Repeats(workload, TEST_S), 39.0));
    let by_sessions = [Workload::LookupCached, Workload::LookupUncached, Workload::Update];
    let mut run: Recording = by_sessions.map(undecided).into();
    run.extend([
        (Undecided(Workload::ScanMany, SCANS_HELD_S, SCANS_TEST_S - SCANS_HELD_S), 0.0),
        (Event::Layer(Layer::Clock), 2.1),
        (Event::Layer(Layer::Memory), 27.2),
        (Event::Layer(Layer::Block), 144.2),
        (Event::Layer(Layer::Log), 27.7),
        (Event::Layer(Layer::Database), 0.0),
        // By the drives' rate instead of a guess.
        (Amended(Workload::ScanMany, -9.4 * 1.5), 11.8),
    ]);
    for workload in [Workload::LookupCached, Workload::LookupUncached] {
        run.push((Repeats(workload, 22.2), 23.1));
        run.extend(verdict(workload));
        run.extend([(Repeats(workload, 13.2), 11.5), (Repeats(workload, 22.2), 23.3)]);
        run.extend(test(workload));
    }
    let update = Workload::Update;
    run.extend([(Other, 1.1), (Repeats(update, 70.2), 81.2), (Repeats(update, 13.2), 11.4)]);
    run.push((Part(update, 20.2), 20.2));
    run.extend(verdict(update));
    run.push((Repeats(update, 22.2), 23.1));
    run.extend(test(update));
    let scans = Workload::ScanMany;
    run.push((Repeats(scans, 24.8), 23.7));
    let needed_s = if tested.contains(&scans) { SCANS_TEST_S } else { 0.0 };
    run.extend([(Amended(scans, needed_s - SCANS_HELD_S), 0.0), (Undecided(scans, 0.0, 0.0), 0.0)]);
    run.extend(tested.contains(&scans).then_some((Repeats(scans, SCANS_TEST_S), 23.7)));
    run
}

#[test]
fn the_time_left_of_a_recorded_run_is_right_within_a_fifth_to_its_end() {
    let run = full_run(&[Workload::LookupUncached, Workload::Update]);
    assert!((length_s(&run) - 568.0).abs() < 2.0, "{}", length_s(&run));
    let seen = replayed(&full_plan(), &run, |at_s| at_s);
    keeps_its_word(&seen);
    let [_, least_s, most_s, left_s] = seen[0];
    assert!(least_s < left_s && left_s < most_s && most_s < 1.4 * least_s, "{:?}", seen[0]);
}

#[test]
fn it_is_right_where_all_tests_are_made_and_where_none_is() {
    let all = [Workload::LookupCached, Workload::LookupUncached, Workload::Update];
    let run = full_run(&all);
    keeps_its_word(&replayed(&full_plan(), &run, |at_s| at_s));
    let run = full_run(&[&all[..], &[Workload::ScanMany]].concat());
    let seen = replayed(&full_plan(), &run, |at_s| at_s);
    keeps_its_word(&seen);
    let [.., least_s, most_s, _] = *seen.last().expect("it lasted");
    assert_eq!(least_s, most_s, "all verdicts are known");

    keeps_its_word(&replayed(&full_plan(), &full_run(&[]), |at_s| at_s));
}

#[test]
fn scans_that_take_another_time_than_the_drives_promised_are_right_after_two_repeats() {
    for took_s in [15.5, 36.0] {
        let mut run = full_run(&[]);
        let scans =
            run.iter_mut().find(|(event, _)| matches!(event, Repeats(Workload::ScanMany, _)));
        scans.expect("they are made").1 = took_s;
        let seen = replayed(&full_plan(), &run, |at_s| at_s);
        let from_s = length_s(&run) - took_s * 2.0 / 3.0;
        let late: Vec<[f64; 4]> = seen.into_iter().filter(|[now_s, ..]| *now_s > from_s).collect();
        assert!(late.len() > 8, "{took_s}");
        for [now_s, least_s, most_s, left_s] in late {
            let within_s = (left_s * 0.2).max(3.0);
            let kept = least_s - within_s <= left_s && left_s <= most_s + within_s;
            assert!(kept, "{took_s}, {now_s} s: {least_s} to {most_s} said, {left_s} left");
        }
    }
}

/// A run that goes as planned to the second.
fn as_planned() -> (Vec<PlannedStep>, Recording) {
    let plan = vec![
        step(Layer::Clock, "", 2.0),
        step(Layer::Memory, "", 27.0),
        step(Layer::Block, "", 145.0),
        step(Layer::Log, "", 28.0),
        of_database("a private PostgreSQL instance", 12.0),
        of_database("lookup, cached", 58.5),
        of_database("lookup, uncached", 58.5),
        of_database("update, with the log ladder", 136.0),
        of_database("scan, by 1 worker and by several in turns", 24.0),
    ];
    let layers = plan[..5].iter().map(|step| (Event::Layer(step.layer), step.expected_s));
    let mut run: Recording = layers.collect();
    for (workload, parts) in [
        (Workload::LookupCached, &[23.0, 11.5, 24.0][..]),
        (Workload::LookupUncached, &[23.0, 11.5, 24.0]),
        (Workload::Update, &[78.0, 11.5, 22.5, 24.0]),
        (Workload::ScanMany, &[24.0]),
    ] {
        run.extend(parts.iter().map(|part_s| (Repeats(workload, *part_s), *part_s)));
    }
    (plan, run)
}

#[test]
fn a_first_half_that_takes_a_quarter_longer_or_less_is_made_up_for() {
    let (plan, run) = as_planned();
    let half_s = length_s(&run) / 2.0;
    for pace in [1.0, 1.25, 0.8] {
        let stretch = |at_s: f64| at_s + at_s.min(half_s) * (pace - 1.0);
        keeps_its_word(&replayed(&plan, &run, stretch));
    }
}

/// A later full run on such a machine, whose first layers took less than planned, and whose verdicts all asked for a test.
fn fast_begin() -> Recording {
    let mut run = full_run(&[
        Workload::LookupCached,
        Workload::LookupUncached,
        Workload::Update,
        Workload::ScanMany,
    ]);
    // From the beginning to the database in 198 s, as it was recorded.
    for (event, took_s) in &mut run {
        match event {
            Event::Layer(Layer::Memory) => *took_s = 27.9,
            Event::Layer(Layer::Block) => *took_s = 141.0,
            Event::Layer(Layer::Log) => *took_s = 27.0,
            _ => {}
        }
    }
    run
}

#[test]
fn what_the_first_layers_took_less_promises_no_shorter_database() {
    let run = fast_begin();
    assert!((length_s(&run) - 620.0).abs() < 20.0, "{}", length_s(&run));
    let seen = replayed(&full_plan(), &run, |at_s| at_s);
    keeps_its_word(&seen);
    // A third of the way: 408 s were left and 324 s were said before a layer's pace was its own.
    let [_, least_s, most_s, left_s] = seen[212];
    assert!(least_s < left_s && most_s > left_s * 0.9, "{least_s} to {most_s} of {left_s}");
}
