//! What is said of sides, row by row.

use narrows_compare::{
    Correction, Gate, GateOutcome, Judgement, NothingToCompare, Question, RunComparison, compare,
};
use narrows_model::{Bottleneck, Grade, Run, Validity, condition, metric};

use crate::world::{doubt, measured, of, rates, run, side, verdict};

fn compared(base: &[Run], other: &[Run]) -> RunComparison {
    compare(&side("before", base), &[side("after", other)], &Question::default()).unwrap()
}

/// Five runs whose updates and lookups scatter by half a per cent around these rates.
fn five(update: f64, lookup: f64) -> Vec<Run> {
    let shares = [0.995, 1.0, 1.005, 0.998, 1.002];
    shares.iter().map(|share| rates("r", update * share, lookup * share)).collect()
}

fn row<'c>(found: &'c RunComparison, id: &str) -> &'c narrows_compare::ComparedRow {
    found.against[0].rows.iter().find(|row| row.measurement == id).unwrap()
}

#[test]
fn one_run_of_each_is_resolved_by_nothing_and_says_what_would_hide_it() {
    let found = compared(&[rates("a", 100.0, 50.0)], &[rates("b", 112.0, 50.0)]);
    let update = row(&found, "database.update");
    assert_eq!((update.judgement, update.p_value), (Judgement::Unresolved, None));
    assert!((update.leading.growth - 0.12).abs() < 1e-9);
    assert_eq!(update.leading.interval_95, None);
    assert!((update.scatter_that_hides_it.unwrap() - 0.0417).abs() < 5e-4);
    assert!(update.why.contains("fewer than three runs"));
    assert!(found.against[0].too_few_runs());
    // What the field prints of it stands beside it, with its direction.
    let p99 = &update.others[0];
    assert_eq!((p99.metric.as_str(), p99.good()), ("latency_p99", Some(true)));
}

#[test]
fn several_runs_of_each_are_better_worse_or_equivalent() {
    let found = compared(&five(1000.0, 500.0), &five(1100.0, 501.0));
    let (update, lookup) = (row(&found, "database.update"), row(&found, "database.lookup_cached"));
    assert_eq!((update.judgement, lookup.judgement), (Judgement::Better, Judgement::Equivalent));
    let interval = update.leading.interval_95.unwrap();
    assert!(interval.low < 0.1 && 0.1 < interval.high && interval.low > 0.09, "{interval:?}");
    assert!(update.smallest_found.unwrap() < 0.02, "{update:?}");
    assert_eq!(found.against[0].count(Judgement::Better), 1);
    let other_way = compared(&five(1100.0, 500.0), &five(1000.0, 500.0));
    assert_eq!(row(&other_way, "database.update").judgement, Judgement::Worse);
    // Where runs scatter more than they differ nothing is shown, and the margin is too narrow for them.
    let wide = |at: f64| -> Vec<Run> {
        [0.9, 1.0, 1.12].iter().map(|share| rates("w", at * share, 500.0)).collect()
    };
    let unresolved = compared(&wide(1000.0), &wide(1030.0));
    let update = row(&unresolved, "database.update");
    assert_eq!(
        (update.judgement, update.why.as_str()),
        (Judgement::Unresolved, "within the scatter of the runs")
    );
    assert!(update.smallest_found.unwrap() > 0.3, "{update:?}");
}

#[test]
fn starts_of_the_server_count_as_runs() {
    let starts = |rates: [f64; 3]| -> Run {
        let id = |n: usize| match n {
            0 => "database.update".to_string(),
            n => format!("database.update.start_{}", n + 1),
        };
        let each = rates.iter().enumerate();
        run("s", each.map(|(n, rate)| measured(&id(n), &[(metric::THROUGHPUT, *rate)])).collect())
    };
    let found = compared(&[starts([100.0, 101.0, 99.0])], &[starts([120.0, 121.0, 119.0])]);
    assert_eq!(found.against[0].rows.len(), 1);
    let update = row(&found, "database.update");
    assert_eq!((update.leading.base_runs.len(), update.judgement), (3, Judgement::Better));
}

