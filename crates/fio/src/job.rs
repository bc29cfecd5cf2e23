//! A job with everything resolved: what the caller maps to its workloads. No text is left to read.

use narrows_units::Nanos;

use crate::distribution::Distribution;
use crate::files::Targets;
use crate::problem::JobFileLine;
use crate::split::Share;
use crate::verify::{Method, PatternPart};

/// A value for each kind of operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PerDirection<T> {
    /// Reads.
    pub read: T,
    /// Writes.
    pub write: T,
    /// Trims.
    pub trim: T,
}

/// One section, its clones not yet made.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// `name`, or the section's.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// The section's line.
    pub place: JobFileLine,
    /// fio's number of the reporting group, from 0.
    pub group: usize,
    /// Whether all jobs before have to end first.
    pub waits_for_previous: bool,
    /// Whether clones, and jobs of one group, are reported as one.
    pub group_reporting: bool,
    /// How many run at once; at least 1.
    pub clones: u32,
    /// The files or devices.
    pub targets: Targets,
    /// Which part of them.
    pub region: Region,
    /// Which operations, in which order.
    pub access: Access,
    /// Their sizes.
    pub blocks: PerDirection<Blocks>,
    /// How they reach the kernel.
    pub engine: Engine,
    /// How many are in flight; 1 where the engine can't have more.
    pub depth: u32,
    /// Caches and file preparation.
    pub files: Files,
    /// Flushes.
    pub flushes: Flushes,
    /// When it ends.
    pub ending: Ending,
    /// A rate, where one is asked for: the loop is then open.
    pub rate: Option<Rate>,
    /// Pauses, where they are asked for.
    pub think: Option<Think>,
    /// What is written.
    pub data: BufferContents,
    /// What is written instead, over and over from the beginning of each block; empty: nothing.
    pub buffer_pattern: Vec<PatternPart>,
    /// How it is verified, where it is.
    pub verify: Option<Verify>,
    /// How it waits for the operations of other jobs, where it does.
    pub flow: Option<Flow>,
    /// Where it runs.
    pub placement: Placement,
    /// What is reported.
    pub report: Report,
    /// What ends with it.
    pub exit: Option<Exit>,
    /// The section's settings as they are written, by fio's names; for fio's JSON.
    pub written: Vec<(String, String)>,
}

/// Bytes, or a share of the file or device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Bytes.
    Bytes(u64),
    /// Per cent.
    Percent(u8),
}

/// Which part of the files, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Where it starts.
    pub offset: Amount,
    /// What each further clone adds to the start.
    pub offset_increment: Amount,
    /// The region over all files, and the bytes to move unless `io_size` says so; `None`: the whole file.
    pub size: Option<Amount>,
    /// The size of each file.
    pub file_size_bytes: Option<u64>,
    /// The bytes to move.
    pub io_size: Option<Amount>,
}

/// The operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims.
    Trim,
    /// A coin flip per operation.
    Mixed {
        /// The share of reads.
        read_percent: u8,
    },
}

/// The operations and their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// Reads, writes, trims.
    pub direction: Direction,
    /// One after the other, or at random.
    pub order: Order,
    /// Where in the region random ones fall.
    pub distribution: Distribution,
    /// Whether each block comes once per pass.
    pub once_each: bool,
    /// Where randomness starts.
    pub seed: Seed,
    /// Alignment of random offsets in bytes; `None`: the smallest block size.
    pub align_bytes: Option<PerDirection<u64>>,
}

/// One after the other, or at random.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In order, with a gap after each operation.
    Sequential {
        /// Bytes left out; below zero it goes back over what it did, and backwards from minus two blocks on.
        gap_bytes: i64,
    },
    /// At random.
    Random {
        /// How many operations follow each other before the next jump.
        run: u32,
        /// The share of jumps.
        random_percent: PerDirection<u8>,
    },
}

/// Where randomness starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// The same in every run: fio's default.
    Repeated,
    /// Another in every run.
    Fresh,
    /// This one.
    Given(u64),
}

/// The sizes of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// One size in bytes.
    Fixed(u64),
    /// Any multiple of the smallest up to the largest.
    Range {
        /// Bytes.
        smallest_bytes: u64,
        /// Bytes.
        largest_bytes: u64,
    },
    /// Several sizes with their shares, which add up to 100 %.
    Split(Vec<Share>),
}

impl Blocks {
    /// The smallest size in bytes.
    pub fn smallest_bytes(&self) -> u64 {
        match self {
            Blocks::Fixed(bytes) => *bytes,
            Blocks::Range { smallest_bytes, .. } => *smallest_bytes,
            Blocks::Split(shares) => shares.iter().map(|s| s.bytes).min().unwrap_or_default(),
        }
    }

    /// The largest size in bytes.
    pub fn largest_bytes(&self) -> u64 {
        match self {
            Blocks::Fixed(bytes) => *bytes,
            Blocks::Range { largest_bytes, .. } => *largest_bytes,
            Blocks::Split(shares) => shares.iter().map(|s| s.bytes).max().unwrap_or_default(),
        }
    }
}

/// How operations reach the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// pread and pwrite in a thread.
    Psync,
    /// io_uring.
    IoUring {
        /// Files registered.
        registered_files: bool,
        /// Buffers registered.
        registered_buffers: bool,
        /// Completions polled.
        polled: bool,
    },
    /// Linux AIO.
    Libaio,
    /// Nothing: every operation is done at once.
    Null,
}

/// Caches and file preparation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// O_DIRECT.
    pub direct: bool,
    /// Cached pages dropped at the start.
    pub invalidate: bool,
    /// Files written whole before the job; always so where it reads.
    pub overwrite: bool,
    /// How space is reserved.
    pub fallocate: Fallocate,
    /// Files removed at the end.
    pub unlink: bool,
    /// Files made when they are opened, and not before.
    pub create_on_open: bool,
    /// Nothing may be written.
    pub read_only: bool,
}

