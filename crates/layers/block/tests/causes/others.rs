//! Somebody else uses the drive, or the kernel joins what was sent.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_io::{Access, Arena, Entropy, Method, Op, Options, Target};
use narrows_layer_block::{Load, Mix, Place, Region, Sizes, Stream};
use narrows_model::Severity;

use crate::bench::{MIB, bench, caught, reads, silent};

#[test]
fn another_reader_on_the_drive_is_suspect() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(64, Entropy::default()) else { return };
    let other = bench.by_hand(|file| {
        let bytes: Vec<u8> = (0..MIB as usize).map(|i| ((i * 31) >> 3) as u8).collect();
        (0..64).for_each(|_| file.write_all(&bytes).unwrap());
    });
    let done = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            let direct = other.direct_file().unwrap();
            let mut arena = Arena::new(1, MIB as u32, other.memory_alignment()).unwrap();
            for at in (0..64).cycle() {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                direct.read_exact_at(arena.slot_mut(0), at * MIB).unwrap();
            }
        });
        // One small read at a time beside large ones.
        let one =
            Stream { load: Load::Closed { depth: 1 }, threads: 1, ..reads(Region::of(&file)) };
        let found = bench.judged(bench.windows(&one, 3));
        done.store(true, Ordering::Relaxed);
        found
    });
    caught(&found, "others-read-the-drives", Severity::Suspect);
}

#[test]
fn another_writer_on_the_drive_is_suspect() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(64, Entropy::default()) else { return };
    let other = bench.by_hand(|file| file.write_all(&vec![0x5a; 64 << 20]).unwrap());
    let other = Target::open_write_exclusive(other.path(), true).unwrap();
    let done = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            let direct = other.direct_file().unwrap();
            let mut arena = Arena::new(1, MIB as u32, other.memory_alignment()).unwrap();
            arena.slot_mut(0).fill(0xa5);
            for at in (0..64).cycle() {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                direct.write_all_at(arena.slot(0), at * MIB).unwrap();
            }
        });
        // One small write at a time beside large ones.
        let one = Stream {
            mix: Mix::only(Op::Write),
            load: Load::Closed { depth: 1 },
            threads: 1,
            ..reads(Region::of(&file))
        };
        let found = bench.judged(bench.windows(&one, 3));
        done.store(true, Ordering::Relaxed);
        found
    });
    caught(&found, "others-write-the-drives", Severity::Suspect);
}

/// Processes that do nothing but use processors; gone with the value.
struct Spinners(Vec<Child>);

impl Spinners {
    /// A quarter of the processors, two at least.
    fn start() -> Spinners {
        let cpus = std::thread::available_parallelism().map_or(1, |n| n.get());
        let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        Spinners((0..(cpus / 4).max(2)).map(|_| spin()).collect())
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn programs_that_use_the_processors_are_suspect() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    // A load that needs few processors itself.
    let one = Stream { load: Load::Closed { depth: 1 }, threads: 1, ..reads(Region::of(&file)) };
    let spinners = Spinners::start();
    let found = bench.judged(bench.windows(&one, 3));
    drop(spinners);
    caught(&found, "other-load", Severity::Suspect);
}

#[test]
fn operations_that_the_kernel_joins_are_worth_a_note() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(64, Entropy::default()) else { return };
    // Neighbouring blocks handed over in one call lie together in the kernel's list until it sends them.
    let access = Access::named(Method::Aio, Options::default());
    if access.method() != Method::Aio {
        eprintln!("SKIPPED: no Linux AIO: {:?}", access.refusals());
        return;
    }
    let stream = Stream {
        place: Place::Sequential,
        sizes: Sizes::all(4096),
        load: Load::Closed { depth: 64 },
        threads: 1,
        access,
        ..reads(Region::of(&file))
    };
    let measurement = bench.windows(&stream, 1);
    if measurement.value(narrows_model::metric::DEVICE_MERGES) == Some(0.0) {
        eprintln!("SKIPPED: this kernel joins nothing on this drive (nomerges, or no queue)");
        return;
    }
    caught(&bench.judged(measurement), "requests-merged", Severity::Note);
    // At random places there is nothing to join.
    let random = Stream { place: reads(Region::of(&file)).place, ..stream };
    silent(&bench.judged(bench.windows(&random, 1)), "requests-merged");
}
