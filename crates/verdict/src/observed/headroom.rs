//! Which end of an observed server is nearest.

use narrows_model::{Bottleneck, Headroom};

use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate};
use crate::observed::Observed;

/// The lowest bound that is a resource's end: sessions are none, for more can come.
pub(crate) fn nearest<'a>(analysis: &'a Analysis) -> Option<&'a Candidate> {
    let is_end =
        |bound: &&Candidate| !matches!(bound.place, BoundLaw::Session | BoundLaw::ReadsInFlight);
    analysis.bounds().into_iter().find(is_end)
}

/// The same with how far it is.
pub(super) fn headroom(analysis: &Analysis) -> Option<Headroom> {
    let rate = analysis.demand.rate();
    nearest(analysis).map(|bound| {
        let factor = bound.rate.value / rate;
        Headroom {
            resource: bound.narrow,
            label: bound.label.clone(),
            utilisation: bound.utilisation(rate),
            factor_at_most: without_growth(analysis, bound).map_or(factor, |more| more.max(factor)),
            interval_95: bound
                .rate
                .over(analysis.demand.throughput)
                .and_then(|ratio| ratio.interval()),
            provenance: bound.provenance,
        }
    })
}

/// How far the CPUs are if what may be others' does not grow with the rate; `None` for any other end, and where all is known.
fn without_growth(analysis: &Analysis, bound: &Candidate) -> Option<f64> {
    let processes = analysis.demand.observed.as_ref().and_then(Observed::processes)?;
    let unattributed = processes.unattributed_cpus.filter(|cpus| *cpus > 0.0)?;
    let own = processes.cpus();
    let left = bound.capacity.value - unattributed;
    (bound.narrow == Bottleneck::Cpu && own > 0.0).then_some(left / own)
}
