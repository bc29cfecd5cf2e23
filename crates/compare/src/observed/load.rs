//! Whether both looks were at the same load: the same statements, and sessions that ask again as soon as before.
//!
//! Sessions that go round between client and server do `X = N / (R + Z)` transactions per second (Denning & Buzen, *ACM Computing Surveys*
//! 10, 1978, interactive response time). Where the number of sessions `N` and the time `Z` that a client takes between transactions are the
//! same, a shorter time at the server `R` makes a higher rate, and the rate tells what came of a change. Where the clients choose the rate, they wait longer
//! between transactions instead, and only time and CPU time of a transaction tell.

use serde::Serialize;

use super::{Observed, StatementChanges};

/// Of a mix of executions that differs by more another load is seen.
const OTHER_MIX: f64 = 0.25;
/// Sessions, rates, and the time between transactions are alike within this share.
const ALIKE: f64 = 0.25;
/// Sessions that are in a statement for so much of their time drive the server as fast as it goes.
const MOSTLY_AT_WORK: f64 = 0.5;

/// What the loads are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    /// As many sessions that ask again as soon as before: the rate answers.
    ClosedLoop,
    /// Clients choose the rate, which is the same.
    SameRate,
    /// The same statements, more or fewer of them.
    OtherRate,
    /// Other statements.
    OtherStatements,
    /// Not enough is known.
    Unknown,
}

/// Loads of both looks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LoadChange {
    /// What they are to each other.
    pub kind: LoadKind,
    /// Transactions per second, of the first look and of the other.
    pub rates: [Option<f64>; 2],
    /// Sessions that took part.
    pub sessions: [Option<f64>; 2],
    /// Time that a session's client takes between transactions, ns, by the law above: without the server's own work and queues.
    pub between_ns: [Option<f64>; 2],
    /// How far the mix of executions differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mix_distance: Option<f64>,
}

pub(super) fn change(
    base: &Observed<'_>,
    other: &Observed<'_>,
    statements: &StatementChanges,
) -> LoadChange {
    let each = [base, other];
    let rates = each.map(Observed::rate);
    let sessions = each.map(Observed::sessions);
    let times = each.map(Observed::at_server_ns);
    let cycle = |at: usize| Some(sessions[at]? / rates[at]? * 1e9);
    let between_ns = [0, 1].map(|at| Some((cycle(at)? - times[at]?).max(0.0)));
    let mix_distance = statements.mix_distance;
    let kind = if mix_distance.is_some_and(|distance| distance > OTHER_MIX) {
        LoadKind::OtherStatements
    } else if closed(sessions, times, between_ns) == Some(true) {
        LoadKind::ClosedLoop
    } else {
        match rates {
            [Some(a), Some(b)] if alike(a, b) => LoadKind::SameRate,
            [Some(_), Some(_)] => LoadKind::OtherRate,
            _ => LoadKind::Unknown,
        }
    };
    LoadChange { kind, rates, sessions, between_ns, mix_distance }
}

fn alike(a: f64, b: f64) -> bool {
    a.min(b) >= a.max(b) * (1.0 - ALIKE)
}

/// Whether both are loops of as many sessions that take as long between transactions, and were at work for most of their time before.
fn closed(
    sessions: [Option<f64>; 2],
    times: [Option<f64>; 2],
    between_ns: [Option<f64>; 2],
) -> Option<bool> {
    let ([n, m], [r, s], [z, y]) = (sessions, times, between_ns);
    let (n, m, r, s, z, y) = (n?, m?, r?, s?, z?, y?);
    let as_soon = (z - y).abs() <= ALIKE * (r + z).max(s + y);
    let mostly = r.max(s) >= MOSTLY_AT_WORK * (if r >= s { r + z } else { s + y });
    Some(alike(n, m) && as_soon && mostly)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_closed(sessions: [f64; 2], times: [f64; 2], between: [f64; 2]) -> bool {
        closed(sessions.map(Some), times.map(Some), between.map(Some)).unwrap()
    }

    #[test]
    fn a_loop_is_closed_where_clients_ask_again_as_soon_as_before() {
        // Eight sessions without a pause: 4 ms became half of one.
        assert!(is_closed([8.0, 8.0], [4e6, 0.5e6], [0.2e6, 0.3e6]));
        // The other way round too.
        assert!(is_closed([8.0, 8.0], [0.5e6, 4e6], [0.3e6, 0.2e6]));
        // Clients that come by the clock: they wait for as much longer as their transactions are shorter.
        assert!(!is_closed([8.0, 8.0], [4e6, 0.5e6], [0.2e6, 3.7e6]));
        // Twice the sessions.
        assert!(!is_closed([8.0, 16.0], [4e6, 0.5e6], [0.2e6, 0.2e6]));
        // Sessions that mostly do nothing say nothing by their rate.
        assert!(!is_closed([100.0, 100.0], [4e6, 0.5e6], [96e6, 96e6]));
        assert_eq!(closed([None, Some(8.0)], [Some(1.0); 2], [Some(1.0); 2]), None);
    }

    #[test]
    fn rates_are_alike_within_a_quarter() {
        assert!(alike(100.0, 130.0) && alike(130.0, 100.0) && !alike(100.0, 140.0));
    }
}
