//! Is that number true? The rules that decide, as a table that other programs can walk.
//!
//! [`rules()`] is the table: each [`Rule`] says which measurements it looks at, the condition under which it fires,
//! what it then says, how much that weighs and why. [`check`] walks the table over a [`Run`] and returns what
//! fired as findings; the caller stores them and calls [`Run::apply_findings`]. The book's page on validity is
//! printed from the same table.
//!
//! Arithmetic comes first: requests in flight are rate times latency, bytes are operations times size, and what
//! was asked is what device and server counted. Whatever breaks one of these was not measured.
//!
//! A figure that is absent fires nothing and passes nothing; where a whole class of cross-checks was impossible,
//! one note says so. Not here: explaining *why* a workload is slow (that is the verdict), or changing a number.

#![forbid(unsafe_code)]

mod above;
mod blind;
mod caching;
mod describe;
mod disturbance;
mod drift;
pub mod durability;
mod evaluate;
mod gaps;
mod loaded;
mod node;
mod part_of;
mod parts;
mod path;
mod plateau;
mod quantity;
mod rule;
mod rules;
mod select;
mod sliver;
mod step;
mod stood_still;
mod structure;

pub use disturbance::{Disturbance, clean};
pub use path::PathFact;
pub use quantity::Quantity;
pub use rule::{About, Group, Over, Rule, Test, When};
pub use rules::rules;
pub use select::{Need, Select};
pub use structure::Structure;

use narrows_model::{Finding, Measurement, Platform, Run};

use evaluate::{Case, Evidence};

/// Every finding that the rules make about a run, the heaviest first, then in the order of measurement.
///
/// Reads only what was measured: the run's own findings, validities and verdicts are not looked at, so a stored
/// run can be judged again.
pub fn check(run: &Run) -> Vec<Finding> {
    let mut found: Vec<(usize, Finding)> = Vec::new();
    for rule in rules() {
        match rule.about {
            // What is found on others comes after all of them.
            About::Measurement(_) if matches!(rule.when, When::PartOf(_)) => {}
            About::Measurement(select) => {
                for (index, measurement, evidence) in hits(rule, &select, run) {
                    found.push((index, finding(rule, Some(measurement), &[evidence])));
                }
            }
            About::Run(select) => {
                let evidence: Vec<_> = hits(rule, &select, run)
                    .map(|(_, m, evidence)| evidence.in_measurement(m))
                    .collect();
                if !evidence.is_empty() {
                    found.push((usize::MAX, finding(rule, None, &evidence)));
                }
            }
            About::Machine => {
                let When::Structure(structure) = rule.when else { continue };
                for (index, places) in structure::bearing::of_run(rule, structure, run) {
                    let measurement = index.map(|index| &run.measurements[index]);
                    let evidence = structure::bearing::evidence(places);
                    let order = index.unwrap_or(usize::MAX);
                    found.push((order, finding(rule, measurement, &evidence)));
                }
            }
            About::Host => {
                if let Some(evidence) = evaluate::host(&rule.when, run) {
                    found.push((usize::MAX, finding(rule, None, &[evidence])));
                }
            }
        }
    }
    for rule in rules() {
        let When::PartOf(severity) = rule.when else { continue };
        for (index, measurement, evidence) in part_of::hits(severity, run, &found) {
            found.push((index, finding(rule, Some(measurement), &[evidence])));
        }
    }
    // A stable sort: within one measurement and severity the table's order stays.
    found.sort_by_key(|(index, finding)| (std::cmp::Reverse(finding.severity), *index));
    found.into_iter().map(|(_, finding)| finding).collect()
}

/// Every finding that the rules make about a machine as it stands, the heaviest first, then in the order of the table.
pub fn check_machine(platform: &Platform) -> Vec<Finding> {
    let about = rules().iter().filter(|rule| matches!(rule.about, About::Machine));
    let mut found: Vec<Finding> = about
        .filter_map(|rule| {
            let When::Structure(structure) = rule.when else { return None };
            let places = structure::bearing::evidence(structure.show(platform));
            (!places.is_empty()).then(|| finding(rule, None, &places))
        })
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}

fn hits<'a>(
    rule: &'a Rule,
    select: &'a Select,
    run: &'a Run,
) -> impl Iterator<Item = (usize, &'a Measurement, Evidence)> {
    run.measurements.iter().enumerate().filter_map(move |(index, measurement)| {
        let case = Case { run, measurement };
        if !select.takes(&case) {
            return None;
        }
        let evidence = evaluate::measurement(&rule.when, &case)?;
        Some((index, measurement, evidence.and(rule.figures, &case)))
    })
}

fn finding(rule: &Rule, measurement: Option<&Measurement>, evidence: &[Evidence]) -> Finding {
    /// A finding about the whole run, or a machine, quotes at most this many measurements, or places.
    const QUOTED: usize = 3;
    let mut text: Vec<String> = evidence.iter().take(QUOTED).map(|e| e.to_string()).collect();
    if evidence.len() > QUOTED {
        text.push(format!("{} more", evidence.len() - QUOTED));
    }
    Finding {
        id: rule.id.to_string(),
        severity: rule.severity,
        measurement: measurement.map(|m| m.id.to_string()),
        summary: rule.summary.to_string(),
        evidence: text.join("; "),
        advice: rule.advice.to_string(),
        places: evidence.iter().flat_map(|evidence| evidence.places().to_vec()).collect(),
    }
}
