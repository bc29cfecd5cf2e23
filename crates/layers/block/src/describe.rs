//! What a stream was asked to do and what it obtained, in the words of [`condition`].

use narrows_io::{FileCall, Method};
use narrows_model::{Measurement, condition};
use serde_json::json;

use crate::scenario::{AccessPattern, Load, Route, Share, Sizes, Stream};

/// Writes `stream` into the workload and the conditions of its measurement.
pub(crate) fn stream(measurement: &mut Measurement, stream: &Stream) {
    let workload = &mut measurement.workload;
    workload.insert(condition::LOOP, json!(stream.load.word()));
    // Which call it is stands in the place of a direction: limits of reads and writes are none of calls.
    let call = stream.access.file_call();
    let direction = call.map_or(stream.mix.word(), FileCall::word);
    workload.insert(condition::DIRECTION, json!(direction));
    if stream.mix.single().is_none() {
        workload.insert(
            condition::MIX,
            json!({
                "read": stream.mix.read, "write": stream.mix.write, "trim": stream.mix.trim,
            }),
        );
    }
    match stream.load {
        Load::Closed { depth } => {
            workload.insert(condition::DEPTH, json!(depth));
        }
        Load::Open { rate_per_s, arrivals, most_in_flight } => {
            workload.insert(condition::RATE_PER_S, json!(rate_per_s));
            workload.insert(condition::ARRIVALS, json!(arrivals.word()));
            workload.insert(condition::MOST_IN_FLIGHT, json!(most_in_flight));
        }
    }
    if !call.is_some_and(FileCall::is_on_names) {
        places(measurement, stream);
    }
    let workload = &mut measurement.workload;
    if let Some(writes) = stream.sync_after {
        workload.insert(condition::SYNC_AFTER, json!(writes));
    }
    if let Some(pattern) = stream.region.pattern()
        && pattern.entropy() != narrows_io::Entropy::default()
    {
        workload.insert(condition::COMPRESS_PERCENT, json!(pattern.entropy().compress_percent()));
        workload.insert(condition::DEDUPE_PERCENT, json!(pattern.entropy().dedupe_percent()));
    }
    if matches!(stream.place, AccessPattern::SameOffsets) {
        workload.insert(condition::CLONES, json!(stream.threads));
    }
    conditions(measurement, stream);
}

/// Where in its file it works, and how long its operations are.
fn places(measurement: &mut Measurement, stream: &Stream) {
    let workload = &mut measurement.workload;
    workload.insert(condition::PATTERN, json!(stream.place.word()));
    workload.insert(condition::PLACE, json!(stream.place.detail()));
    match stream.sizes.single(&stream.mix) {
        Some(bytes) => workload.insert(condition::BLOCK_BYTES, json!(bytes)),
        None => workload.insert(condition::SIZES, json!(sizes(&stream.sizes))),
    }
    workload.insert(condition::FILE_BYTES, json!(stream.region.target().bytes()));
    if stream.region.bytes() != stream.region.target().bytes() {
        workload.insert(condition::REGION_BYTES, json!(stream.region.bytes()));
        workload.insert(condition::REGION_OFFSET_BYTES, json!(stream.region.offset_bytes()));
    }
}

fn conditions(measurement: &mut Measurement, stream: &Stream) {
    let conditions = &mut measurement.conditions;
    let method = match (stream.route, stream.access.method()) {
        (Route::Buffered, Method::Blocking) => "buffered",
        (_, method) => method.word(),
    };
    conditions.insert(condition::METHOD, json!(method));
    conditions.insert(condition::THREADS, json!(stream.threads));
    conditions.insert(condition::TARGET_KIND, json!(stream.region.target().kind().word()));
    if !stream.access.method().moves_data() {
        return placed(measurement, stream);
    }
    let contents = if stream.region.pattern().is_some() { "ours" } else { "of others" };
    conditions.insert(condition::CONTENTS, json!(contents));
    let direct = stream.route == Route::Direct && stream.region.direct_refused().is_none();
    conditions.insert(condition::DIRECT, json!(direct));
    if let Some(reason) = stream.region.direct_refused() {
        conditions.insert(condition::DIRECT_REFUSED, json!(reason));
    }
    placed(measurement, stream);
}

/// Where its threads run, and before whom.
fn placed(measurement: &mut Measurement, stream: &Stream) {
    let conditions = &mut measurement.conditions;
    if let Some(priority) = stream.io_priority {
        let words = narrows_facts::io_priority::words(priority);
        conditions.insert(condition::IO_PRIORITY, json!(words));
    }
    if !stream.cpus.is_empty() {
        conditions.insert(condition::CPUS, json!(stream.cpus));
    }
}

/// A length as ids have it: `8k`, `1m`, `512b`.
pub(crate) fn size_word(bytes: u32) -> String {
    match bytes {
        bytes if bytes > 0 && bytes % (1 << 20) == 0 => format!("{}m", bytes >> 20),
        bytes if bytes > 0 && bytes % (1 << 10) == 0 => format!("{}k", bytes >> 10),
        bytes => format!("{bytes}b"),
    }
}

/// Sizes and their weights by kind, for example `read 8192:70 65536:30`.
fn sizes(sizes: &Sizes) -> Vec<String> {
    let line = |word: &str, shares: &[Share<u32>]| {
        let each: Vec<String> =
            shares.iter().map(|share| format!("{}:{}", share.what, share.weight)).collect();
        format!("{word} {}", each.join(" "))
    };
    vec![line("read", &sizes.read), line("write", &sizes.write), line("trim", &sizes.trim)]
}
