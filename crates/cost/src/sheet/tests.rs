use proptest::prelude::*;

use super::*;

const AT: (Group, &str) = (Group::Cost, "");

fn given(sheet: &mut Sheet, key: &str, range: Option<Range>) -> Expr {
    let given = Given {
        value: range,
        basis: Basis::Price,
        source: "a quote".to_string(),
        date: None,
        within: (0.0, 1e12),
    };
    sheet.given((Group::Cost, key), key, "USD", given)
}

#[test]
fn sums_are_written_as_they_are_reckoned() {
    let mut sheet = Sheet::default();
    let price = given(&mut sheet, "price", Some(Range::exact(47_500.0)));
    let cores = given(&mut sheet, "cores", Some(Range::exact(64.0)));
    let licences = sheet.computed(AT, "licences", "", (cores * 0.5).rounded_up());
    let total = sheet.computed(AT, "total", "USD", price * licences * (Expr::from(1.0) + 1.1));
    let lines = sheet.finished();
    assert_eq!(lines[2].formula, "round up ([2] 64 × 0.5)");
    assert_eq!(lines[3].formula, "[1] 47,500 × [3] 32 × (1 + 1.1)");
    assert!((sheet.value(&total).unwrap() - 3_192_000.0).abs() < 1e-6);
    assert_eq!(lines[3].interval, None, "nothing has a range");
}

#[test]
fn what_is_unknown_makes_unknown_what_rests_on_it_and_is_named() {
    let mut sheet = Sheet::default();
    let known = given(&mut sheet, "server", Some(Range::exact(100.0)));
    let unknown = given(&mut sheet, "drives", None);
    let beside = sheet.computed(AT, "beside", "USD", known.clone() * 2.0);
    sheet.computed(AT, "total", "USD", known + unknown);
    let lines = sheet.finished();
    assert_eq!((lines[3].value, &lines[3].lacks), (None, &vec!["drives".to_string()]));
    assert_eq!(sheet.value(&beside), Some(200.0));
    assert!(lines[3].formula.contains("[2] unknown"));
}

#[test]
fn a_division_by_nothing_is_unknown_and_no_figure() {
    let mut sheet = Sheet::default();
    let rate = given(&mut sheet, "rate", Some(Range::exact(0.0)));
    let total = given(&mut sheet, "total", Some(Range::exact(5.0)));
    let per = sheet.computed(AT, "per", "", total / rate);
    assert_eq!(sheet.value(&per), None);
}

