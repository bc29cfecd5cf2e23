//! Memory that the kernel has but has not given to a node yet.
//!
//! A node's `MemTotal` is what its allocator manages. Kernels that prepare memory only when it is needed, as in guests that start fast,
//! manage less than `/proc/meminfo` counts and more as memory is used; so does a guest whose memory was plugged in and not yet
//! brought on-line.

use narrows_facts::{Source, parse_cpu_list};
use narrows_model::NumaNode;

use super::NODES;
use crate::memory::meminfo_bytes;
use crate::unknown::Unknowns;

/// Nodes that count less than this share of the machine's memory don't count all of theirs: rounding and what the kernel takes at
/// its start are less than the rest.
const WHOLE: f64 = 0.95;

/// Gives the only node that can be all of the machine's memory; with several it can't be told whose the rest is.
pub(super) fn complete(
    source: &dyn Source,
    nodes: &mut [NumaNode],
    total_bytes: u64,
    unknown: &mut Unknowns,
) {
    let counted = nodes.iter().map(|node| node.memory_bytes).fold(0, u64::saturating_add);
    if counted == 0 || counted as f64 >= total_bytes as f64 * WHOLE {
        return;
    }
    // What is missing may be another node's, which is off-line.
    let possible = source.text(&format!("{NODES}/possible"));
    let no_other = possible.is_some_and(|list| parse_cpu_list(&list).len() == 1);
    if let ([only], true) = (&mut *nodes, no_other) {
        only.counted_bytes = Some(only.memory_bytes);
        only.memory_bytes = total_bytes;
        only.free_bytes = meminfo_bytes(source, "MemFree").or(only.free_bytes);
        return;
    }
    unknown.add(
        format!("the nodes of {} MiB of memory", (total_bytes - counted) >> 20),
        "a kernel that has given all memory to its nodes; use it once, or bring it on-line",
    );
}