#[test]
fn what_is_invalid_or_another_workload_is_not_compared_and_what_is_suspect_gets_no_word() {
    let (base, mut other) = (five(1000.0, 500.0), five(1100.0, 600.0));
    doubt(&mut other[2], "database.update", Validity::Invalid, "page-cache");
    doubt(&mut other[1], "database.lookup_cached", Validity::Suspect, "steal");
    let found = compared(&base, &other);
    let against = &found.against[0];
    assert_eq!(against.unpaired[0].sentence(), "database.update: invalid in after (page-cache)");
    let lookup = row(&found, "database.lookup_cached");
    assert_eq!(
        (lookup.judgement, lookup.why.as_str()),
        (Judgement::Unresolved, "suspect in after (steal)")
    );

    let mut other = five(1100.0, 500.0);
    for run in &mut other {
        of(run, "database.update").workload.insert(condition::SESSIONS, 16.0);
    }
    let found = compared(&base, &other);
    let why = found.against[0].unpaired[0].sentence();
    assert_eq!(why, "database.update: another workload in after: sessions 16, not 8");
    // The depth that a search found is its answer.
    let knee = |depth: f64| {
        let mut m = measured("block.read.random.8k.knee", &[(metric::THROUGHPUT, 1000.0 * depth)]);
        m.workload.insert(condition::DEPTH, depth);
        vec![run("k", vec![m])]
    };
    assert_eq!(compared(&knee(32.0), &knee(64.0)).against[0].rows.len(), 1);
}

#[test]
fn open_loops_are_judged_by_their_latency_at_one_rate() {
    let open = |rate: f64, p99: f64| -> Vec<Run> {
        let metrics =
            [(metric::THROUGHPUT, rate), (metric::ASKED_RATE, rate), (metric::LATENCY_P99, p99)];
        let mut m = measured("database.update.open", &metrics);
        m.workload.insert(condition::LOOP, "open");
        vec![run("o", vec![m])]
    };
    let found = compared(&open(700.0, 5e6), &open(710.0, 4e6));
    assert_eq!(row(&found, "database.update.open").leading.metric, "latency_p99");
    let apart = compare(
        &side("a", &open(700.0, 5e6)),
        &[side("b", &open(900.0, 4e6))],
        &Question::default(),
    );
    let error = apart.unwrap_err();
    assert!(error.to_string().contains("offered 900 per second, not 700"), "{error}");
}

#[test]
fn nothing_in_common_is_an_error_that_says_so() {
    let lookups = run("l", vec![measured("database.lookup_cached", &[(metric::THROUGHPUT, 1.0)])]);
    let updates = run("u", vec![measured("database.update", &[(metric::THROUGHPUT, 1.0)])]);
    let (lookups, updates) = ([lookups], [updates]);
    let error = compare(&side("a", &lookups), &[side("b", &updates)], &Question::default());
    let NothingToCompare::NoPair { reasons, .. } = error.clone().unwrap_err();
    assert!(reasons.is_empty());
    assert_eq!(error.unwrap_err().to_string(), "a and b have no measurement in common");
    // What is asked for narrows it down.
    let only = Question { only: vec!["database.update".to_string()], ..Question::default() };
    let (a, b) = (five(1.0, 2.0), five(1.0, 2.0));
    let found = compare(&side("a", &a), &[side("b", &b)], &only).unwrap();
    assert_eq!(found.against[0].rows.len(), 1);
}

fn shared_buffers(size: &str) -> serde_json::Value {
    serde_json::json!({ "shared_buffers": size, "fsync": "on" })
}

#[test]
fn conditions_that_differ_are_listed_and_those_that_could_explain_it_first() {
    let (base, mut other) = (five(1000.0, 500.0), five(1100.0, 500.0));
    for run in &mut other {
        let platform = &mut run.hosts[0].platform;
        platform.kernel = Some("6.12.0".to_string());
        platform.os = Some("Debian 13".to_string());
        platform.boot_id = Some("another".to_string());
        platform.memory.available_bytes = Some(1);
    }
    let mut base = base;
    for run in &mut base {
        run.hosts[0].platform.os = Some("Debian 12".to_string());
        run.hosts[0].platform.boot_id = Some("one".to_string());
        of(run, "database.update")
            .conditions
            .insert(condition::SERVER_SETTINGS, shared_buffers("128MB"));
    }
    for run in &mut other {
        of(run, "database.update")
            .conditions
            .insert(condition::SERVER_SETTINGS, shared_buffers("1GB"));
    }
    let found = compared(&base, &other);
    let conditions = &found.against[0].conditions;
    let whats: Vec<&str> = conditions.iter().map(|c| c.what.as_str()).collect();
    assert_eq!(whats, ["server setting shared_buffers", "kernel", "os"], "{conditions:?}");
    assert_eq!(
        (&*conditions[0].base, &*conditions[0].other),
        (&["128MB".into()][..], &["1GB".into()][..])
    );
    assert!(conditions[1].could_explain && !conditions[2].could_explain);
}

