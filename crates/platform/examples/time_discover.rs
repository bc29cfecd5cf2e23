//! What a whole discovery costs on this machine:
//! `cargo run --release -p narrows-platform --example time_discover [FOLDER]`

use std::path::Path;
use std::time::Instant;

use narrows_facts::Live;
use narrows_model::Role;

fn main() {
    const ROUNDS: usize = 50;
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_string());
    let roles = [(Role::Data, Path::new(&folder)), (Role::Wal, Path::new(&folder))];
    let mut times_us: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(narrows_platform::discover(&Live, &roles));
            start.elapsed().as_micros()
        })
        .collect();
    let first = times_us[0];
    times_us.sort_unstable();
    println!(
        "discovery: first {first} µs, median {} µs, longest {} µs of {ROUNDS}",
        times_us[ROUNDS / 2],
        times_us[ROUNDS - 1]
    );
    println!("{:#?}", narrows_platform::discover(&Live, &roles));
}
