//! What is read and written: files, regions, sizes, order, data.

use super::{FioOption, near, refused, same};
use crate::kind::OptionType::{Bool, Choice, Floats, Number, PerDirection, Range, Set, Text};

const SIZES: &str =
    "as in fio, but where each block comes once, each size goes over the region for itself";

const REPEATS: &str =
    "repeated blocks repeat the one before: as many as in fio, but at another distance";

pub(super) const OPTIONS: &[FioOption] = &[
    same("filename", Text),
    same("directory", Text),
    same("filename_format", Text),
    near(
        "nrfiles",
        Number,
        "its files are used at the same time, each with its part of queue depth and work; those of filecreate and its like one after the other, as in fio",
    )
    .alias(&["nr_files"]),
    near("openfiles", Number, "all files of a job stay open; those of filecreate are closed at once"),
    refused("file_service_type", Choice, "files are taken in turn").unless(&["roundrobin"]),
    same("rw", Choice).alias(&["readwrite"]),
    refused("rw_sequencer", Choice, "only new offsets follow a run").unless(&["sequential"]),
    same("rwmixread", Number),
    same("rwmixwrite", Number),
    same("percentage_random", PerDirection),
    same("bs", PerDirection).alias(&["blocksize"]),
    near("bsrange", Range, SIZES).alias(&["blocksize_range"]),
    near("bssplit", Choice, SIZES),
    same("blockalign", PerDirection).alias(&["ba"]),
    refused("bs_unaligned", Set, "block sizes are multiples of the smallest").unless(&["0"]),
    refused("bs_is_seq_rand", Bool, "sizes belong to reads, writes and trims").unless(&["0"]),
    same("size", Number),
    same("filesize", Number),
    same("io_size", Number).alias(&["io_limit"]),
    same("offset", Number).alias(&["fileoffset"]),
    same("offset_increment", Number),
    refused("offset_align", Number, "offsets are used as they are given").unless(&["0"]),
    near(
        "random_generator",
        Choice,
        "offsets come from narrows' generators; each block once per pass needs no map, so `lfsr` changes nothing",
    ),
    same("norandommap", Set),
    near("softrandommap", Bool, "once-each order needs no map that could fail to fit"),
    near(
        "randrepeat",
        Bool,
        "other offsets than fio's: with 1 the same in every run, with 0 new ones in each",
    )
    .alias(&["allrandrepeat"]),
    near("randseed", Number, "seeds narrows' generator, which gives other offsets than fio's"),
    near(
        "random_distribution",
        Choice,
        "zipf, zoned and sequence as in fio; a pareto becomes a hot spot: h of the blocks get 1-h of the operations",
    ),
    same("random_sequence_stride", Bool),
    near(
        "zonemode",
        Choice,
        "strided: as in fio; with time_based zones behind size, and a last one that the file's end cuts, are used like all others, where fio repeats the first block",
    ),
    same("zonesize", Number),
    same("zonerange", Number),
    same("zoneskip", Number),
    same("direct", Bool),
    same("buffered", Bool),
    same("atomic", Bool),
    same("invalidate", Bool),
    near(
        "overwrite",
        Bool,
        "files of ours are always written whole before the job, as with overwrite=1",
    ),
    near(
        "fallocate",
        Choice,
        "files of ours are written whole, however space is reserved before; those of falloc and ftruncate begin as holes",
    ),
    near("create_on_open", Bool, "files are made before the window, but those of filecreate in it"),
    near("create_serialize", Bool, "files are laid out one after the other"),
    near("create_fsync", Bool, "files are flushed after they are laid out"),
    near("unlink", Bool, "files of ours always go at the end, files of others never do"),
    refused("unlink_each_loop", Bool, "files stay until the job ends").unless(&["0"]),
    refused("fadvise_hint", Choice, "the kernel gets no hints about the order").unless(&["0"]),
    same("sync", Choice),
    near("fsync", Number, "becomes fdatasync: the file's times are not made durable"),
    same("fdatasync", Number),
    near("end_fsync", Bool, "the file is made durable after the window, apart from its figures"),
    near(
        "fsync_on_close",
        Bool,
        "the file is made durable after the window, apart from its figures",
    ),
    near("zero_buffers", Set, "data of which 94 % can be compressed away: no block is all zeros"),
    near("refill_buffers", Set, "every write carries data of its own, refilled or not"),
    near(
        "scramble_buffers",
        Bool,
        "every block differs from every other, more than fio's scrambling does",
    ),
    near(
        "buffer_compress_percentage",
        Number,
        "the share holds for the data as a whole, by narrows' own pattern",
    ),
    near("buffer_compress_chunk", Number, "the grain of compressible data is narrows' own"),
    near("dedupe_percentage", Number, "the share of repeated blocks holds on average"),
    near("dedupe_mode", Choice, REPEATS),
    near("dedupe_working_set_percentage", Number, REPEATS),
    near("dedupe_global", Bool, REPEATS),
    same("buffer_pattern", Choice),
    near("readonly", Set, "fio has it on its command line only; here a job that writes stops"),
    refused("zone_reset_threshold", Floats, "zoned devices are not done"),
    refused("zone_reset_frequency", Floats, "zoned devices are not done"),
];
