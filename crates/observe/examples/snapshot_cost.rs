//! What one snapshot costs on this machine: `cargo run --release -p narrows-observe --example snapshot_cost [DRIVE]...`

use std::time::Instant;

use narrows_facts::process::thread_cpu_ns;
use narrows_model::Platform;
use narrows_observe::{Watch, sentinel};

fn main() {
    const SNAPSHOTS: u32 = 2000;
    let drives: Vec<String> = std::env::args().skip(1).collect();
    let start = Instant::now();
    let watch = Watch::new(&Platform::default(), &drives);
    println!("opening: {} µs", start.elapsed().as_micros());
    let named = Watch::new(&Platform::default(), &drives).with_pids(vec![std::process::id()]);
    for (name, watch) in [("plain", &watch), ("with one tree of processes", &named)] {
        let (start, cpu) = (Instant::now(), thread_cpu_ns());
        for _ in 0..SNAPSHOTS {
            std::hint::black_box(watch.snapshot());
        }
        let (elapsed, cpu) = (start.elapsed(), thread_cpu_ns() - cpu);
        println!(
            "snapshot, {name}: {:.1} µs, {:.1} µs of processor time",
            elapsed.as_secs_f64() * 1e6 / f64::from(SNAPSHOTS),
            cpu as f64 / 1e3 / f64::from(SNAPSHOTS)
        );
    }
    let before = watch.snapshot();
    println!("sentinel: {} µs", sentinel().0 / 1000);
    println!("{:?}", watch.since(&before));
}
