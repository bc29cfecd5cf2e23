//! Sessions in a closed loop as a formula: what they get through, or what they spend elsewhere at a rate.
//!
//! The law is that of [`narrows_plan::closed`]: exact mean value analysis. Times are in microseconds here. A pencil redoes it in as many steps
//! as there are sessions: each session more finds at the CPUs those that were there without it.

use narrows_plan::closed::{Processors, elsewhere, rate};

use super::expr::{Expr, Rounding};

const US: f64 = 1e6;

/// What is asked of the loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopQuestion {
    /// Operations per second, given the time of one elsewhere, µs.
    Rate,
    /// The time of one operation elsewhere, µs, given operations per second.
    Elsewhere,
}

/// Sessions that go round between CPUs, where they queue, and elsewhere, where they don't.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedLoop {
    /// What is asked.
    pub asked: LoopQuestion,
    /// How many sessions.
    pub sessions: Expr,
    /// CPU time of one operation, µs, and how many CPUs there are; absent where it is not known: all time is elsewhere then.
    pub cpu: Option<(Expr, Expr)>,
    /// The time elsewhere, µs, or the rate per second: the one that is not asked for.
    pub given: Expr,
}

impl ClosedLoop {
    pub(super) fn parts(&self) -> Vec<&Expr> {
        let cpu = self.cpu.iter().flat_map(|(demand, count)| [demand, count]);
        [&self.sessions].into_iter().chain(cpu).chain([&self.given]).collect()
    }

    pub(super) fn value(&self, values: &[Option<f64>], rounding: Rounding) -> Option<f64> {
        let of = |expr: &Expr| expr.value(values, rounding);
        let processors = match &self.cpu {
            Some((demand, count)) => {
                Some(Processors { demand_s: of(demand)? / US, count: of(count)? })
            }
            None => None,
        };
        let (sessions, given) = (of(&self.sessions)?, of(&self.given)?);
        match self.asked {
            LoopQuestion::Rate => {
                let found = rate(sessions, processors, given / US);
                // Nothing takes time: no rate is too high.
                (found > 0.0).then_some(found)
            }
            LoopQuestion::Elsewhere => elsewhere(sessions, processors, given).map(|s| s * US),
        }
    }

    pub(super) fn text(&self, values: &[Option<f64>]) -> String {
        let of = |expr: &Expr| expr.text(values);
        let (sessions, given) = (of(&self.sessions), of(&self.given));
        let Some((demand, count)) = &self.cpu else {
            return format!("{sessions} × 1,000,000 / {given}");
        };
        let cpu = format!("{sessions} sessions, {} µs on {} CPUs", of(demand), of(count));
        match self.asked {
            LoopQuestion::Rate => format!("mean value analysis: {cpu}, {given} µs elsewhere"),
            LoopQuestion::Elsewhere => {
                format!("elsewhere in mean value analysis: {cpu}, {given}/s")
            }
        }
    }
}
