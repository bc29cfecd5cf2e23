//! What address translation adds to a load in pools of several sizes, in a sentence for each kind of pages.

use narrows_model::{Measurement, MetricValue, Run, condition, metric};
use narrows_units::significant;

use super::usable;
use crate::print;

/// What was measured on 4 KiB pages, then on 2 MiB pages.
pub(super) fn of_pools(run: &Run) -> Vec<String> {
    let is_virtual = run.platform().is_some_and(|platform| platform.hypervisor.is_some());
    let pools = [("memory.translation.4k", "4 KiB"), ("memory.translation.2m", "2 MiB")];
    let mut sentences: Vec<String> = pools
        .into_iter()
        .filter_map(|(id, pages)| of_pool(usable(run, id)?, pages, is_virtual))
        .collect();
    if is_virtual && !sentences.is_empty() {
        // What is measured of pools reads few pages of data again and again.
        sentences.push(
            "The guest's page tables alone are in these figures: the hypervisor's translation of the data comes on top.".to_string(),
        );
    }
    sentences
}

/// Below a hypervisor a figure is a lower bound, and so is what it is carried on to.
fn of_pool(m: &Measurement, pages: &str, is_virtual: bool) -> Option<String> {
    let added = m.metric(metric::TRANSLATION_COST)?;
    let pool = print::size(m.number(condition::POOL_BYTES)?);
    let carried_on = m.get(condition::AT_1_TIB_NS.any()).and_then(|bounds| {
        let [least, most] = bounds.as_array()?.as_slice() else { return None };
        let (least, most) = (ns(least.as_f64()?), ns(most.as_f64()?));
        Some(match is_virtual {
            true => format!(" In 1 TiB at least {least}."),
            false => format!(" In 1 TiB, carried on: {least} to {most}."),
        })
    });
    let at_least = if is_virtual && added.value >= 1.0 { "at least " } else { "" };
    Some(format!(
        "In a pool of {pool} on {pages} pages address translation adds {at_least}{} to a load{}.{}",
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

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, Plan, Platform};
    use serde_json::json;

    use super::*;

    fn run(hypervisor: Option<&str>) -> Run {
        let mut m = Measurement::new("memory.translation.4k", Layer::Memory);
        m.metrics.push(MetricValue::new(metric::TRANSLATION_COST, 200.0, None, Vec::new()));
        m.conditions.insert(condition::POOL_BYTES, json!(1u64 << 34));
        m.conditions.insert(condition::AT_1_TIB_NS, json!([200.0, 550.0]));
        let platform =
            Platform { hypervisor: hypervisor.map(str::to_string), ..Platform::default() };
        Run { measurements: vec![m], ..Run::blank(Plan::default(), platform) }
    }

    #[test]
    fn below_a_hypervisor_what_is_measured_is_a_lower_bound() {
        assert_eq!(
            of_pools(&run(None)),
            [
                "In a pool of 16 GiB on 4 KiB pages address translation adds 200 ns to a load. In 1 TiB, carried on: 200 ns to 550 ns."
            ]
        );
        let below = of_pools(&run(Some("KVM")));
        assert!(
            below[0].ends_with("adds at least 200 ns to a load. In 1 TiB at least 200 ns."),
            "{below:?}"
        );
        assert!(below[1].contains("comes on top"), "{below:?}");
    }
}
