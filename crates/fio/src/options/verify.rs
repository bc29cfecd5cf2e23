//! Verification: what is written into blocks so that it can be found again, and when it is looked at.

use super::{FioOption, near, refused, same};
use crate::kind::OptionType::{Bool, Choice, Number, Set};

pub(super) const OPTIONS: &[FioOption] = &[
    near(
        "verify",
        Choice,
        "fio's header, sum and place stand in every block, and random data is narrows' own; a block that is wrong ends the job only with verify_fatal",
    ),
    same("do_verify", Bool),
    same("verify_policy", Choice),
    near(
        "verify_only",
        Set,
        "every block that the job would write is read and checked, in its order",
    ),
    same("verifysort", Bool),
    same("verifysort_nr", Number),
    same("verify_interval", Number),
    same("verify_offset", Number),
    same("verify_pattern", Choice),
    same("verify_pattern_interval", Number),
    same("verify_fatal", Bool),
    near(
        "verify_dump",
        Bool,
        "what a wrong block had to be and what it is stands in the error; no files are written",
    ),
    near("verify_async", Number, "the thread that read a block checks it"),
    near("verify_async_cpus", Choice, "the thread that read a block checks it"),
    same("verify_backlog", Number),
    same("verify_backlog_batch", Number),
    near(
        "experimental_verify",
        Bool,
        "writes are remembered for it, and their order is not made again",
    ),
    near(
        "verify_state_load",
        Bool,
        "reads a state that narrows saved, not one of fio's; each block in it is read and compared once, with the number and the seed of its write",
    ),
    near(
        "verify_state_save",
        Bool,
        "only where it is written out; the state is narrows' own, a list of the blocks that were written, and the files that the job makes stay",
    ),
    same("verify_write_sequence", Bool),
    same("verify_header_seed", Bool),
    refused("verify_mode", Choice, "commands that verify on the drive are not done")
        .only_in(&["io_uring_cmd"]),
    same("flow", Number),
    same("flow_id", Number),
    same("flow_watermark", Number),
    same("flow_sleep", Number),
];
