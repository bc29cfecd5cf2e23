//! Forecasts of a log tier from a server with a slow log, held against the same server with the fast one.
//!
//! `NARROWS_SIM_SEEDS=FROM..TO` counts on fresh seeds; the guide has the count.

use narrows_cost::{Basis, Given};
use narrows_sim::{Scene, Server, simulate};
use narrows_tier_forecast::{Forecast, LogTier, device_flush, log_now, log_tier};

use crate::common::random::{random, rate, seeds};

/// Flushes so many times as fast.
const TIMES: [f64; 3] = [2.0, 5.0, 10.0];

/// The same server with such a log.
fn faster(server: &Server, times: f64) -> Server {
    let mut fast = server.clone();
    fast.log.flush = fast.log.flush.scaled(1.0 / times);
    fast.log.per_commit_ns /= times;
    fast
}

/// From a run of the slow server and one of the fast log alone.
fn forecast(slow: &Scene, run: &narrows_model::Run, times: f64) -> Forecast {
    let medium = Scene { server: faster(&slow.server, times), ..slow.clone() }.measure();
    let (medium, own) = device_flush(&medium, Some(run), None).expect("both measured their logs");
    let unknown = || Given::of(None, Basis::Measured, "not asked");
    let tier = LogTier {
        medium_us: medium.flush_us,
        added_us: None,
        growth: None,
        backing_bytes_per_s: unknown(),
        size_bytes: unknown(),
    };
    let now = log_now(run, None).expect("it commits");
    let now = now.compared_by(own.expect("of the same kind").flush_us);
    log_tier(&now, &tier).expect("its figures agree")
}

#[derive(Default)]
struct Count {
    /// Forecasts of a rate, and those whose least and most hold the truth.
    answered: u64,
    held: u64,
    /// Without a rate: locks decide.
    open: u64,
    missed: Vec<String>,
    off: Vec<f64>,
}

#[test]
fn the_faster_server_is_within_the_forecast() {
    let mut count = Count::default();
    for seed in seeds(0..40) {
        let scene = random(seed);
        if !scene.server.commits() {
            continue;
        }
        let run = simulate(&scene);
        for times in TIMES {
            let truth = rate(&faster(&scene.server, times), seed);
            let found = forecast(&scene, &run, times);
            let row = found.rate().expect("it has a row");
            let (low, high) = (row.on_low.unwrap_or(0.0), row.on_high.unwrap_or(f64::INFINITY));
            let Some(on) = row.on else {
                count.open += 1;
                assert!(
                    found.unknown.iter().any(|unknown| unknown.what.contains("locks")),
                    "{seed}"
                );
                continue;
            };
            count.answered += 1;
            count.off.push((on / truth - 1.0).abs());
            match low <= truth && truth <= high {
                true => count.held += 1,
                false => count.missed.push(format!(
                    "seed {seed}, {times} times: {truth:.0} is not in {low:.0} to {high:.0} ({on:.0})"
                )),
            }
        }
    }
    count.off.sort_by(f64::total_cmp);
    let at = |share: f64| count.off[((count.off.len() - 1) as f64 * share) as usize];
    println!(
        "{} of {} held, {} without a rate; off by {:.3} at the median, {:.3} at 90 %, {:.3} at most\n{}",
        count.held,
        count.answered,
        count.open,
        at(0.5),
        at(0.9),
        at(1.0),
        count.missed.join("\n")
    );
    assert!(count.answered > 40 && count.answered > 5 * count.open, "{}", count.answered);
    assert!(count.held as f64 >= 0.95 * count.answered as f64, "{}", count.missed.join("\n"));
    assert!(at(0.5) < 0.05 && at(0.9) < 0.2, "{} {}", at(0.5), at(0.9));
}
