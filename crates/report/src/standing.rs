//! What stands beside a verdict: how an observed server stands, and what changes would allow at most.

use narrows_model::{Bottleneck, Verdict, WhatIf, WhatIfThen};

use crate::print;

/// How the server stands, sentence by sentence; nothing for workloads of ours.
pub(crate) fn standing(verdict: &Verdict) -> Vec<String> {
    verdict.standing.as_ref().map_or_else(Vec::new, |standing| standing.sentences.clone())
}

/// `storage=2x: at most 668k/s (+36 %, 95 % 661k/s to 675k/s; without it 498k/s), then CPU time of each session binds: …`
pub(crate) fn what_if(verdict: &Verdict) -> Vec<String> {
    verdict.what_if.iter().map(one).collect()
}

fn one(asked: &WhatIf) -> String {
    let changes =
        if asked.changes.is_empty() { "nothing changed".into() } else { asked.changes.join(", ") };
    let mut text = match &asked.then {
        Some(then) => format!("{changes}: {}", answer(then, asked.now_at_most_per_s)),
        None => format!("{changes}: no answer, because {}", asked.refused.join("; ")),
    };
    if !asked.assumed.is_empty() {
        text += &format!(". Assumed: {}", asked.assumed.join("; "));
    }
    text
}

/// What the change allows, beside what is allowed without it: not all that lies above the measured rate is the change's.
fn answer(then: &WhatIfThen, now_per_s: f64) -> String {
    let at_most = print::rate(then.at_most_per_s);
    let now = print::rate(now_per_s);
    let gain = (then.gain_at_most != 0.0).then(|| print::change(then.gain_at_most));
    let interval = then.interval_95.as_ref().map(|interval| {
        format!("95 % {} to {}", print::rate(interval.low), print::rate(interval.high))
    });
    let beside: Vec<String> = gain.into_iter().chain(interval).collect();
    let without = if at_most == now { String::new() } else { format!("without it {now}") };
    let beside = [beside.join(", "), without];
    let beside: Vec<&str> = beside.iter().map(String::as_str).filter(|t| !t.is_empty()).collect();
    let mut text = format!("at most {at_most}");
    if !beside.is_empty() {
        text += &format!(" ({})", beside.join("; "));
    }
    text += if at_most == now { ", as without it: " } else { ", then " };
    let binds = if then.binds == Bottleneck::Workers { "bind" } else { "binds" };
    text += &format!("{} {binds}: {}", then.binds.words(), then.label);
    if let Some(ns) = then.time_at_most_ns {
        text += &format!("; at the rate of now each takes at most {}", print::time(ns));
    }
    if let Some(ns) = then.time_at_least_ns {
        text += &format!("; never less than {}", print::time(ns));
    }
    text
}

#[cfg(test)]
mod tests {
    use narrows_model::{Interval, IntervalMethod};

    use super::*;

    fn asked() -> WhatIf {
        WhatIf {
            changes: vec!["storage=2x".into(), "cores=+8".into()],
            now_at_most_per_s: 498e3,
            then: Some(WhatIfThen {
                at_most_per_s: 668e3,
                interval_95: Some(Interval {
                    low: 661e3,
                    high: 675e3,
                    method: IntervalMethod::Propagated,
                }),
                gain_at_most: 0.36,
                binds: Bottleneck::CpuPerSession,
                label: "128 sessions (mostly CPU time)".into(),
                time_at_least_ns: Some(191_500.0),
                time_at_most_ns: None,
            }),
            refused: Vec::new(),
            assumed: vec!["sharing isn't known".into()],
        }
    }

    #[test]
    fn an_answer_says_at_most_and_what_binds_then() {
        assert_eq!(
            one(&asked()),
            "storage=2x, cores=+8: at most 668k/s (+36 %, 95 % 661k/s to 675k/s; without it 498k/s), then \
             CPU time of each session binds: 128 sessions (mostly CPU time); never less than 192 µs. Assumed: sharing isn't known"
        );
    }

    #[test]
    fn what_the_bound_of_now_allows_is_no_gain_of_the_change() {
        let mut same = WhatIf { now_at_most_per_s: 668e3, assumed: Vec::new(), ..asked() };
        let then = same.then.as_mut().unwrap();
        (then.binds, then.label) = (Bottleneck::Workers, "2 workers".into());
        (then.time_at_least_ns, then.interval_95) = (None, None);
        assert_eq!(
            one(&same),
            "storage=2x, cores=+8: at most 668k/s (+36 %), as without it: workers bind: 2 workers"
        );
        same.then.as_mut().unwrap().gain_at_most = 0.0;
        assert_eq!(
            one(&same),
            "storage=2x, cores=+8: at most 668k/s, as without it: workers bind: 2 workers"
        );
    }

    #[test]
    fn where_there_is_no_answer_the_reason_stands() {
        let none = WhatIf {
            then: None,
            refused: vec!["no bound is known".into()],
            assumed: Vec::new(),
            ..asked()
        };
        assert_eq!(one(&none), "storage=2x, cores=+8: no answer, because no bound is known");
    }
}
