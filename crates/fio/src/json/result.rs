//! What a caller fills in: plain numbers, histograms as pairs.

/// Latencies of one kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Latencies {
    /// Values in nanoseconds and how often each came, in any order; values may be bins' middles.
    pub counts: Vec<(u64, u64)>,
    /// The shortest, where it is known exactly; else the smallest of `counts`.
    pub min_ns: Option<u64>,
    /// The longest, where it is known exactly; else the largest of `counts`.
    pub max_ns: Option<u64>,
    /// The sum, where it is known exactly.
    pub sum_ns: Option<f64>,
}

/// A quantity that was looked at once per interval.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampled {
    /// One value per interval.
    pub values: Vec<f64>,
}

/// Latencies of operations of one I/O priority.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriorityResult {
    /// 1 real-time, 2 best effort, 3 idle, 0 none.
    pub class: u16,
    /// 0 is the highest, 7 the lowest.
    pub level: u16,
    /// What the drive may make of it.
    pub hint: u16,
    /// From submission to completion; total latencies where these have percentiles.
    pub latency: Latencies,
}

/// Reads, writes or trims of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DirectionResult {
    /// Bytes moved in the window.
    pub io_bytes: u64,
    /// Operations done in the window.
    pub total_ios: u64,
    /// The window in milliseconds; 0 if there was none of this kind.
    pub runtime_ms: u64,
    /// Operations that moved less than asked.
    pub short_ios: u64,
    /// Operations that were given up.
    pub drop_ios: u64,
    /// Time in the submission.
    pub submission: Latencies,
    /// From submission to completion.
    pub completion: Latencies,
    /// From when it was due to completion; in a closed loop from submission.
    pub total: Latencies,
    /// KiB/s.
    pub bandwidth_kib: Sampled,
    /// Operations per second.
    pub iops: Sampled,
    /// By I/O priority, where operations have their own; those without any are left out.
    pub priorities: Vec<PriorityResult>,
}

/// Flushes of a job.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Syncs {
    /// How many.
    pub total_ios: u64,
    /// How long.
    pub latency: Latencies,
}

/// One job, or one group of jobs reported as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JobResult {
    /// Its name.
    pub name: String,
    /// fio's number of its group.
    pub group: usize,
    /// Its description, if any.
    pub description: Option<String>,
    /// Its own settings; the key is absent if there are none, as in fio.
    pub options: Vec<(String, String)>,
    /// When it started, in milliseconds since 1970.
    pub started_ms: u64,
    /// An errno, or 0.
    pub error: i32,
    /// Seconds since the run began.
    pub elapsed_s: u64,
    /// Reads.
    pub read: DirectionResult,
    /// Writes.
    pub write: DirectionResult,
    /// Trims.
    pub trim: DirectionResult,
    /// All kinds as one, where that is asked for.
    pub mixed: Option<DirectionResult>,
    /// Nothing but that: reads, writes, trims and flushes are left out.
    pub only_mixed: bool,
    /// Flushes.
    pub sync: Syncs,
    /// Milliseconds summed over its clones.
    pub job_runtime_ms: u64,
    /// User time in per cent of `job_runtime_ms`; unknown is printed as 0, because readers need the key.
    pub user_percent: Option<f64>,
    /// System time in per cent of `job_runtime_ms`; unknown is printed as 0.
    pub system_percent: Option<f64>,
    /// Context switches; unknown is printed as 0.
    pub context_switches: Option<u64>,
    /// Major page faults; unknown is printed as 0.
    pub major_faults: Option<u64>,
    /// Minor page faults; unknown is printed as 0.
    pub minor_faults: Option<u64>,
    /// Depths in flight and how many operations were issued at each.
    pub depths: Vec<(u64, u64)>,
    /// Operations per submission and how often.
    pub submitted: Vec<(u64, u64)>,
    /// Operations per reaping and how often.
    pub completed: Vec<(u64, u64)>,
    /// Which percentiles to print, in per cent.
    pub percentiles: Vec<f64>,
    /// Whether completion latencies have percentiles.
    pub completion_percentiles: bool,
    /// Whether total latencies have them.
    pub total_percentiles: bool,
    /// Whether submission latencies have them.
    pub submission_percentiles: bool,
    /// The search for a depth, where there was one.
    pub search: Option<Search>,
    /// How steady it was; the key is absent where the job doesn't ask for it, as in fio.
    pub steady: Option<Steadiness>,
}

/// A search for a depth within a latency.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Search {
    /// The depth it came to.
    pub depth: u64,
    /// The latency.
    pub target_ns: u64,
    /// The share of operations that must keep it, in per cent.
    pub percent: f64,
    /// How long each depth was held.
    pub window_us: u64,
}

/// What steadiness was judged by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Steadiness {
    /// Figure and limit in fio's words: `iops_slope:1.000000%`.
    pub rule: String,
    /// Seconds of the window.
    pub duration_s: u64,
    /// Whether it was steady.
    pub attained: bool,
    /// The last slope or deviation, with `%` where it is a share.
    pub criterion: String,
    /// The largest deviation, in the figure's unit.
    pub max_deviation: f64,
    /// The slope per interval, in the figure's unit.
    pub slope: f64,
    /// Operations per second of each interval.
    pub iops: Vec<u64>,
    /// Bytes per second.
    pub bandwidth_bytes: Vec<u64>,
    /// Mean latencies, where these are judged.
    pub latency_ns: Option<Vec<u64>>,
}

/// A block device's counters over the run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Device {
    /// The kernel's name.
    pub name: String,
    /// Read operations.
    pub read_ios: u64,
    /// Write operations.
    pub write_ios: u64,
    /// Sectors of 512 bytes read.
    pub read_sectors: u64,
    /// Sectors of 512 bytes written.
    pub write_sectors: u64,
    /// Reads merged.
    pub read_merges: u64,
    /// Writes merged.
    pub write_merges: u64,
    /// Milliseconds of reads.
    pub read_ms: u64,
    /// Milliseconds of writes.
    pub write_ms: u64,
    /// Milliseconds weighted by depth.
    pub in_queue_ms: u64,
    /// Share of the time with something in flight, in per cent.
    pub util_percent: f64,
}

/// A whole run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunResult {
    /// narrows' version.
    pub version: String,
    /// When the document was written, in milliseconds since 1970.
    pub timestamp_ms: u64,
    /// The same for people, in the form of C's `ctime`: `Fri Nov 20 14:20:32 2026`.
    pub time: String,
    /// The settings of `[global]`; the key is absent if there are none, as in fio.
    pub global_options: Vec<(String, String)>,
    /// In order.
    pub jobs: Vec<JobResult>,
    /// The devices under the files; the key is absent if none is known, as in fio with disk_util=0.
    pub devices: Vec<Device>,
}
