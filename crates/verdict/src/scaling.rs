//! How a workload's rate goes with its sessions: the points of a sweep, and the universal scalability law where they follow it.
//!
//! The fit, its bounds and its refusals are in `narrows-stats`; here the points are taken from the run and the answer is put
//! where reports find it. Points that are suspect are shown and bear no law. The law describes; what holds a workload back is the verdict's to say.

use narrows_model::{
    Measurement, Ranged, Run, Scaling, ScalingLaw, ScalingPoint, Validity, condition, family,
    metric,
};
use narrows_stats::{SweepPoint, Usl, usl};

/// Between a workload's id and the number of sessions.
const SESSIONS: &str = ".sessions_";

/// Why a sweep of sessions with a table each has none.
const PRIVATE: &str = "each session has its own table, so the working set grows with the number of sessions, and the law is about one working set";

/// The sweeps of a run, in the order of its measurements.
pub fn scalings(run: &Run) -> Vec<Scaling> {
    let mut sweeps: Vec<(&str, Vec<(u32, &Measurement)>)> = Vec::new();
    for m in run.measurements.iter().filter(|m| m.validity != Validity::Invalid) {
        let Some((workload, sessions)) = parts(&m.id) else { continue };
        match sweeps.iter_mut().find(|(word, _)| *word == workload) {
            Some((_, points)) => points.push((sessions, m)),
            None => sweeps.push((workload, vec![(sessions, m)])),
        }
    }
    sweeps.into_iter().map(|(workload, points)| scaling(workload, points)).collect()
}

fn parts(id: &str) -> Option<(&str, u32)> {
    let (workload, sessions) = family::DATABASE.rest(id)?.split_once(SESSIONS)?;
    Some((workload, sessions.parse().ok()?))
}

fn scaling(workload: &str, mut points: Vec<(u32, &Measurement)>) -> Scaling {
    points.sort_by_key(|(sessions, _)| *sessions);
    let suspect = points.iter().filter(|(_, m)| !m.usable()).count();
    let windows: Vec<SweepPoint> = points
        .iter()
        .filter(|(_, m)| m.usable())
        .filter_map(|(sessions, m)| Some((*sessions, m.metric(metric::THROUGHPUT)?)))
        .flat_map(|(sessions, metric)| {
            metric.samples.iter().map(move |&rate_per_s| SweepPoint { sessions, rate_per_s })
        })
        .collect();
    let private = points.iter().any(|(_, m)| m.workload.contains(condition::PRIVATE_TABLES));
    let (law, no_law) = match usl(&windows) {
        _ if private => (None, Some(PRIVATE.to_string())),
        Ok(law) => (Some(law), None),
        Err(why) if suspect > 0 => {
            let all = points.len();
            (
                None,
                Some(format!(
                    "{suspect} of {all} numbers of sessions are suspect and left out; {why}"
                )),
            )
        }
        Err(why) => (None, Some(why.to_string())),
    };
    let points = points
        .into_iter()
        .map(|(sessions, m)| ScalingPoint {
            sessions,
            rate_per_s: m.value(metric::THROUGHPUT).unwrap_or(0.0),
            law_per_s: law.as_ref().and_then(|law| law.rate_per_s(sessions)).map(|at| at.value),
            measurement: m.id.to_string(),
        })
        .collect();
    Scaling { workload: workload.to_string(), points, law: law.as_ref().map(scaling_law), no_law }
}

fn scaling_law(law: &Usl) -> ScalingLaw {
    let furthest = 2 * law.largest;
    ScalingLaw {
        rate_of_one_per_s: ranged(law.rate_of_one),
        contention: ranged(law.contention),
        coherency: ranged(law.coherency),
        error: law.error,
        peak: law.peak().map(|(sessions, rate)| (sessions, ranged(rate))),
        furthest: law.rate_per_s(furthest).map(|rate| (furthest, ranged(rate))),
    }
}

fn ranged(range: narrows_stats::Ranged) -> Ranged {
    Ranged { value: range.value, interval_95: range.interval_95 }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, MetricValue, Plan, Platform};

    use super::*;

    fn point(sessions: u32, rates: &[f64]) -> Measurement {
        let mut m =
            Measurement::new(format!("database.update.sessions_{sessions}"), Layer::Database);
        let metric = MetricValue::new(metric::THROUGHPUT, rates[0], None, rates.to_vec());
        m.metrics.push(metric);
        m
    }

    fn run(points: Vec<Measurement>) -> Run {
        Run { measurements: points, ..Run::blank(Plan::default(), Platform::default()) }
    }

    /// λ = 1000, σ = 0.05, κ = 0.001.
    fn law(n: f64) -> f64 {
        1000.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.001 * n * (n - 1.0))
    }

    #[test]
    fn a_sweep_by_the_law_gives_its_coefficients_and_its_peak() {
        let points: Vec<Measurement> = [1u32, 2, 4, 8, 16, 32, 64]
            .iter()
            .map(|&n| {
                let rate = law(f64::from(n));
                point(n, &[rate * 0.995, rate, rate * 1.005])
            })
            .collect();
        let [scaling] = &scalings(&run(points))[..] else { panic!("one sweep") };
        let law = scaling.law.as_ref().expect("the points follow it");
        assert!((law.contention.value - 0.05).abs() < 0.005, "{law:?}");
        // The peak is at the root of (1 - σ) / κ.
        assert!(law.peak.is_some_and(|(n, _)| (29..=33).contains(&n)), "{law:?}");
        assert_eq!(law.furthest.map(|(n, _)| n), Some(128));
    }

    #[test]
    fn sessions_with_a_table_each_bear_no_law() {
        let mut points: Vec<Measurement> = [1u32, 2, 4, 8, 16, 32, 64]
            .iter()
            .map(|&n| point(n, &[0.995, 1.0, 1.005].map(|off| law(f64::from(n)) * off)))
            .collect();
        assert!(scalings(&run(points.clone()))[0].law.is_some());
        for point in &mut points {
            point.workload.insert(condition::PRIVATE_TABLES, 64);
        }
        let [scaling] = &scalings(&run(points))[..] else { panic!("one sweep") };
        assert!(scaling.law.is_none() && scaling.points.len() == 7, "{scaling:?}");
        assert!(scaling.no_law.as_ref().is_some_and(|why| why.contains("its own table")));
    }

    #[test]
    fn few_points_have_no_law_and_what_is_invalid_is_no_point() {
        let mut points: Vec<Measurement> =
            [1u32, 2, 4, 8, 16, 32].iter().map(|&n| point(n, &[law(f64::from(n))])).collect();
        points[5].validity = Validity::Invalid;
        points[4].validity = Validity::Suspect;
        let [scaling] = &scalings(&run(points))[..] else { panic!("one sweep") };
        assert_eq!(scaling.points.len(), 5);
        assert!(scaling.law.is_none(), "{scaling:?}");
        assert!(
            scaling.no_law.as_ref().is_some_and(|why| why.starts_with("1 of 5")),
            "{scaling:?}"
        );
    }
}
