//! What counts as a clean machine: each of the three bounds, in every repeat, and no guess where one is not counted.

use crate::clean;
use narrows_model::{Metric, metric};
use narrows_validity::{Disturbance, clean as clean_run};

const KNEE: &str = "block.read.random.8k.knee";

fn with(name: Metric, values: &[f64]) -> Option<bool> {
    let mut run = clean::run();
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("the clean run has it");
    clean::set(m, name, values[0]);
    m.metrics.iter_mut().find(|m| m.name == name).expect("just set").samples = values.to_vec();
    let of_one = Disturbance::of(run.measurement(KNEE).expect("still there")).clean();
    assert_eq!(of_one, clean_run(&run), "all others are clean");
    of_one
}

#[test]
fn each_bound_is_kept_in_every_repeat() {
    assert_eq!(with(metric::STEAL, &[0.0, 0.0099]), Some(true));
    assert_eq!(with(metric::STEAL, &[0.0, 0.0, 0.0101]), Some(false));
    assert_eq!(with(metric::CPU_PRESSURE, &[0.0, 0.049]), Some(true));
    assert_eq!(with(metric::CPU_PRESSURE, &[0.0, 0.051]), Some(false));
    assert_eq!(with(metric::SENTINEL_DRIFT, &[0.0, -0.09]), Some(true));
    assert_eq!(with(metric::SENTINEL_DRIFT, &[0.0, -0.11]), Some(false));
}

#[test]
fn what_was_not_counted_is_not_clean_and_one_fault_is_enough_to_say_no() {
    let mut run = clean::run();
    assert_eq!(clean_run(&run), Some(true));
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("the clean run has it");
    m.metrics.retain(|metric| metric.name != metric::STEAL);
    assert_eq!(clean_run(&run), None);
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("the clean run has it");
    clean::set(m, metric::CPU_PRESSURE, 0.2);
    assert_eq!(clean_run(&run), Some(false));
    run.measurements.clear();
    assert_eq!(clean_run(&run), None);
}
