//! Somebody else uses the drive, or the kernel joins what was sent.

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use narrows_io::{
    Access, Arena, Effect, Entropy, Fault, Method, Op, Options, Target, TestFile, When,
};
use narrows_layer_block::{AccessPattern, Load, Mix, Region, Sizes, Stream};
use narrows_model::{Measurement, Metric, Severity, metric};

use crate::causes::bench::{Bench, MIB, bench, caught, reads, silent};

/// One operation at a time, and 20 ms each: beside that everybody else is much, on any drive.
fn one_slowly(file: &TestFile) -> Stream {
    let slow = Fault::any(When::Every(1), Effect::DelayNs(20_000_000));
    Stream {
        load: Load::Closed { depth: 1 },
        threads: 1,
        access: Access::blocking().with_faults(vec![slow]),
        ..reads(Region::of(file))
    }
}

/// The file that somebody else uses, MiB.
const OTHER_MIB: u64 = 16;

/// A window of `stream` that the drive's counters cover, in which somebody else moved four MiB at least by `other`, a MiB at each
/// call and at a pace that spares the drive.
fn beside(
    bench: &Bench,
    stream: &Stream,
    name: Metric,
    mut other: impl FnMut(u64) + Send,
) -> Option<Measurement> {
    let (done, moved) = (AtomicBool::new(false), AtomicU64::new(0));
    let before = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for at in (0..OTHER_MIB).cycle() {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                other(at * MIB);
                moved.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let begin = || before.store(moved.load(Ordering::SeqCst), Ordering::SeqCst);
        let holds = |m: &Measurement| {
            let meanwhile = moved.load(Ordering::SeqCst) - before.load(Ordering::SeqCst);
            let own = m.value(metric::OPERATIONS) > Some(0.0);
            own && m.value(name).is_some() && meanwhile >= 4
        };
        let measured = bench.window_where(stream, begin, "had the other in it", holds);
        done.store(true, Ordering::Relaxed);
        measured
    })
}

#[test]
fn another_reader_on_the_drive_is_suspect() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    let other = bench.by_hand(|file| {
        let bytes: Vec<u8> = (0..MIB as usize).map(|i| ((i * 31) >> 3) as u8).collect();
        (0..OTHER_MIB).for_each(|_| file.write_all(&bytes).unwrap());
    });
    let direct = other.direct_file().unwrap();
    let mut arena = Arena::new(1, MIB as u32, other.memory_alignment()).unwrap();
    let read = move |at| direct.read_exact_at(arena.slot_mut(0), at).unwrap();
    let one = one_slowly(&file);
    let Some(measured) = beside(&bench, &one, metric::DEVICE_READ_BYTES, read) else { return };
    caught(&bench.judged(measured), "others-read-the-drives", Severity::Suspect);
}

#[test]
fn another_writer_on_the_drive_is_suspect() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    let other =
        bench.by_hand(|file| file.write_all(&vec![0x5a; (OTHER_MIB * MIB) as usize]).unwrap());
    let other = Target::open_write_exclusive(other.path(), true).unwrap();
    let direct = other.direct_file().unwrap();
    let mut arena = Arena::new(1, MIB as u32, other.memory_alignment()).unwrap();
    arena.slot_mut(0).fill(0xa5);
    let write = move |at| direct.write_all_at(arena.slot(0), at).unwrap();
    let one = Stream { mix: Mix::only(Op::Write), ..one_slowly(&file) };
    let Some(measured) = beside(&bench, &one, metric::DEVICE_WRITE_BYTES, write) else { return };
    caught(&bench.judged(measured), "others-write-the-drives", Severity::Suspect);
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
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    // Neighbouring blocks handed over in one call lie together in the kernel's list until it sends them.
    let access = Access::named(Method::Aio, Options::default());
    if access.method() != Method::Aio {
        eprintln!("SKIPPED: no Linux AIO: {:?}", access.refusals());
        return;
    }
    let stream = Stream {
        place: AccessPattern::Sequential,
        sizes: Sizes::all(4096),
        load: Load::Closed { depth: 64 },
        threads: 1,
        access,
        ..reads(Region::of(&file))
    };
    // This kernel may join nothing on this drive (nomerges, or no queue), or completions come one by one, and so does what is sent.
    let joined = |m: &Measurement| {
        m.value(metric::DEVICE_MERGES) > m.value(metric::OPERATIONS).map(|n| 0.1 * n)
    };
    let measurement = bench.window_where(&stream, || (), "had many requests joined", joined);
    let Some(measurement) = measurement else { return };
    caught(&bench.judged(measurement), "requests-merged", Severity::Note);
    // At random places there is nothing to join.
    let random = Stream { place: reads(Region::of(&file)).place, ..stream };
    silent(&bench.judged(bench.windows(&random, 1)), "requests-merged");
}
