//! Servers that nobody drew by hand: random laws, and the truth found by experiment. What is called narrow with
//! CONFIRMED must be the place that, when it is widened in the simulator, lets the rate rise the most.

use crate::common::only;
use crate::common::random::{Score, random, seeds};
use narrows_model::Grade;
use narrows_sim::simulate;

#[test]
fn what_is_sure_is_what_helps_most_when_widened() {
    let seeds = seeds(0..100);
    let scenes = seeds.end - seeds.start;
    let (mut score, mut likely, mut open) = (Score::default(), 0u64, 0u64);
    for seed in seeds {
        let scene = random(seed);
        let run = simulate(&scene);
        let verdict = only(&run);
        match verdict.grade {
            Grade::Likely => likely += 1,
            Grade::Undecided => open += 1,
            Grade::Confirmed => score.count(verdict, &scene.server, seed),
        }
    }
    score.settle("CONFIRMED", &format!("{likely} LIKELY, {open} UNDECIDED"));
    assert!(score.named() >= scenes * 2 / 5, "only {} of {scenes} are CONFIRMED", score.named());
}
