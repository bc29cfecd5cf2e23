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
    ATOMIC_ENGINES,
    ATOMIC_SIZES,
    BIG_BLOCKS,
    BUFFERED_PRIORITIES,
    CALLS_BESIDE_DATA,
    CALLS_OF_SEVERAL_KINDS,
    ENDLESS_LOAD,
    FILES_IN_SEVERAL_FOLDERS,
    FILES_IN_TURN,
    FILES_OF_SEVERAL_BLOCKS,
    FINE_RANGE,
    FULL_FILE_SYSTEM,
    HUGE_BUFFERS,
    LATE_THROUGH_CACHE,
    ONLY_WHAT_WAS_SYNCED,
    LOAD_AT_TIMES_OF_ITS_OWN,
    LONG_STATE,
    MADE_AGAIN,
    NODES_BY_OTHER_WORDS,
    ONE_RATE_AND_WORK,
    PAIRS_IN_RUNS,
    PAIRS_VERIFIED,
    SERIALIZED_BESIDE,
    STRIDED_ALONE,
    STRIDED_ONCE,
    UNLIKE_PAIRS,
    ZONED_DEVICES,
    POLLED_THREADS,
    RANDOM_DELAY,
    RANDOM_FILE_SIZES,
    SAME_NAMES,
    SCSI_COMMANDS,
    SEED_OF_OTHERS,
    SHA3,
    STATE_AND_BACKLOG,
    TARGET_BESIDE,
    TARGET_OF_SEVERAL,
    THINKING_AT_A_RATE,
    TOO_MANY_FILES,
    TOO_MANY_WRITES,
    UNLIKE_ZONES,
    UNWRITTEN,
    WAITING_AROUND_A_LOAD,
    WAITING_FOR_WHAT_FOLLOWS,
    VERIFYING_A_PART,
    WAITS_OF_LOGS,
    WRITERS_OF_ONE_PLACE,
];

/// Atomic writes by calls that have no flag for them here.
pub const ATOMIC_ENGINES: Limit = Limit {
    option: "atomic",
    example: "rw=write\ndirect=1\natomic=1\nioengine=pvsync2",
    why: "atomic writes by other engines than io_uring and libaio are not done",
    hint: "write ioengine=io_uring",
};

/// Atomic writes of unlike lengths.
pub const ATOMIC_SIZES: Limit = Limit {
    option: "atomic",
    example: "rw=write\nbsrange=4k-16k\ndirect=1\natomic=1\nioengine=libaio",
    why: "atomic writes of several sizes, or of a log (read_iolog), are not done",
    hint: "write one bs, a power of two",
};

/// Blocks larger than any operation.
pub const BIG_BLOCKS: Limit = Limit {
    option: "bs",
    example: "bs=2g\nsize=4g",
    why: "blocks of more than 1 GiB are not done",
    hint: "blocks are at most 1g",
};

/// What belongs to data beside calls that move none.
pub const CALLS_BESIDE_DATA: Limit = Limit {
    option: "ioengine",
    example: "ioengine=filestat\nfilesize=4k\nrw=write\nfsync=8",
    why: "filecreate, falloc and their like move no data: verify, sync, fsync, fdatasync, and of whole files end_fsync, fsync_on_close and offsets, are not done beside them",
    hint: "leave them out",
};

/// Calls of one job that are reads, writes and trims to fio.
pub const CALLS_OF_SEVERAL_KINDS: Limit = Limit {
    option: "rw",
    example: "ioengine=falloc\nrw=randrw\nsize=64m",
    why: "calls of several kinds in one job are not done, nor trims of whole files",
    hint: "make a job for each kind; whole files are read or written, as in rw=read",
};

/// Whole files in more than one folder.
pub const FILES_IN_SEVERAL_FOLDERS: Limit = Limit {
    option: "filename",
    example: "ioengine=filestat\nfilename=a/x:b/x\nfilesize=4k",
    why: "files of one job or clone in several folders are not done with filecreate and its like",
    hint: "make a job for each folder, or write directory=a:b and numjobs=2",
};

