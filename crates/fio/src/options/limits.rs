//! What of an option isn't done, though the option is: for some values, or beside some others.
//!
//! Part of the table's promise: the page shows these sentences, whoever stops a file for one of these reasons takes the
//! sentence from here, and a test runs every example.

/// A part of an option that is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The option in whose row it stands.
    pub option: &'static str,
    /// Settings of a job that is refused for it.
    pub example: &'static str,
    /// Why, as a sentence without its full stop.
    pub why: &'static str,
    /// What to write instead.
    pub hint: &'static str,
}

/// All of them.
pub const ALL: &[Limit] = &[
    BIG_BLOCKS,
    FILES_IN_TURN,
    FINE_RANGE,
    HUGE_BUFFERS,
    ONLY_WHAT_WAS_SYNCED,
    ONE_RATE_AND_WORK,
    OTHER_TIMES,
    POLLED_THREADS,
    RANDOM_DELAY,
    RANDOM_FILE_SIZES,
    SEED_OF_OTHERS,
    SHA3,
    THINKING_AT_A_RATE,
    TOO_MANY_WRITES,
    TRIM_AND_WRITE,
    UNLIKE_ZONES,
    UNWRITTEN,
    VERIFYING_A_PART,
    WRITERS_OF_ONE_PLACE,
];

/// Blocks larger than any operation.
pub const BIG_BLOCKS: Limit = Limit {
    option: "bs",
    example: "bs=2g\nsize=4g",
    why: "blocks of more than 1 GiB are not done",
    hint: "blocks are at most 1g",
};

/// More files than operations in flight.
pub const FILES_IN_TURN: Limit = Limit {
    option: "nrfiles",
    example: "nrfiles=4\nsize=64m",
    why: "more files than operations in flight, which would be taken in turn, are not done",
    hint: "give iodepth (of an engine that has one) at least as many as files, or make a job for each file",
};

/// More lengths than can be dealt exactly.
pub const FINE_RANGE: Limit = Limit {
    option: "bsrange",
    example: "bsrange=512-4m\nsize=64m",
    why: "a range of more than 4096 sizes is not done",
    hint: "raise its smallest size, or write bssplit",
};

/// Buffers in huge pages or a file.
pub const HUGE_BUFFERS: Limit = Limit {
    option: "mem",
    example: "mem=mmaphuge\nsize=64m",
    why: "buffers in huge pages or in a file are not done",
    hint: "leave it out",
};

/// Verification of what was synced alone.
pub const ONLY_WHAT_WAS_SYNCED: Limit = Limit {
    option: "verify_policy",
    example: "rw=write\nverify=md5\nverify_policy=fsynced\nsize=64m",
    why: "verifying no more than the last fsync covers is not done",
    hint: "leave it out; `narrows crashtest` shows what survives a power cut",
};

/// A mix in which one kind has a rate, and the work is counted over both.
pub const ONE_RATE_AND_WORK: Limit = Limit {
    option: "rate",
    example: "rw=randrw\nrate=1m,\nsize=64m",
    why: "a mix in which only one kind has a rate must end by time: its work is counted over both kinds",
    hint: "write time_based and runtime, or give both rates, as rate_iops=700,300",
};

/// Jobs side by side that begin at times of their own.
pub const OTHER_TIMES: Limit = Limit {
    option: "startdelay",
    example: "size=64m\n[b]\nsize=64m\nstartdelay=1",
    why: "jobs side by side with another ramp_time or startdelay are not done: their window begins at one time",
    hint: "give jobs side by side the same, or put stonewall between them",
};

/// Polled completion from threads.
pub const POLLED_THREADS: Limit = Limit {
    option: "hipri",
    example: "ioengine=pvsync2\nhipri=1\nsize=64m",
    why: "polling from threads is not done",
    hint: "write ioengine=io_uring",
};

