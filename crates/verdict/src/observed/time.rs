//! What a transaction's time in statements consists of.

use crate::analysis::Analysis;
use crate::estimate::Estimate;
use crate::session::Part;

/// The parts with their names, largest first; processor time without what lies outside of statements.
pub(crate) fn parts_ns(analysis: &Analysis) -> Option<Vec<(&'static str, Estimate)>> {
    let parts = analysis.parts.as_ref().ok()?;
    let outside_ns = analysis.demand.observed.as_ref()?.outside_ns;
    let inside = parts.parts.iter().filter(|(part, _)| *part != Part::Between);
    let mut all: Vec<(&'static str, Estimate)> = inside
        .map(|(part, ns)| match part {
            Part::Cpu => {
                (part.name(), Estimate { value: (ns.value - outside_ns).max(0.0), half: ns.half })
            }
            _ => (part.name(), *ns),
        })
        .chain([("run queue", parts.run_queue)])
        .filter(|(_, ns)| ns.value > 0.0)
        .collect();
    all.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    Some(all)
}

/// Their sum, ns; `None` where a part is missing or nothing took any time.
pub(crate) fn time_ns(analysis: &Analysis) -> Option<Estimate> {
    let parts = parts_ns(analysis)?;
    Some(Estimate::sum(parts.into_iter().map(|(_, ns)| ns))).filter(|sum| sum.value > 0.0)
}
