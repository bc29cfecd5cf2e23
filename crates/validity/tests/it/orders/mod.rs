//! The rules about the order-entry mix, each on a run in which it fires and in one in which it almost does.

use narrows_model::{Layer, Measurement, Metric, Run, condition, metric, orders};
use serde_json::json;

use crate::clean::{REPEATS, say, set};
use crate::pairs::Pair;

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
        fires: |r| { paced(r); per_warehouse(r, 13.5, 10_000.0) },
        // So few may be more by chance.
        silent: |r| { paced(r); per_warehouse(r, 13.5, 10.0) } },
    Pair { rule: "orders-unchecked",
        fires: |r| say(mix(r), orders::NOT_CHECKED, json!("the server closed the connection")),
        silent: |r| figure(r, orders::VIOLATED, 0.0) },
    Pair { rule: "orders-counts-differ",
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
    m.id = orders::ID.into();
    say(&mut m, condition::PACING, json!("saturating, no pauses"));
    for name in [orders::VIOLATED, orders::MISCOUNTED] {
        set(&mut m, name, 0.0);
    }
    // Without pauses any rate is possible.
    set(&mut m, orders::PER_WAREHOUSE, 500.0);
    set(&mut m, orders::NEW_ORDERS_PER_MIN, 5e6);
    run.measurements.push(m);
    run.measurements.last_mut().expect("it was just added")
}

fn figure(run: &mut Run, name: Metric, value: f64) {
    set(mix(run), name, value);
}

fn paced(run: &mut Run) {
    say(mix(run), condition::PACING, json!("keying and thinking times"));
}

fn per_warehouse(run: &mut Run, per_min: f64, warehouses: f64) {
    figure(run, orders::PER_WAREHOUSE, per_min);
    figure(run, orders::NEW_ORDERS_PER_MIN, per_min * warehouses);
}

fn recovery(run: &mut Run, lost: f64) {
    let mut m = Measurement::new(format!("{}.recovery", orders::ID), Layer::Database);
    m.repeats = REPEATS as u32;
    set(&mut m, orders::LOST, lost);
    set(&mut m, orders::ACKNOWLEDGED, 1e5);
    run.measurements.push(m);
}
