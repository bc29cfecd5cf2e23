//! Servers that nobody drew by hand: random laws, and the truth found by experiment. What is called narrow with
//! SURE must be the place that, when it is widened in the simulator, lets the rate rise the most.

mod common;

use common::random::{random, rate, same, widenings};
use common::{line, only};
use narrows_model::{Grade, Narrow};
use narrows_sim::simulate;

const SCENES: u64 = 100;

#[test]
fn what_is_sure_is_what_helps_most_when_widened() {
    let (mut sure, mut right, mut likely, mut open) = (0u64, 0u64, 0u64, 0u64);
    let mut wrong = Vec::new();
    for seed in 0..SCENES {
        let scene = random(seed);
        let run = simulate(&scene);
        let verdict = only(&run);
        match verdict.grade {
            Grade::Likely => likely += 1,
            Grade::Open => open += 1,
            Grade::Sure => {
                sure += 1;
                let base = rate(&scene.server, seed);
                let gains: Vec<(Narrow, f64)> = widenings(&scene.server)
                    .into_iter()
                    .map(|(narrow, wider)| (narrow, rate(&wider, seed) / base - 1.0))
                    .collect();
                let of = |narrow| gains.iter().find(|(n, _)| *n == narrow).map_or(0.0, |g| g.1);
                let own = of(verdict.narrow);
                // Faster processors help everybody who runs; they are no rival of more processors.
                let rivals = gains.iter().filter(|(narrow, _)| !same(*narrow, verdict.narrow));
                let best = rivals.fold(0.0, |best: f64, (_, gain)| best.max(*gain));
                if own >= best * 0.9 && own > 0.03 {
                    right += 1;
                } else {
                    wrong.push(format!("seed {seed}: {}; widened {gains:?}", line(verdict)));
                }
            }
        }
    }
    let interval = narrows_stats::share_interval_95(right, sure);
    println!(
        "SURE: {right} of {sure} right, 95 % interval {interval:?}; {likely} LIKELY, {open} OPEN"
    );
    println!("{}", wrong.join("\n"));
    assert!(sure >= SCENES * 2 / 5, "only {sure} of {SCENES} are SURE");
    assert!(right as f64 >= 0.95 * sure as f64, "wrong:\n{}", wrong.join("\n"));
}
