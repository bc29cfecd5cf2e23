//! What is never done: zones, other engines' options, and whatever touches more than its files.

use super::{FioOption, refused};
use crate::kind::OptionType::{Bool, Choice, Floats, Number, Text};

const REPLAY: &str = "binary logs of blktrace are not read";
const OF_REPLAY: &str = "let fio write the log as text, with write_iolog";
const ZONES: &str = "zoned devices are not done";
const PLACEMENT: &str = "data placement is not done";
const TRIM: &str = "trims inside a write job are not done";
const SETTING: &str = "narrows changes no setting of the machine";

pub(super) const OPTIONS: &[FioOption] = &[
    refused("allow_mounted_write", Bool, "writing under a mounted file system destroys it")
        .hint("name a file, or a device that nothing uses")
        .unless(&["0"]),
    refused("exec_prerun", Text, "it runs a command of the job file in a shell")
        .hint("run the command yourself before"),
    refused("exec_postrun", Text, "it runs a command of the job file in a shell")
        .hint("run the command yourself after"),
    refused("ioscheduler", Text, SETTING),
    refused("cgroup", Text, SETTING).hint("start narrows inside the group"),
    refused("cgroup_weight", Number, SETTING),
    refused("cgroup_nodelete", Bool, SETTING).unless(&["0"]),
    refused("uid", Number, "narrows doesn't change its user"),
    refused("gid", Number, "narrows doesn't change its group"),
    refused("trim_percentage", Number, TRIM).unless(&["0"]),
    refused("trim_verify_zero", Bool, TRIM),
    refused("trim_backlog", Number, TRIM),
    refused("trim_backlog_batch", Number, TRIM),
    refused("num_range", Number, TRIM).unless(&["1"]),
    refused("merge_blktrace_file", Text, REPLAY).hint(OF_REPLAY),
    refused("merge_blktrace_scalars", Floats, REPLAY).hint(OF_REPLAY),
    refused("merge_blktrace_iters", Floats, REPLAY).hint(OF_REPLAY),
    refused("zonecapacity", Number, ZONES).unless(&["0"]),
    refused("read_beyond_wp", Bool, ZONES),
    refused("max_open_zones", Number, ZONES),
    refused("job_max_open_zones", Number, ZONES),
    refused("ignore_zone_limits", Bool, ZONES),
    refused("recover_zbd_write_error", Bool, ZONES),
    refused("write_zone_remainder", Bool, ZONES),
    refused("fdp", Bool, PLACEMENT).unless(&["0"]),
    refused("dataplacement", Choice, PLACEMENT).alias(&["data_placement"]).unless(&["none"]),
    refused("plid_select", Choice, PLACEMENT).alias(&["fdp_pli_select"]),
    refused("plids", Choice, PLACEMENT).alias(&["fdp_pli"]),
    refused("dp_scheme", Text, PLACEMENT),
    refused("write_hint", Choice, PLACEMENT).unless(&["none"]),
    refused("opendir", Text, "files are named, not found").hint("write filename=a:b:c"),
    refused("filetype", Choice, "what a file is, is looked up").unless(&["none"]),
    refused("unique_filename", Bool, "there are no clients").unless(&["1"]),
    refused("lockfile", Choice, "files are not locked").unless(&["none"]),
    refused("file_append", Bool, "appending is measured by `narrows log`").unless(&["0"]),
    refused("create_only", Bool, "a job that measures nothing is not run").unless(&["0"]),
    refused("allow_file_create", Bool, "what is missing is created").unless(&["1"]),
    refused("pre_read", Bool, "the cache is either dropped or left").unless(&["0"]),
    refused("ramp_size", Number, "the lead-in is a time").hint("write ramp_time"),
    refused("sync_file_range", Choice, "only fsync, fdatasync and O_SYNC are done"),
    refused("write_barrier", Number, "only fsync, fdatasync and O_SYNC are done").unless(&["0"]),
    refused("end_syncfs", Bool, "flushing at the end is end_fsync").unless(&["0"]),
    refused("sprandom", Bool, "a device is preconditioned by narrows").unless(&["0"]),
    refused("spr_num_regions", Number, "it belongs to sprandom"),
    refused("spr_op", Floats, "it belongs to sprandom"),
    refused("spr_cs", Number, "it belongs to sprandom"),
    refused("comm", Text, "threads have narrows' names"),
    refused("gpu_dev_id", Number, "graphics memory is not done"),
    refused(
        "continue_on_error",
        Choice,
        "an error ends the measurement; it would be invalid anyway",
    )
    .unless(&["none", "0"]),
    refused("ignore_error", Choice, "an error ends the measurement; it would be invalid anyway"),
    refused("error_dump", Bool, "it belongs to ignore_error").unless(&["0"]),
    refused("block_error_percentiles", Bool, "an error ends the measurement").unless(&["0"]),
    refused("profile", Text, "profiles are not done"),
    refused("percentage_sequential", Number, "fio has withdrawn it")
        .hint("write percentage_random"),
    refused("rwmixcycle", Number, "fio has withdrawn it").hint("leave it out"),
];
