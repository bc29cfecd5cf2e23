//! Keys of clocks and of the state of a machine's memory.

use serde_json::{Map, Value};

use super::keys;

keys! { ALL:

/// Compactions of memory that a request waited for, since the start of the machine.
pub const COMPACTIONS: Key<f64> = Key::new("compactions");
/// Compactions of memory that a request waited for and that brought nothing, since the start of the machine.
pub const COMPACTIONS_FAILED: Key<f64> = Key::new("compactions_failed");
/// Free memory, bytes.
pub const FREE_BYTES: Key<f64> = Key::new("free_bytes");
/// Free memory in pieces of 2 MiB and more, bytes.
pub const FREE_IN_LARGE_PIECES_BYTES: Key<f64> = Key::new("free_in_large_pieces_bytes");
/// First touches that got a transparent huge page, since the start of the machine.
pub const HUGE_FAULTS: Key<f64> = Key::new("huge_faults");
/// First touches that got small pages in place of a transparent huge page, since the start of the machine.
pub const HUGE_FAULTS_REFUSED: Key<f64> = Key::new("huge_faults_refused");
/// Reserved huge pages, bytes.
pub const HUGE_PAGES_BYTES: Key<f64> = Key::new("huge_pages_bytes");
/// Reserved huge pages that are free, bytes.
pub const HUGE_PAGES_FREE_BYTES: Key<f64> = Key::new("huge_pages_free_bytes");
/// Predicted latency of a load if the memory lay evenly on all nodes, ns.
pub const INTERLEAVED_LOAD_NS: Key<f64> = Key::new("interleaved_load_ns");
/// Least and most bandwidth of reads predicted if the memory lay evenly on all nodes, bytes per second.
pub const INTERLEAVED_READ_BYTES_PER_S: Key<[Value]> = Key::new("interleaved_read_bytes_per_s");
/// Largest step of a clock back, ns.
pub const LARGEST_STEP_BACK_NS: Key<f64> = Key::new("largest_step_back_ns");
/// Largest step of a counter back, ticks.
pub const LARGEST_STEP_BACK_TICKS: Key<f64> = Key::new("largest_step_back_ticks");
/// Predicted latency of a load as the memory lies, ns.
pub const LOAD_NS: Key<f64> = Key::new("load_ns");
/// State of the memory now.
pub const NOW: Key<Map<String, Value>> = Key::new("now");
/// Least and most bandwidth of reads predicted as the memory lies, bytes per second.
pub const READ_BYTES_PER_S: Key<[Value]> = Key::new("read_bytes_per_s");
/// Smallest step of a clock that was seen, ns.
pub const SMALLEST_STEP_NS: Key<f64> = Key::new("smallest_step_ns");
/// Smallest step of a counter that was seen, ticks.
pub const SMALLEST_STEP_TICKS: Key<f64> = Key::new("smallest_step_ticks");
/// Swap in use, bytes.
pub const SWAP_USED_BYTES: Key<f64> = Key::new("swap_used_bytes");
/// State of the memory when the baseline was taken.
pub const THEN: Key<Map<String, Value>> = Key::new("then");
/// Time since the start of the machine, s.
pub const UPTIME_S: Key<f64> = Key::new("uptime_s");

}