#[test]
fn ranges_are_carried_one_at_a_time_and_in_quadrature() {
    let mut sheet = Sheet::default();
    let a = given(&mut sheet, "a", Some(Range { value: 100.0, low: 97.0, high: 106.0 }));
    let b = given(&mut sheet, "b", Some(Range { value: 50.0, low: 46.0, high: 58.0 }));
    let c = given(&mut sheet, "c", Some(Range::exact(7.0)));
    let total = sheet.computed(AT, "total", "", a + b + c);
    let [low, high] = sheet.finished()[3].interval.unwrap();
    assert!((low - (157.0 - 5.0)).abs() < 1e-9, "3 and 4 down: {low}");
    assert!((high - (157.0 + 10.0)).abs() < 1e-9, "6 and 8 up: {high}");
    let moves = sheet.moves(&total);
    assert_eq!(moves.iter().map(|m| m.key.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!((moves[0].by_a_tenth - 10.0 / 157.0).abs() < 1e-12);
    assert_eq!(moves[1].within_range, Some([153.0, 165.0]));
}

#[test]
fn what_has_no_value_at_an_end_of_a_range_is_unbounded_and_nothing_gets_negative() {
    let mut sheet = Sheet::default();
    let total = given(&mut sheet, "total", Some(Range { value: 10.0, low: 4.0, high: 16.0 }));
    let none = given(&mut sheet, "none", Some(Range { value: 5.0, low: 0.0, high: 10.0 }));
    let other = given(&mut sheet, "other", Some(Range { value: 8.0, low: 1.0, high: 15.0 }));
    sheet.computed(AT, "per", "", total.clone() / none);
    sheet.computed(AT, "product", "", total * other);
    let lines = sheet.finished();
    assert!(lines[3].unbounded && !lines[4].unbounded);
    // 60 % and 88 % down in quadrature would be below nothing.
    let [low, high] = lines[4].interval.unwrap();
    assert_eq!(low, 0.0);
    assert!(high > 160.0, "{high}");
}

#[test]
fn moves_are_without_steps_and_without_rules() {
    let mut sheet = Sheet::default();
    let cores = given(&mut sheet, "cores", Some(Range::exact(2.0)));
    let rule =
        Given { basis: Basis::Rule, ..Given::described(Some(Range::exact(0.5)), (0.0, 1.0)) };
    let factor = sheet.given((Group::Licence, "factor"), "factor", "", rule);
    let total = sheet.computed(AT, "total", "", (cores * factor).rounded_up() * 100.0);
    let moves = sheet.moves(&total);
    assert_eq!(moves.len(), 1, "a rule is no choice: {moves:?}");
    assert!((moves[0].by_a_tenth - 0.1).abs() < 1e-12);
}

#[test]
fn what_a_figure_may_not_be_is_refused() {
    let what_if = [WhatIf { key: "share".to_string(), value: Range::exact(50.0) }];
    let mut sheet = Sheet::new(&what_if);
    let share = Given::described(Some(Range::exact(0.5)), (0.0, 1.0));
    sheet.given((Group::Licence, "share"), "share", "", share);
    assert_eq!(sheet.refused(), Some("share: 50 is not within 0 and 1"));
}

#[test]
fn a_what_if_takes_the_place_of_a_figure_and_says_what_was_there() {
    let what_if = [WhatIf { key: "a".to_string(), value: Range::exact(3.0) }];
    let mut sheet = Sheet::new(&what_if);
    given(&mut sheet, "a", Some(Range::exact(2.0)));
    let lines = sheet.finished();
    assert_eq!((lines[0].value, lines[0].basis), (Some(3.0), Some(Basis::WhatIf)));
    assert_eq!(lines[0].source, "--what-if; 2 by a quote");
}

proptest! {
    #[test]
    fn an_interval_holds_the_value_and_the_value_at_each_end(
        (a, da) in (1.0f64..1e6, 0.0f64..0.5),
        (b, db) in (1.0f64..1e6, 0.0f64..0.5),
    ) {
        let mut sheet = Sheet::default();
        let ranged = |v: f64, d: f64| Some(Range { value: v, low: v * (1.0 - d), high: v * (1.0 + d) });
        let x = given(&mut sheet, "x", ranged(a, da));
        let y = given(&mut sheet, "y", ranged(b, db));
        let line = sheet.computed(AT, "q", "", x / y.clone() + y);
        let value = sheet.value(&line).unwrap();
        if let Some([low, high]) = sheet.finished()[2].interval {
            prop_assert!(low <= value && value <= high);
            for (root, range) in [(0, ranged(a, da)), (1, ranged(b, db))] {
                for end in [range.unwrap().low, range.unwrap().high] {
                    let there = sheet.values(Some((root, end)), Rounding::Up)[2].unwrap();
                    prop_assert!(low - 1e-9 * value.abs() <= there && there <= high + 1e-9 * value.abs());
                }
            }
        }
    }
}

#[test]
fn sessions_in_a_closed_loop_are_a_formula_of_their_lines() {
    let mut sheet = Sheet::new(&[]);
    let at = |key| (Group::Tier, key);
    let is = |value: f64| Given::of(Some(Range::exact(value)), Basis::Described, "given");
    let sessions = sheet.given(at("sessions"), "sessions", "", is(2.0));
    let cpu = sheet.given(at("cpu"), "CPU time", "µs", is(1e6));
    let cpus = sheet.given(at("cpus"), "CPUs", "", is(1.0));
    let elsewhere = sheet.given(at("elsewhere"), "elsewhere", "µs", is(1e6));
    let asked = |question, given| {
        let (sessions, cpu) = (sessions.clone(), Some((cpu.clone(), cpus.clone())));
        let queue = LoopQueue::Cpus;
        Expr::ClosedLoop(Box::new(ClosedLoop { queue, asked: question, sessions, cpu, given }))
    };
    // Alone 1 s at the CPU and 1 s elsewhere; the second one finds half a session there: 2 of 2.5 s.
    let rate = asked(LoopQuestion::Rate, elsewhere.clone());
    let rate = sheet.computed(at("rate"), "rate", "/s", rate);
    assert!((sheet.value(&rate).unwrap() - 0.8).abs() < 1e-9);
    let back = asked(LoopQuestion::Elsewhere, rate.clone());
    let back = sheet.computed(at("back"), "back", "µs", back);
    assert!((sheet.value(&back).unwrap() / 1e6 - 1.0).abs() < 1e-6);
    let least = sheet.computed(at("least"), "least", "/s", rate.at_most(0.5));
    assert_eq!(sheet.value(&least), Some(0.5));
    let unknown = sheet.given(at("unknown"), "unknown", "", Given::of(None, Basis::Described, "-"));
    let none = Expr::ClosedLoop(Box::new(ClosedLoop {
        queue: LoopQueue::Cpus,
        asked: LoopQuestion::Rate,
        sessions: unknown,
        cpu: None,
        given: elsewhere,
    }));
    sheet.computed(at("none"), "none", "/s", none);
    let lines = sheet.finished();
    assert_eq!(
        lines[4].formula,
        "mean value analysis: [1] 2 sessions, [2] 1,000,000 µs on [3] 1 CPUs, [4] 1,000,000 µs elsewhere"
    );
    assert_eq!(lines[6].formula, "the smaller of [5] 0.8 and 0.5");
    assert_eq!((lines[8].value, &lines[8].lacks), (None, &vec!["unknown".to_string()]));
}

#[test]
fn the_queue_of_storage_is_a_formula_of_its_lines() {
    let mut sheet = Sheet::new(&[]);
    let at = |key| (Group::Tier, key);
    let is = |value: f64| Given::of(Some(Range::exact(value)), Basis::Described, "given");
    let sessions = sheet.given(at("sessions"), "sessions", "", is(2.0));
    let alone = sheet.given(at("alone"), "alone", "µs", is(2e6));
    let rate = sheet.given(at("rate"), "rate", "/s", is(0.8));
    let besides = Expr::from(0.0);
    let queue = StorageQueue { sessions: sessions.clone(), alone, besides, rate };
    // Two sessions: 1 s at the queue and 1 s elsewhere make 0.8 of a second.
    let queue = Expr::StorageQueue(Box::new(queue));
    let queue = sheet.computed(at("queue"), "queue", "µs", queue);
    assert!((sheet.value(&queue).unwrap() / 1e6 - 1.0).abs() < 1e-6);
    let again = ClosedLoop {
        queue: LoopQueue::Storage,
        asked: LoopQuestion::Rate,
        sessions,
        cpu: Some((queue, Expr::Number(1.0))),
        given: Expr::Number(1e6),
    };
    let again = Expr::ClosedLoop(Box::new(again));
    let again = sheet.computed(at("again"), "again", "/s", again);
    assert!((sheet.value(&again).unwrap() - 0.8).abs() < 1e-6);
    let lines = sheet.finished();
    assert_eq!(
        lines[3].formula,
        "queue in mean value analysis: [1] 2 sessions, [2] 2,000,000 µs there alone, 0 µs elsewhere, [3] 0.8/s"
    );
    assert!(lines[4].formula.contains("at one queue, 1,000,000 µs elsewhere"));
}
