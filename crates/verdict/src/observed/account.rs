//! The sum of an observed transaction's time, held against an account of it that was kept otherwise.

use narrows_model::{Sum, SumKind, SumTerm, TimeAccount};

use super::Observed;
use super::time::{parts_ns, summed_ns};
use crate::analysis::Analysis;
use crate::estimate::Estimate;
use crate::session::{TimeComponent, agrees};

impl Observed<'_> {
    /// The time of a transaction in statements, workers included, ns, by an account other than the sum's; `None` where there
    /// is none.
    pub fn account(&self, rate: &Estimate) -> Option<(Estimate, TimeAccount)> {
        let workers = self.workers_ns.unwrap_or(Estimate::exact(0.0));
        if let Some(active) = self.active_ns {
            return Some((Estimate::sum([active, workers].into_iter()), TimeAccount::Server));
        }
        // From afar every part comes from the same samples, and their sum is what they add up to.
        let at_work = self.at_work.filter(|_| !self.from_afar)?;
        let in_statements = at_work.over(*rate)?.times(1e9);
        Some((Estimate::sum([in_statements, workers].into_iter()), TimeAccount::Samples))
    }
}

/// Sessions at work by that account over the summed time of a transaction: the rate that they should have. Where the server
/// waits for its clients it is all sessions that take part over all of their way round, of which the account leaves the rest to the clients.
pub(crate) fn sum(analysis: &Analysis) -> Option<Sum> {
    let demand = &analysis.demand;
    let observed = demand.observed.as_ref()?;
    let (account, _) = observed.account(&demand.throughput)?;
    let mut total_ns = summed_ns(analysis)?.value;
    let measured_per_s = demand.rate();
    let mut servers = account.value * 1e-9 * measured_per_s;
    let mut terms: Vec<SumTerm> = parts_ns(analysis)?
        .into_iter()
        .map(|(name, ns)| SumTerm { name: name.to_string(), ns_per_op: ns.value })
        .collect();
    if analysis.choice.as_ref().is_some_and(|choice| choice.part == Some(TimeComponent::Between)) {
        let workers = observed.workers_ns.map_or(0.0, |ns| ns.value);
        let in_statements = servers - workers * 1e-9 * measured_per_s;
        let idle = (observed.sessions()? - in_statements).max(0.0);
        let ns_per_op = idle / measured_per_s * 1e9;
        terms.insert(0, SumTerm { name: TimeComponent::Between.name().to_string(), ns_per_op });
        total_ns += ns_per_op;
        servers += idle;
    }
    // Nothing by either account is no account.
    if total_ns <= 0.0 || (account.value <= 0.0 && summed_ns(analysis)?.value <= 0.0) {
        return None;
    }
    let predicted_per_s = servers / total_ns * 1e9;
    Some(Sum {
        kind: SumKind::Session,
        servers,
        terms,
        predicted_per_s,
        measured_per_s,
        agrees: agrees(predicted_per_s, measured_per_s),
        checked_to: None,
    })
}
