//! A slow oracle on random problems: the programme against all corners, shares against what anybody could still gain.

use proptest::prelude::*;

use super::tests::{close, near, network, row};
use super::*;

/// The best vertex: every choice of as many rows (axes among them) as unknowns, solved as equations, kept where
/// all rows hold. Exponential, and obviously right for bounded programmes.
fn best_vertex(programme: &Programme) -> Option<f64> {
    let n = programme.objective.len();
    let mut planes: Vec<(Vec<f64>, f64)> =
        programme.rows.iter().map(|row| (row.coefficients.clone(), row.bound)).collect();
    for axis in 0..n {
        let unit = (0..n).map(|j| f64::from(u8::from(j == axis))).collect();
        planes.push((unit, 0.0));
    }
    let mut best: Option<f64> = None;
    for choice in 0..1u32 << planes.len() {
        if choice.count_ones() as usize != n {
            continue;
        }
        let chosen: Vec<(Vec<f64>, f64)> = planes
            .iter()
            .enumerate()
            .filter(|(index, _)| choice >> index & 1 == 1)
            .map(|(_, plane)| plane.clone())
            .collect();
        let Some(at) = intersection(chosen) else { continue };
        if at.iter().all(|x| *x > -1e-7) && programme.rows.iter().all(|row| holds(row, &at)) {
            let value = at.iter().zip(&programme.objective).map(|(x, c)| x * c).sum();
            best = Some(best.map_or(value, |known: f64| known.max(value)));
        }
    }
    best
}

fn holds(row: &LinearCondition, at: &[f64]) -> bool {
    let sum: f64 = row.coefficients.iter().zip(at).map(|(a, x)| a * x).sum();
    let close = 1e-7 * row.bound.abs().max(1.0);
    match row.relation {
        Relation::AtMost => sum <= row.bound + close,
        Relation::AtLeast => sum >= row.bound - close,
        Relation::Exactly => (sum - row.bound).abs() <= close,
    }
}

/// Gauss's elimination; `None` for planes without a single common point.
fn intersection(mut planes: Vec<(Vec<f64>, f64)>) -> Option<Vec<f64>> {
    let n = planes.len();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|a, b| planes[*a].0[column].abs().total_cmp(&planes[*b].0[column].abs()))?;
        planes.swap(column, pivot);
        if planes[column].0[column].abs() < 1e-9 {
            return None;
        }
        for other in (0..n).filter(|other| *other != column) {
            let factor = planes[other].0[column] / planes[column].0[column];
            for j in 0..n {
                planes[other].0[j] -= factor * planes[column].0[j];
            }
            planes[other].1 -= factor * planes[column].1;
        }
    }
    Some((0..n).map(|j| planes[j].1 / planes[j].0[j]).collect())
}

/// Small whole coefficients, so that coincidences (ties, degenerate corners) are common.
fn programmes() -> impl Strategy<Value = Programme> {
    (1usize..=3, 1usize..=5).prop_flat_map(|(n, m)| {
        let relation = prop_oneof![
            4 => Just(Relation::AtMost),
            1 => Just(Relation::AtLeast),
            1 => Just(Relation::Exactly),
        ];
        let rows =
            prop::collection::vec((prop::collection::vec(-3i32..=6, n), relation, -4i32..=12), m);
        (prop::collection::vec(-4i32..=6, n), rows).prop_map(move |(objective, rows)| {
            let numbers = |list: Vec<i32>| list.into_iter().map(f64::from).collect::<Vec<_>>();
            let mut rows: Vec<LinearCondition> = rows
                .into_iter()
                .map(|(a, relation, bound)| row(&numbers(a), relation, f64::from(bound)))
                .collect();
            // A box, so that the best is at a corner.
            rows.push(row(&vec![1.0; n], Relation::AtMost, 50.0));
            Programme { objective: numbers(objective), rows }
        })
    })
}

/// Capacities of very different size, users of one or two routes.
fn networks() -> impl Strategy<Value = Network> {
    (2usize..=4).prop_flat_map(|count| {
        let capacity = (1u32..=9, -3i32..=6).prop_map(|(m, e)| f64::from(m) * 10f64.powi(e));
        let usage = (0..count, 1u32..=4).prop_map(|(index, times)| (index, f64::from(times)));
        let route = prop::collection::vec(usage, 1..=3).prop_map(|usage| Route { usage });
        let routes = prop::collection::vec(route, 1..=2);
        (prop::collection::vec(capacity, count), prop::collection::vec(routes, 1..=3)).prop_map(
            |(capacities, users)| {
                let mut network = network(&capacities, &[]);
                network.users = users
                    .into_iter()
                    .enumerate()
                    .map(|(index, routes)| User { name: format!("u{index}"), routes, wanted: None })
                    .collect();
                network
            },
        )
    })
}