#[test]
fn bottlenecks_then_and_now_stand_beside_each_other() {
    let with = |narrow, grade, phrase: &str| -> Vec<Run> {
        let mut runs = five(1000.0, 500.0);
        runs.iter_mut().for_each(|run| run.verdicts = vec![verdict(narrow, grade, phrase)]);
        runs
    };
    let mut base = with(Bottleneck::CommitWait, Grade::Likely, "commit wait");
    base[4].verdicts = vec![verdict(Bottleneck::Cpu, Grade::Undecided, "CPU or commit wait")];
    let other = with(Bottleneck::Cpu, Grade::Confirmed, "CPU, 97 % busy");
    let found = compared(&base, &other);
    let change = &found.against[0].verdicts[0];
    assert!(change.changed);
    assert_eq!(
        (change.base.narrow, change.base.runs, change.base.of),
        (Some(Bottleneck::CommitWait), 4, 5)
    );
    assert_eq!(
        (change.other.narrow, change.other.phrase.as_str()),
        (Some(Bottleneck::Cpu), "CPU, 97 % busy")
    );
}

#[test]
fn gates_pass_fail_or_are_not_resolved() {
    let outcome = |gate: &str, base: &[Run], other: &[Run]| {
        let gate: Gate = gate.parse().unwrap();
        gate.outcome(&compared(base, other).against[0])
    };
    let (base, worse) = (five(1000.0, 500.0), five(900.0, 500.0));
    assert_eq!(outcome("database.update.throughput < -5%", &base, &worse), GateOutcome::Failed);
    assert_eq!(outcome("database.update.throughput < -15%", &base, &worse), GateOutcome::Passed);
    let at = outcome("database.update.throughput < -10%", &base, &worse);
    assert!(matches!(at, GateOutcome::Unresolved(why) if why.contains("within the interval")));
    assert_eq!(outcome("database.update.latency_p99 > 5%", &base, &worse), GateOutcome::Failed);
    for (gate, part) in [
        ("database.scan_1.throughput < -5%", "no such measurement"),
        ("database.update.cost < -5%", "it has throughput, latency_p99"),
    ] {
        let found = outcome(gate, &base, &worse);
        assert!(matches!(&found, GateOutcome::Unresolved(why) if why.contains(part)), "{found:?}");
    }
    let one = outcome("database.update.throughput < -5%", &base[..1], &worse[..1]);
    assert!(matches!(one, GateOutcome::Unresolved(why) if why.contains("fewer than three")));
}

#[test]
fn pairs_are_of_one_moment_also_where_a_run_lacks_a_measurement() {
    let with = |rates: [Option<f64>; 5]| -> Vec<Run> {
        let one = |rate: &Option<f64>| {
            let update =
                rate.map(|rate| measured("database.update", &[(metric::THROUGHPUT, rate)]));
            let other = measured("database.lookup_cached", &[(metric::THROUGHPUT, 5.0)]);
            run("p", update.into_iter().chain([other]).collect())
        };
        rates.iter().map(one).collect()
    };
    // Each pair has its own moment; A lacks the second, B the fourth.
    let a = with([Some(100.0), None, Some(300.0), Some(400.0), Some(500.0)]);
    let b = with([Some(110.0), Some(220.0), Some(331.0), None, Some(549.0)]);
    let question = Question { paired: true, ..Question::default() };
    let found = compare(&side("a", &a), &[side("b", &b)], &question).unwrap();
    let update = row(&found, "database.update");
    assert_eq!(update.leading.base_runs, [100.0, 300.0, 500.0]);
    assert_eq!(update.leading.other_runs, [110.0, 331.0, 549.0]);
    assert!(update.pair_scatter.unwrap() < 0.01, "{update:?}");
}

#[test]
fn a_later_look_has_to_be_clearer() {
    // By itself about 3 %: enough for one comparison, and for the first look (4 %), not for the second (0.8 %).
    let base: Vec<Run> =
        [0.98, 1.0, 1.02, 0.99, 1.01].iter().map(|s| rates("a", 1000.0 * s, 500.0)).collect();
    let other: Vec<Run> =
        [1.005, 1.025, 1.045, 1.015, 1.035].iter().map(|s| rates("b", 1000.0 * s, 500.0)).collect();
    let at = |look| {
        let only = vec!["database.update".to_string()];
        let question = Question { look, only, margin: 0.001, ..Question::default() };
        compare(&side("a", &base), &[side("b", &other)], &question).unwrap()
    };
    let plain = at(None);
    let p = row(&plain, "database.update").p_value.unwrap();
    assert!((0.01..0.04).contains(&p), "{p}");
    let of_look = |look: u32| {
        let found = at(Some(look));
        let update = row(&found, "database.update").clone();
        (update.judgement, update.p_value.unwrap(), update.smallest_found.unwrap(), update.why)
    };
    let (first, second) = (of_look(1), of_look(2));
    assert_eq!((first.0, second.0), (Judgement::Better, Judgement::Unresolved));
    assert!((first.1 / p - 1.25).abs() < 1e-9 && (second.1 / p - 6.25).abs() < 1e-9);
    assert!(second.2 > first.2, "what could be found is larger");
    assert!(second.3.contains("shown by itself"), "{}", second.3);
}

