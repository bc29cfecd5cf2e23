//! Measures the log in a folder and prints what was found: `cargo run --release -p narrows-layer-wal --example log --
//! DIR [SECONDS PER WINDOW [DRIVE]]`. For those who change the layer; users have `narrows run --layers log`.

use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Scratch, Silent, Stop};
use narrows_facts::affinity;
use narrows_layer_wal::{LogPlan, measure, planned};
use narrows_model::Platform;
use narrows_observe::Watch;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let parent = PathBuf::from(arguments.next().ok_or("a folder is needed")?);
    let window: f64 = arguments.next().map_or(Ok(2.0), |text| text.parse())?;
    let drives: Vec<String> = arguments.collect();
    let scratch = Scratch::create(&parent, "log-example")?;
    let stop = Stop::new();
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: 1,
        repeats: 6,
        quick: false,
        window: Duration::from_secs_f64(window),
    };
    let plan = LogPlan {
        commit_bytes: vec![(1, 500), (8, 500), (64, 500)],
        cpus: affinity::current(),
        busy_file_bytes: 512 << 20,
    };
    let began = std::time::Instant::now();
    let watch = Watch::new(&Platform::default(), &drives);
    for measurement in measure(&ctx, scratch.path(), scratch.path(), &watch, &plan)? {
        println!("{}", measurement.id);
        for metric in &measurement.metrics {
            let samples: Vec<String> = metric.samples.iter().map(|x| format!("{x:.5}")).collect();
            println!("  {} = {:.5} [{}]", metric.name, metric.value, samples.join(" "));
        }
        println!("  {:?}", measurement.conditions);
    }
    let expected: f64 = planned(&ctx, &plan).iter().map(|step| step.expected_s).sum();
    println!("{:.1} s, planned {expected:.1} s", began.elapsed().as_secs_f64());
    Ok(())
}
