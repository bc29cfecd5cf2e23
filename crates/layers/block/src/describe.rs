//! What a stream was asked to do and what it obtained, in the words of [`condition`].

use narrows_io::Method;
use narrows_model::{Measurement, condition};
use serde_json::json;

use crate::scenario::{Load, Place, Route, Share, Sizes, Stream};

/// Writes `stream` into the workload and the conditions of its measurement.
pub(crate) fn stream(measurement: &mut Measurement, stream: &Stream) {
    let workload = &mut measurement.workload;
    let mut put = |key: &str, value| workload.insert(key.to_string(), value);
    put(condition::LOOP, json!(stream.load.word()));
    put(condition::DIRECTION, json!(stream.mix.word()));
    put(condition::PATTERN, json!(stream.place.word()));
    put(condition::PLACE, json!(stream.place.detail()));
    match stream.sizes.single(&stream.mix) {
        Some(bytes) => put(condition::BLOCK_BYTES, json!(bytes)),
        None => put("sizes", json!(sizes(&stream.sizes))),
    };
    if stream.mix.single().is_none() {
        put(
            "mix",
            json!({
                "read": stream.mix.read, "write": stream.mix.write, "trim": stream.mix.trim,
            }),
        );
    }
    match stream.load {
        Load::Closed { depth } => {
            put(condition::DEPTH, json!(depth));
        }
        Load::Open { rate_per_s, arrivals, most_in_flight } => {
            put("rate_per_s", json!(rate_per_s));
            put("arrivals", json!(arrivals.word()));
            put("most_in_flight", json!(most_in_flight));
        }
    }
    put("file_bytes", json!(stream.region.target().bytes()));
    if stream.region.bytes() != stream.region.target().bytes() {
        put("region_bytes", json!(stream.region.bytes()));
        put("region_offset_bytes", json!(stream.region.offset_bytes()));
    }
    if let Some(writes) = stream.sync_after {
        put("sync_after", json!(writes));
    }
    if let Some(pattern) = stream.region.pattern()
        && pattern.entropy() != narrows_io::Entropy::default()
    {
        put("compress_percent", json!(pattern.entropy().compress_percent()));
        put("dedupe_percent", json!(pattern.entropy().dedupe_percent()));
    }
    if matches!(stream.place, Place::SameOffsets) {
        put("clones", json!(stream.threads));
    }
    conditions(measurement, stream);
}

fn conditions(measurement: &mut Measurement, stream: &Stream) {
    let conditions = &mut measurement.conditions;
    let mut put = |key: &str, value| conditions.insert(key.to_string(), value);
    let method = match (stream.route, stream.access.method()) {
        (Route::Buffered, Method::Blocking) => "buffered",
        (_, method) => method.word(),
    };
    put(condition::METHOD, json!(method));
    put(condition::THREADS, json!(stream.threads));
    put(condition::TARGET_KIND, json!(stream.region.target().kind().word()));
    let contents = if stream.region.pattern().is_some() { "ours" } else { "of others" };
    put(condition::CONTENTS, json!(contents));
    let direct = stream.route == Route::Direct && stream.region.direct_refused().is_none();
    put(condition::DIRECT, json!(direct));
    if let Some(reason) = stream.region.direct_refused() {
        put("direct_refused", json!(reason));
    }
    if !stream.cpus.is_empty() {
        put("cpus", json!(stream.cpus));
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
