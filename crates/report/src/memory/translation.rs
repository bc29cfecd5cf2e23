//! What address translation adds to a load in pools of several sizes, in a sentence for each kind of pages.

use narrows_model::{Measurement, MetricValue, Run, condition, metric};
use narrows_units::significant;

use super::usable;
use crate::print;

/// What was measured on 4 KiB pages, then on 2 MiB pages.
pub(super) fn of_pools(run: &Run) -> Vec<String> {
    [("memory.translation.4k", "4 KiB"), ("memory.translation.2m", "2 MiB")]
        .into_iter()
        .filter_map(|(id, pages)| of_pool(usable(run, id)?, pages))
        .collect()
}

fn of_pool(m: &Measurement, pages: &str) -> Option<String> {
    let added = m.metric(metric::TRANSLATION_COST)?;
    let pool = print::size(m.number(condition::POOL_BYTES)?);
    let carried_on = m.get(condition::AT_1_TIB_NS.any()).and_then(|bounds| {
        let [least, most] = bounds.as_array()?.as_slice() else { return None };
        let (least, most) = (ns(least.as_f64()?), ns(most.as_f64()?));
        Some(format!(" In 1 TiB, carried on: {least} to {most}."))
    });
    Some(format!(
        "In a pool of {pool} on {pages} pages address translation adds {} to a load{}.{}",
        ns(added.value),
        bounds(added),
        carried_on.unwrap_or_default()
    ))
}

fn bounds(metric: &MetricValue) -> String {
    let Some(interval) = metric.interval_95.as_ref() else { return String::new() };
    format!(" ({} to {})", ns(interval.low), ns(interval.high))
}

/// Below a nanosecond nothing can be told from nothing.
fn ns(ns: f64) -> String {
    if ns < 1.0 { "less than 1 ns".to_string() } else { format!("{} ns", significant(ns, 2)) }
}
