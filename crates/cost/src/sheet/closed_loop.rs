//! Sessions in a closed loop as a formula: what they get through, or what they spend elsewhere at a rate.
//!
//! The law is that of [`narrows_plan::closed`]: exact mean value analysis. Times are in microseconds here. A pencil redoes it in as many steps
//! as there are sessions: each session more finds at the CPUs those that were there without it.

use narrows_plan::closed::{Processors, elsewhere, queued, rate};

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

/// Where sessions queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopQueue {
    /// At CPUs.
    Cpus,
    /// At storage that does one thing at a time.
    Storage,
}

/// Sessions that go round between CPUs, or one queue of storage, where they wait for each other, and elsewhere, where they don't.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedLoop {
    /// Where they queue, in words.
    pub queue: LoopQueue,
    /// What is asked.
    pub asked: LoopQuestion,
    /// How many sessions.
    pub sessions: Expr,
    /// CPU time of one operation, µs, and how many CPUs there are, or its time at storage and one; absent where it is not known: all time is
    /// elsewhere then.
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
        let cpu = match self.queue {
            LoopQueue::Cpus => {
                format!("{sessions} sessions, {} µs on {} CPUs", of(demand), of(count))
            }
            LoopQueue::Storage => format!("{sessions} sessions, {} µs at one queue", of(demand)),
        };
        match self.asked {
            LoopQuestion::Rate => format!("mean value analysis: {cpu}, {given} µs elsewhere"),
            LoopQuestion::Elsewhere => {
                format!("elsewhere in mean value analysis: {cpu}, {given}/s")
            }
        }
    }
}

/// Of the time that one session alone takes at storage, the part at a queue, so that so many sessions have the rate that they have.
#[derive(Debug, Clone, PartialEq)]
pub struct StorageQueue {
    /// How many sessions.
    pub sessions: Expr,
    /// What one alone takes there, µs.
    pub alone: Expr,
    /// The time of an operation elsewhere, µs.
    pub besides: Expr,
    /// Operations per second of all sessions.
    pub rate: Expr,
}

impl StorageQueue {
    pub(super) fn parts(&self) -> [&Expr; 4] {
        [&self.sessions, &self.alone, &self.besides, &self.rate]
    }

    pub(super) fn value(&self, values: &[Option<f64>], rounding: Rounding) -> Option<f64> {
        let of = |expr: &Expr| expr.value(values, rounding);
        let (alone, besides) = (of(&self.alone)? / US, of(&self.besides)? / US);
        queued(of(&self.sessions)?, alone, besides, of(&self.rate)?).map(|s| s * US)
    }

    pub(super) fn text(&self, values: &[Option<f64>]) -> String {
        let [sessions, alone, besides, rate] = self.parts().map(|part| part.text(values));
        format!(
            "queue in mean value analysis: {sessions} sessions, {alone} µs there alone, {besides} µs elsewhere, {rate}/s"
        )
    }
}