/// A load on processors that nothing ends.
pub const ENDLESS_LOAD: Limit = Limit {
    option: "cpuload",
    example: "ioengine=cpuio\ncpuload=50",
    why: "CPUs are not kept busy without an end",
    hint: "write runtime, or exit_on_io_done=1 beside a job that does operations",
};

/// More files than operations in flight.
pub const FILES_IN_TURN: Limit = Limit {
    option: "nrfiles",
    example: "nrfiles=4\nsize=64m",
    why: "more files than operations in flight, which would be taken in turn, are not done",
    hint: "give iodepth (of an engine that has one) at least as many as files, or make a job for each file",
};

/// Files of which fio counts more operations than there are.
pub const FILES_OF_SEVERAL_BLOCKS: Limit = Limit {
    option: "filesize",
    example: "ioengine=filecreate\nfilesize=16k\nnrfiles=4",
    why: "files of another size than one block are not done with filecreate and its like: fio counts an operation for each block, and makes one call for each file",
    hint: "write one filesize, and bs as large",
};

/// More lengths than can be dealt exactly.
pub const FINE_RANGE: Limit = Limit {
    option: "bsrange",
    example: "bsrange=512-4m\nsize=64m",
    why: "a range of more than 4096 sizes is not done",
    hint: "raise its smallest size, or write bssplit",
};

/// A file that grows until nothing more fits.
pub const FULL_FILE_SYSTEM: Limit = Limit {
    option: "fill_device",
    example: "rw=write\nfill_device=1\nfilesize=1m\nnumjobs=2",
    why: "filling a file system by several files or clones is not done",
    hint: "write size=, or one file of one clone",
};

/// Buffers in huge pages or a file.
pub const HUGE_BUFFERS: Limit = Limit {
    option: "mem",
    example: "mem=mmaphuge\nsize=64m",
    why: "buffers in huge pages or in a file are not done",
    hint: "leave it out",
};

/// A job that drops its pages from the page cache when it begins, while others use them.
pub const LATE_THROUGH_CACHE: Limit = Limit {
    option: "startdelay",
    example: "size=64m\nfilename=x\n[b]\nsize=64m\nfilename=x\nstartdelay=1",
    why: "a job that begins later than another on the same file, through the page cache, is not done: pages are dropped only where a stage begins",
    hint: "write direct=1, invalidate=0 or another file, or put stonewall between them",
};

/// A load on processors that begins or ends otherwise than the jobs beside it.
pub const LOAD_AT_TIMES_OF_ITS_OWN: Limit = Limit {
    option: "cpuload",
    example: "size=1m\n[b]\nioengine=cpuio\ncpuload=50\nruntime=1\nstartdelay=1",
    why: "a load on CPUs that begins at another time than the jobs beside it, waits for one of them or ends them is not done",
    hint: "give them the same startdelay and ramp_time, or put stonewall between them",
};

/// A state of more lines than anyone would keep.
pub const LONG_STATE: Limit = Limit {
    option: "verify_state_save",
    example: "rw=randwrite\nbs=512\nverify=md5\ndo_verify=0\nverify_state_save=1\nsize=4g",
    why: "a state of more than 4 million blocks in no order, or 67 million in order, is not done: each is remembered",
    hint: "write larger blocks, or less; up to 67 million with rw=write",
};

/// Files that are made or removed a second time.
pub const MADE_AGAIN: Limit = Limit {
    option: "time_based",
    example: "ioengine=filecreate\nfilesize=4k\nnrfiles=4\ntime_based\nruntime=1",
    why: "making or removing the same files or folders again is not done: fio opens what is there already, or fails",
    hint: "leave out time_based, loops, and an io_size above the number of files; raise nrfiles",
};

