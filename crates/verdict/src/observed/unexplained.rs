//! Time in statements that the sum doesn't explain, and which verdicts rest on it.

use narrows_model::TimeAccount;
use narrows_units::Nanos;

use super::time::time_ns;
use crate::analysis::Analysis;
use crate::narrow::Choice;
use crate::session::TimeComponent;
use crate::threshold::UNEXPLAINED;

impl Analysis<'_> {
    /// Why a verdict that rests on the parts of a transaction's time is not given: the server's own account of that time says
    /// something else.
    ///
    /// What counters prove rests on no part: a resource that is full by what was used of it. Nor do clients, where sessions are
    /// theirs for most of the round by either account: whatever the rest consists of, it is the smaller part.
    pub(super) fn unexplained(&self, choice: &Choice) -> Option<String> {
        let rate = self.demand.rate();
        let observed = self.demand.observed.as_ref()?;
        let (account, whose) = observed.account(&self.demand.throughput)?;
        let (parts, account) = (time_ns(self)?.value, account.value);
        let apart = whose == TimeAccount::Server && (parts - account).abs() > UNEXPLAINED * account;
        if !apart || choice.winner.is_saturated(rate) {
            return None;
        }
        if choice.part == Some(TimeComponent::Between) {
            let round_ns = observed.sessions()? / rate * 1e9;
            if parts.max(account) * 2.0 < round_ns {
                return None;
            }
        }
        let ns = |ns: f64| Nanos(ns.max(0.0) as u64);
        Some(format!(
            "time not explained: the parts of a transaction come to {}, the server's account to {}",
            ns(parts),
            ns(account)
        ))
    }
}
