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
use narrows_model::{
    Better, Interval, Layer, Measurement, Plan, PlannedStep, Platform, Unit, condition, metric,
};
use narrows_stats::paired_ratio;
use narrows_units::{Bytes, OpsPerSecond, significant};
use serde_json::json;

use super::folder;
use crate::paragraph::paragraph;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::WritersRequest;
use crate::session::{Ended, OwnWords, Session, scratch};
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
/// Below this share of the rate apart, the file is what holds the writers up.
const CONCURRENT_FROM: f64 = 0.9;

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
                "{PAIRS} pairs of windows: {} writers of {} blocks on one file, then on a file each; writes as much \
                 as the drive takes",
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
    let mut measured = measurements(&windows, &regions, &how, folder::capacity_bytes(platform));
    let (together, apart) = rates(&windows);
    let direct_refused = regions.first().and_then(Region::direct_refused);
    let sentence = sentence(&together, &apart, request.writers, direct_refused);
    for measurement in &mut measured {
        measurement.conditions.insert("sentence".into(), json!(sentence));
    }
    session.words = OwnWords::After(said(&together, &apart, request, &sentence));
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
        together.note(metric::TOGETHER_SHARE, Unit::Ratio, Better::More, one / many);
    }
    let Some(first) = regions.first() else { return Vec::new() };
    let stream = how.stream("writers", first, regions.len() as u32);
    [("together", together, 1), ("apart", apart, regions.len())]
        .into_iter()
        .map(|(word, record, files)| {
            let mut measurement = record.into_measurement(format!("block.writers.{word}"), &stream);
            measurement.workload.insert("writers".into(), json!(regions.len()));
            measurement.workload.insert("files".into(), json!(files));
            let filled: u64 = regions.iter().map(Region::bytes).sum();
            let state = write_state(&measurement, filled, capacity_bytes);
            measurement.conditions.insert(condition::WRITE_STATE.into(), json!(state.word()));
            measurement
        })
        .collect()
}

fn said(together: &[f64], apart: &[f64], request: &WritersRequest, sentence: &str) -> String {
    let line = |label: &str, rates: &[f64]| {
        let middle = narrows_stats::median(rates).unwrap_or(0.0);
        format!(
            "{label:<22} {}{}\n",
            OpsPerSecond(middle),
            spread(narrows_stats::interval_95(rates))
        )
    };
    let n = request.writers;
    let size = Bytes(u64::from(request.size)).iec();
    let mut text = format!(
        "\n{n} writers of {size} blocks, {DEPTH_EACH} in flight each, {PAIRS} pairs of windows\n"
    );
    text += &line("one file together", together);
    text += &line(&format!("{n} files, one each"), apart);
    text + &paragraph(sentence)
}

fn spread(interval: Option<Interval>) -> String {
    interval.map_or(String::new(), |range| {
        format!("  95 %: {} to {}", OpsPerSecond(range.low), OpsPerSecond(range.high))
    })
}

/// What the pair says. A lock shows where writers together reach clearly less than apart.
fn sentence(together: &[f64], apart: &[f64], n: u32, direct_refused: Option<&str>) -> String {
    let through = match direct_refused {
        None => "direct I/O".to_string(),
        Some(why) => format!("writing through the page cache (direct I/O can't be had: {why})"),
    };
    let Some(estimate) = paired_ratio(together, apart) else {
        return format!("Nothing can be said about {through}: a window was empty.");
    };
    let share = |value: f64| significant(value * 100.0, 2);
    let range = estimate.interval_95;
    let between = range.map_or(String::new(), |range| {
        format!(" (95 %: {} to {} %)", share(range.low), share(range.high))
    });
    let figure = format!(
        "together they reach {} % of what they reach apart{between}",
        share(estimate.value)
    );
    match range {
        Some(range) if range.high < CONCURRENT_FROM => format!(
            "One file holds {n} writers up with {through}: {figure}. A lock of the file (its inode's) lets \
             few in at a time."
        ),
        Some(range) if range.low >= CONCURRENT_FROM => {
            format!("One file takes {n} writers at the same time with {through}: {figure}.")
        }
        _ => format!("Not to be told with {through}: {figure}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APART: [f64; 6] = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1000.0];

    #[test]
    fn a_lock_is_told_from_none_and_from_noise() {
        let scaled = |by: f64| APART.map(|rate| rate * by);
        let say = |together: &[f64]| sentence(together, &APART, 4, None);
        assert!(say(&scaled(0.3)).contains("holds 4 writers up"), "{}", say(&scaled(0.3)));
        assert!(say(&scaled(1.0)).contains("at the same time"), "{}", say(&scaled(1.0)));
        let noise = [300.0, 1500.0, 700.0, 1200.0, 400.0, 1400.0];
        assert!(say(&noise).contains("Not to be told"), "{}", say(&noise));
        assert!(sentence(&APART, &APART, 4, Some("tmpfs")).contains("page cache"));
    }
}
