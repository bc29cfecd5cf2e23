//! Cases by pencil.

use super::*;

pub(super) fn row(coefficients: &[f64], relation: Relation, bound: f64) -> LinearCondition {
    LinearCondition { coefficients: coefficients.to_vec(), relation, bound }
}

pub(super) fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn a_textbook_programme_has_its_textbook_answer() {
    // Hillier and Lieberman's glass company: 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: 36 at (2, 6).
    let programme = Programme {
        objective: vec![3.0, 5.0],
        rows: vec![
            row(&[1.0, 0.0], Relation::AtMost, 4.0),
            row(&[0.0, 2.0], Relation::AtMost, 12.0),
            row(&[3.0, 2.0], Relation::AtMost, 18.0),
        ],
    };
    let best = programme.solve().unwrap();
    assert!(near(best.value, 36.0) && near(best.at[0], 2.0) && near(best.at[1], 6.0), "{best:?}");
}

#[test]
fn lower_bounds_and_equalities_need_the_first_phase() {
    // The least of 2x + 3y with x + y = 10 and x at most 6 is 24 at (6, 4).
    let programme = Programme {
        objective: vec![-2.0, -3.0],
        rows: vec![
            row(&[1.0, 1.0], Relation::Exactly, 10.0),
            row(&[1.0, 0.0], Relation::AtMost, 6.0),
            row(&[0.0, 1.0], Relation::AtLeast, 1.0),
            // The first row once more: nothing new, and no reason to fail.
            row(&[2.0, 2.0], Relation::Exactly, 20.0),
        ],
    };
    let best = programme.solve().unwrap();
    assert!(near(best.value, -24.0), "{best:?}");
}

#[test]
fn a_programme_on_which_other_pivot_rules_cycle_ends() {
    // Beale's example.
    let programme = Programme {
        objective: vec![0.75, -150.0, 0.02, -6.0],
        rows: vec![
            row(&[0.25, -60.0, -0.04, 9.0], Relation::AtMost, 0.0),
            row(&[0.5, -90.0, -0.02, 3.0], Relation::AtMost, 0.0),
            row(&[0.0, 0.0, 1.0, 0.0], Relation::AtMost, 1.0),
        ],
    };
    assert!(near(programme.solve().unwrap().value, 0.05));
}

#[test]
fn what_has_no_best_says_why() {
    let solve = |objective: &[f64], rows: Vec<LinearCondition>| {
        Programme { objective: objective.to_vec(), rows }.solve().unwrap_err()
    };
    assert_eq!(
        solve(&[1.0, 1.0], vec![row(&[1.0, -1.0], Relation::AtMost, 1.0)]),
        ProgrammeError::Unbounded
    );
    let excluding =
        vec![row(&[1.0], Relation::AtMost, 1.0), row(&[1.0], Relation::AtLeast, 1.0001)];
    assert_eq!(solve(&[1.0], excluding), ProgrammeError::Infeasible);
    assert_eq!(
        solve(&[1.0], vec![row(&[f64::NAN], Relation::AtMost, 1.0)]),
        ProgrammeError::NotFinite
    );
    assert!(matches!(
        solve(&[1.0], vec![row(&[1.0, 2.0], Relation::AtMost, 1.0)]),
        ProgrammeError::Shape { row: 0, found: 2, expected: 1 }
    ));
}

/// Rates are settled one after another, each within a rounding.
pub(super) fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
}

#[test]
fn equal_shares_are_equal_to_the_last_digits_that_a_rise_counts_for() {
    // A second way that carries 0.0133 more leaves 500.0033 to each of the first two.
    let users: &[&[&[(usize, f64)]]] =
        &[&[&[(0, 2.0)], &[(3, 3.0)]], &[&[(0, 4.0), (0, 2.0)]], &[&[(1, 4.0)]]];
    let rates = fair_rates(&network(&[4000.0, 2000.0, 10_000.0, 0.04], users)).unwrap();
    for (rate, wanted) in rates.iter().zip([500.003_333, 500.003_333, 500.0]) {
        assert!((rate / wanted - 1.0).abs() < 3e-5, "{rates:?}");
    }
}

pub(super) fn network(capacities: &[f64], users: &[&[&[(usize, f64)]]]) -> Network {
    Network {
        components: (0..capacities.len()).map(|c| format!("c{c}")).collect(),
        constraints: capacities
            .iter()
            .enumerate()
            .map(|(component, capacity)| Constraint {
                component,
                counts: Counts::Bytes,
                label: format!("c{component}"),
                capacity: *capacity,
            })
            .collect(),
        users: users
            .iter()
            .enumerate()
            .map(|(index, routes)| User {
                name: format!("u{index}"),
                routes: routes.iter().map(|usage| Route { usage: usage.to_vec() }).collect(),
                wanted: None,
            })
            .collect(),
    }
}

