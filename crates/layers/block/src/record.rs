//! From the windows of a workload to a [`Measurement`].

use narrows_engine::{Samples, record_latency};
use narrows_io::{Access, Op, TestFile};
use narrows_model::{
    Better, Histogram, Layer, Measurement, Replication, Series, Unit, condition, metric,
};
use serde_json::json;

use crate::cell::{Cell, Route};
use crate::knee::Knee;
use crate::run::Outcome;
use crate::worker::SLICE_NS;

/// A workload's results in the making.
#[derive(Debug)]
pub(crate) struct Record {
    samples: Samples,
    histograms: Vec<Histogram>,
    series: Vec<Series>,
    repeats: u32,
    written_bytes: u64,
    registered_buffers: Option<bool>,
}

/// How a workload was run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub cell: &'a Cell,
    pub depth: u32,
    pub threads: u32,
    pub seed: u64,
    pub access: &'a Access,
    pub cpus: &'a [u32],
}

impl Record {
    pub(crate) fn new() -> Self {
        Record {
            samples: Samples::new(),
            histograms: Vec::new(),
            series: Vec::new(),
            repeats: 0,
            written_bytes: 0,
            registered_buffers: None,
        }
    }

    /// Adds one repeat. `resident` is the share of the file in the page cache just before, `unwritten` the share that
    /// holds no data.
    pub(crate) fn add(
        &mut self,
        setting: &Setting<'_>,
        outcome: &Outcome,
        resident: Option<f64>,
        unwritten: Option<f64>,
    ) {
        let repeat = self.repeats;
        self.repeats += 1;
        self.registered_buffers = outcome.registered_buffers;
        let block = f64::from(setting.cell.block_bytes);
        let operations = outcome.operations as f64;
        let seconds = outcome.window_ns as f64 / 1e9;
        let rate = outcome.throughput();
        let samples = &mut self.samples;
        samples.add(metric::THROUGHPUT, Unit::OpsPerS, Better::More, rate);
        let bandwidth = outcome.bytes as f64 / seconds;
        samples.add(metric::BANDWIDTH, Unit::BytesPerS, Better::More, bandwidth);
        record_latency(samples, &outcome.latency);
        samples.add(metric::CPU_PER_OP, Unit::NsPerOp, Better::Less, outcome.cpu_per_op_ns);
        samples.add(metric::GENERATOR_BUSY, Unit::Ratio, Better::Less, outcome.busiest);
        samples.add(metric::WINDOW, Unit::Ns, Better::Neither, outcome.window_ns as f64);
        samples.add(metric::OPERATIONS, Unit::Count, Better::Neither, operations);
        let failed = (outcome.failed + outcome.wrong) as f64;
        samples.add(metric::ERRORS, Unit::Count, Better::Less, failed);
        samples.add(metric::SHORT_IOS, Unit::Count, Better::Less, outcome.short as f64);
        samples.add(metric::DEPTH, Unit::Count, Better::Neither, f64::from(setting.depth));
        if let Some(mean_ns) = outcome.latency.mean() {
            let in_flight = rate * mean_ns / 1e9;
            samples.add(metric::IN_FLIGHT, Unit::Count, Better::Neither, in_flight);
        }
        let issued = match setting.cell.op {
            Op::Read => Some(metric::ISSUED_READ_BYTES),
            Op::Write => Some(metric::ISSUED_WRITE_BYTES),
            Op::Trim | Op::Sync => None,
        };
        if let Some(issued) = issued {
            samples.add(issued, Unit::Bytes, Better::Neither, operations * block);
        }
        samples.extend(outcome.seen.metrics());
        let drift = outcome.sentinel_drift;
        samples.add(metric::SENTINEL_DRIFT, Unit::Ratio, Better::Less, drift);
        if let Some(share) = resident {
            samples.add(metric::RESIDENT_BEFORE, Unit::Ratio, Better::Less, share);
        }
        if outcome.looked_at > 0 {
            let zeros = outcome.zeros as f64 / outcome.looked_at as f64;
            samples.add(metric::ZERO_BLOCKS, Unit::Ratio, Better::Less, zeros);
        }
        if let Some(share) = unwritten {
            samples.add(metric::UNWRITTEN, Unit::Ratio, Better::Less, share);
        }
        if setting.cell.op == Op::Write {
            self.written_bytes += outcome.issued * u64::from(setting.cell.block_bytes);
        }
        self.histograms.push(Histogram {
            name: "latency".to_string(),
            unit: Unit::Ns,
            repeat,
            hdr_v2: outcome.latency.to_hdr_v2(),
        });
        let per_s = |&count: &u64| count as f64 * 1e9 / SLICE_NS as f64;
        self.series.push(Series {
            name: metric::THROUGHPUT.to_string(),
            unit: Unit::OpsPerS,
            repeat,
            t0_ns: 0,
            interval_ns: SLICE_NS,
            x: Vec::new(),
            values: outcome.slices.iter().map(per_s).collect(),
        });
    }

