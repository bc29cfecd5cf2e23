//! Time in statements that the sum doesn't explain, and which verdicts rest on it.

use narrows_model::TimeAccount;
use narrows_units::Nanos;

use super::time::summed_ns;
use crate::analysis::Analysis;
use crate::choice::Choice;
use crate::session::TimeComponent;
use crate::threshold::UNEXPLAINED;

impl Analysis<'_> {
    /// Why a verdict that rests on the parts of a transaction's time is not given: the server's own account of that time says
    /// something else.
    ///
    /// What counters prove rests on no part: a resource that is full by what was used of it. Nor do clients, where sessions are
    /// theirs for most of the round by either account: whatever the rest consists of, it is the smaller part.
    pub(super) fn unexplained(&self, choice: &Choice) -> Option<String> {
        let (parts, account, whose) = self.both_accounts()?;
        let clients =
            choice.part == Some(TimeComponent::Between) && self.clients_have_most_of_the_round();
        let told = choice.winner.is_saturated(self.demand.rate()) || clients;
        if whose != TimeAccount::Server || told || !self.account_is_off() {
            return None;
        }
        let ns = |ns: f64| Nanos(ns.max(0.0) as u64);
        Some(format!(
            "time not explained: the parts of a transaction add up to {}, the server counts {}",
            ns(parts),
            ns(account)
        ))
    }

    /// Time of a transaction in statements, ns: the sum of its parts, and the account that was kept otherwise.
    fn both_accounts(&self) -> Option<(f64, f64, TimeAccount)> {
        let observed = self.demand.observed.as_ref()?;
        let (account, whose) = observed.account(&self.demand.throughput)?;
        Some((summed_ns(self)?.value, account.value, whose))
    }

    /// Whether somebody's server accounts for its transactions' time in a way that the parts are far from.
    pub(crate) fn account_is_off(&self) -> bool {
        let off = |(parts, account, _): (f64, f64, _)| {
            (parts - account).abs() > UNEXPLAINED * account || account <= 0.0
        };
        self.demand.observed.is_some() && self.both_accounts().is_none_or(off)
    }

    /// Whether sessions are their clients' for most of the round by either account, whatever the rest of it consists of. An account of
    /// nothing is none: statements that did not end in the look are missing in it.
    pub(crate) fn clients_have_most_of_the_round(&self) -> bool {
        let round_ns = self.demand.servers / self.demand.rate() * 1e9;
        self.both_accounts()
            .is_some_and(|(parts, account, _)| account > 0.0 && parts.max(account) * 2.0 < round_ns)
    }
}