/// To which share rates are compared.
const AS_EXACT: f64 = 1e-4;

/// The most of one user's rate while each other keeps at least its own, by corners.
fn most_by_corners(network: &Network, rates: &[f64], chosen: usize) -> f64 {
    let columns: Vec<(usize, &Route)> = network
        .users
        .iter()
        .enumerate()
        .flat_map(|(u, user)| user.routes.iter().map(move |route| (u, route)))
        .collect();
    let mut rows: Vec<LinearCondition> = network
        .constraints
        .iter()
        .enumerate()
        .map(|(index, constraint)| {
            let takes: Vec<f64> = columns.iter().map(|(_, route)| route.takes(index)).collect();
            // Shares of the capacity, so that the corners' tolerance fits all.
            let shares: Vec<f64> = takes.iter().map(|t| t / constraint.capacity).collect();
            row(&shares, Relation::AtMost, 1.0)
        })
        .collect();
    let level = rates[chosen];
    for row in &mut rows {
        for a in &mut row.coefficients {
            *a *= level;
        }
    }
    for (user, rate) in rates.iter().enumerate().filter(|(user, _)| *user != chosen) {
        // Only those who have no more than the chosen one are protected, as far as rates are exact at all: a rise of less than 1e-5 counts
        // as none, so that equal rates may differ by some of them.
        let kept = if *rate <= level * (1.0 + AS_EXACT) { rate / level } else { 0.0 };
        let own: Vec<f64> = columns.iter().map(|(u, _)| f64::from(u8::from(*u == user))).collect();
        rows.push(row(&own, Relation::AtLeast, kept * (1.0 - 1e-6)));
    }
    let objective = columns.iter().map(|(u, _)| f64::from(u8::from(*u == chosen))).collect();
    best_vertex(&Programme { objective, rows }).map_or(0.0, |most| most * level)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_best_corner_is_found(programme in programmes()) {
        match (programme.solve(), best_vertex(&programme)) {
            (Ok(best), Some(corner)) => {
                prop_assert!(near(best.value, corner), "{} against {corner}", best.value);
                prop_assert!(programme.rows.iter().all(|row| holds(row, &best.at)), "{best:?}");
            }
            (Err(ProgrammeError::Infeasible), None) => {}
            (found, corner) => prop_assert!(false, "{found:?} against {corner:?}"),
        }
    }

    #[test]
    fn scale_of_figures_does_not_matter(programme in programmes(), a in -9i32..=9, b in -9i32..=9) {
        let mut scaled = programme.clone();
        for row in &mut scaled.rows {
            row.bound *= 10f64.powi(a);
            for x in &mut row.coefficients {
                *x *= 10f64.powi(b);
            }
        }
        if let Ok(best) = programme.solve() {
            let found = scaled.solve().map(|best| best.value * 10f64.powi(b - a));
            prop_assert!(found.as_ref().is_ok_and(|value| near(*value, best.value)), "{found:?}");
        }
    }

    #[test]
    fn nobody_can_rise_without_taking_from_somebody_who_has_no_more(network in networks()) {
        let rates = fair_rates(&network).unwrap();
        for user in 0..rates.len() {
            let most = most_by_corners(&network, &rates, user);
            prop_assert!(
                most >= rates[user] * (1.0 - AS_EXACT) && most <= rates[user] * (1.0 + AS_EXACT),
                "user {user} has {} and could have {most}: {rates:?}", rates[user]
            );
        }
    }

    #[test]
    fn the_programme_and_the_rising_water_agree(mut network in networks()) {
        for user in &mut network.users {
            user.routes.truncate(1);
        }
        let water = fair_rates(&network).unwrap();
        let programme = fair::filled_by_programme(&network).unwrap();
        for (a, b) in water.iter().zip(&programme) {
            prop_assert!(close(*a, *b), "{water:?} against {programme:?}");
        }
    }

    #[test]
    fn widening_never_takes_and_something_always_binds(network in networks()) {
        let answer = answer(&network).unwrap();
        prop_assert!(answer.tight().next().is_some_and(|used| used.slack == 0.0));
        for used in &answer.used {
            prop_assert!(used.used <= network.constraints[used.constraint].capacity * (1.0 + 1e-6));
        }
        if let [only] = network.users.as_slice() {
            prop_assert!(!only.routes.is_empty());
            for widening in &answer.widening {
                prop_assert!(widening.by_a_tenth > 0.0 && widening.by_a_tenth < 0.1 + 1e-5);
                let lifted = widening.lifted.unwrap_or(f64::MAX);
                prop_assert!(lifted >= widening.by_a_tenth - 1e-5);
            }
        }
    }
}
