//! The file is not what it should be: holes, extents without data, zeros, data that can be saved, a file in `/dev`.

use std::fs::File;
use std::io::Write;

use narrows_io::{Access, Effect, Entropy, Fault, Op, Pattern, Target, When};
use narrows_layer_block::{Mix, Region, Stream};
use narrows_model::{Severity, metric};
use rustix::fs::FallocateFlags;

use crate::causes::bench::{Bench, ENOUGH, Gone, MIB, bench, caught, counted, reads, silent};

const BYTES: u64 = 32 * MIB;
/// One in 64 is looked at, and of somebody else's file only what is sure by those is said.
const MANY: u64 = 8000;

/// Reads of [`ENOUGH`] blocks.
fn some(region: impl Into<Region>) -> Stream {
    counted(reads(region), ENOUGH)
}

/// Reads of a file that holds no data: the file system answers, and by three traces.
fn caught_as_empty(bench: &Bench, target: Target) {
    let zeros = if target.pattern().is_some() { "zero-blocks" } else { "blocks-never-written" };
    let Some(measured) = bench.covered_window(&reads(target), || ()) else { return };
    let found = bench.judged(measured);
    caught(&found, "unwritten-extents", Severity::Invalid);
    caught(&found, zeros, Severity::Invalid);
    caught(&found, "device-saw-less", Severity::Invalid);
}

#[test]
fn a_sparse_file_is_invalid() {
    let Some(bench) = bench() else { return };
    let target = bench.by_hand(|file| file.set_len(BYTES).unwrap());
    caught_as_empty(&bench, target);
}

#[test]
fn a_file_that_was_only_allocated_is_invalid() {
    let Some(bench) = bench() else { return };
    let target = bench.by_hand(|file| allocate(file, FallocateFlags::empty(), 0, BYTES));
    caught_as_empty(&bench, target);
}

#[test]
fn a_file_in_which_a_hole_was_punched_is_invalid() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(32, Entropy::default()) else { return };
    let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    allocate(file.buffered_file(), punch, 8 * MIB, 16 * MIB);
    caught_as_empty(&bench, file.target().clone());
}

#[test]
fn blocks_of_zeros_that_the_drive_did_read_are_invalid_all_the_same() {
    let Some(bench) = bench() else { return };
    // As blocks of a drive that were trimmed or never written: there is data, and it is zeros.
    let target = bench.by_hand(|file| {
        let zeros = vec![0; MIB as usize];
        (0..BYTES / MIB).for_each(|_| file.write_all(&zeros).unwrap());
    });
    let found = bench.judged(bench.windows(&counted(reads(target), MANY), 1));
    caught(&found, "blocks-never-written", Severity::Invalid);
    silent(&found, "unwritten-extents");
}

#[test]
fn data_that_compresses_or_repeats_is_suspect() {
    let Some(bench) = bench() else { return };
    for (compress, dedupe) in [(50, 0), (0, 30)] {
        let Some(file) = bench.file(16, Entropy::new(compress, dedupe)) else { return };
        let writes = Stream { mix: Mix::only(Op::Write), ..some(Region::of(&file)) };
        let found = bench.judged(bench.windows(&writes, 1));
        caught(&found, "data-compressible", Severity::Suspect);
        // It reads back what belongs there.
        let found = bench.judged(bench.windows(&some(Region::of(&file)), 1));
        caught(&found, "data-compressible", Severity::Suspect);
        silent(&found, "operations-failed");
    }
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    silent(&bench.judged(bench.windows(&some(Region::of(&file)), 1)), "data-compressible");
}

#[test]
fn one_value_all_over_is_suspect_also_where_few_reads_were_made() {
    let Some(bench) = bench() else { return };
    let filled = |fill: fn(&mut [u8], u64)| {
        bench.by_hand(|file| {
            let mut part = vec![0; MIB as usize];
            for number in 0..BYTES / MIB {
                fill(&mut part, number);
                file.write_all(&part).unwrap();
            }
        })
    };
    // As NVMe drives may answer for what was trimmed.
    let ones = filled(|part, _| part.fill(0xff));
    let found = bench.judged(bench.windows(&counted(reads(ones), 40), 1));
    caught(&found, "blocks-of-one-value", Severity::Suspect);
    let copies = filled(|part, _| Pattern::new(5).fill(part, 0, 0));
    let found = bench.judged(bench.windows(&counted(reads(copies), MANY), 1));
    caught(&found, "blocks-are-copies", Severity::Note);
    silent(&found, "blocks-of-one-value");
    let data = filled(|part, number| Pattern::new(5).fill(part, number * MIB, 0));
    let found = bench.judged(bench.windows(&counted(reads(data), MANY), 1));
    for id in ["blocks-of-one-value", "blocks-are-copies", "blocks-compressible"] {
        silent(&found, id);
    }
}

