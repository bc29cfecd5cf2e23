//! Which end of an observed server is nearest.

use narrows_model::Headroom;

use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate};

/// The lowest bound that is a resource's end: sessions are none, for more can come.
pub(crate) fn nearest<'a>(analysis: &'a Analysis) -> Option<&'a Candidate> {
    let is_end =
        |bound: &&Candidate| !matches!(bound.place, BoundLaw::Session | BoundLaw::ReadsInFlight);
    analysis.bounds().into_iter().find(is_end)
}

/// The same with how far it is.
pub(super) fn headroom(analysis: &Analysis) -> Option<Headroom> {
    let rate = analysis.demand.rate();
    nearest(analysis).map(|bound| Headroom {
        resource: bound.narrow,
        label: bound.label.clone(),
        utilisation: bound.utilisation(rate),
        factor_at_most: bound.rate.value / rate,
        interval_95: bound.rate.over(analysis.demand.throughput).and_then(|ratio| ratio.interval()),
        provenance: bound.provenance,
    })
}
