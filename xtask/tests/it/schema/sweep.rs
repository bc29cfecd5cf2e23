//! Rates by sessions, by starts, by files, and the highest ones.

use narrows_model::{
    CalibrationEnd, FileSharing, FileSharingOutcome, HighestRate, Interval, OneStart, Ranged,
    Scaling, ScalingLaw, ScalingPoint, Starts, StartsSpread, Unit, Validity,
};

pub fn starts() -> Starts {
    let start = |id: &str| OneStart { rate_per_s: 1000.0, measurement: id.into() };
    Starts {
        workload: "update".into(),
        unit: Unit::OpsPerS,
        starts: vec![start("database.update"), start("database.update.start_2")],
        spread: Some(StartsSpread {
            starts: 3,
            rate_per_s: Ranged { value: 1000.0, interval_95: (900.0, 1100.0) },
            next_95: (800.0, 1200.0),
            between: 0.04,
            within: 0.02,
            p_value: 0.01,
        }),
        no_spread: Some("it takes 3 starts, and there are 2".into()),
    }
}

pub fn file_sharing(interval: Interval) -> FileSharing {
    FileSharing {
        writers: 4,
        outcome: FileSharingOutcome::HeldUp,
        share: Some(0.3),
        interval_95: Some(interval),
        direct_refused: Some("tmpfs".into()),
    }
}

pub fn scaling() -> Scaling {
    let at = |value: f64| Ranged { value, interval_95: (value * 0.9, value * 1.1) };
    let points = [1u32, 2, 4, 8, 16, 32].map(|sessions| ScalingPoint {
        sessions,
        rate_per_s: 1000.0 * f64::from(sessions),
        law_per_s: Some(1001.0 * f64::from(sessions)),
        measurement: format!("database.update.sessions_{sessions}"),
    });
    Scaling {
        workload: "update".into(),
        points: points.into(),
        law: Some(ScalingLaw {
            rate_of_one_per_s: at(1000.0),
            contention: at(0.05),
            coherency: at(0.001),
            error: 0.02,
            peak: Some((31, at(9800.0))),
            furthest: Some((64, at(8000.0))),
        }),
        no_law: Some("the law misses what was measured".into()),
    }
}

pub fn highest_rate(interval: Interval) -> HighestRate {
    HighestRate {
        workload: "update".into(),
        sessions: 8,
        quantile: 0.99,
        limit_ns: 10_000_000,
        end: CalibrationEnd::Found,
        sentence: "4.00 k/s with p99 within 10 ms".into(),
        rate_per_s: Some(4000.0),
        interval_95: Some(interval),
        quantiles_ns: vec![9.1e6; 6],
        ceiling_per_s: 6000.0,
        windows: 40,
        unusable_windows: 1,
        rests_on: vec!["database.update.p99.kept".into()],
        validity: Validity::Valid,
    }
}
