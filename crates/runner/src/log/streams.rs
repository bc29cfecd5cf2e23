//! Several WAL streams on one device.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_layer_wal::{StreamsMeasured, StreamsPlan, planned_streams};
use narrows_model::{DatabaseChoice, Plan, Platform, metric};
use narrows_units::{Bytes, Nanos, significant};
use serde_json::json;

use super::target_dirs::TargetDirs;
use crate::exit::Answers;
use crate::prepared::{self, Prepared};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::log::StreamsRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// One window.
const WINDOW: Duration = Duration::from_secs(2);

/// Logs side by side, and how many the device holds.
pub struct Streams {
    dirs: TargetDirs,
    plan: StreamsPlan,
    prepared: Prepared,
}

impl Program for Streams {
    type Request = StreamsRequest;

    fn options(request: &StreamsRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &StreamsRequest, _: &dyn Ui) -> Result<Streams> {
        let dirs = TargetDirs::find(&request.place)?;
        let plan = plan(request, &dirs);
        let repeats = request.repeats;
        let mut prepared =
            dirs.prepared(&request.options, repeats, DatabaseChoice::None, Vec::new());
        let stop = Stop::new();
        let ctx = prepared::ahead(&prepared.plan, &stop, WINDOW);
        prepared.plan.steps = planned_streams(&ctx, &plan);
        Ok(Streams { dirs, plan, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.dirs.describe(&self.prepared)
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.dirs.folders()
    }

    fn check(&self) -> Result<()> {
        self.dirs.check()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        measure(session, &self.dirs, &self.plan)
    }

    /// Those it was asked for; what the search tried above them is meant to be too much.
    fn answers(&self) -> Answers {
        let counts = self.plan.counts();
        Answers::Named(counts.iter().map(|n| format!("log.streams.{n}")).collect())
    }
}

fn plan(request: &StreamsRequest, dirs: &TargetDirs) -> StreamsPlan {
    StreamsPlan {
        streams: request.streams,
        rate_bytes_per_s: request.rate.0,
        write_bytes: request.size,
        quantile: request.percentile / 100.0,
        limit_ns: request.within.0,
        most_streams: request.most_streams.max(request.streams),
        cache_bytes: request.cache,
        cpus: dirs.platform.cpu.allowed.clone(),
    }
}

fn measure(session: &mut Session<'_>, dirs: &TargetDirs, plan: &StreamsPlan) -> Result<Ended> {
    let space = dirs.space(&session.run.id, session.stop)?;
    let ctx = session.context(WINDOW);
    let measured = narrows_layer_wal::streams(&ctx, space.ground(), &dirs.watch(), plan)?;
    let said = sentence(&measured, plan);
    let mut measurements = measured.measurements;
    for measurement in &mut measurements {
        measurement.conditions.insert(narrows_model::condition::SENTENCE, json!(said));
    }
    session.add(measurements);
    Ok(Ended::Whole)
}

/// `The device holds 24 such streams with p99 within 1.00 ms; 28 miss it.`
fn sentence(measured: &StreamsMeasured, plan: &StreamsPlan) -> String {
    let percentile = format!("{:.3}", plan.quantile * 100.0);
    let percentile = percentile.trim_end_matches('0').trim_end_matches('.');
    let goal = format!("p{percentile} within {}", Nanos(plan.limit_ns));
    let each = format!(
        "{}/s in durable writes of {}",
        Bytes(plan.rate_bytes_per_s.round() as u64),
        Bytes(plan.write_bytes).iec()
    );
    let holding = &measured.holding;
    let held = match (holding.kept(), holding.missed()) {
        (Some(kept), Some(missed)) => {
            format!("The device holds {kept} WAL streams of {each} with {goal}; {missed} miss it")
        }
        (Some(kept), None) => {
            format!(
                "The device holds {kept} WAL streams of {each} with {goal}, the most that were tried"
            )
        }
        (None, _) => format!("Not even one WAL stream of {each} keeps {goal} here"),
    };
    let all = format!("log.streams.{}", plan.streams);
    let all = measured.measurements.iter().find(|m| m.id == all);
    let turnover = all
        .and_then(|m| Some((m.number(narrows_model::condition::CACHE_TURNOVER_S)?, m)))
        .map(|(s, m)| {
            let rate = m.value(metric::BANDWIDTH).unwrap_or(0.0);
            format!(
                ". {} of them write {}/s, which turns over a cache of {} in {} s",
                plan.streams,
                Bytes(rate.round() as u64),
                Bytes(plan.cache_bytes.unwrap_or(0)).iec(),
                significant(s, 3)
            )
        });
    format!("{held}{}.", turnover.unwrap_or_default())
}
