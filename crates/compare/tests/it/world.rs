//! Runs with the measurements that a test says.

use narrows_compare::Side;
use narrows_model::{
    Bottleneck, Grade, Layer, Measurement, Metric, MetricValue, OperatingPoint, Plan, Platform,
    Run, Validity, Verdict, condition, metric,
};

/// A measurement of 8 sessions in a closed loop, with these metrics.
pub fn measured(id: &str, metrics: &[(Metric, f64)]) -> Measurement {
    let mut measurement = Measurement::new(id, Layer::Database);
    measurement.workload.insert(condition::SESSIONS, 8.0);
    measurement.workload.insert(condition::LOOP, "closed");
    for (metric, value) in metrics {
        measurement.metrics.push(MetricValue::new(*metric, *value, None, vec![*value]));
    }
    measurement
}

/// A run of these measurements on a machine.
pub fn run(id: &str, measurements: Vec<Measurement>) -> Run {
    let platform = Platform {
        hostname: Some("db7".to_string()),
        kernel: Some("6.1.0".to_string()),
        ..Platform::default()
    };
    Run {
        id: id.to_string(),
        started_at: format!("2026-01-01T00:00:0{}Z", id.len() % 10),
        measurements,
        ..Run::blank(Plan::default(), platform)
    }
}

/// A run of updates and lookups at these rates.
pub fn rates(id: &str, update: f64, lookup: f64) -> Run {
    run(
        id,
        vec![
            measured(
                "database.update",
                &[(metric::THROUGHPUT, update), (metric::LATENCY_P99, 1e9 / update)],
            ),
            measured("database.lookup_cached", &[(metric::THROUGHPUT, lookup)]),
        ],
    )
}

/// A side of these runs.
pub fn side<'a>(name: &str, runs: &'a [Run]) -> Side<'a> {
    Side { name: name.to_string(), runs: runs.iter().collect() }
}

/// That measurement of a run.
pub fn of<'r>(run: &'r mut Run, id: &str) -> &'r mut Measurement {
    run.measurements.iter_mut().find(|m| m.id == id).unwrap()
}

/// Makes a measurement what a finding makes of it.
pub fn doubt(run: &mut Run, id: &str, validity: Validity, finding: &str) {
    let measurement = of(run, id);
    measurement.validity = validity;
    measurement.findings.push(finding.to_string());
}

/// A verdict on updates.
pub fn verdict(narrow: Bottleneck, grade: Grade, phrase: &str) -> Verdict {
    Verdict {
        workload: "update".to_string(),
        measurement: "database.update".to_string(),
        operating_point: OperatingPoint { sessions: 8, think_ns: 0.0, workers: None },
        throughput_per_s: 1000.0,
        throughput_interval_95: None,
        latency_p99_open_ns: None,
        narrow,
        or: None,
        phrase: phrase.to_string(),
        grade,
        reasons: Vec::new(),
        utilisation: Vec::new(),
        bounds: Vec::new(),
        sum: None,
        sharing: None,
        test: None,
        next: Vec::new(),
        gain_at_most: None,
        gain_tested: None,
        standing: None,
        what_if: Vec::new(),
    }
}

/// Normal enough: the sum of twelve uniform numbers less six.
pub struct Noise(pub u64);

impl Noise {
    /// A deviate.
    pub fn draw(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}