/// A delay drawn from a range.
pub const RANDOM_DELAY: Limit = Limit {
    option: "startdelay",
    example: "startdelay=1-2\nsize=64m",
    why: "a random delay is not done",
    hint: "write one time",
};

/// Files of sizes drawn from a range.
pub const RANDOM_FILE_SIZES: Limit = Limit {
    option: "filesize",
    example: "filesize=1m-2m",
    why: "files of random sizes are not done",
    hint: "write one filesize",
};

/// The seed of blocks that another job wrote.
pub const SEED_OF_OTHERS: Limit = Limit {
    option: "verify_header_seed",
    example: "rw=read\nverify=md5\nverify_header_seed=1\nsize=64m",
    why: "comparing the seed of blocks that the job did not write is not done: it would take fio's generator",
    hint: "leave it out",
};

/// Sums that no crate here has.
pub const SHA3: Limit = Limit {
    option: "verify",
    example: "rw=write\nverify=sha3-256\nsize=64m",
    why: "the sums sha3-224 to sha3-512 are not done",
    hint: "write crc32c, or sha512",
};

/// Pauses in an open loop.
pub const THINKING_AT_A_RATE: Limit = Limit {
    option: "thinktime",
    example: "thinktime=100\nrate_iops=10\nsize=64m",
    why: "thinktime beside a rate is not done: with a rate, operations start when they are due",
    hint: "leave one of them out",
};

/// More writes than are remembered.
pub const TOO_MANY_WRITES: Limit = Limit {
    option: "do_verify",
    example: "rw=write\nbs=512\nverify=md5\nsize=40g",
    why: "more than 67 million writes to be read back are not done: each is remembered",
    hint: "write do_verify=0, and a job behind stonewall that reads with verify; or larger blocks, or verify_backlog",
};

/// A trim and then a write at its place.
pub const TRIM_AND_WRITE: Limit = Limit {
    option: "rw",
    example: "rw=trimwrite\nsize=64m",
    why: "a trim followed by a write at its place is not done",
    hint: "make a job of trims and a job of writes",
};

/// Zones that differ by kind.
pub const UNLIKE_ZONES: Limit = Limit {
    option: "random_distribution",
    example: "rw=randrw\nrandom_distribution=zoned:50/50:50/50,90/10:10/90\nsize=64m",
    why: "zones of their own for reads and writes of one job are not done",
    hint: "make two jobs of it",
};

/// A job that verifies what nobody wrote.
pub const UNWRITTEN: Limit = Limit {
    option: "verify",
    example: "rw=read\nverify=md5\nsize=64m",
    why: "a job that reads and verifies needs a file that is there, or one that a job before it in the same run writes whole, with verify and one block size",
    hint: "put the job that writes before it, with stonewall between them, or name a file that exists",
};

/// A part of what a job writes, in an order that is another than fio's.
pub const VERIFYING_A_PART: Limit = Limit {
    option: "verify_only",
    example: "rw=randwrite\nverify=md5\nverify_only\nnumber_ios=10\nsize=64m",
    why: "verify_only of a part of the region in a random order is not done: the order is another than fio's",
    hint: "leave out norandommap, io_size, number_ios and reads, so that every block is one that was written",
};

/// Blocks that several write.
pub const WRITERS_OF_ONE_PLACE: Limit = Limit {
    option: "verify",
    example: "rw=randwrite\nverify=md5\nnumjobs=2\nfilename=x\nsize=64m",
    why: "blocks that several jobs or clones write at the same time can't be verified: the last of them is unknown",
    hint: "give each its own part with offset_increment and size, or its own file, or put stonewall between jobs",
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Class, find};

    #[test]
    fn each_belongs_to_an_option_that_is_done_otherwise() {
        for limit in ALL {
            let option = find(limit.option).unwrap_or_else(|| panic!("{} is none", limit.option));
            assert!(!matches!(option.class, Class::Refused { .. }), "{}", limit.option);
        }
    }
}
