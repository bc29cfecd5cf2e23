//! What a change would allow at most: the same bounds with what the change changes, and nothing that the law doesn't support.
//!
//! A change alters capacities (drives twice as fast give twice the reads per second), demands (fewer reads) and parts of the
//! session's time (a read takes half as long). The lowest bound of what comes out is the answer, and what it belongs to is what
//! binds then. How queues shrink isn't predicted: the rate is "at most", the time "at least". Where the verdict's own sum does
//! not agree the law doesn't describe the server, and there is no answer.
//!
//! Pure: from the run file, and for another log from that log's run file.

mod amount;
mod apply;
mod error;
mod processors;
mod scenario;

use narrows_model::{Run, Validity, WhatIf, WhatIfThen};

use crate::Workload;
use crate::analysis::Analysis;
use crate::bound::Candidate;
use crate::demand::Demand;
use crate::judge::sum;
use crate::observed;
use crate::session::TimeComponent;

pub use amount::Amount;
pub use error::WhatIfError;
pub use scenario::{LogChange, Scenario};

use apply::Changed;

/// The answers for every database workload of a run that is not invalid, by the ids of their measurements.
///
/// `log` is the run that [`Scenario::log_run`] names.
pub fn what_if(run: &Run, scenario: &Scenario, log: Option<&Run>) -> Vec<(String, WhatIf)> {
    let measured = Workload::ALL
        .into_iter()
        .filter_map(|workload| Some((workload, run.measurement(workload.measurement_id())?)))
        .filter(|(_, m)| m.validity != Validity::Invalid);
    measured
        .map(|(workload, m)| {
            let answer = match Demand::read(m, workload) {
                Ok(demand) => of(&Analysis::of(run, demand), scenario, log),
                Err(missing) => refused(scenario, 0.0, vec![missing.to_string()]),
            };
            (m.id.to_string(), answer)
        })
        .collect()
}

fn refused(scenario: &Scenario, now_at_most_per_s: f64, refused: Vec<String>) -> WhatIf {
    WhatIf {
        changes: scenario.words().to_vec(),
        now_at_most_per_s,
        then: None,
        refused,
        assumed: Vec::new(),
    }
}

fn of(analysis: &Analysis, scenario: &Scenario, log: Option<&Run>) -> WhatIf {
    let now = analysis.bounds().first().map_or(0.0, |bound| bound.rate.value);
    let against = unsupported(analysis);
    if !against.is_empty() {
        return refused(scenario, now, against);
    }
    let changed = match Changed::of(analysis, scenario, log) {
        Ok(changed) => changed,
        Err(why) => return refused(scenario, now, vec![why]),
    };
    let Some(binds) = changed.lowest() else {
        return refused(scenario, now, vec!["no known limit would remain".to_string()]);
    };
    let mut assumed = changed.assumed.clone();
    if changed.untouched && assumed.is_empty() && !scenario.words().is_empty() {
        assumed.push("this workload is not known to use it, so it changes nothing".into());
    }
    assumed.extend(unknown(analysis));
    WhatIf {
        changes: scenario.words().to_vec(),
        now_at_most_per_s: now,
        then: Some(then(analysis, &changed, binds, now)),
        refused: Vec::new(),
        assumed,
    }
}

fn then(analysis: &Analysis, changed: &Changed, binds: &Candidate, now: f64) -> WhatIfThen {
    let rate = analysis.demand.rate();
    let at_most_per_s = binds.rate.value;
    let gain = at_most_per_s / rate - 1.0;
    WhatIfThen {
        at_most_per_s,
        interval_95: binds.rate.interval(),
        // A bound that is a little below the rate is within its doubt, and no change for the worse.
        // What is left to the bound of now is no gain of a change that touches nothing.
        gain_at_most: match changed.untouched {
            true => 0.0,
            false if at_most_per_s >= now => gain.max(0.0),
            false => gain,
        },
        binds: binds.narrow,
        label: binds.label.clone(),
        time_at_least_ns: time_at_least(analysis, changed, at_most_per_s),
        time_at_most_ns: time_at_most(analysis, changed),
    }
}

/// Without queues, and in a closed loop never shorter than the sessions need for that rate.
fn time_at_least(analysis: &Analysis, changed: &Changed, at_most_per_s: f64) -> Option<f64> {
    if analysis.demand.workload.is_scan() {
        return None;
    }
    let parts = changed.parts.as_ref()?;
    let pause_ns = parts.ns(TimeComponent::Pause);
    let own_ns = parts.residence().value - parts.ns(TimeComponent::Between) - pause_ns;
    if let Some(observed) = &analysis.demand.observed {
        return Some((own_ns - observed.outside_cpu_ns()).max(0.0));
    }
    Some(own_ns.max(parts.servers / at_most_per_s * 1e9 - pause_ns))
}

/// At the rate of now, for who doesn't choose it.
fn time_at_most(analysis: &Analysis, changed: &Changed) -> Option<f64> {
    analysis.demand.observed.as_ref()?;
    let now_ns = observed::time_ns(analysis)?.value;
    let (before, after) = (analysis.parts.as_ref().ok()?, changed.queued.as_ref()?);
    let less_ns = before.residence().value - after.residence().value;
    (changed.only_less && less_ns >= 0.0).then_some((now_ns - less_ns).max(0.0))
}

/// Why the law says nothing here.
fn unsupported(analysis: &Analysis) -> Vec<String> {
    let Some(choice) = &analysis.choice else {
        return vec!["no bound is known".to_string()];
    };
    let mut against = choice.withheld.clone();
    if !analysis.demand.measurement.usable() {
        against.push("the measurement is suspect".to_string());
    }
    match sum(analysis, choice) {
        Some(sum) if sum.agrees => {}
        Some(sum) => against.push(format!(
            "the sum differs from the measured rate by {:+.0} %, so the law does not describe it",
            (sum.predicted_per_s / sum.measured_per_s - 1.0) * 100.0
        )),
        None => against.push("there is no sum that reproduces the rate".to_string()),
    }
    against
}

/// What may bind earlier without anybody knowing.
fn unknown(analysis: &Analysis) -> Option<String> {
    let mut labels: Vec<&str> =
        analysis.capacities.unknown.iter().map(|(_, label)| label.as_str()).collect();
    labels.dedup();
    let mut text = labels.join(", ");
    if let Err(missing) = &analysis.parts {
        text = [text, format!("the sessions' time ({})", missing.join(", "))].join(", ");
    }
    let text = text.trim_start_matches(", ");
    (!text.is_empty()).then(|| format!("unknown, and possibly the earlier limit: {text}"))
}
