//! Blocks are read that have been read before.

use narrows_io::Entropy;
use narrows_layer_block::{AccessPattern, Record, Region, Stream};
use narrows_model::{Measurement, Severity, metric};

use crate::causes::bench::{
    BLOCK, ENOUGH, ID, bench, cached_reads, caught, counted, reads, silent,
};

/// Four sequential readers of the same blocks.
fn clones(stream: Stream) -> Stream {
    Stream { place: AccessPattern::SameOffsets, threads: 4, ..stream }
}

#[test]
fn overlapping_clones_are_suspect_with_unique_bytes_over_bytes_read() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(8, Entropy::default()) else { return };
    // Past the page cache the drive sees every read: suspect, no more.
    let stream = counted(clones(reads(Region::of(&file))), ENOUGH);
    let found = bench.judged(bench.windows(&stream, 1));
    let evidence = caught(&found, "streams-overlap", Severity::Suspect);
    assert!(evidence.starts_with("unique bytes "), "{evidence}");
    assert!(evidence.contains(" against issued read bytes "), "{evidence}");
    silent(&found, "device-saw-less");
}

#[test]
fn they_are_invalid_where_the_drive_saw_less_than_was_read() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(8, Entropy::default()) else { return };
    // Each block four times, of which the drive is asked once.
    let operations = 4 * file.bytes() / u64::from(BLOCK) / 2;
    let stream = counted(clones(cached_reads(Region::of(&file))), operations);
    let evict = || narrows_facts::file::evict(file.buffered_file()).unwrap();
    // The drive's counters are everybody's: what others read meanwhile can hide what memory answered.
    let from_memory = |m: &Measurement| {
        let read = m.value(metric::DEVICE_READ_BYTES);
        let asked = m.value(metric::ISSUED_READ_BYTES).unwrap_or(0.0);
        m.value(metric::OPERATIONS) >= Some(ENOUGH as f64) && read.is_some_and(|r| r < 0.5 * asked)
    };
    let window = bench.window_where(&stream, evict, "is answered from memory", from_memory);
    let Some(measured) = window else { return };
    let found = bench.judged(measured);
    caught(&found, "streams-overlap", Severity::Suspect);
    caught(&found, "device-saw-less", Severity::Invalid);
}

#[test]
fn streams_with_parts_of_their_own_are_neither() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    // Each part is longer than all that is read, should one thread read it alone.
    let stream =
        Stream { place: AccessPattern::Sequential, threads: 4, ..reads(Region::of(&file)) };
    let stream = counted(stream, ENOUGH);
    let found = bench.judged(bench.windows(&stream, 1));
    silent(&found, "streams-overlap");
    silent(&found, "device-saw-less");
}

#[test]
fn a_sequence_that_is_run_again_is_suspect_and_one_that_goes_on_is_not() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    for place in [reads(Region::of(&file)).place, AccessPattern::Sequential] {
        let stream = Stream { place, order_seed: Some(5), ..reads(Region::of(&file)) };
        let stream = counted(stream, ENOUGH);
        let mut record = Record::new();
        for _ in 0..2 {
            bench.window(&mut record, &stream, 9).unwrap();
        }
        let found = bench.judged(record.into_measurement(ID, &stream));
        caught(&found, "sequence-repeated", Severity::Suspect);
        silent(&bench.judged(bench.windows(&stream, 2)), "sequence-repeated");
    }
}

#[test]
fn a_small_file_read_over_and_over_past_the_cache_is_worth_a_note() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(1, Entropy::default()) else { return };
    let blocks = file.bytes() / u64::from(BLOCK);
    let stream = counted(reads(Region::of(&file)), 4 * blocks);
    let found = bench.judged(bench.windows(&stream, 1));
    caught(&found, "blocks-read-again", Severity::Note);
}