#[test]
fn of_many_changes_more_are_shown_where_a_part_may_be_wrong() {
    let many = |shift: f64| -> Vec<Run> {
        let one = |share: &f64| {
            let each = (0..10).map(|n| {
                // Half of them change by twice their scatter.
                let rate = 1000.0 * share * if n < 5 { 1.0 + shift } else { 1.0 };
                measured(&format!("database.update_{n}"), &[(metric::THROUGHPUT, rate)])
            });
            run("m", each.collect())
        };
        [0.98, 1.0, 1.02, 0.99, 1.01].iter().map(one).collect()
    };
    let (base, other) = (many(0.0), many(0.03));
    let better = |correction| {
        let question = Question { correction, margin: 0.001, ..Question::default() };
        let found = compare(&side("a", &base), &[side("b", &other)], &question).unwrap();
        found.against[0].count(Judgement::Better)
    };
    let (holm, bh) = (better(Correction::Holm), better(Correction::BenjaminiHochberg));
    assert!(holm < bh && bh <= 5, "{holm} {bh}");
}

#[test]
fn what_needs_no_law_stands_beside_the_change_and_gives_no_word() {
    let found = compared(&five(1000.0, 500.0), &five(1100.0, 500.0));
    let free = row(&found, "database.update").distribution_free.expect("five runs of each");
    assert!((free.growth - 0.1).abs() < 0.002, "{free:?}");
    // Two of 252 orders are as extreme.
    assert!((free.p_permutation.unwrap() - 2.0 / 252.0).abs() < 1e-9, "{free:?}");
    assert_eq!(free.bootstrap_95, None, "fewer than eight");
    let nine = |rate: f64| [five(rate, 500.0), five(rate * 1.001, 500.0)].concat();
    let found = compared(&nine(1000.0), &nine(1100.0));
    let free = row(&found, "database.update").distribution_free.unwrap();
    let drawn = free.bootstrap_95.expect("ten runs of each");
    assert!(
        drawn.low > 0.09 && drawn.high < 0.11 && drawn.low < 0.1 && 0.1 < drawn.high,
        "{drawn:?}"
    );
    let few = compared(&five(1000.0, 500.0)[..2], &five(1100.0, 500.0)[..2]);
    assert_eq!(row(&few, "database.update").distribution_free, None);
}

#[test]
fn a_gate_is_not_resolved_by_what_is_suspect() {
    let (base, mut other) = (five(1000.0, 500.0), five(1001.0, 500.0));
    doubt(&mut other[1], "database.update", Validity::Suspect, "steal");
    let gate: Gate = "database.update.throughput < -5%".parse().unwrap();
    let outcome = gate.outcome(&compared(&base, &other).against[0]);
    assert!(matches!(outcome, GateOutcome::Unresolved(why) if why.contains("suspect in after")));
}

#[test]
fn what_fell_to_nothing_is_not_judged_by_something_else() {
    let (base, mut other) = (five(1000.0, 500.0), five(1000.0, 500.0));
    of(&mut other[2], "database.update").metrics[0].value = 0.0;
    let found = compared(&base, &other);
    let against = &found.against[0];
    assert!(against.rows.iter().all(|row| row.measurement != "database.update"));
    let why = against.unpaired.iter().find(|u| u.measurement == "database.update").unwrap();
    assert!(why.why.contains("throughput is not above zero"), "{why:?}");
    assert!(!against.too_few_runs());
}

#[test]
fn a_limit_that_only_one_side_has_is_a_difference() {
    let (base, mut other) = (five(1000.0, 500.0), five(500.0, 500.0));
    other.iter_mut().for_each(|run| run.hosts[0].platform.cgroup.cpu_quota_cpus = Some(1.0));
    let found = compared(&base, &other);
    let quota = &found.against[0].conditions[0];
    assert_eq!(
        (quota.what.as_str(), &*quota.base),
        ("control group: cpu_quota_cpus", &["none".to_string()][..])
    );
}
