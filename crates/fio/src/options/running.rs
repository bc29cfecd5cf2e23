//! How long, how often, how fast, and what waits for what.

use super::{FioOption, near, refused, same};
use crate::kind::OptionType::{
    Bool, Choice, Floats, Microseconds, Number, PerDirection, Seconds, Set, Text,
};

const FROM_DUE: &str = "latency counts from when an operation is due, fio's from its submission; the rate is as in fio";
const SEARCH: &str = "as in fio, but the figures are always of one depth: one that fails while it is held for them is no result, and the search goes on";
const STEADY: &str = "as in fio, but each interval is a whole one: the first of fio 3.33 has no beginning and no meaning; a latency is one with its limit in per cent";

const FILLED: &str = "a device is filled to its end, a file system up to what stays free for others: 5 % of it, at least 1 GiB";

pub(super) const OPTIONS: &[FioOption] = &[
    same("name", Text),
    same("description", Text),
    same("numjobs", Number),
    near("thread", Set, "clones are always threads of one process"),
    same("threads", Number),
    same("runtime", Seconds).alias(&["timeout"]),
    same("time_based", Set),
    same("ramp_time", Seconds),
    same("startdelay", Seconds),
    same("loops", Number),
    same("number_ios", Number),
    same("stonewall", Set).alias(&["wait_for_previous"]),
    same("exitall", Set),
    near("exit_what", Choice, "all jobs side by side end together; `all` ends those to come too"),
    refused("exitall_on_error", Set, "a job that fails ends the run anyway")
        .hint("leave it out")
        .unless(&["0"]),
    same("group_reporting", Set),
    same("new_group", Set),
    near("rate", PerDirection, FROM_DUE),
    near("rate_iops", PerDirection, FROM_DUE),
    same("rate_process", Choice),
    same("rate_min", PerDirection).alias(&["ratemin"]),
    same("rate_iops_min", PerDirection),
    same("rate_cycle", Number).alias(&["ratecycle"]),
    near("rate_ignore_thinktime", Bool, "a rate and thinktime exclude each other here"),
    same("thinktime", Microseconds),
    same("thinktime_spin", Microseconds),
    same("thinktime_blocks", Number),
    same("thinktime_blocks_type", Choice),
    same("thinktime_iotime", Seconds),
    refused("thinkcycles", Number, "pauses are times, not turns of a loop")
        .hint("write thinktime_spin")
        .unless(&["0"]),
    near("latency_target", Microseconds, SEARCH),
    same("latency_window", Microseconds),
    same("latency_percentile", Floats),
    same("latency_run", Bool),
    refused("max_latency", Microseconds, "no job ends because an operation is slow"),
    near("steadystate", Choice, STEADY).alias(&["ss"]),
    same("steadystate_duration", Seconds).alias(&["ss_dur"]),
    same("steadystate_ramp_time", Seconds).alias(&["ss_ramp"]),
    same("steadystate_check_interval", Seconds).alias(&["ss_interval"]),
    same("wait_for", Text),
    near("fill_device", Bool, FILLED).alias(&["fill_fs"]),
];
