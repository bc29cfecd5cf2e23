//! What a transaction's time in statements consists of.

use super::Observed;
use crate::analysis::Analysis;
use crate::estimate::Estimate;
use crate::session::TimeComponent;

/// The parts with their names, largest first; processor time and run queue without what lies outside of statements.
pub(crate) fn parts_ns(analysis: &Analysis) -> Option<Vec<(&'static str, Estimate)>> {
    let parts = analysis.parts.as_ref().ok()?;
    let observed = analysis.demand.observed.as_ref()?;
    let cpu =
        parts.parts.iter().find(|(part, _)| *part == TimeComponent::Cpu).map(|(_, ns)| *ns)?;
    let (cpu, run_queue) = inside(observed, cpu, parts.run_queue);
    let waits = parts
        .parts
        .iter()
        .filter(|(part, _)| !matches!(part, TimeComponent::Between | TimeComponent::Cpu));
    let mut all: Vec<(&'static str, Estimate)> = waits
        .map(|(part, ns)| (part.name(), *ns))
        .chain([(TimeComponent::Cpu.name(), cpu), ("run queue", run_queue)])
        .filter(|(_, ns)| ns.value > 0.0)
        .collect();
    all.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    Some(all)
}

/// Processor time and run queue in statements. What is taken off one and more than it has goes off the other, so that the sum
/// is what it has to be also where nobody knows how much of it is which.
fn inside(observed: &Observed, cpu: Estimate, run_queue: Estimate) -> (Estimate, Estimate) {
    let cpu_ns = cpu.value - observed.outside_cpu_ns();
    let queue_ns = run_queue.value - (observed.outside_ns - observed.outside_cpu_ns());
    let left = |own: f64, other: f64| (own + other.min(0.0)).max(0.0);
    (
        Estimate { value: left(cpu_ns, queue_ns), half: cpu.half },
        Estimate { value: left(queue_ns, cpu_ns), half: run_queue.half },
    )
}

/// Their sum, ns; `None` where a part is missing. It is nothing where all that was sampled seems to lie outside of statements, as it can
/// be beside long waits for clients.
pub(super) fn summed_ns(analysis: &Analysis) -> Option<Estimate> {
    Some(Estimate::sum(parts_ns(analysis)?.into_iter().map(|(_, ns)| ns)))
}

/// The same; `None` where nothing took any time.
pub(crate) fn time_ns(analysis: &Analysis) -> Option<Estimate> {
    summed_ns(analysis).filter(|sum| sum.value > 0.0)
}