#[test]
fn three_servers_share_one_path_evenly_and_the_path_binds() {
    // The shared array: three links of 8, one path of 16, drives of 28.8 GB/s.
    let capacities = [8e9, 8e9, 8e9, 16e9, 28.8e9];
    let users: [&[&[(usize, f64)]]; 3] = [
        &[&[(0, 1.0), (3, 1.0), (4, 1.0)]],
        &[&[(1, 1.0), (3, 1.0), (4, 1.0)]],
        &[&[(2, 1.0), (3, 1.0), (4, 1.0)]],
    ];
    let answer = answer(&network(&capacities, &users)).unwrap();
    for rate in &answer.rates {
        assert!(close(*rate, 16e9 / 3.0), "{:?}", answer.rates);
    }
    let tight: Vec<usize> = answer.tight().map(|used| used.constraint).collect();
    assert_eq!(tight, [3]);
    // A tenth more path gives a tenth more; without it the servers' links bind at 24.
    assert_eq!(answer.widening[0].components, [3]);
    assert!(close(answer.widening[0].by_a_tenth, 0.1), "{:?}", answer.widening);
    assert!(close(answer.widening[0].lifted.unwrap(), 0.5));
}

#[test]
fn who_is_held_back_elsewhere_leaves_the_rest_to_the_others() {
    // The classic: one link of 10 shared by two, one of whom has a link of 2 of its own.
    let users: [&[&[(usize, f64)]]; 2] = [&[&[(0, 1.0), (1, 1.0)]], &[&[(0, 1.0)]]];
    let rates = fair_rates(&network(&[10.0, 2.0], &users)).unwrap();
    assert!(close(rates[0], 2.0) && close(rates[1], 8.0), "{rates:?}");
}

#[test]
fn work_is_divided_among_routes_as_suits_best() {
    // Two paths of 3 and 5 behind drives of 7.
    let users: [&[&[(usize, f64)]]; 1] = [&[&[(0, 1.0), (2, 1.0)], &[(1, 1.0), (2, 1.0)]]];
    let answer = answer(&network(&[3.0, 5.0, 7.0], &users)).unwrap();
    assert!(close(answer.rates[0], 7.0));
    // Neither path is needed in full: one byte of slack may lie in either.
    let tight: Vec<usize> = answer.tight().map(|used| used.constraint).collect();
    assert_eq!(tight, [2]);
    assert!(close(answer.widening[0].lifted.unwrap(), 1.0 / 7.0));
}

#[test]
fn two_that_bind_together_are_named_together() {
    let users: [&[&[(usize, f64)]]; 1] = [&[&[(0, 1.0), (1, 2.0), (2, 1.0)]]];
    let answer = answer(&network(&[4.0, 8.0, 5.0], &users)).unwrap();
    assert!(close(answer.rates[0], 4.0));
    assert_eq!(answer.widening.len(), 1);
    assert_eq!(answer.widening[0].components, [0, 1]);
    assert!(close(answer.widening[0].by_a_tenth, 0.1));
    assert!(close(answer.widening[0].lifted.unwrap(), 0.25));
}

#[test]
fn a_constraint_crossed_twice_gives_half() {
    // Memory of a target: written by the drive, read by the adapter.
    let users: [&[&[(usize, f64)]]; 1] = [&[&[(0, 1.0), (0, 1.0)]]];
    assert!(close(fair_rates(&network(&[153.6e9], &users)).unwrap()[0], 76.8e9));
}

#[test]
fn who_wants_less_leaves_the_rest() {
    let users: [&[&[(usize, f64)]]; 3] =
        [&[&[(0, 1.0)]], &[&[(0, 1.0)]], &[&[(0, 1.0)], &[(1, 1.0)]]];
    let mut shared = network(&[12.0, 1.0], &users);
    shared.users[0].wanted = Some(2.0);
    let rates = fair_rates(&shared).unwrap();
    assert!(close(rates[0], 2.0) && close(rates[1], 5.5) && close(rates[2], 5.5), "{rates:?}");
    shared.users[2].routes.truncate(1);
    let rates = fair_rates(&shared).unwrap();
    assert!(close(rates[0], 2.0) && close(rates[1], 5.0) && close(rates[2], 5.0), "{rates:?}");
}

#[test]
fn what_cannot_be_solved_is_named() {
    let no_route = network(&[1.0], &[&[]]);
    assert_eq!(fair_rates(&no_route), Err(FlowError::NoRoute("u0".into())));
    let free: [&[&[(usize, f64)]]; 1] = [&[&[]]];
    assert_eq!(fair_rates(&network(&[1.0], &free)), Err(FlowError::Unlimited("u0".into())));
    let users: [&[&[(usize, f64)]]; 1] = [&[&[(0, 1.0)]]];
    for capacity in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = fair_rates(&network(&[capacity], &users)).unwrap_err();
        assert!(matches!(refused, FlowError::NotPositive { .. }), "{capacity}: {refused}");
    }
    let users: [&[&[(usize, f64)]]; 1] = [&[&[(7, 1.0)]]];
    let refused = fair_rates(&network(&[1.0], &users)).unwrap_err();
    assert!(matches!(refused, FlowError::NoConstraint { index: 7, .. }));
}