    pub(crate) fn into_measurement(
        mut self,
        file: &TestFile,
        setting: &Setting<'_>,
        knee: Option<&Knee>,
        generator_ns_per_op: Option<f64>,
    ) -> Measurement {
        let cell = setting.cell;
        let mut measurement = Measurement::new(cell.id.clone(), Layer::Block);
        measurement.replication = Replication::PerWindow;
        measurement.repeats = self.repeats;
        measurement.metrics = self.samples.into_metrics();
        measurement.histograms = self.histograms;
        if let Some(knee) = knee {
            self.series.push(Series {
                name: "curve.throughput".to_string(),
                unit: Unit::OpsPerS,
                repeat: 0,
                t0_ns: 0,
                interval_ns: 0,
                x: knee.curve.iter().map(|probe| f64::from(probe.0)).collect(),
                values: knee.curve.iter().map(|probe| probe.1).collect(),
            });
        }
        measurement.series = self.series;

        let workload = &mut measurement.workload;
        workload.insert(condition::LOOP.into(), json!("closed"));
        workload.insert(condition::DIRECTION.into(), json!(cell.direction()));
        workload.insert(condition::PATTERN.into(), json!(cell.order.word()));
        workload.insert(condition::BLOCK_BYTES.into(), json!(cell.block_bytes));
        workload.insert(condition::DEPTH.into(), json!(setting.depth));
        workload.insert("file_bytes".into(), json!(file.bytes()));
        workload.insert("seed".into(), json!(setting.seed));

        let conditions = &mut measurement.conditions;
        conditions.insert(condition::METHOD.into(), json!(method(cell.route, setting.access)));
        conditions.insert(condition::THREADS.into(), json!(setting.threads));
        conditions.insert(condition::ROLE.into(), json!("data"));
        if !setting.cpus.is_empty() {
            conditions.insert("cpus".into(), json!(setting.cpus));
        }
        match cell.route {
            Route::Best => {
                if let Some(reason) = setting.access.refused() {
                    conditions.insert("io_uring_refused".into(), json!(reason));
                }
                if let Some(registered) = self.registered_buffers {
                    conditions.insert("registered_buffers".into(), json!(registered));
                }
                if let Some(cost_ns) = generator_ns_per_op {
                    conditions.insert("generator_ns_per_op".into(), json!(cost_ns));
                }
            }
            Route::Buffered => {
                if let Err(reason) = file.direct() {
                    conditions.insert("direct_refused".into(), json!(reason));
                }
            }
            Route::Direct => {}
        }
        if cell.op == Op::Write {
            // The device's own capacity may be larger than the file system's by any factor, and what it does after a
            // capacity's worth of writes was not seen.
            conditions.insert(condition::WRITE_STATE.into(), json!("burst"));
            let searching = knee.map_or(0, |knee| knee.issued * u64::from(cell.block_bytes));
            conditions.insert("written_bytes".into(), json!(self.written_bytes + searching));
        }
        measurement
    }
}

fn method(route: Route, access: &Access) -> &'static str {
    match (route, access.method()) {
        (Route::Buffered, _) => "buffered",
        (Route::Direct, _) => "direct",
        (Route::Best, method) => method.word(),
    }
}
