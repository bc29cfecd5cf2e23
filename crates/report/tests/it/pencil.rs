//! The sums on the screen, checked the way a reader would: from the printed figures alone.

use crate::common;
use narrows_model::{SumKind, SumTerm};

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

fn unit_ns(unit: &str) -> f64 {
    match unit {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        other => panic!("unit {other}"),
    }
}

/// `1.57M/s` as operations per second.
fn rate(text: &str) -> f64 {
    let text = text.trim();
    let at = text.find(|c: char| c.is_alphabetic() || c == '/').expect("a number and a unit");
    let (digits, unit) = text.split_at(at);
    let scale = match unit {
        "/s" => 1.0,
        "k/s" => 1e3,
        "M/s" => 1e6,
        other => panic!("unit {other}"),
    };
    number(digits) * scale
}

/// Follows `128 sessions / (CPU 96 + read 131 = 227 µs) = 564k/s` and fails where it does not hold.
fn check(line: &str) {
    let expression = line.split(';').next().unwrap().trim();
    let labels = ["sum", "use"].into_iter();
    let expression = labels
        .filter_map(|label| expression.strip_prefix(label))
        .next()
        .unwrap_or(expression)
        .trim();
    let (servers, rest) = expression.split_once(" / ").expect("a division");
    let (time, result) = rest.rsplit_once(" = ").expect("a result");
    let servers = number(servers.split(' ').next().unwrap());
    let total_ns = match time.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inside) => {
            let (terms, total) = inside.split_once(" = ").expect("a total");
            let mut words = terms.split(' ').peekable();
            let mut sign = 1.0;
            let mut steps = 0.0;
            for word in &mut words {
                match word {
                    "+" => sign = 1.0,
                    "-" => sign = -1.0,
                    word => {
                        if let Ok(value) = word.parse::<f64>() {
                            steps += sign * value;
                        }
                    }
                }
            }
            let (total, unit) = total.split_once(' ').expect("a unit");
            // To the last printed digit: the terms are apportioned.
            assert!((steps - number(total)).abs() < 1e-6, "{line}: parts give {steps}");
            number(total) * unit_ns(unit)
        }
        None => {
            let mut words: Vec<&str> = time.split(' ').collect();
            let unit = words.pop().unwrap();
            number(words.pop().unwrap()) * unit_ns(unit)
        }
    };
    let pencil = servers * 1e9 / total_ns;
    let printed = rate(result);
    // Three figures on both sides: half a unit in the third place each.
    assert!((pencil / printed - 1.0).abs() <= 0.0105, "{line}: the pencil gives {pencil}");
}

/// The lines of sums and of full resources, continuation lines joined.
fn sums(screen: &str) -> Vec<String> {
    let mut sums: Vec<String> = Vec::new();
    let mut open = false;
    for line in screen.lines() {
        if line.starts_with("   sum") || line.starts_with("   use") {
            sums.push(line.trim().to_string());
            open = true;
        } else if open && line.starts_with("         ") {
            let last = sums.last_mut().unwrap();
            *last = format!("{last} {}", line.trim());
        } else {
            open = false;
        }
    }
    sums
}

#[test]
fn the_rich_screen_adds_up() {
    let screen = common::explained(&common::rich());
    let sums = sums(&screen);
    assert_eq!(sums.len(), 3, "{screen}");
    for sum in sums {
        check(&sum);
    }
}

#[test]
#[should_panic(expected = "parts give")]
fn the_check_notices_a_sum_that_is_off_by_one() {
    check("sum   128 sessions / (CPU 96 + read 131 + other 33 = 261 µs) = 490k/s");
}

#[test]
#[should_panic(expected = "the pencil gives")]
fn the_check_notices_a_wrong_rate() {
    check("sum   128 sessions / (CPU 96 + read 131 + other 33 = 260 µs) = 500k/s");
}

proptest::proptest! {
    #[test]
    fn any_sum_adds_up(
        terms in proptest::collection::vec(0.0f64..3e7, 1..8),
        negative in -2_000.0f64..0.0,
        sessions in 1u32..2000,
    ) {
        proptest::prop_assume!(terms.iter().sum::<f64>() > 5_000.0);
        // Building the fixture's histograms for every case would take most of the time.
        static RICH: std::sync::OnceLock<narrows_model::Run> = std::sync::OnceLock::new();
        let mut run = RICH.get_or_init(|| {
            let mut run = common::rich();
            run.measurements.iter_mut().for_each(|m| m.histograms.clear());
            run
        }).clone();
        let v = &mut run.verdicts[1];
        let sum = v.sum.as_mut().unwrap();
        sum.kind = SumKind::Session;
        sum.servers = f64::from(sessions);
        sum.terms = terms
            .iter()
            .chain([&negative])
            .map(|ns| SumTerm { name: "run queue".into(), ns_per_op: *ns })
            .collect();
        let total: f64 = sum.terms.iter().map(|t| t.ns_per_op).sum();
        sum.predicted_per_s = sum.servers * 1e9 / total;
        sum.measured_per_s = sum.predicted_per_s;
        let screen = common::explained(&run);
        check(&sums(&screen)[1]);
    }
}

#[test]
fn think_time_is_part_of_the_sum() {
    let mut run = common::rich();
    let v = &mut run.verdicts[1];
    v.operating_point.think_ns = 1e6;
    let screen = common::explained(&run);
    let sum = sums(&screen).remove(1);
    assert!(sum.contains("think 1000"), "{sum}");
    check(&sum);
}

#[test]
fn a_sum_that_misses_the_measured_rate_says_so() {
    let mut run = common::rich();
    let sum = run.verdicts[2].sum.as_mut().unwrap();
    sum.measured_per_s = 90_000.0;
    sum.agrees = false;
    let screen = common::explained(&run);
    let line = sums(&screen).remove(2);
    assert!(line.contains("does not agree with the measured 90.0k/s"), "{line}");
}

#[test]
fn a_stored_prediction_that_does_not_follow_from_its_terms_is_exposed() {
    let mut run = common::rich();
    run.verdicts[2].sum.as_mut().unwrap().predicted_per_s = 200_000.0;
    let screen = common::explained(&run);
    let line = sums(&screen).remove(2);
    assert!(line.contains("the run file's sum gives 200k/s"), "{line}");
    check(&line);
}

#[test]
fn the_ladder_is_named_as_measured() {
    let mut run = common::rich();
    let sum = run.verdicts[2].sum.as_mut().unwrap();
    sum.kind = SumKind::Batch;
    sum.terms.clear();
    let screen = common::explained(&run);
    assert!(screen.contains("measured ladder at 128 committers: 152k/s"), "{screen}");
}
