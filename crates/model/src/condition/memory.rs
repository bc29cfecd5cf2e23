//! Keys of measurements of memory.

use serde_json::{Map, Value};

use super::keys;

keys! { ALL:

/// Whether something is worse than in the baseline by more than a machine varies.
pub const AGED: Key<bool> = Key::new("aged");
/// Share of the time in which all processes ran at once.
pub const ALL_RAN_SHARE: Key<f64> = Key::new("all_ran_share");
/// Page size that the mapping has, in a word.
pub const BACKING: Key<str> = Key::new("backing");
/// Start of the run that was taken as the baseline.
pub const BASELINE_AT: Key<str> = Key::new("baseline_at");
/// Bytes that each thread looks up in.
pub const BYTES_PER_THREAD: Key<f64> = Key::new("bytes_per_thread");
/// Caches of the machine: by name, size and the footprint at which each was read.
pub const CACHES: Key<Map<String, Value>> = Key::new("caches");
/// Cells of the matrix that have the same distance.
pub const CELLS_OF_ITS_DISTANCE: Key<f64> = Key::new("cells_of_its_distance");
/// Chains of a lookup table.
pub const CHAINS: Key<f64> = Key::new("chains");
/// What address translation would add to a load in a pool of 1 TiB, at least and at most, ns: carried on from smaller pools.
pub const AT_1_TIB_NS: Key<[Value]> = Key::new("at_1_tib_ns");
/// What changed since the baseline.
pub const CHANGES: Key<[Value]> = Key::new("changes");
/// How bytes are counted, in a sentence.
pub const CONVENTION: Key<str> = Key::new("convention");
/// Cost of the same number of loads over lines of one large page, where translation costs nothing, ns.
pub const COST_WITHOUT_TRANSLATION_NS: Key<f64> = Key::new("cost_without_translation_ns");
/// Memory node of the CPU that measured.
pub const CPU_NODE: Key<f64> = Key::new("cpu_node");
/// Distance between the nodes as the firmware tells it: 10 is a node's own.
pub const DISTANCE: Key<f64> = Key::new("distance");
/// Figures of each process.
pub const EACH: Key<[Value]> = Key::new("each");
/// Entries in one chain of a lookup table.
pub const ENTRIES_OF_A_CHAIN: Key<f64> = Key::new("entries_of_a_chain");
/// Bytes that the accesses go over.
pub const FOOTPRINT_BYTES: Key<f64> = Key::new("footprint_bytes");
/// What kept the footprint below the one wanted.
pub const FOOTPRINT_LIMITED_BY: Key<str> = Key::new("footprint_limited_by");
/// How many times the caches the footprint is that the CPUs reach which walk over it, from the second level on.
pub const FOOTPRINT_OVER_LLC: Key<f64> = Key::new("footprint_over_llc");
/// Footprint wanted, bytes.
pub const FOOTPRINT_WANTED_BYTES: Key<f64> = Key::new("footprint_wanted_bytes");
/// Cost of a random access over half of the footprint, ns.
pub const HALF_FOOTPRINT_COST_NS: Key<f64> = Key::new("half_footprint_cost_ns");
/// Cost of a random access over half of the footprint, over that over all of it: 1 where caches take no part.
pub const HALF_OVER_WHOLE: Key<f64> = Key::new("half_over_whole");
/// Share of lookups that find their entry.
pub const HIT_RATIO: Key<f64> = Key::new("hit_ratio");
/// Free bytes in huge pages, by memory node.
pub const HUGE_FREE_BYTES_BY_NODE: Key<Map<String, Value>> = Key::new("huge_free_bytes_by_node");
/// Share of the mapping in huge pages.
pub const HUGE_PAGE_SHARE: Key<f64> = Key::new("huge_page_share");
/// Least share in huge pages among the mappings.
pub const HUGE_PAGE_SHARE_LEAST: Key<f64> = Key::new("huge_page_share_least");
/// Bytes in use in huge pages, by memory node.
pub const HUGE_USED_BYTES_BY_NODE: Key<Map<String, Value>> = Key::new("huge_used_bytes_by_node");
/// Share of the load at the knee.
pub const KNEE_SHARE: Key<f64> = Key::new("knee_share");
/// Why latency was not measured.
pub const LATENCY_NOT_MEASURED: Key<str> = Key::new("latency_not_measured");
/// Levels of the tree that is searched.
pub const LEVELS: Key<f64> = Key::new("levels");
/// Size of a cache line, bytes.
pub const LINE_BYTES: Key<f64> = Key::new("line_bytes");
/// Size of the caches that the walking CPUs reach, from the second level on, bytes.
pub const LLC_BYTES: Key<f64> = Key::new("llc_bytes");
/// What a first look at the cell gave, where a second was taken.
pub const LOOKED_AT_BEFORE: Key<[Value]> = Key::new("looked_at_before");
/// Operations asked of each process.
pub const LOOPS: Key<f64> = Key::new("loops");
/// Size of the cache between all CPUs and this memory (a memory-side cache), bytes.
pub const MEMORY_CACHE_BYTES: Key<f64> = Key::new("memory_cache_bytes");
/// What the baseline has and this run does not.
pub const MISSING: Key<[Value]> = Key::new("missing");
/// Why the node of the memory was not verified.
pub const NODE_NOT_VERIFIED: Key<str> = Key::new("node_not_verified");
/// Share of the pages on the node asked for.
pub const NODE_SHARE: Key<f64> = Key::new("node_share");
/// Memory nodes that were measured or used.
pub const NODES: Key<[Value]> = Key::new("nodes");
/// What could not be compared with the baseline.
pub const NOT_COMPARED: Key<[Value]> = Key::new("not_compared");
/// Ratio to the cells of the same distance.
pub const OVER_ITS_DISTANCE: Key<f64> = Key::new("over_its_distance");
/// Name of the process that owns a pool.
pub const OWNER: Key<str> = Key::new("owner");
/// Pages that a placement is of.
pub const PAGES: Key<f64> = Key::new("pages");
/// Pages whose node was asked for.
pub const PAGES_ASKED: Key<f64> = Key::new("pages_asked");
/// Pages by memory node.
pub const PAGES_BY_NODE: Key<Map<String, Value>> = Key::new("pages_by_node");
/// Pages by the page tables of one process, by memory node.
pub const PAGES_BY_ONE_PROCESS_TABLES: Key<Map<String, Value>> =
    Key::new("pages_by_one_process_tables");
/// Pages that stand in no page table.
pub const PAGES_IN_NO_TABLE: Key<f64> = Key::new("pages_in_no_table");
/// Number of the process.
pub const PID: Key<f64> = Key::new("pid");
/// Memory policy of a process.
pub const POLICY: Key<str> = Key::new("policy");
/// Name of the pool.
pub const POOL: Key<str> = Key::new("pool");
/// Largest pool whose addresses were walked, bytes.
pub const POOL_BYTES: Key<f64> = Key::new("pool_bytes");
/// Least and most bandwidth predicted, bytes per second.
pub const PREDICTED_BYTES_PER_S: Key<[Value]> = Key::new("predicted_bytes_per_s");
/// Predicted latency, ns.
pub const PREDICTED_NS: Key<f64> = Key::new("predicted_ns");
/// Number of processes.
pub const PROCESSES: Key<f64> = Key::new("processes");
/// Processes that were asked.
pub const PROCESSES_ASKED: Key<f64> = Key::new("processes_asked");
/// Processes that do not let themselves be asked.
pub const PROCESSES_CLOSED: Key<f64> = Key::new("processes_closed");
/// Processes for which an answer was refused.
pub const PROCESSES_REFUSED: Key<f64> = Key::new("processes_refused");
/// Processes whose `smaps` and `numa_maps` were not read, because the kernel would have held their `mmap_lock` for long: policy, swap and
/// transparent huge pages are then unknown.
pub const PROCESSES_TOO_LARGE: Key<f64> = Key::new("processes_too_large");
/// Cost of random over sequential accesses.
pub const RANDOM_OVER_SEQUENTIAL: Key<f64> = Key::new("random_over_sequential");
/// Signs of age that were found, for example `fragmented`.
pub const REASONS: Key<[Value]> = Key::new("reasons");
/// Whether the machine was started anew since the baseline.
pub const RESTARTED_SINCE: Key<bool> = Key::new("restarted_since");
/// Samples taken on another CPU than the one asked for.
pub const SAMPLES_ON_ANOTHER_CPU: Key<f64> = Key::new("samples_on_another_cpu");
/// Cost of an access in order, ns.
pub const SEQUENTIAL_COST_NS: Key<f64> = Key::new("sequential_cost_ns");
/// Shape of what is measured: of a table or tree, or of a placement.
pub const SHAPE: Key<str> = Key::new("shape");
/// Shares by memory node.
pub const SHARE_BY_NODE: Key<Map<String, Value>> = Key::new("share_by_node");
/// Share of the memory by node.
pub const SHARE_OF_MEMORY_BY_NODE: Key<Map<String, Value>> = Key::new("share_of_memory_by_node");
/// Share of the lookups that go to the hot chain.
pub const SHARE_OF_THE_HOT_CHAIN: Key<f64> = Key::new("share_of_the_hot_chain");
/// Share of the time in which the thread did not run.
pub const SHARE_OF_TIME_OFF_CPU: Key<f64> = Key::new("share_of_time_off_cpu");
/// Uncertainty of the shares, at most.
pub const SHARE_UNCERTAINTY: Key<f64> = Key::new("share_uncertainty");
/// Whether the memory is shared.
pub const SHARED: Key<bool> = Key::new("shared");
/// Shared bytes by memory node.
pub const SHARED_BYTES_BY_NODE: Key<Map<String, Value>> = Key::new("shared_bytes_by_node");
/// Rate of the slowest thread over that of the fastest.
pub const SLOWEST_OVER_FASTEST_THREAD: Key<f64> = Key::new("slowest_over_fastest_thread");
/// Bytes swapped out.
pub const SWAP_BYTES: Key<f64> = Key::new("swap_bytes");
/// Segments of System V shared memory.
pub const SYSV_SEGMENTS: Key<[Value]> = Key::new("sysv_segments");
/// The hypervisor that tells the topology.
pub const TOPOLOGY_TOLD_BY: Key<str> = Key::new("topology_told_by");
/// Bytes in transparent huge pages.
pub const TRANSPARENT_HUGE_BYTES: Key<f64> = Key::new("transparent_huge_bytes");

}