/// How space is reserved before a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallocate {
    /// Not.
    None,
    /// `fallocate`, and nothing where the file system has none.
    Native,
    /// `posix_fallocate`.
    Posix,
    /// `fallocate` with the size kept.
    Keep,
    /// `ftruncate`.
    Truncate,
}

/// Flushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flushes {
    /// The flag files are opened with.
    pub open: OpenFlag,
    /// `fsync` after so many writes; 0 for never.
    pub fsync_every: u32,
    /// `fdatasync` after so many writes; 0 for never.
    pub fdatasync_every: u32,
    /// `fsync` at the end.
    pub fsync_at_end: bool,
    /// `fsync` when a file is closed, which it is at the end.
    pub fsync_on_close: bool,
}

/// O_SYNC or O_DSYNC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenFlag {
    /// Neither.
    #[default]
    None,
    /// O_SYNC.
    Sync,
    /// O_DSYNC.
    Dsync,
}

/// When a job starts and ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// At the latest after this.
    pub runtime: Option<Nanos>,
    /// Not before either: the work starts over.
    pub time_based: bool,
    /// Passes over the work; at least 1.
    pub loops: u64,
    /// After so many operations.
    pub operations: Option<u64>,
    /// Not measured, and added to the runtime.
    pub ramp: Nanos,
    /// Waited before the job begins.
    pub start_delay: Nanos,
}

/// Pauses between operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Think {
    /// How long.
    pub pause: Nanos,
    /// How much of it keeps the processor busy.
    pub spin: Nanos,
    /// Operations from one to the next, at least 1; `None`: none are counted.
    pub after: Option<u32>,
    /// Whether these are counted when they have come back, and not when they start.
    pub counts_completed: bool,
    /// Time from one to the next.
    pub every: Option<Nanos>,
}

/// A rate that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How much per second; `None` for a kind without a limit.
    pub per_second: PerDirection<Option<u64>>,
    /// Whether operations or bytes are counted.
    pub counted: Counted,
    /// Poisson arrivals instead of even ones.
    pub poisson: bool,
}

/// What a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Operations.
    Operations,
    /// Bytes.
    Bytes,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferContents {
    /// Zeros only.
    pub zeros: bool,
    /// New data for every operation; else one buffer with a few words changed, which narrows does as new data too.
    pub refill: bool,
    /// The share that compresses away.
    pub compress_percent: u8,
    /// The share of blocks that repeat others.
    pub dedupe_percent: u8,
}

/// What stands in blocks so that they can be verified, and when they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verify {
    /// The sum of each unit.
    pub method: Method,
    /// Bytes of a unit.
    pub unit_bytes: u32,
    /// Where in it header and sum stand, bytes, if not at its beginning.
    pub header_at: Option<u32>,
    /// The data; empty: random.
    pub pattern: Vec<PatternPart>,
    /// The pattern starts anew after so many bytes; 0: with each block.
    pub pattern_interval_bytes: u32,
    /// What was written is read back when all of it is.
    pub reads_back: bool,
    /// Nothing is written: what would be is read.
    pub only: bool,
    /// What was written is read back meanwhile, too.
    pub backlog: Option<Backlog>,
    /// The first wrong block ends the run.
    pub fatal: bool,
    /// The number of the write is compared, where it is known.
    pub compares_number: bool,
    /// The seed is compared, where the number of the write is known.
    pub compares_seed: bool,
}

/// Reading back while writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backlog {
    /// After so many writes that were not read back; at least 1.
    pub every: u64,
    /// So many of them; at least 1.
    pub batch: u64,
}

/// A share in the operations of a group of jobs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// Of all weights of the group; each clone has it; at least 1.
    pub weight: u32,
    /// The group's number.
    pub group: u32,
    /// Waited where its share is used up; 0: until it isn't.
    pub sleep: Nanos,
}

/// Where a job runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placement {
    /// The processors; `None` for all.
    pub cpus: Option<Vec<u32>>,
    /// Each clone on one of them, in turn, instead of each on all.
    pub one_each: bool,
    /// Alignment of buffers in bytes; `None` for narrows' own.
    pub buffer_align_bytes: Option<u64>,
    /// The I/O priority of its threads; `None` where no part of one is given.
    pub priority: Option<IoPriority>,
}

/// An I/O priority as `ioprio_set(2)` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IoPriority {
    /// 1 real-time, 2 best effort, 3 idle; 0 where none is given.
    pub class: u8,
    /// 0 is the highest, 7 the lowest.
    pub level: u8,
    /// What the drive may make of it, 0 to 1023.
    pub hint: u16,
}

impl IoPriority {
    /// In the kernel's form. As in fio, without a class it is best effort.
    pub fn value(self) -> u16 {
        const BEST_EFFORT: u16 = 2;
        let class = if self.class == 0 { BEST_EFFORT } else { self.class.into() };
        (class << 13) | (self.hint << 3) | u16::from(self.level)
    }
}

/// What is reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// In per cent, ascending as written.
    pub percentiles: Vec<f64>,
    /// From submission to completion.
    pub completion: bool,
    /// From when it was due to completion.
    pub total: bool,
    /// Of the submission; it is timed only then.
    pub submission: bool,
    /// Reads and writes as one.
    pub unified: Unified,
}

/// Whether reads and writes are reported as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unified {
    /// Apart.
    None,
    /// As one.
    Mixed,
    /// Both ways.
    Both,
}

/// What ends when this job ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The jobs of its group.
    Group,
    /// The jobs up to the next stonewall.
    Stonewall,
    /// All, those to come too.
    All,
}
