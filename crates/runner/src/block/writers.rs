//! Do several writers to one file wait for each other, as where a lock of the file lets one
//! direct write in at a time?

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_io::{Access, TestFile};
use narrows_layer_block::{
    Record, Region, Route, StreamOutcome, WriterWindows, Writers, prepare, write_state,
    writers_together_and_apart,
};
use narrows_model::{Layer, Measurement, Plan, PlannedStep, Platform, condition, metric};
use narrows_units::Bytes;
use serde_json::json;

use super::folder;
use crate::preflight;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::WritersRequest;
use crate::session::{Ended, Session, scratch};
use crate::ui::Ui;

/// Each file.
const FILE_BYTES: u64 = 64 << 20;
/// Pairs of windows.
const PAIRS: u32 = 6;
const WARM_UP: Duration = Duration::from_millis(300);
const LENGTH: Duration = Duration::from_secs(2);
/// Writes that each writer keeps in flight.
const DEPTH_EACH: u32 = 4;
/// Assumed while planning only.
const WRITE_BYTES_PER_S: f64 = 500e6;

/// Writers together and apart.
pub struct WritersTogether {
    request: WritersRequest,
    at: PathBuf,
    prepared: Prepared,
}

impl Program for WritersTogether {
    type Request = WritersRequest;

    fn options(request: &WritersRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &WritersRequest, _: &dyn Ui) -> Result<WritersTogether> {
        let at = folder::folder(&request.at)?;
        let file_bytes = FILE_BYTES * u64::from(request.writers);
        let prepared = Prepared::storage(
            &at.display().to_string(),
            folder::machine_of_folder(&at),
            &request.options,
            PAIRS,
            file_bytes,
            steps(request, file_bytes),
        );
        Ok(WritersTogether { request: request.clone(), at, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn folders(&self) -> Vec<PathBuf> {
        vec![self.at.clone()]
    }

    fn check(&self) -> Result<()> {
        preflight::block_file(&self.at, self.prepared.plan.file_bytes, "--at")
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        measure(session, &self.at, &self.request)
    }
}

fn steps(request: &WritersRequest, file_bytes: u64) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let windows_s = f64::from(2 * PAIRS) * (WARM_UP + LENGTH).as_secs_f64();
    vec![
        step(
            format!("write {} files of {}", request.writers, Bytes(FILE_BYTES)),
            file_bytes as f64 / WRITE_BYTES_PER_S,
            file_bytes,
        ),
        step(
            format!(
                "{PAIRS} pairs of windows: {} writers of {} blocks on one file, then on one file each; writes as much as the drive accepts",
                request.writers,
                Bytes(u64::from(request.size)).iec()
            ),
            windows_s,
            (windows_s * WRITE_BYTES_PER_S) as u64,
        ),
    ]
}

fn measure(session: &mut Session<'_>, at: &Path, request: &WritersRequest) -> Result<Ended> {
    let ctx = session.context(LENGTH);
    let scratch = scratch(at, &session.run.id)?;
    let mut files: Vec<TestFile> = Vec::new();
    for number in 0..u64::from(request.writers) {
        files.push(prepare(&ctx, scratch.path(), FILE_BYTES, ctx.seed ^ ((number + 1) << 48))?);
    }
    let regions: Vec<Region> = files.iter().map(Region::of).collect();
    let how = Writers {
        block_bytes: request.size,
        depth_each: DEPTH_EACH,
        access: Access::best(),
        route: Route::Direct,
        times: (WARM_UP, LENGTH),
    };
    let platform = session.platform();
    let watch = folder::watch(platform);
    let windows = writers_together_and_apart(&ctx, &regions, &how, &watch)?;
    let measured = measurements(&windows, &regions, &how, folder::capacity_bytes(platform));
    session.add(measured);
    drop((regions, files, scratch));
    Ok(Ended::Whole)
}

fn rates(windows: &WriterWindows) -> (Vec<f64>, Vec<f64>) {
    let together = windows.together.iter().map(StreamOutcome::throughput_per_s).collect();
    let apart = windows
        .apart
        .iter()
        .map(|streams| streams.iter().map(StreamOutcome::throughput_per_s).sum())
        .collect();
    (together, apart)
}

fn measurements(
    windows: &WriterWindows,
    regions: &[Region],
    how: &Writers,
    capacity_bytes: Option<u64>,
) -> Vec<Measurement> {
    let (mut together, mut apart) = (Record::new(), Record::new());
    windows.together.iter().for_each(|outcome| together.add(outcome));
    for streams in &windows.apart {
        if let Some(all) = StreamOutcome::combined("apart", streams, true, true) {
            apart.add(&all);
        }
    }
    let (one, many) = rates(windows);
    for (one, many) in one.iter().zip(&many).filter(|(_, many)| **many > 0.0) {
        together.note(metric::TOGETHER_SHARE, one / many);
    }
    let Some(first) = regions.first() else { return Vec::new() };
    let stream = how.stream("writers", first, regions.len() as u32);
    [("together", together, 1), ("apart", apart, regions.len())]
        .into_iter()
        .map(|(word, record, files)| {
            let mut measurement = record.into_measurement(format!("block.writers.{word}"), &stream);
            measurement.workload.insert(condition::WRITERS, json!(regions.len()));
            measurement.workload.insert(condition::FILES, json!(files));
            let filled: u64 = regions.iter().map(Region::bytes).sum();
            let state = write_state(&measurement, filled, Some(filled), capacity_bytes);
            measurement.conditions.insert(condition::WRITE_STATE, json!(state.word()));
            measurement
        })
        .collect()
}
