//! Says when a class of cross-checks could not be made at all: absence of a finding must not read as a pass.

use narrows_model::{Measurement, Metric, Run, metric};

use crate::evaluate::{Case, Evidence, has};
use crate::path;
use crate::quantity::words;
use crate::select::Select;

/// What the drives under a path count: of two paths one may have drives that can be seen, and the other none.
const OF_A_PATH: [Metric; 2] = [metric::DEVICE_READ_BYTES, metric::DEVICE_WRITE_BYTES];

/// Fires when no measurement of the class that was asked something (`have`) has a figure that would check it
/// (`lack`). One that has is enough: the rules then judge that one, and the others show in its place by name. Where drives count,
/// that goes for each path.
pub(crate) fn evidence(
    run: &Run,
    of: &Select,
    have: &[Metric],
    lack: &[Metric],
) -> Option<Evidence> {
    let class = run
        .measurements
        .iter()
        .filter(|m| of.takes(&Case { run, measurement: m }))
        .filter(|m| have.is_empty() || have.iter().any(|metric| has(m, *metric)));
    let by_path = lack.iter().any(|metric| OF_A_PATH.contains(metric));
    let mut places: Vec<(Option<&str>, Vec<&Measurement>)> = Vec::new();
    for measurement in class {
        let case = Case { run, measurement };
        let place = path::of(&case).filter(|_| by_path).map(|path| path.path.as_str());
        match places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, all)) => all.push(measurement),
            None => places.push((place, vec![measurement])),
        }
    }
    let checked = |m: &&Measurement| lack.iter().any(|metric| has(m, *metric));
    let several = places.len() > 1;
    let unchecked: Vec<String> = places
        .iter()
        .filter(|(_, all)| !all.iter().any(checked))
        .map(|(place, all)| {
            let place = place.filter(|_| several).map_or_else(String::new, |p| format!(" in {p}"));
            format!("{} measurements{place}", all.len())
        })
        .collect();
    let names: Vec<String> = lack.iter().map(|metric| words(*metric)).collect();
    (!unchecked.is_empty())
        .then(|| Evidence::new(format!("no {} in {}", names.join(" or "), unchecked.join(" and "))))
}
