//! What is printed and kept.

use super::{FioOption, near, same};
use crate::kind::OptionType::{Bool, Choice, Floats, Number, Text};

const KEPT: &str = "all latencies are recorded; only what is printed changes";
const SUBMISSIONS: &str = "submissions are timed if slat_percentiles=1 and otherwise not; timing takes one more system call per batch";
const LOGS: &str = "fio's log files are not written; the series are in the run file";

pub(super) const OPTIONS: &[FioOption] = &[
    same("clat_percentiles", Bool),
    same("lat_percentiles", Bool),
    same("slat_percentiles", Bool),
    same("percentile_list", Floats),
    near("significant_figures", Number, "narrows prints as many figures as the interval allows"),
    near("disable_lat", Bool, KEPT),
    near("disable_clat", Bool, KEPT),
    near("disable_slat", Bool, SUBMISSIONS),
    near("disable_bw_measurement", Bool, KEPT).alias(&["disable_bw"]),
    same("unified_rw_reporting", Choice),
    same("kb_base", Choice),
    near("unit_base", Choice, "rates are in bytes"),
    near("stats", Bool, KEPT),
    near("disk_util", Bool, "the device's counters are always read"),
    near("per_job_logs", Bool, LOGS),
    near("write_bw_log", Choice, LOGS),
    near("write_lat_log", Choice, LOGS),
    near("write_iops_log", Choice, LOGS),
    near("write_hist_log", Choice, LOGS),
    near("write_iolog", Text, "the trace of operations is not written"),
    near("log_entries", Number, LOGS),
    near("log_avg_msec", Number, LOGS),
    near("log_hist_msec", Number, LOGS),
    near("log_hist_coarseness", Number, LOGS),
    near("log_window_value", Choice, LOGS).alias(&["log_max_value"]),
    near("log_offset", Bool, LOGS),
    near("log_prio", Bool, LOGS),
    near("log_issue_time", Bool, LOGS),
    near("log_compression", Number, LOGS),
    near("log_compression_cpus", Choice, LOGS),
    near("log_store_compressed", Bool, LOGS),
    near("log_alternate_epoch", Bool, LOGS).alias(&["log_unix_epoch"]),
    near("log_alternate_epoch_clock_id", Number, LOGS),
    near("job_start_clock_id", Number, "times of day are UTC"),
    near("bwavgtime", Number, "series have their own interval"),
    near("iopsavgtime", Number, "series have their own interval"),
];
