//! How long, how often, how fast, and what waits for what.

use super::{FioOption, near, refused, same};
use crate::kind::OptionType::{
    Bool, Choice, Floats, Microseconds, Number, PerDirection, Seconds, Set, Text,
};

const FROM_DUE: &str = "latency counts from when an operation is due, fio's from its submission; the rate is as in fio";
const SLOW: &str = "no job ends because it is slow; the rate obtained is reported";
const NO_LEAST: &str = "leave it out; the run file has the rate over time, and `narrows compare --fail-if` ends with 1 where it is too low";

pub(super) const OPTIONS: &[FioOption] = &[
    same("name", Text),
    same("description", Text),
    same("numjobs", Number),
    near("thread", Set, "clones are always threads of one process"),
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
    refused("rate_min", PerDirection, SLOW).alias(&["ratemin"]).hint(NO_LEAST),
    refused("rate_iops_min", Number, SLOW).hint(NO_LEAST),
    near("rate_cycle", Number, "rates hold over every second").alias(&["ratecycle"]),
    near("rate_ignore_thinktime", Bool, "a rate and thinktime exclude each other here"),
    same("thinktime", Microseconds),
    same("thinktime_spin", Microseconds),
    same("thinktime_blocks", Number),
    same("thinktime_blocks_type", Choice),
    same("thinktime_iotime", Seconds),
    refused("thinkcycles", Number, "pauses are times, not turns of a loop")
        .hint("write thinktime_spin")
        .unless(&["0"]),
    refused("latency_target", Microseconds, "fio searches a depth for it, and loses samples")
        .hint("`narrows block calibrate` finds the highest rate within a latency"),
    refused("latency_window", Microseconds, "it belongs to latency_target"),
    refused("latency_percentile", Floats, "it belongs to latency_target"),
    refused("latency_run", Bool, "it belongs to latency_target").unless(&["0"]),
    refused("max_latency", Microseconds, "no job ends because an operation is slow"),
    refused("steadystate", Choice, "fio's slope is per sample and not over the window")
        .alias(&["ss"])
        .hint("narrows judges steady state itself"),
    refused("steadystate_duration", Seconds, "it belongs to steadystate").alias(&["ss_dur"]),
    refused("steadystate_ramp_time", Seconds, "it belongs to steadystate").alias(&["ss_ramp"]),
    refused("steadystate_check_interval", Seconds, "it belongs to steadystate")
        .alias(&["ss_interval"]),
];
