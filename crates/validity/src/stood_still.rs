//! Did the whole program stand still for a part of the test, and why?
//!
//! That it did is told by a thread that only sleeps and looks: it was due and did not run. What looks the same from inside has counters
//! of its own outside: a stop by a signal ends with SIGCONT, a frozen control group has its time in `cgroup.stat.local`, a quota's stops are in
//! `cpu.stat`, what the hypervisor gave to others is steal. Of a guest that was paused while its clock went on the CPUs account for less time
//! than passed; those that a signal or a freezer stops account for all of it, as idle. Where the storage stands still the thread runs.

use narrows_model::{Measurement, Metric, metric};
use narrows_units::{Ratio, significant};

use crate::evaluate::{Case, Evidence, value};
use crate::quantity::Quantity;
use crate::rule::{Over, Test};

/// A cause explains a stop where it has at least this part of it.
const PART: f64 = 0.5;
/// Less may be missing in the CPUs' counters by what runs between two ticks: a stop has to be so long, and nearly all of it missing.
const PAUSED: (f64, f64) = (0.2, 0.8);

/// Fires where more than `share` of the window was stood still in more than a third of the repeats.
pub(crate) fn evidence(case: &Case<'_>, share: f64) -> Option<Evidence> {
    let still = Quantity::Metric(metric::STOOD_STILL).resolve(case)?;
    let fired = value(&still, Over::Third, Test::Above(share))?;
    Some(match why(case.measurement) {
        Some(why) => fired.because(why),
        None => fired,
    })
}

/// Why it stood still, in the repeat in which it did so most.
pub(crate) fn why(m: &Measurement) -> Option<String> {
    let (repeat, still) = worst(m)?;
    let at = |metric: Metric| of_repeat(m, metric, repeat);
    let (continued, frozen) = (at(metric::CONTINUED), at(metric::FROZEN));
    if let Some(times) = continued.filter(|times| *times > 0.0) {
        let times =
            if times == 1.0 { "once".into() } else { format!("{} times", significant(times, 3)) };
        return Some(format!(
            "the program was stopped and continued {times} (SIGCONT): by SIGSTOP, Ctrl-Z or a debugger"
        ));
    }
    let of_it = |share: Option<f64>| share.filter(|share| *share >= PART * still);
    if let Some(share) = of_it(frozen) {
        return Some(format!("its control group was frozen for {} of the window", Ratio(share)));
    }
    if at(metric::THROTTLED_CPUS).is_some_and(|cpus| cpus >= PART * still)
        || at(metric::THROTTLED_SHARE).is_some_and(|share| share >= PART * still)
    {
        return Some("a CPU quota stopped it".to_string());
    }
    if let Some(share) = of_it(at(metric::STEAL)) {
        return Some(format!("the hypervisor gave {} of the CPUs' time to others", Ratio(share)));
    }
    let missing = at(metric::CPU_TIME_MISSING);
    if let Some(share) = missing.filter(|share| still >= PAUSED.0 && *share >= PAUSED.1 * still) {
        return Some(format!(
            "a CPU accounts for {} less time than passed, as where a guest is paused or moved",
            Ratio(share)
        ));
    }
    let not_stopped = continued.is_some().then_some("no signal stopped it");
    let not_frozen = frozen.is_some().then_some("its control group was not frozen");
    let known: Vec<&str> = [not_stopped, not_frozen].into_iter().flatten().collect();
    (!known.is_empty()).then(|| known.join(", and "))
}

fn worst(m: &Measurement) -> Option<(usize, f64)> {
    let still = m.metric(metric::STOOD_STILL)?;
    let all = still.samples.iter().copied().enumerate();
    all.max_by(|a, b| a.1.total_cmp(&b.1)).or(Some((0, still.value)))
}

/// Of that repeat, where each has a value; else the one there is.
fn of_repeat(m: &Measurement, metric: Metric, repeat: usize) -> Option<f64> {
    let repeats = m.metric(metric)?;
    Some(repeats.samples.get(repeat).copied().unwrap_or(repeats.value))
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, MetricValue};

    use super::*;

    fn said(of: &[(Metric, f64)]) -> Option<String> {
        let mut m = Measurement::new("block.job.a", Layer::Block);
        let all = [(metric::STOOD_STILL, 0.33)];
        let all = all.iter().chain(of);
        m.metrics =
            all.map(|(name, value)| MetricValue::new(*name, *value, None, vec![*value])).collect();
        why(&m)
    }

    #[test]
    fn each_cause_has_a_counter_and_what_is_not_counted_is_not_claimed() {
        let (continued, frozen) = (metric::CONTINUED, metric::FROZEN);
        let stopped = said(&[(continued, 1.0), (frozen, 0.0)]).unwrap();
        assert!(stopped.contains("continued once (SIGCONT)"), "{stopped}");
        let frozen_group = said(&[(continued, 0.0), (frozen, 0.32)]).unwrap();
        assert!(frozen_group.contains("control group was frozen for 32 %"), "{frozen_group}");
        let quota = said(&[(continued, 0.0), (metric::THROTTLED_CPUS, 0.4)]).unwrap();
        assert!(quota.contains("quota"), "{quota}");
        let steal = said(&[(metric::STEAL, 0.3)]).unwrap();
        assert!(steal.contains("hypervisor"), "{steal}");
        let paused = said(&[(continued, 0.0), (metric::CPU_TIME_MISSING, 0.3)]).unwrap();
        assert!(paused.contains("a guest is paused"), "{paused}");
        // A tenth is missing of CPUs whose programs run between ticks.
        let neither = said(&[(continued, 0.0), (metric::CPU_TIME_MISSING, 0.12)]).unwrap();
        assert_eq!(neither, "no signal stopped it");
        let both = said(&[(continued, 0.0), (frozen, 0.01)]).unwrap();
        assert_eq!(both, "no signal stopped it, and its control group was not frozen");
        assert_eq!(said(&[]), None);
    }
}
