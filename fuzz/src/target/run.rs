//! A run file, of this version, of an old one, or of nobody's: its report in each form, as it is and judged anew.

use narrows_model::Run;
use narrows_report::{Report, Units};

use super::text;
use crate::property;

/// Reads it and reports it.
pub fn check(data: &[u8]) {
    let mut run = match Run::from_json(&text(data)) {
        Ok(run) => run,
        Err(error) => return property::told(&error.to_string(), ""),
    };
    rendered(&run);
    judged(&mut run);
    rendered(&run);
    let stored = run.to_json();
    if let Err(error) = Run::from_json(&stored) {
        panic!("what was stored can't be read: {error}");
    }
}

fn rendered(run: &Run) {
    for units in [Units::Si, Units::Iec] {
        let report = Report::new(run, units);
        property::harmless(&narrows_report::text(&report, 100, false));
        let _ = narrows_report::markdown(&report);
    }
    let report = Report::new(run, Units::Si);
    let _ = (narrows_report::csv(&report), narrows_report::json(&report));
    assert!(narrows_report::html(&report).contains("</html>"), "the page has no end");
}

/// As `narrows report --rejudge` does.
fn judged(run: &mut Run) {
    narrows_limits::attach(run);
    run.findings.retain(|finding| finding.id.starts_with("absent-"));
    run.findings.extend(narrows_validity::check(run));
    run.apply_findings();
    run.verdicts = narrows_verdict::judge(run);
    run.durability = narrows_validity::durability::of_run(run);
    for log in &mut run.live_logs {
        log.verdict = Some(narrows_verdict::live(log));
    }
    run.comparison = narrows_verdict::compare::compare(run, &run.durability);
}
