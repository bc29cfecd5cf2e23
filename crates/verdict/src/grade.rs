//! How sure a verdict is: CONFIRMED where sum and test agree and the sum was finely checked, LIKELY where the sum agrees or misses by too
//! little to change the name, UNDECIDED else.

use narrows_model::{Bottleneck, Finding, Grade, RuleId, Severity, Sum, SumKind, Validity, metric};

use crate::analysis::Analysis;
use crate::choice::Choice;
use crate::session::TimeComponent;
use crate::test::{Outcome, Tested};
use crate::threshold::{FINELY_CHECKED, MISSED_BY_MUCH, MOSTLY_STOPPED, SATURATED, SMALLEST_RATIO};

/// The grade, and why it is not a better one.
pub(crate) fn grade(
    analysis: &Analysis,
    choice: &Choice,
    sum: Option<&Sum>,
    tested: Option<&Tested>,
) -> (Grade, Vec<String>) {
    let outcome = tested.map(|tested| tested.outcome);
    let mut reasons = choice.withheld.clone();
    let mut doubts = choice.doubts.clone();
    if !analysis.demand.measurement.usable() {
        match proven_by_counters(analysis, choice) {
            true => doubts.push(suspect(analysis)),
            false => reasons.push(suspect(analysis)),
        }
    }
    match sum {
        None => reasons.push("there is no sum to compare with the measured rate".to_string()),
        Some(sum) if !sum.agrees => {
            let off = sum.predicted_per_s / sum.measured_per_s - 1.0;
            let text = format!("the sum differs from the measured rate by {:+.0} %", off * 100.0);
            let clients = choice.part == Some(TimeComponent::Between)
                && analysis.clients_have_most_of_the_round();
            if clients || keeps_its_name(analysis, choice, off) {
                doubts.push(format!(
                    "{text}, and an error of that size would not change the bottleneck"
                ));
            } else {
                reasons.push(format!("{text}; it must agree within 5 %"));
            }
        }
        Some(_) => {}
    }
    if let Err(missing) = &analysis.parts {
        let text = format!("not measured: {}", missing.join(", "));
        // A saturated resource reproduces the rate without the sessions' time.
        if sum.is_some_and(|sum| sum.agrees) {
            let two = choice.or.is_some() || !reasons.is_empty();
            let grade = if two { Grade::Undecided } else { Grade::Likely };
            return (grade, [reasons, doubts, vec![text]].concat());
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
        reasons.extend(doubts);
        return (Grade::Undecided, reasons);
    }
    let doubted = !doubts.is_empty();
    reasons.extend(doubts);
    if choice.or.is_some() {
        // A test that excludes the rival speaks for the other one, but the figures do not, and two names are no answer.
        if outcome == Some(Outcome::Confirms) && !choice.within_session {
            reasons.insert(0, "the test points to the first".to_string());
        }
        return (Grade::Undecided, reasons);
    }
    if doubted {
        return (Grade::Likely, reasons);
    }
    reasons.extend(untested(analysis, outcome));
    reasons.extend(coarsely_checked(analysis, sum));
    (if reasons.is_empty() { Grade::Confirmed } else { Grade::Likely }, reasons)
}

/// Whether an error of that size in the sum, wherever it lies, leaves the narrow place the narrow place.
///
/// Beyond twice the tolerance something is left out, and nobody knows what: then no name is given.
fn keeps_its_name(analysis: &Analysis, choice: &Choice, off: f64) -> bool {
    if off.abs() > MISSED_BY_MUCH || choice.or.is_some() || analysis.account_is_off() {
        return false;
    }
    let rate = analysis.demand.rate();
    let clear_of_rival = choice.rival.as_ref().is_none_or(|rival| {
        rival.rate.value / choice.winner.rate.value > (1.0 + off.abs()) * SMALLEST_RATIO
    });
    let Some(part) = choice.part else {
        return clear_of_rival && choice.winner.is_saturated(rate);
    };
    let Some(parts) = &analysis.unqueued else { return false };
    let error_ns = off.abs() * parts.servers / rate * 1e9;
    let second_ns = parts.by_size().into_iter().filter(|(other, _)| *other != part);
    let second_ns = second_ns.map(|(_, ns)| ns.value).fold(0.0, f64::max);
    clear_of_rival && parts.ns(part) - error_ns > second_ns + error_ns
}

/// Whether the narrow place is proven by counters of the kernel's, and what is wrong with the measurement is only that sessions were
/// looked at too seldom, or that the rate changed, or differs between repeats, while the limit was used up in each of them: an
/// operation came to need less of it, or more, as a cache filled or its neighbours changed.
fn proven_by_counters(analysis: &Analysis, choice: &Choice) -> bool {
    let measurement = analysis.demand.measurement;
    let (counter, full) = match choice.winner.narrow {
        Bottleneck::IoLimit => (metric::IO_LIMIT_SHARE, SATURATED),
        Bottleneck::CpuQuota => (metric::THROTTLED_SHARE, MOSTLY_STOPPED),
        _ => return false,
    };
    let quota = choice.winner.narrow == Bottleneck::CpuQuota;
    let stopped = analysis.demand.cpu.throttled_share.is_some_and(|share| share > MOSTLY_STOPPED);
    if quota && !stopped || !choice.winner.is_saturated(analysis.demand.rate()) {
        return false;
    }
    let in_each = measurement.metric(counter).is_some_and(|counted| {
        !counted.samples.is_empty() && counted.samples.iter().all(|share| *share >= full)
    });
    let about = |f: &&Finding| f.measurement.as_deref() == Some(measurement.id.as_str());
    let found = analysis.run.findings.iter().filter(about);
    let suspect: Vec<_> = found.filter(|f| f.severity == Severity::Suspect).collect();
    let bears = |finding: &&Finding| match finding.id.as_str() {
        id if RuleId::OBSERVED_FEW_SAMPLES.is(id) => true,
        id if RuleId::NOT_STEADY.is(id) || RuleId::WIDE_SPREAD.is(id) => in_each,
        _ => false,
    };
    measurement.validity == Validity::Suspect && !suspect.is_empty() && suspect.iter().all(bears)
}

/// What of a sum that agrees keeps a verdict from being CONFIRMED.
fn coarsely_checked(analysis: &Analysis, sum: Option<&Sum>) -> Option<String> {
    let sum =
        sum.filter(|sum| sum.kind == SumKind::Session && analysis.demand.observed.is_none())?;
    match sum.checked_to {
        Some(share) if share <= FINELY_CHECKED => None,
        Some(share) => Some(format!(
            "the sum is checked to ± {:.0} % only: the verdict rests on its test",
            share * 100.0
        )),
        None => Some("nothing but the sum was checked against it".to_string()),
    }
}

/// What keeps a verdict whose sum agrees from being CONFIRMED.
fn untested(analysis: &Analysis, outcome: Option<Outcome>) -> Vec<String> {
    let mut reasons = Vec::new();
    if analysis.run.plan.quick {
        reasons.push("--quick makes no tests".to_string());
    }
    match outcome {
        None if analysis.demand.observed.is_some() => {
            reasons.push("observed only: no change was made to test it".to_string());
        }
        None => reasons.push("not tested".to_string()),
        Some(Outcome::Unclear) => {
            reasons.push("the test's interval does not exclude the next candidate".to_string());
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
