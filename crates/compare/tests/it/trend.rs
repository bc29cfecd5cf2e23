//! Figures over many runs.

use narrows_compare::trend::trends;
use narrows_model::{Run, Validity};

use crate::world::{Noise, doubt, of, rates};

/// Runs in the order of their time, with these rates of updates and steady lookups.
fn series(updates: impl IntoIterator<Item = f64>) -> Vec<Run> {
    let each = updates.into_iter().enumerate();
    each.map(|(n, rate)| Run {
        started_at: format!("2026-01-{:02}T00:00:00Z", n + 1),
        ..rates(&format!("r{n}"), rate * jitter(n), 500.0 * jitter(n + 3))
    })
    .collect()
}

/// Within half a per cent, without an order.
fn jitter(n: usize) -> f64 {
    1.0 + f64::from((n as u32).wrapping_mul(2_654_435_761) >> 16) / 65_536.0 / 100.0
}

#[test]
fn a_change_of_level_is_found_with_what_changed_there() {
    let mut runs = series((0..24).map(|n| if n < 14 { 1000.0 } else { 800.0 }));
    for run in &mut runs[14..] {
        run.hosts[0].platform.kernel = Some("6.12.0".to_string());
    }
    runs.reverse();
    let (trends, few) = trends(&runs.iter().collect::<Vec<_>>(), &[]);
    assert!(few.is_empty(), "{few:?}");
    let update = trends.iter().find(|trend| trend.measurement == "database.update").unwrap();
    let [change] = update.changes.as_slice() else { panic!("{:?}", update.changes) };
    assert_eq!((change.run.as_str(), change.started_at.get(..10)), ("r14", Some("2026-01-15")));
    assert!((change.growth + 0.2).abs() < 0.01, "{change:?}");
    assert_eq!(change.conditions[0].what, "kernel");
    let lookup = trends.iter().find(|trend| trend.measurement == "database.lookup_cached").unwrap();
    assert!(lookup.changes.is_empty() && lookup.points.len() == 24);
}

#[test]
fn two_changes_are_found_and_levels_are_those_between_them() {
    let levels = [1000.0, 1300.0, 900.0];
    let runs = series((0..60).map(|n| levels[n / 20]));
    let (trends, _) = trends(&runs.iter().collect::<Vec<_>>(), &["database.update".to_string()]);
    let changes = &trends[0].changes;
    let runs: Vec<&str> = changes.iter().map(|change| change.run.as_str()).collect();
    assert_eq!(runs, ["r20", "r40"]);
    assert!(
        (changes[1].before / 1300.0 - 1.0).abs() < 0.01
            && (changes[1].after / 900.0 - 1.0).abs() < 0.01
    );
}

#[test]
fn few_runs_other_workloads_and_invalid_ones_make_no_trend() {
    let mut runs = series((0..12).map(|_| 1000.0));
    for run in &mut runs[..3] {
        doubt(run, "database.update", Validity::Invalid, "steal");
    }
    for run in &mut runs[..5] {
        of(run, "database.lookup_cached").workload.insert(narrows_model::condition::SESSIONS, 16.0);
    }
    let (found, few) = trends(&runs.iter().collect::<Vec<_>>(), &[]);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(few, ["database.update", "database.lookup_cached"]);
}

#[test]
fn machines_on_which_nothing_changes_hardly_ever_show_a_change() {
    let mut noise = Noise(7);
    let wrong = (0..2000)
        .filter(|_| {
            let runs: Vec<Run> = (0..30)
                .map(|n| Run {
                    started_at: format!("2026-01-{:02}T00:00:00Z", n + 1),
                    ..rates(
                        "r",
                        1000.0 * (0.03 * noise.draw()).exp(),
                        500.0 * (0.03 * noise.draw()).exp(),
                    )
                })
                .collect();
            let (trends, _) = trends(&runs.iter().collect::<Vec<_>>(), &[]);
            trends.iter().any(|trend| !trend.changes.is_empty())
        })
        .count();
    // At most 100 by the promise; four standard errors are 39.
    assert!(wrong <= 139, "{wrong} of 2000");
}
