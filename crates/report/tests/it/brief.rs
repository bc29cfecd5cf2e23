//! Ten lines of each kind of run.

use crate::common::{self, brief};
use crate::hostile::runs;

#[test]
fn ten_lines_are_never_more_and_none_is_wider_than_the_screen() {
    for (name, run) in runs() {
        for width in [80, 100] {
            let text = brief(&run, width);
            let lines: Vec<&str> = text.lines().collect();
            assert!((3..=10).contains(&lines.len()), "{name}, {width}:\n{text}");
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{name}:\n{text}");
            assert!(lines[0].contains("narrows 1.0.0"), "{name}: {text}");
            let last = format!("The whole screen: narrows report {}", run.id);
            assert_eq!(lines.last(), Some(&last.as_str()), "{name}");
        }
    }
}

#[test]
fn each_workload_has_a_line_with_rate_grade_and_bottleneck() {
    let text = brief(&common::rich(), 100);
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().to_string();
    for (name, rate, grade, phrase) in [
        ("lookup, cached", "1.52M tps", "CONFIRMED", "CPU, 97 % busy (server has"),
        ("update, durable", "152k tps", "CONFIRMED", "COMMIT WAIT; CPU 24 %"),
        ("scan, 16 workers", "6.90 GB/s", "LIKELY", "WORKERS, 92 % on CPU"),
    ] {
        let line = line(name);
        assert!([rate, grade, phrase].iter().all(|part| line.contains(part)), "{line}\n{text}");
    }
    assert!(text.lines().nth(1).unwrap().starts_with("RESULT  "), "{text}");
    assert!(line("WHAT TO DO").contains("1  "), "{text}");
    // What must not be overlooked is in the first line.
    let quick = brief(&common::quick(), 80);
    assert!(quick.lines().next().unwrap().contains("quick: 3 repeats"), "{quick}");
}

#[test]
fn without_a_server_the_figures_of_most_weight_have_a_line_each() {
    let text = brief(&common::without_database(), 100);
    for part in ["memory read, node 0", "388 GB/s", "block random read 8 KiB", "WAL flush 8 KiB"] {
        assert!(text.contains(part), "no `{part}`:\n{text}");
    }
    let answer = brief(&common::storage::calibrated(), 100);
    assert!(answer.contains("62.2k/s of 8 KiB random reads keep p99 within 1 ms"), "{answer}");
    let log = brief(&common::live::looked(), 100);
    assert!(log.contains("RESULT  Commits on the observed server: WAL flushes"), "{log}");
    assert!(log.contains("WHAT TO DO  1  a log device with shorter flushes"), "{log}");
}
