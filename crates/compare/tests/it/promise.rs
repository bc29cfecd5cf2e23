//! What a comparison promises, kept in two thousand experiments each: sides that don't differ hardly ever get a *better* or a *worse*, and
//! the difference that is said to be found is.

use narrows_compare::{Judgement, Question, compare};
use narrows_model::{Run, metric};

use crate::world::{Noise, measured, run, side};

const EXPERIMENTS: usize = 2000;
const ROWS: usize = 3;
const RUNS: usize = 4;
const WINDOWS: usize = 6;

/// How runs of one configuration differ.
#[derive(Debug, Clone, Copy)]
struct World {
    /// Standard deviation of what a start of the server draws once.
    start: f64,
    /// Of a window, of which the next one remembers that share.
    window: f64,
    memory: f64,
    /// Growth of the machine's speed from the first to the last run.
    drift: f64,
}

const WORLDS: [World; 3] = [
    World { start: 0.02, window: 0.01, memory: 0.0, drift: 0.0 },
    World { start: 0.01, window: 0.03, memory: 0.8, drift: 0.0 },
    World { start: 0.02, window: 0.01, memory: 0.5, drift: 0.1 },
];

/// A run's value: the median of its windows.
fn value(world: World, moment: f64, growth: f64, noise: &mut Noise) -> f64 {
    let level = 7.0 + world.start * noise.draw() + world.drift * moment + growth.ln_1p();
    let mut before = 0.0;
    let mut windows: Vec<f64> = (0..WINDOWS)
        .map(|_| {
            let new = (1.0 - world.memory * world.memory).sqrt() * noise.draw();
            before = world.memory * before + new;
            (level + world.window * before).exp()
        })
        .collect();
    windows.sort_by(f64::total_cmp);
    (windows[WINDOWS / 2 - 1] + windows[WINDOWS / 2]) / 2.0
}

/// Runs of both sides in turns, the second with that growth.
fn sides(world: World, growth: f64, noise: &mut Noise) -> [Vec<Run>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    for turn in 0..2 * RUNS {
        let which = turn % 2;
        let moment = turn as f64 / (2 * RUNS - 1) as f64;
        let growth = if which == 1 { growth } else { 0.0 };
        let row = |row: usize, noise: &mut Noise| {
            let value = value(world, moment, growth, noise);
            measured(&format!("database.row_{row}"), &[(metric::THROUGHPUT, value)])
        };
        sides[which].push(run("r", (0..ROWS).map(|n| row(n, noise)).collect()));
    }
    sides
}

fn rows(world: World, growth: f64, noise: &mut Noise) -> Vec<(Judgement, f64)> {
    let [base, other] = sides(world, growth, noise);
    let found = compare(&side("a", &base), &[side("b", &other)], &Question::default()).unwrap();
    let rows = &found.against[0].rows;
    rows.iter().map(|row| (row.judgement, row.smallest_found.unwrap())).collect()
}

#[test]
fn equal_sides_hardly_ever_get_a_better_or_a_worse() {
    for (number, world) in (1..).zip(WORLDS) {
        let mut noise = Noise(number);
        let wrong = (0..EXPERIMENTS)
            .filter(|_| {
                let rows = rows(world, 0.0, &mut noise);
                rows.iter().any(|(word, _)| matches!(word, Judgement::Better | Judgement::Worse))
            })
            .count();
        // 5 % are 100; four standard errors are 39.
        assert!(wrong <= 139, "{world:?}: {wrong} of {EXPERIMENTS}");
    }
}

#[test]
fn the_stated_difference_is_found_in_eight_of_ten() {
    for (number, world) in (11..).zip(WORLDS) {
        let mut noise = Noise(number);
        let found = (0..EXPERIMENTS)
            .filter(|_| {
                let (_, stated) = rows(world, 0.0, &mut noise)[0];
                let (word, _) = rows(world, stated, &mut noise)[0];
                word == Judgement::Better
            })
            .count();
        assert!(found >= EXPERIMENTS * 8 / 10, "{world:?}: {found} of {EXPERIMENTS}");
    }
}
