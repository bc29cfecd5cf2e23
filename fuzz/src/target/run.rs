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
    // As `narrows report --rejudge` does; judged twice it is what it was.
    narrows_judge::judge(&mut run);
    let once = run.to_json();
    narrows_judge::judge(&mut run);
    assert!(run.to_json() == once, "judging again changes the run");
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
