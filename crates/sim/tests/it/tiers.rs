//! Forecasts of a log tier and of a read cache from a server without it, held against the same server with fast flushes or reads.
//!
//! `NARROWS_SIM_SEEDS=FROM..TO` counts on fresh seeds; the guide has the count.

use narrows_cost::{Basis, Given, Range};
use narrows_sim::{Scene, Server, simulate};
use narrows_tier_forecast::{
    Forecast, LogTier, ReadTier, device_flush, log_now, log_tier, read_now, read_tier,
};

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
        held_bytes: None,
    };
    let now = log_now(run, None).expect("it commits");
    let now = now.compared_by(own.expect("of the same kind").flush_us);
    log_tier(&now, &tier).expect("its figures agree")
}

/// The same server with a cache that holds everything: reads so many times as fast, as many at once as there are sessions.
fn cached(server: &Server, times: f64) -> Server {
    let mut fast = server.clone();
    fast.disk.service = fast.disk.service.scaled(1.0 / times);
    fast.disk.channels = 64;
    fast
}

/// From a run of the slow server, and a read of the cache by itself.
fn forecast_reads(run: &narrows_model::Run, hit_ns: f64) -> Forecast {
    let is = |value: f64| Given::of(Some(Range::exact(value)), Basis::Measured, "the cache alone");
    let tier = ReadTier {
        hit_us: is(hit_ns / 1e3),
        miss_added_us: None,
        size_bytes: Given::of(None, Basis::Measured, "not asked"),
        curve: None,
        hits: Some(is(1.0)),
        counted: None,
        pool: None,
    };
    let now = read_now(run, None).expect("it reads");
    read_tier(&now, &tier).expect("its figures agree")
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

impl Count {
    /// One forecast beside the truth.
    fn add(&mut self, what: &str, found: &Forecast, truth: f64) {
        let row = found.rate().expect("it has a row");
        let (low, high) = (row.on_low.unwrap_or(0.0), row.on_high.unwrap_or(f64::INFINITY));
        let Some(on) = row.on else {
            self.open += 1;
            let locks = found.unknown.iter().any(|unknown| unknown.what.contains("locks"));
            assert!(locks, "{what}: {:?}", found.unknown);
            return;
        };
        self.answered += 1;
        self.off.push((on / truth - 1.0).abs());
        match low <= truth && truth <= high {
            true => self.held += 1,
            false => self
                .missed
                .push(format!("{what}: {truth:.0} is not in {low:.0} to {high:.0} ({on:.0})")),
        }
    }

    /// Prints the count, and fails below 95 %.
    fn settle(&mut self, most_off: [f64; 2]) {
        self.off.sort_by(f64::total_cmp);
        let at = |share: f64| self.off[((self.off.len() - 1) as f64 * share) as usize];
        println!(
            "{} of {} held, {} without a rate; off by {:.3} at the median, {:.3} at 90 %, {:.3} at most\n{}",
            self.held,
            self.answered,
            self.open,
            at(0.5),
            at(0.9),
            at(1.0),
            self.missed.join("\n")
        );
        assert!(self.answered > 40 && self.answered > 5 * self.open, "{}", self.answered);
        let held = self.held as f64 >= 0.95 * self.answered as f64;
        assert!(held, "{}", self.missed.join("\n"));
        assert!(at(0.5) < most_off[0] && at(0.9) < most_off[1], "{} {}", at(0.5), at(0.9));
    }
}

#[test]
fn the_server_with_the_faster_log_is_within_the_forecast() {
    let mut count = Count::default();
    for seed in seeds(0..40) {
        let scene = random(seed);
        if !scene.server.commits() {
            continue;
        }
        let run = simulate(&scene);
        for times in TIMES {
            let truth = rate(&faster(&scene.server, times), seed);
            let what = format!("seed {seed}, {times} times");
            count.add(&what, &forecast(&scene, &run, times), truth);
        }
    }
    count.settle([0.05, 0.2]);
}

#[test]
fn the_server_with_the_read_cache_is_within_the_forecast() {
    let mut count = Count::default();
    for seed in seeds(0..80) {
        let scene = random(seed);
        if scene.server.reads_per_op() == 0 {
            continue;
        }
        let run = simulate(&scene);
        for times in TIMES {
            let fast = cached(&scene.server, times);
            let truth = rate(&fast, seed) * scene.server.reads_per_op() as f64;
            let what = format!("seed {seed}, {times} times");
            count.add(&what, &forecast_reads(&run, fast.disk.service.mean_ns()), truth);
        }
    }
    count.settle([0.05, 0.2]);
}