#[test]
fn a_device_that_drops_what_it_acknowledged_is_invalid() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    let writes = |faults| Stream {
        mix: Mix::only(Op::Write),
        access: Access::blocking().with_faults(faults),
        ..some(Region::of(&file))
    };
    let lost = vec![Fault::on(Op::Write, When::Every(1), Effect::Lost)];
    let found = bench.judged(bench.windows(&writes(lost), 1));
    caught(&found, "writes-not-there", Severity::Invalid);
    let kept = bench.windows(&writes(Vec::new()), 2);
    assert_eq!(kept.value(metric::WRITTEN_LOST), Some(0.0), "it was read back");
    silent(&bench.judged(kept), "writes-not-there");
}

#[test]
fn a_plain_file_in_dev_is_invalid_and_a_flush_there_worth_a_note() {
    let path = std::path::Path::new("/dev").join(format!("narrows-{}", std::process::id()));
    let Some(bench) = bench() else { return };
    let Ok(mut file) = File::create_new(&path) else {
        eprintln!("SKIPPED: {} can't be made, which takes root", path.display());
        return;
    };
    let _gone = Gone(path.clone());
    file.write_all(&vec![0xa5; 4 * MIB as usize]).unwrap();
    let target = Target::open_write_exclusive(&path, true).unwrap();
    let found = bench.judged(bench.windows(&some(target.clone()), 1));
    caught(&found, "plain-file-in-dev", Severity::Invalid);
    // A file system in memory has nothing to flush.
    let writes =
        Stream { mix: Mix::only(Op::Write), sync_after: Some(4), ..some(Region::from(target)) };
    let found = bench.judged(bench.windows(&writes, 1));
    caught(&found, "sync-implausibly-fast", Severity::Note);
    // A file in its place has other findings, if any, and a flush that takes its time is not worth a word.
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    silent(&bench.judged(bench.windows(&some(Region::of(&file)), 1)), "plain-file-in-dev");
    let slow = Fault::on(Op::Sync, When::Every(1), Effect::DelayNs(1_000_000));
    let writes = Stream {
        mix: Mix::only(Op::Write),
        sync_after: Some(4),
        access: Access::blocking().with_faults(vec![slow]),
        ..some(Region::of(&file))
    };
    let measurement = bench.windows(&writes, 1);
    assert!(measurement.value(metric::SYNC_THROUGHPUT).is_some_and(|rate| rate > 0.0));
    silent(&bench.judged(measurement), "sync-implausibly-fast");
}

#[test]
fn a_file_in_order_has_none_of_them() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    // A millisecond each at least, so that no drive is through in too short a time.
    let slow = Fault::any(When::Every(1), Effect::DelayNs(1_000_000));
    let access = Access::blocking().with_faults(vec![slow]);
    let stream = Stream { access, ..some(Region::of(&file)) };
    let found = bench.judged(bench.windows(&stream, 1));
    for id in ["unwritten-extents", "zero-blocks", "blocks-never-written", "device-saw-less"] {
        silent(&found, id);
    }
    for id in ["operations-failed", "short-io", "no-operations", "window-too-short"] {
        silent(&found, id);
    }
}

#[test]
fn a_few_blocks_of_zeros_in_somebody_elses_file_are_left_alone() {
    let Some(bench) = bench() else { return };
    // One in forty, as a database that clears some of its blocks.
    let target = bench.by_hand(|file| {
        let data: Vec<u8> = (0..MIB as usize).map(|at| (at * 31 + 1) as u8 | 1).collect();
        for part in 0..BYTES / MIB {
            let mut part_data = data.clone();
            let every = 40 * 8192;
            for at in (part as usize * 8192..part_data.len()).step_by(every) {
                let end = (at + 8192).min(part_data.len());
                part_data[at..end].fill(0);
            }
            file.write_all(&part_data).unwrap();
        }
    });
    let found = bench.judged(bench.windows(&counted(reads(target), MANY), 1));
    for id in ["zero-blocks", "blocks-never-written", "unwritten-extents"] {
        silent(&found, id);
    }
}

fn allocate(file: &File, mode: FallocateFlags, offset: u64, bytes: u64) {
    rustix::fs::fallocate(file, mode, offset, bytes).unwrap();
    file.sync_all().unwrap();
}
