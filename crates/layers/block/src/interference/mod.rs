//! What writes do to reads: the percentile of a read's latency by the rate of reads, alone and beside streams of writes.
//!
//! First each kind of work alone in a closed loop, for the most it reaches; rates are parts of that. Then a grid of cells, each one
//! scenario with open loops: so much reading, beside nothing, random writes or a durable log, lightly or heavily. Rounds visit
//! all cells in an order of their own, so that a drive that changes touches all alike.
//!
//! Not here: what differs (the report compares cells by their windows), whether the figures are true (validity rules), files
//! and consent (the caller). Method: the book's chapter "Block storage".

mod background_load;
mod bench;
mod plan;
mod point;

use narrows_engine::{Context, Rng};
use narrows_model::Measurement;
use narrows_observe::Watch;

pub use plan::{InterferenceGround, InterferencePlan, planned_interference};

use crate::BlockError;
use crate::record::Record;
use crate::seed::{seed_of, shuffled};
use crate::steady::with_role_and_state;
use background_load::{BACKGROUND_LOADS, Work, open_load};
use bench::{Bench, Ceiling};
use plan::{READ_SHARES, WARM_UP};
use point::InterferencePoint;

/// Part of the budget that rates are planned with.
const KEPT: f64 = 0.9;

/// Measures the grid. Every measurement's workload says its `company`, and what was `beside`.
///
/// # Errors
/// [`BlockError::Stopped`] within a fraction of a second of being asked; [`BlockError::Scenario`] where the plan can't be run on
/// this ground; or what failed.
pub fn interference(
    ctx: &Context<'_>,
    ground: &InterferenceGround,
    watch: &Watch,
    plan: &InterferencePlan,
) -> Result<Vec<Measurement>, BlockError> {
    plan.check(ground)?;
    let mut bench = Bench::new(ctx, ground, watch, plan);
    let ceilings = Ceilings {
        reads: bench.read_ceiling()?,
        writes: bench.write_ceiling(Work::Writes)?,
        log: bench.write_ceiling(Work::Log)?,
    };
    let rates = ceilings.rates(&bench)?;
    let mut cells = cells(&rates);
    for round in 0..plan.rounds {
        for i in shuffled(cells.len(), &mut Rng::new(seed_of(ctx.seed, 8, u64::from(round)))) {
            let cell = &mut cells[i];
            let beside = cell.company.words(plan.block_bytes, cell.beside_per_s);
            bench.tell(&format!(
                "round {} of {}: {:.0} reads per second beside {beside}",
                round + 1,
                plan.rounds,
                cell.read_per_s
            ));
            let reads = open_load(Work::Nothing, cell.read_per_s, &plan.access);
            let work = cell.company.work;
            let company = (work, open_load(work, cell.beside_per_s, &plan.access));
            let (streams, outcomes) = bench.together(reads, company, plan.window)?;
            cell.add(streams, &outcomes);
        }
    }
    let id = plan.id();
    let mut measurements = ceilings.into_measurements(&id);
    for cell in cells {
        measurements.extend(cell.into_measurements(&id, plan.block_bytes));
    }
    Ok(measurements)
}

/// The most that each kind of work reaches alone.
struct Ceilings {
    reads: Ceiling,
    writes: Ceiling,
    log: Ceiling,
}

/// The same per second; of the writes no more than the budget of bytes allows.
#[derive(Debug, Clone, Copy)]
struct Rates {
    reads_per_s: f64,
    writes_per_s: f64,
    log_per_s: f64,
}

impl Ceilings {
    fn rates(&self, bench: &Bench<'_>) -> Result<Rates, BlockError> {
        let plan = bench.plan;
        let (mut writes_per_s, mut log_per_s) = (self.writes.per_s(), self.log.per_s());
        let reads_per_s = self.reads.per_s();
        if [reads_per_s, writes_per_s, log_per_s].iter().any(|per_s| *per_s <= 0.0) {
            return Err(BlockError::Scenario {
                stream: plan.id(),
                reason: "no operation completed in a closed loop's windows".to_string(),
                hint: "allow more time (--minutes), or see the kernel log (dmesg)",
            });
        }
        let seconds = plan.window.as_secs_f64() * (1.0 + WARM_UP);
        let windows = f64::from(plan.rounds) * READ_SHARES.len() as f64;
        let wanted: f64 = BACKGROUND_LOADS
            .iter()
            .map(|company| {
                let full_per_s = match company.work {
                    Work::Nothing => 0.0,
                    Work::Writes => writes_per_s,
                    Work::Log => log_per_s,
                };
                full_per_s * company.share * seconds * windows * f64::from(plan.block_bytes)
            })
            .sum();
        // Arrivals are random: what is kept back covers more of them than expected.
        let left = KEPT * plan.budget_bytes.saturating_sub(bench.written_bytes) as f64;
        let part = (left / wanted).min(1.0);
        (writes_per_s, log_per_s) = (writes_per_s * part, log_per_s * part);
        Ok(Rates { reads_per_s, writes_per_s, log_per_s })
    }

    fn into_measurements(self, id: &str) -> Vec<Measurement> {
        [(self.reads, "ceiling"), (self.writes, "writes.ceiling"), (self.log, "log.ceiling")]
            .into_iter()
            .map(|(ceiling, name)| {
                let mut record = Record::new();
                ceiling.outcomes.iter().for_each(|outcome| record.add(outcome));
                let m = record.into_measurement(format!("{id}.{name}"), &ceiling.stream);
                with_role_and_state(m, ceiling.stream.mix.writes())
            })
            .collect()
    }
}

fn cells(rates: &Rates) -> Vec<InterferencePoint> {
    let all =
        BACKGROUND_LOADS.iter().flat_map(|company| READ_SHARES.map(|share| (*company, share)));
    all.map(|(company, share)| {
        let full_per_s = match company.work {
            Work::Nothing => 0.0,
            Work::Writes => rates.writes_per_s,
            Work::Log => rates.log_per_s,
        };
        let percent = (share * 100.0).round() as u32;
        InterferencePoint::new(
            company,
            percent,
            share * rates.reads_per_s,
            company.share * full_per_s,
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_round_visits_every_cell_once_in_its_own_order() {
        let rates = Rates { reads_per_s: 1e4, writes_per_s: 4e3, log_per_s: 400.0 };
        let cells = cells(&rates);
        assert_eq!(cells.len(), READ_SHARES.len() * BACKGROUND_LOADS.len());
        let (mut one, other) =
            (shuffled(cells.len(), &mut Rng::new(1)), shuffled(cells.len(), &mut Rng::new(2)));
        assert_ne!(one, other);
        one.sort_unstable();
        assert_eq!(one, (0..cells.len()).collect::<Vec<_>>());
        let heavy = cells.iter().find(|cell| cell.company.word == "writes_heavy").unwrap();
        assert!((heavy.beside_per_s - 3e3).abs() < 1e-9 && heavy.percent == 10);
        assert!((heavy.read_per_s - 1e3).abs() < 1e-9);
    }
}
