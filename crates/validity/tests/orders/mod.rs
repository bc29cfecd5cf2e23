//! The rules about the order-entry mix, each on a run in which it fires and in one in which it almost does.

use narrows_model::{Layer, Measurement, Run, Unit, metric, orders};
use serde_json::json;

use super::Pair;
use super::clean::{REPEATS, say, set};

#[rustfmt::skip]
pub const PAIRS: &[Pair] = &[
    Pair { rule: "orders-inconsistent",
        fires: |r| figure(r, orders::VIOLATED, 1.0),
        silent: |r| figure(r, orders::VIOLATED, 0.0) },
    Pair { rule: "orders-miscounted",
        fires: |r| figure(r, orders::MISCOUNTED, 1.0),
        silent: |r| figure(r, orders::MISCOUNTED, 0.0) },
    Pair { rule: "orders-lost",
        fires: |r| recovery(r, 1.0),
        silent: |r| recovery(r, 0.0) },
    Pair { rule: "orders-faster-than-paced",
        fires: |r| { paced(r, true); figure(r, orders::PER_WAREHOUSE, 12.9) },
        // Without pauses any rate is possible.
        silent: |r| { paced(r, false); figure(r, orders::PER_WAREHOUSE, 500.0) } },
    Pair { rule: "orders-counted-otherwise",
        fires: |r| figure(r, metric::SERVER_TRANSACTIONS, 2.23e5),
        silent: |r| figure(r, metric::SERVER_TRANSACTIONS, 2.21e5) },
];

/// The clean run's measurement of the mix, made where there is none.
pub fn mix(run: &mut Run) -> &mut Measurement {
    if let Some(at) = run.measurements.iter().position(|m| m.id == orders::ID) {
        return &mut run.measurements[at];
    }
    let like = run.measurements.iter().find(|m| m.id == "database.update").cloned();
    let mut m = like.expect("the clean run has updates");
    m.id = orders::ID.to_string();
    say(&mut m, "pacing", json!("saturating, no pauses"));
    for name in [orders::VIOLATED, orders::MISCOUNTED] {
        set(&mut m, name, Unit::Count, 0.0);
    }
    run.measurements.push(m);
    run.measurements.last_mut().expect("it was just added")
}

fn figure(run: &mut Run, name: &str, value: f64) {
    set(mix(run), name, Unit::Count, value);
}

fn paced(run: &mut Run, paced: bool) {
    let pacing = if paced { "keying and thinking times" } else { "saturating, no pauses" };
    say(mix(run), "pacing", json!(pacing));
}

fn recovery(run: &mut Run, lost: f64) {
    let mut m = Measurement::new(format!("{}.recovery", orders::ID), Layer::Database);
    m.repeats = REPEATS as u32;
    set(&mut m, orders::LOST, Unit::Count, lost);
    set(&mut m, orders::ACKNOWLEDGED, Unit::Count, 1e5);
    run.measurements.push(m);
}
