//! The page cache answers instead of the drive.

use narrows_io::Entropy;
use narrows_layer_block::{AccessPattern, Distribution, Region, Stream};
use narrows_model::Severity;

use crate::causes::bench::{
    BLOCK, ENOUGH, MIB, bench, cached_reads, caught, counted, reads, silent,
};

fn fill_cache(file: &std::fs::File, bytes: u64) {
    use std::os::unix::fs::FileExt;
    let mut buffer = vec![0; MIB as usize];
    for offset in (0..bytes).step_by(buffer.len()) {
        file.read_exact_at(&mut buffer, offset).unwrap();
    }
}

#[test]
fn a_file_that_was_not_evicted_is_invalid() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(8, Entropy::default()) else { return };
    fill_cache(file.buffered_file(), file.bytes());
    let stream = cached_reads(Region::of(&file));
    let Some(measured) = bench.covered_window(&stream, || ()) else { return };
    let found = bench.judged(measured);
    caught(&found, "resident-before", Severity::Invalid);
    caught(&found, "device-saw-less", Severity::Invalid);
}

#[test]
fn a_working_set_in_memory_is_suspect_and_invalid_by_what_the_drive_saw() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(8, Entropy::default()) else { return };
    // Three times as many reads as there are blocks.
    let operations = 3 * file.bytes() / u64::from(BLOCK);
    let stream = Stream {
        place: AccessPattern::Random(Distribution::Uniform),
        ..counted(cached_reads(Region::of(&file)), operations)
    };
    let evict = || narrows_facts::file::evict(file.buffered_file()).unwrap();
    let Some(measured) = bench.covered_window(&stream, evict) else { return };
    let found = bench.judged(measured);
    let evidence = caught(&found, "working-set-in-memory", Severity::Suspect);
    assert!(evidence.contains("unique bytes") && evidence.contains("issued read bytes"));
    caught(&found, "device-saw-less", Severity::Invalid);
}

#[test]
fn once_each_through_an_empty_cache_is_neither() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(8, Entropy::default()) else { return };
    narrows_facts::file::evict(file.buffered_file()).unwrap();
    let operations = file.bytes() / u64::from(BLOCK) / 2;
    let stream = counted(cached_reads(Region::of(&file)), operations);
    let found = bench.judged(bench.windows(&stream, 1));
    for id in ["resident-before", "device-saw-less", "working-set-in-memory"] {
        silent(&found, id);
    }
    // Nor is anything said of the cache where it plays no part.
    fill_cache(file.buffered_file(), file.bytes());
    let past = counted(reads(Region::of(&file)), ENOUGH);
    let found = bench.judged(bench.windows(&past, 1));
    for id in ["resident-before", "device-saw-less", "working-set-in-memory"] {
        silent(&found, id);
    }
}
