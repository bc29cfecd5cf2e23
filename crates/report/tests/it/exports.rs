//! CSV, JSON and Markdown.

use crate::common;
use narrows_model::Run;
use narrows_report::{Report, Units, csv, json, markdown};

/// A reader of RFC 4180, written apart from the writer.
fn read_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted => {}
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    assert!(!quoted, "a quote is open at the end");
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line ends");
    rows
}

#[test]
fn every_metric_is_one_row_of_eleven_columns() {
    for run in [common::rich(), common::quick(), common::hostile()] {
        let rows = read_csv(&csv(&Report::new(&run, Units::Si)));
        let metrics = run.measurements.iter().map(|m| m.metrics.len()).sum::<usize>();
        let words = 2 * run.verdicts.len() + run.findings.len();
        assert_eq!(rows.len(), 1 + words + metrics);
        assert!(rows.iter().all(|row| row.len() == 11));
        let mut row = rows.iter().skip(1 + words);
        for m in &run.measurements {
            for metric in &m.metrics {
                let row = row.next().unwrap();
                assert_eq!(row[0], narrows_units::shown(&m.id));
                assert_eq!(row[3], metric.name);
                assert_eq!(row[5].parse::<f64>().unwrap(), metric.value, "unrounded");
                assert_eq!(row[6].is_empty(), metric.interval_95.is_none());
                assert_eq!(row[8], metric.samples.len().to_string());
                let samples: Vec<f64> = row[9].split(' ').map(|s| s.parse().unwrap()).collect();
                assert_eq!(samples, metric.samples);
            }
        }
    }
}

#[test]
fn verdicts_and_findings_have_rows_of_words() {
    for run in [common::rich(), common::doubtful()] {
        let rows = read_csv(&csv(&Report::new(&run, Units::Si)));
        let of = |name: &str| -> Vec<&Vec<String>> {
            rows.iter().filter(|row| row[3] == name).collect()
        };
        let (verdicts, grades, findings) = (of("verdict"), of("grade"), of("finding"));
        assert!(!verdicts.is_empty() && verdicts.len() == run.verdicts.len());
        for ((row, grade), verdict) in verdicts.iter().zip(&grades).zip(&run.verdicts) {
            assert_eq!(
                (row[0].as_str(), row[1].as_str()),
                (verdict.measurement.as_str(), "database")
            );
            assert_eq!(row[10], verdict.phrase);
            assert!(
                ["CONFIRMED", "LIKELY", "UNDECIDED"].contains(&grade[10].as_str()),
                "{grade:?}"
            );
        }
        assert_eq!(findings.len(), run.findings.len());
        for (row, finding) in findings.iter().zip(&run.findings) {
            assert!(
                row[10].starts_with(&format!("{}: {}", finding.id, finding.summary)),
                "{row:?}"
            );
            assert!(["note", "suspect", "invalid"].contains(&row[2].as_str()), "{row:?}");
        }
    }
}

#[test]
fn validity_stands_beside_every_figure() {
    let rows = read_csv(&csv(&Report::new(&common::doubtful(), Units::Si)));
    let row =
        rows.iter().find(|r| r[0] == "block.read.random.8k.knee" && r[4] == "ops_per_s").unwrap();
    assert_eq!(row[2], "invalid");
}

#[test]
fn json_is_the_run_file() {
    let run = common::doubtful();
    assert!(Run::from_json(&json(&Report::new(&run, Units::Iec))).unwrap() == run);
}

#[test]
fn markdown_tables_keep_their_columns() {
    insta::assert_snapshot!("markdown", markdown(&Report::new(&common::rich(), Units::Si)));
    for run in [common::rich(), common::hostile()] {
        let text = markdown(&Report::new(&run, Units::Si));
        let mut columns = None;
        for line in text.lines() {
            if !line.starts_with('|') {
                columns = None;
                continue;
            }
            let bars = line.replace("\\|", "").matches('|').count();
            assert_eq!(*columns.get_or_insert(bars), bars, "{line}");
        }
        assert!(!text.contains("<script"));
    }
}
