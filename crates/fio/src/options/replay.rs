//! Logs of operations that are done again.

use super::{FioOption, near, same};
use crate::kind::OptionType::{Bool, Choice, Number, Text};

pub(super) const OPTIONS: &[FioOption] = &[
    near(
        "read_iolog",
        Text,
        "operations are due at the log's times and latency counts from then, fio waits the log's pauses after the operation before; files that it names have to be named by filename or replay_redirect, too, and are done at the same time, each with its part of queue depth; binary logs of blktrace are refused",
    ),
    near(
        "read_iolog_chunked",
        Bool,
        "a log is read whole before the job, at most 4 million operations of it",
    ),
    same("replay_no_stall", Bool),
    same("replay_redirect", Text),
    same("replay_scale", Number),
    same("replay_align", Number),
    same("replay_time_scale", Number),
    same("replay_skip", Choice),
];
