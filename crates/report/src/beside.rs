//! What stands beside a verdict: how an observed server stands, and what changes would allow at most.

use narrows_model::{Verdict, WhatIf, WhatIfThen};

use crate::print;
use crate::words;

/// How the server stands, sentence by sentence; nothing for workloads of ours.
pub(crate) fn standing(verdict: &Verdict) -> Vec<String> {
    verdict.standing.as_ref().map_or_else(Vec::new, |standing| standing.sentences.clone())
}

/// `storage=2x: at most 668 k/s (+36 %, 95 % 661 to 675 k/s), then CPU time of each session; a time of at least 192 µs. Assumed: …`
pub(crate) fn what_if(verdict: &Verdict) -> Vec<String> {
    verdict.what_if.iter().map(one).collect()
}

fn one(asked: &WhatIf) -> String {
    let changes =
        if asked.changes.is_empty() { "nothing changed".into() } else { asked.changes.join(", ") };
    let mut text = match &asked.then {
        Some(then) => format!("{changes}: {}", answer(then)),
        None => format!("{changes}: no answer, because {}", asked.refused.join("; ")),
    };
    if !asked.assumed.is_empty() {
        text += &format!(". Assumed: {}", asked.assumed.join("; "));
    }
    text
}

fn answer(then: &WhatIfThen) -> String {
    let interval = then.interval_95.as_ref().map_or_else(String::new, |interval| {
        format!(", 95 % {} to {}", print::rate(interval.low), print::rate(interval.high))
    });
    let mut text = format!(
        "at most {} ({}{interval}), then {} binds: {}",
        print::rate(then.at_most_per_s),
        print::change(then.gain_at_most),
        words::narrow(then.binds),
        then.label
    );
    if let Some(ns) = then.time_at_most_ns {
        text += &format!("; at the rate now each takes at most {}", print::time(ns));
    }
    if let Some(ns) = then.time_at_least_ns {
        text += &format!("; never less than {}", print::time(ns));
    }
    text
}

#[cfg(test)]
mod tests {
    use narrows_model::{Interval, IntervalMethod, Narrow};

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
                binds: Narrow::CpuPerSession,
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
            "storage=2x, cores=+8: at most 668 k/s (+36 %, 95 % 661 k/s to 675 k/s), then CPU time of each session binds: \
             128 sessions (mostly CPU time); never less than 192 µs. Assumed: sharing isn't known"
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
