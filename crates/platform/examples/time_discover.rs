//! What a whole discovery costs, on this machine or on one copied below a folder:
//! `cargo run --release -p narrows-platform --example time_discover [FOLDER]`, or `... time_discover --root COPY`

use std::path::Path;
use std::time::Instant;

use narrows_facts::{Live, Source, Tree};
use narrows_model::Role;

fn main() {
    const ROUNDS: usize = 50;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (source, roles): (Box<dyn Source>, Vec<(Role, &Path)>) = match arguments.as_slice() {
        [option, root] if option == "--root" => (Box::new(Tree::new(root)), Vec::new()),
        given => {
            let folder = Path::new(given.first().map_or(".", String::as_str));
            (Box::new(Live), vec![(Role::Data, folder), (Role::Wal, folder)])
        }
    };
    let mut times_us: Vec<u128> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            std::hint::black_box(narrows_platform::discover(source.as_ref(), &roles));
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
    println!("{:#?}", narrows_platform::discover(source.as_ref(), &roles));
}