/// Nodes counted within a cpuset, or those of a device.
pub const NODES_BY_OTHER_WORDS: Limit = Limit {
    option: "numa_cpu_nodes",
    example: "numa_cpu_nodes=+0\nsize=64m",
    why: "nodes counted within a cpuset (`+0`) or named by a device (`netdev:eth0`) are not done",
    hint: "write their numbers, as 0,2-3",
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

/// One file that is made, looked up or removed by several.
pub const SAME_NAMES: Limit = Limit {
    option: "numjobs",
    example: "ioengine=filedelete\nfilename=x\nfilesize=4k\nnumjobs=2",
    why: "clones that make or remove the same files, and jobs side by side that name the same ones, are not done with filecreate and its like",
    hint: "leave filename out: every clone then has files of its own",
};

/// Commands of SCSI drives.
pub const SCSI_COMMANDS: Limit = Limit {
    option: "cmd_type",
    example: "ioengine=io_uring_cmd\ncmd_type=bsg",
    why: "commands of SCSI drives (bsg) are not done",
    hint: "write ioengine=io_uring and the block device",
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

/// A state of what was read back meanwhile.
pub const STATE_AND_BACKLOG: Limit = Limit {
    option: "verify_state_save",
    example: "rw=write\nverify=md5\nverify_backlog=8\nverify_state_save=1\nsize=64m",
    why: "a saved state beside verify_backlog is not done: what was read back is not remembered",
    hint: "leave one of them out",
};

/// A search for a depth while others change theirs.
pub const TARGET_BESIDE: Limit = Limit {
    option: "latency_target",
    example: "ioengine=io_uring\nlatency_target=1000\nsize=64m\nrw=randread\nnumjobs=2",
    why: "a search for a depth beside other jobs or clones is not done: what each finds depends on what the others try meanwhile",
    hint: "put stonewall between them, and write numjobs=1",
};

/// A depth that several threads or files share.
pub const TARGET_OF_SEVERAL: Limit = Limit {
    option: "latency_target",
    example: "latency_target=1000\nrate_iops=10\nsize=64m",
    why: "a search for a depth beside a rate, over several files of one job or with threads that submit is not done: the depth is one thread's",
    hint: "leave out the rate, name one file, and write ioengine=io_uring or libaio; `narrows block calibrate` finds the highest rate within a latency",
};

/// Pauses in an open loop.
pub const THINKING_AT_A_RATE: Limit = Limit {
    option: "thinktime",
    example: "thinktime=100\nrate_iops=10\nsize=64m",
    why: "thinktime beside a rate is not done: with a rate, operations start when they are due",
    hint: "leave one of them out",
};

/// More files than one run should make.
pub const TOO_MANY_FILES: Limit = Limit {
    option: "nrfiles",
    example: "ioengine=filestat\nfilesize=4k\nnrfiles=1000000\nnumjobs=5",
    why: "more than 4 million files of jobs side by side are not done: they are made before and removed afterwards, one by one",
    hint: "write a smaller nrfiles",
};

/// More writes than are remembered.
pub const TOO_MANY_WRITES: Limit = Limit {
    option: "do_verify",
    example: "rw=write\nbs=512\nverify=md5\nsize=40g",
    why: "more than 67 million writes to be read back are not done: each is remembered",
    hint: "write do_verify=0, and a job behind stonewall that reads with verify; or larger blocks, or verify_backlog",
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

/// A load on processors that waits, or that is waited for, while others run.
pub const WAITING_AROUND_A_LOAD: Limit = Limit {
    option: "wait_for",
    example: "ioengine=cpuio\ncpuload=50\nruntime=1\n[b]\nsize=64m\n[c]\nsize=64m\nwait_for=j",
    why: "waiting for a job of cpuio, or as one, while other jobs run on is not done: its times are those of the jobs beside it",
    hint: "write stonewall",
};

/// A job that begins when what follows another has ended.
pub const WAITING_FOR_WHAT_FOLLOWS: Limit = Limit {
    option: "wait_for",
    example: "rw=write\nverify=md5\nsize=64m\n[b]\nsize=64m\n[c]\nsize=64m\nwait_for=j",
    why: "waiting for a job that reads back what it wrote, or makes it durable at its end, while others run on, is not done: that comes when all of them have ended",
    hint: "write stonewall, or do_verify=0 and no end_fsync in the job that is waited for",
};

/// A part of what a job writes, in an order that is another than fio's.
pub const VERIFYING_A_PART: Limit = Limit {
    option: "verify_only",
    example: "rw=randwrite\nverify=md5\nverify_only\nnumber_ios=10\nsize=64m",
    why: "verify_only of a part of the region in a random order is not done: the order is another than fio's",
    hint: "leave out norandommap, io_size, number_ios and reads, so that every block is one that was written",
};

/// Pauses of a log that has no times.
pub const WAITS_OF_LOGS: Limit = Limit {
    option: "read_iolog",
    example: "read_iolog=waits.log\nfilename=x",
    why: "waits in a log of version 2 are not done, and version 3 has none",
    hint: "write replay_no_stall=1, which leaves waits out, or a log of version 3, which has times",
};

/// Blocks that several write.
pub const WRITERS_OF_ONE_PLACE: Limit = Limit {
    option: "verify",
    example: "rw=randwrite\nverify=md5\nnumjobs=2\nfilename=x\nsize=64m",
    why: "blocks that several jobs or clones write at the same time can't be verified: the last of them is unknown",
    hint: "give each its own part with offset_increment and size, or its own file, or put stonewall between jobs; with atomic=1 and verify_write_sequence=0 one bs, one method with a sum, no verify_pattern and no shorter verify_interval",
};

/// Priorities where the page cache does the device's work.
pub const BUFFERED_PRIORITIES: Limit = Limit {
    option: "cmdprio_percentage",
    example: "ioengine=libaio\ncmdprio_percentage=20\ncmdprio_class=2\nsize=64m",
    why: "priorities of single operations through the page cache are not done: the device does not see them",
    hint: "write direct=1",
};

/// Trims and writes in runs.
pub const PAIRS_IN_RUNS: Limit = Limit {
    option: "rw",
    example: "rw=randtrimwrite:4\nsize=64m",
    why: "a run of trims and writes between two jumps is not done",
    hint: "leave out the number behind the colon",
};

/// Trims and writes that are verified.
pub const PAIRS_VERIFIED: Limit = Limit {
    option: "rw",
    example: "rw=randtrimwrite\nverify=md5\nsize=64m",
    why: "verify beside a trim before each write is not done",
    hint: "verify a job that only writes",
};

/// Waiting for overlaps beside what waits for something else.
pub const SERIALIZED_BESIDE: Limit = Limit {
    option: "serialize_overlap",
    example: "serialize_overlap=1\nflow=2\nsize=64m",
    why: "serialize_overlap beside flow or verify_backlog is not done",
    hint: "leave one of them out",
};

/// Strided zones beside other orders.
pub const STRIDED_ALONE: Limit = Limit {
    option: "zonemode",
    example: "rw=read:4k\nzonemode=strided\nzonesize=64k\nsize=64m",
    why: "strided zones beside gaps, runs, percentage_random, random_distribution, blockalign, a trim before each write, verify, several files or threads that submit (offload) are not done",
    hint: "leave out zonemode, or the other one; for parts of a drive make a job for each, with offset and size",
};

/// Each block of a zone once, where blocks don't fill it.
pub const STRIDED_ONCE: Limit = Limit {
    option: "zonemode",
    example: "rw=randread\nbs=4k\nzonemode=strided\nzonesize=10k\nsize=64m",
    why: "each block once in a strided zone takes one block size, and a zonerange that is a multiple of it",
    hint: "write norandommap, or such a zonerange",
};

/// Trims and writes in order, of unlike sizes.
pub const UNLIKE_PAIRS: Limit = Limit {
    option: "rw",
    example: "rw=trimwrite\nbs=4k,4k,8k\nsize=64m",
    why: "trims and writes of unlike sizes in order are not done: in fio writes then leave their trims behind",
    hint: "give both the same sizes, or write randtrimwrite",
};

/// Drives with zones of their own.
pub const ZONED_DEVICES: Limit = Limit {
    option: "zonemode",
    example: "zonemode=zbd\nzonesize=64k\nsize=64m",
    why: "zoned devices are not done",
    hint: "drives without zones need none",
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
