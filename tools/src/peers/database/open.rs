//! Open loops: is the rate that was asked for the rate that was sent?

use std::time::Duration;

use anyhow::Result;
use narrows_layer_database::LoadResult;

use super::super::figure;
use super::bench::{Bench, Statement};

/// Asked of the client against a server that does nothing, per second.
const NULL_PER_S: f64 = 50e3;
const WINDOW: Duration = Duration::from_secs(1);
/// Share of the server's closed rate that it is asked for.
const SHARE: f64 = 0.7;
const WITHIN_NULL: f64 = 0.005;
const WITHIN_REAL: f64 = 0.01;

/// The rounds of both.
#[derive(Default)]
pub(super) struct Open {
    null: Rounds,
    real: Rounds,
}

/// One value a round; the rates are per second.
#[derive(Default)]
struct Rounds {
    asked: Vec<f64>,
    due: Vec<f64>,
    done: Vec<f64>,
    late_p99_ns: Vec<f64>,
    latency_p99_ns: Vec<f64>,
    skipped: u64,
}

impl Open {
    pub(super) fn round(&mut self, bench: &Bench<'_>, round: u32) -> Result<()> {
        let (seen, _) = bench.against_null(Some(NULL_PER_S), WINDOW, round)?;
        self.null.add(NULL_PER_S, &seen);
        let closed = bench.load(Statement::Select, None, WINDOW, round, || Ok(()))?;
        let asked = SHARE * closed.operations as f64 / WINDOW.as_secs_f64();
        let seen = bench.load(Statement::Select, Some(asked), WINDOW, !round, || Ok(()))?;
        self.real.add(asked, &seen);
        Ok(())
    }

    pub(super) fn told(&self) -> String {
        let mut text = format!(
            "Open loops, Poisson arrivals, windows of {} s: {:.0} k/s against the server that does nothing, and {:.0} % of the \
             closed rate just before on PostgreSQL. All rounds together; a schedule of n arrivals scatters by 1/√n around its \
             rate, so what was done is also set beside what was due.\n\n\
             | server | asked | done of asked | done of due | p99 of lateness | p99 | skipped |\n\
             | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
            WINDOW.as_secs(),
            NULL_PER_S / 1e3,
            SHARE * 100.0,
        );
        text += &self.null.row("does nothing");
        text += &self.real.row("PostgreSQL");
        text += &format!(
            "\n- Against the server that does nothing within {:.1} % of the rate asked for: {}.\n",
            WITHIN_NULL * 100.0,
            outcome(self.null.of(&self.null.asked), WITHIN_NULL)
        );
        text + &format!(
            "- On PostgreSQL within {:.0} % of what was due: {}.\n\n",
            WITHIN_REAL * 100.0,
            outcome(self.real.of(&self.real.due), WITHIN_REAL)
        )
    }
}

impl Rounds {
    fn add(&mut self, asked: f64, seen: &LoadResult) {
        let per_s = |n: u64| n as f64 / WINDOW.as_secs_f64();
        self.asked.push(asked);
        self.due.push(per_s(seen.due));
        self.done.push(per_s(seen.operations));
        self.skipped += seen.skipped;
        self.late_p99_ns.extend(seen.lateness.quantile(0.99).map(|ns| ns as f64));
        self.latency_p99_ns.extend(seen.latency.quantile(0.99).map(|ns| ns as f64));
    }

    fn of(&self, what: &[f64]) -> f64 {
        self.done.iter().sum::<f64>() / what.iter().sum::<f64>()
    }

    fn row(&self, server: &str) -> String {
        let micros = |ns: f64| format!("{:.1} µs", ns / 1e3);
        format!(
            "| {server} | {} | {:.4} | {:.4} | {} | {} | {} |\n",
            figure(&self.asked, |rate| format!("{:.1} k/s", rate / 1e3)),
            self.of(&self.asked),
            self.of(&self.due),
            figure(&self.late_p99_ns, micros),
            figure(&self.latency_p99_ns, micros),
            self.skipped,
        )
    }
}

fn outcome(share: f64, within: f64) -> &'static str {
    if (share - 1.0).abs() <= within { "**reached**" } else { "**missed**" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_count_together() {
        let mut rounds = Rounds::default();
        for operations in [50_200, 49_900] {
            let seen = LoadResult { operations, due: 50_000, ..LoadResult::default() };
            rounds.add(50e3, &seen);
        }
        assert_eq!(rounds.of(&rounds.due), 1.001);
        assert_eq!(outcome(1.001, WITHIN_NULL), "**reached**");
        assert_eq!(outcome(0.994, WITHIN_NULL), "**missed**");
        assert!(rounds.row("x").starts_with("| x | 50.0 k/s | 1.0010 | 1.0010 | - | - | 0 |"));
    }
}
