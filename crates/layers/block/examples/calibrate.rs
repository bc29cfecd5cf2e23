//! The search for a rate on a file in the folder that is given, with what the validity rules say of its windows:
//!
//! ```sh
//! cargo run --release -p narrows-layer-block --example calibrate -- DIR [READ_PERCENT] [--beside] [--seconds N] [--mib N]
//! ```
//!
//! With `--blind` other load is not looked at, so that windows count whatever else runs.

use std::error::Error;
use std::path::Path;
use std::time::{Duration, Instant};

use narrows_engine::{Context, Phase, Progress, Stop};
use narrows_layer_block::{
    CalibratePlan, CalibrationTarget, LogStream, Region, calibrate, planned_calibrate, prepare,
};
use narrows_model::{Layer, Platform, metric};
use narrows_observe::Watch;

struct Lines(Instant);

impl Progress for Lines {
    fn phase(&self, _: Layer, phase: Phase, detail: &str) {
        eprintln!("{:7.2} s  {}: {detail}", self.0.elapsed().as_secs_f64(), phase.word());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| -> Option<u64> {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1)?.parse().ok()
    };
    let dir = Path::new(args.first().ok_or("name a folder")?);
    let read_percent = args.get(1).and_then(|arg| arg.parse().ok()).unwrap_or(100);
    let beside = args.iter().any(|arg| arg == "--beside").then(LogStream::default);
    let mut plan = CalibratePlan { read_percent, beside, ..CalibratePlan::default() };
    if let Some(seconds) = value("--seconds") {
        plan = plan.within(Duration::from_secs(seconds));
    }
    let bytes = value("--mib").unwrap_or(1024) << 20;
    for step in planned_calibrate(&plan, bytes) {
        eprintln!("planned: {:6.1} s, {} bytes: {}", step.expected_s, step.writes_bytes, step.what);
    }
    let (stop, progress) = (Stop::new(), Lines(Instant::now()));
    let (repeats, window) = (3, Duration::from_secs(1));
    let ctx = Context { stop: &stop, progress: &progress, seed: 11, repeats, quick: false, window };
    let data = prepare(&ctx, dir, bytes, 1)?;
    let log = beside.map(|_| prepare(&ctx, dir, 64 << 20, 2)).transpose()?;
    let target = CalibrationTarget { data: Region::of(&data), log: log.as_ref().map(Region::of) };
    let blind = args.iter().any(|arg| arg == "--blind");
    let watch = if blind { Watch::none() } else { Watch::new(&Platform::default(), &[]) };
    let found = calibrate(&ctx, &target, &watch, &plan)?;
    eprintln!("{:7.2} s  done", progress.0.elapsed().as_secs_f64());
    println!("{:#?}", found.calibration);
    for m in &found.measurements {
        let get = |metric| m.value(metric).unwrap_or(f64::NAN);
        println!(
            "{:50} {:8.0}/s  p99 {:9.0} ns  busy {:.2}  late {:8.0} ns  x{}",
            m.id,
            get(metric::THROUGHPUT),
            get(metric::LATENCY_P99),
            get(metric::GENERATOR_BUSY),
            get(metric::LATENESS_P99),
            m.repeats
        );
    }
    Ok(())
}
