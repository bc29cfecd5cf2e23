//! Measures the memory of this machine and prints what was found: `cargo run --release -p narrows-layer-memory
//! --example memory [SECONDS PER REPEAT]`. For those who change the layer; users have `narrows run --layers memory`.

use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_model::{Cache, Platform};
use narrows_observe::Watch;

fn main() {
    let stop = Stop::new();
    let window = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0.5);
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: 1,
        repeats: 6,
        quick: false,
        window: Duration::from_secs_f64(window),
    };
    let mut platform = Platform::default();
    platform.memory.available_bytes = Some(4 << 30);
    let cache = |size_bytes| Cache {
        level: 3,
        kind: "Unified".to_string(),
        size_bytes,
        line_bytes: Some(64),
        instances: 1,
        ..Cache::default()
    };
    platform.caches = vec![cache(32 << 20)];
    // All CPUs as if they were one core's: siblings or not, the yield of two or more can be looked at.
    let server_cpus = narrows_facts::affinity::current();
    platform.cpu.allowed = server_cpus.clone();
    platform.cpu.smt_active = Some(true);
    platform.cpu.cores_threads = vec![server_cpus.iter().copied().take(2).collect()];
    let watch = Watch::new(&platform, &[]);
    let began = std::time::Instant::now();
    match narrows_layer_memory::measure(&ctx, &platform, &server_cpus, &watch) {
        Ok(measured) => {
            for measurement in measured.measurements {
                println!("{}", measurement.id);
                for metric in &measurement.metrics {
                    println!("  {} = {:.4} {:?}", metric.name, metric.value, metric.samples);
                }
                println!("  {:?}", measurement.conditions);
            }
            for absent in measured.absent {
                println!("absent: {} (needs {})", absent.what, absent.needs);
            }
            let planned: f64 = narrows_layer_memory::planned(&ctx, &platform, &server_cpus)
                .iter()
                .map(|s| s.expected_s)
                .sum();
            println!("{:.1} s, planned {planned:.1} s", began.elapsed().as_secs_f64());
        }
        Err(error) => eprintln!("{error}"),
    }
}
