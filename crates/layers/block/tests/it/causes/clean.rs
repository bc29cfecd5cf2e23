//! Runs in order on a clean machine stay silent: nothing heavier than a note is said of them.

use std::time::Duration;

use narrows_engine::Arrivals;
use narrows_io::{Access, Entropy};
use narrows_layer_block::{Load, Region, Stream};
use narrows_model::{Finding, Severity};
use narrows_validity::{Disturbance, check};

use crate::causes::bench::{bench, reads};

const RUNS: u64 = 20;

/// Short runs of random reads by the best way there is, of three windows each, four of them one read after the other and the
/// others under a light load by rate. What others do to the machine decides how many of them were clean, and a noisy drive how
/// many of these stay silent, so it is counted on request (`cargo xtask quiet`) and printed, not asserted.
#[test]
fn real_runs_in_clean_company() {
    if std::env::var_os("NARROWS_QUIET_MACHINE").is_none() {
        eprintln!(
            "SKIPPED: counts what a quiet machine makes of twenty runs; run it by `cargo xtask quiet`"
        );
        return;
    }
    let Some(mut bench) = bench() else { return };
    bench.length = Duration::from_secs(1);
    let Some(file) = bench.file(1024, Entropy::default()) else { return };
    let (mut clean, mut silent, mut silent_at_all) = (0, 0, 0);
    let mut cursor = 0;
    for run in 0..RUNS {
        bench.seed = 100 + run;
        let access = Access::best();
        // Each wake-up of our own counts as pressure for the moment it takes; a light load has few.
        let load = match run % 5 {
            0 => Load::Closed { depth: 1 },
            _ => Load::Open { rate_per_s: 500.0, arrivals: Arrivals::Poisson, most_in_flight: 64 },
        };
        let threads = Stream::threads_for(&access, load.in_flight(), 1);
        let stream = Stream {
            access,
            threads,
            load,
            cursor,
            order_seed: Some(3),
            ..reads(Region::of(&file))
        };
        let measurement = bench.windows(&stream, 3);
        cursor += measurement.value(narrows_model::metric::OPERATIONS).unwrap_or(0.0) as u64 * 4;
        let company = Disturbance::of(&measurement);
        let run = bench.run(vec![measurement]);
        let weighty: Vec<Finding> =
            check(&run).into_iter().filter(|f| f.severity > Severity::Note).collect();
        println!(
            "{company:?}: {:?}",
            weighty.iter().map(|f| (&f.id, &f.evidence)).collect::<Vec<_>>()
        );
        silent_at_all += u64::from(weighty.is_empty());
        if company.clean() == Some(true) {
            clean += 1;
            silent += u64::from(weighty.is_empty());
        }
    }
    let (low, high) = narrows_stats::share_interval_95(silent, clean);
    println!("{silent} of {clean} clean runs silent, 95 % interval {low:.3} to {high:.3}");
    println!("{silent_at_all} of {RUNS} runs silent, whatever the company");
}
