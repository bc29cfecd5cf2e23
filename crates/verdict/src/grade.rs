//! How sure a verdict is: SURE where sum and test agree, LIKELY where the sum does, OPEN else.

use narrows_model::{Grade, Sum};

use crate::analysis::Analysis;
use crate::narrow::Choice;
use crate::test::{Outcome, Tested};

/// The grade, and why it is not a better one.
pub(crate) fn grade(
    analysis: &Analysis,
    choice: &Choice,
    sum: Option<&Sum>,
    tested: Option<&Tested>,
) -> (Grade, Vec<String>) {
    let outcome = tested.map(|tested| tested.outcome);
    let mut reasons = choice.withheld.clone();
    if !analysis.demand.measurement.usable() {
        reasons.push(suspect(analysis));
    }
    match sum {
        None => reasons.push("there is no sum to compare with the measured rate".to_string()),
        Some(sum) if !sum.agrees => reasons.push(format!(
            "the sum differs from the measured rate by {:+.0} %; it must agree within 5 %",
            (sum.predicted_per_s / sum.measured_per_s - 1.0) * 100.0
        )),
        Some(_) => {}
    }
    if let Err(missing) = &analysis.parts {
        let text = format!("not measured: {}", missing.join(", "));
        // A saturated resource reproduces the rate without the sessions' time.
        if sum.is_some_and(|sum| sum.agrees) {
            return (Grade::Likely.min(cap(&reasons)), [reasons, vec![text]].concat());
        }
        reasons.push(text);
    }
    if let (Some(Outcome::Contradicts), Some(tested)) = (outcome, tested) {
        reasons.push(format!(
            "the test contradicts it: {} gave {:+.0} %, predicted were {:+.0} to {:+.0} %",
            tested.record.intervention,
            tested.record.effect * 100.0,
            tested.record.expected_low * 100.0,
            tested.record.expected_high * 100.0
        ));
    }
    if !reasons.is_empty() {
        reasons.extend(choice.doubts.iter().cloned());
        return (Grade::Open, reasons);
    }
    reasons.extend(choice.doubts.iter().cloned());
    if choice.or.is_some() {
        // A test that excludes the rival speaks for the other one, but the figures do not, and two names are no answer.
        if outcome == Some(Outcome::Confirms) && !choice.within_session {
            reasons.insert(0, "the test speaks for the first".to_string());
        }
        return (Grade::Open, reasons);
    }
    if !choice.doubts.is_empty() {
        return (Grade::Likely, reasons);
    }
    reasons.extend(untested(analysis, outcome));
    (if reasons.is_empty() { Grade::Sure } else { Grade::Likely }, reasons)
}

fn cap(reasons: &[String]) -> Grade {
    if reasons.is_empty() { Grade::Likely } else { Grade::Open }
}

/// What keeps a verdict whose sum agrees from being SURE.
fn untested(analysis: &Analysis, outcome: Option<Outcome>) -> Vec<String> {
    let mut reasons = Vec::new();
    if analysis.run.plan.quick {
        reasons.push("a quick run is a sketch".to_string());
    }
    match outcome {
        None if analysis.demand.observed.is_some() => {
            reasons.push("only looked at: no change was made to test it".to_string());
        }
        None => reasons.push("not tested".to_string()),
        Some(Outcome::Unclear) => {
            reasons.push(
                "the test's interval does not exclude what the next candidate would give"
                    .to_string(),
            );
        }
        Some(Outcome::Confirms | Outcome::Contradicts) => {}
    }
    reasons
}

fn suspect(analysis: &Analysis) -> String {
    let findings = &analysis.demand.measurement.findings;
    if findings.is_empty() {
        "the measurement is suspect".to_string()
    } else {
        format!("the measurement is suspect: {}", findings.join(", "))
    }
}
