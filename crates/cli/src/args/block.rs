//! What was asked of `narrows block`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use narrows_runner::request::{Arrivals, Doubt};
use narrows_units::{Nanos, ParseQuantityError};

use super::OutputArgs;
use super::number::whole;

/// `narrows block`; without a command `narrows block calibrate`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(before_help = "\
Examples:
  narrows block                            8 KiB reads per second with p99 within 1 ms, here
  narrows block --at /data --within 500us  on that file system, within half a millisecond
  narrows block --reads 70 --beside log    with 30 % writes, beside a WAL-like stream
  narrows block interference               p99 of reads beside random writes and a WAL-like stream
  narrows block --device /dev/nvme1n1      on a raw device, read only
  narrows block run JOBS.fio --dry-run     what a fio job file would do here")]
pub struct BlockArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<BlockCommand>,
    /// What to calibrate, without a command.
    #[command(flatten)]
    pub calibrate: CalibrateArgs,
}

/// What `narrows block` measures.
#[derive(Debug, Subcommand)]
pub enum BlockCommand {
    /// Highest rate of I/Os that keeps a latency percentile within a limit (open loop). The default
    Calibrate(CalibrateArgs),
    /// p99 of reads by rate, alone and beside random writes and a WAL-like stream of flushes
    Interference(InterferenceArgs),
    /// Run fio job files, and report them here or in fio's JSON
    Run(JobsArgs),
    /// Sustained write rate: rounds until steady state by the criteria of SNIA's PTS
    Steady(SteadyArgs),
    /// Do several writers to one file block each other? One file by n writers against n files by one
    Writers(WritersArgs),
    /// What a raw device is, what is on it, and what forbids writing to it; writes nothing
    Device(DeviceArgs),
}

/// Where to measure.
#[derive(Debug, Clone, Args)]
pub struct PlaceArgs {
    /// Folder on the file system to measure; a test file is made there and removed [default: the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    pub at: Option<PathBuf>,
}

/// What to measure: a file system or a raw device.
#[derive(Debug, Args)]
pub struct SpotArgs {
    /// A folder.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// This raw device, or nvme-tcp://HOST:PORT/NQN, instead of a file; it is only read, and may be in use
    #[arg(long, value_name = "DEV", conflicts_with = "at")]
    pub device: Option<String>,
    /// A device that may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
}

/// A device that may be written.
#[derive(Debug, Clone, Args)]
pub struct ConsentArgs {
    /// Write to this raw device, or nvme-tcp://HOST:PORT/NQN; everything on it is lost
    #[arg(long, value_name = "DEV", requires = "serial")]
    pub write_to_device: Option<String>,
    /// Its serial, as `narrows block device DEV` shows it, or the subsystem's
    #[arg(long, value_name = "S", requires = "write_to_device")]
    pub serial: Option<String>,
    /// A doubt about that device that you take upon yourself; can be repeated
    #[arg(long, value_name = "DOUBT", requires = "write_to_device")]
    pub accept: Vec<DoubtArg>,
}

/// What can't be known about a device that is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DoubtArg {
    /// Who has it open can't be seen: in a container, or without root
    UnseenUsers,
    /// Data is on it that no known mark explains
    UnknownContents,
}

impl From<DoubtArg> for Doubt {
    fn from(arg: DoubtArg) -> Doubt {
        match arg {
            DoubtArg::UnseenUsers => Doubt::UnseenUsers,
            DoubtArg::UnknownContents => Doubt::UnknownContents,
        }
    }
}

/// How operations arrive in an open loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsArg {
    /// Poisson: independent of each other, as from many users
    Poisson,
    /// At equal intervals, as from a clock
    Constant,
}

impl From<ArrivalsArg> for Arrivals {
    fn from(arg: ArrivalsArg) -> Arrivals {
        match arg {
            ArrivalsArg::Poisson => Arrivals::Poisson,
            ArrivalsArg::Constant => Arrivals::Constant,
        }
    }
}

/// What runs beside the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BesideArg {
    /// A WAL-like stream: 8 KiB appended and flushed 200 times per second
    Log,
}

/// `narrows block calibrate`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows block calibrate                            reads with p99 within 1 ms, here
  narrows block calibrate --at /data --within 500us  within half a millisecond, there
  narrows block calibrate --reads 70 --size 16k      70 % reads of 16 KiB
  narrows block calibrate --device /dev/nvme1n1      a raw device, read only")]
pub struct CalibrateArgs {
    /// Where.
    #[command(flatten)]
    pub spot: SpotArgs,
    /// Percentile of latency to keep within the limit
    #[arg(long, value_name = "P", default_value = "99", value_parser = percentile)]
    pub percentile: f64,
    /// Latency limit, from the scheduled start of an operation
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = limit)]
    pub within: Nanos,
    /// Block size: 8k is 8 KiB
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = block_size)]
    pub size: u32,
    /// Read percentage, 0 to 100; the rest are writes
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<0, 100>)]
    pub reads: u32,
    /// What runs at the same time
    #[arg(long, value_enum, value_name = "WHAT")]
    pub beside: Option<BesideArg>,
    /// How operations arrive
    #[arg(long, value_enum, default_value_t = ArrivalsArg::Poisson)]
    pub arrivals: ArrivalsArg,
    /// Size of the test file: 1g is 1 GiB
    #[arg(long, value_name = "SIZE", default_value = "1g", value_parser = file_size)]
    pub file_size: u64,
    /// Deepest queue that is tried for the ceiling, 1 to 16384 [default: 256 per drive]
    #[arg(long, value_name = "N", value_parser = whole::<1, 16_384>)]
    pub max_depth: Option<u32>,
    /// Minutes for all windows, without writing the file [default: 1.5]
    #[arg(long, value_name = "N", value_parser = whole::<1, 600>)]
    pub minutes: Option<u32>,
    /// At the end do nothing for so long, then measure the ceiling again: is it still what it was just
    /// after the file was written? [default: no pause]
    #[arg(long, value_name = "TIME", value_parser = idle)]
    pub idle: Option<Nanos>,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block interference`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows block interference                         in this folder
  narrows block interference --at /data --budget 4g  there; writes 4 GiB at most")]
pub struct InterferenceArgs {
    /// A folder.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// A device that may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Block size of reads and writes: 8k is 8 KiB
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = block_size)]
    pub size: u32,
    /// Size of the file that is read; one of a quarter of it is written. Both are removed afterwards
    #[arg(long, value_name = "SIZE", default_value = "1g", value_parser = file_size)]
    pub file_size: u64,
    /// Most bytes to write, without the files: 16g is 16 GiB
    #[arg(long, value_name = "SIZE", default_value = "16g", value_parser = write_budget)]
    pub budget: u64,
    /// Minutes for all windows, without writing the files [default: 3]
    #[arg(long, value_name = "N", value_parser = whole::<1, 600>)]
    pub minutes: Option<u32>,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block run`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows block run JOBS.fio --dry-run   what it would do here, and what differs from fio
  narrows block run JOBS.fio --at /data  with its files in this folder
  narrows block run JOBS.fio --section randread --fio-json out.json
                                         one section, in fio's JSON too")]
pub struct JobsArgs {
    /// fio's job files, as on one command line of fio
    #[arg(required = true, value_name = "FILE.fio")]
    pub files: Vec<PathBuf>,
    /// Only sections of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
    /// Allow the job file this environment variable, for its ${NAME}; may be repeated
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// Where the files go.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// What may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Also write fio's JSON to this file, or with - to standard output in place of the report
    #[arg(long, value_name = "FILE")]
    pub fio_json: Option<PathBuf>,
    /// fio's json+ layout with every bin of the histograms, as --output-format=json+
    #[arg(long, requires = "fio_json")]
    pub fio_json_plus: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block steady`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows block steady --at /data                  rounds of writes until the rate is steady
  narrows block steady --reads 65 --size 4k        65 % reads, blocks of 4 KiB
  narrows block steady --write-to-device /dev/nvme1n1 --serial S
                                                   a raw device; everything on it is lost")]
pub struct SteadyArgs {
    /// A folder.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// A device that may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Block size: 8k is 8 KiB
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = block_size)]
    pub size: u32,
    /// Read percentage, 0 to 100; the rest are writes
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<0, 99>)]
    pub reads: u32,
    /// Queue depth
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = whole::<1, 1024>)]
    pub depth: u32,
    /// Length of a round; SNIA's is 1min
    #[arg(long, value_name = "TIME", default_value = "1min", value_parser = round)]
    pub round: Nanos,
    /// Size of the test file: 1g is 1 GiB
    #[arg(long, value_name = "SIZE", default_value = "4g", value_parser = file_size)]
    pub file_size: u64,
    /// Most bytes to write, without the file: 64g is 64 GiB
    #[arg(long, value_name = "SIZE", default_value = "64g", value_parser = binary_size)]
    pub budget: u64,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block writers`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows block writers --at /data    four writers to one file, and to four files
  narrows block writers --writers 16  sixteen")]
pub struct WritersArgs {
    /// Where the files go.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Writers, and files in the second half of each pair
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<2, 64>)]
    pub writers: u32,
    /// Block size of a write: 8k is 8 KiB
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = block_size)]
    pub size: u32,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block device`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows block device /dev/nvme1n1   its serial, what uses it, and what writing would lose
  narrows block device nvme-tcp://192.0.2.10/nqn.2026-11.org.example:a
                                      the same of a namespace over NVMe/TCP")]
pub struct DeviceArgs {
    /// The device, as /dev/nvme1n1, or nvme-tcp://HOST:PORT/NQN
    #[arg(value_name = "DEV")]
    pub device: String,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = super::Format::TEXT)]
    pub format: super::Format,
}

/// A size in powers of two, as sizes of blocks and files are meant: `8k`, `8KiB`, `8192`, `1.5g`.
///
/// # Errors
/// A sentence; `8kB` and `8MB` are refused, because they are 8000 and 8 000 000 elsewhere here.
pub fn binary_size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = &text[..end];
    let shift = match text[end..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "ki" | "kib" => 10,
        "m" | "mi" | "mib" => 20,
        "g" | "gi" | "gib" => 30,
        "t" | "ti" | "tib" => 40,
        "kb" | "mb" | "gb" | "tb" => {
            let unit = &text[end..].trim()[..1];
            return Err(format!("is that a power of ten? write {number}{unit} for powers of two"));
        }
        other => return Err(format!("`{other}` is none of k, m, g, t")),
    };
    scaled(number, shift)
}

/// A decimal number times that power of two, exactly.
fn scaled(number: &str, shift: u32) -> Result<u64, String> {
    /// Digits behind the point; with more the product could be more than fits.
    const MOST_DIGITS: usize = 18;
    let none = || "write a number, as 8k or 1.5g".to_string();
    let split = || "that is no whole number of bytes".to_string();
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u64 = whole.parse().map_err(|_| none())?;
    if part.len() > MOST_DIGITS {
        return Err(split());
    }
    let digits: u128 = part.parse().map_err(|_| none())?;
    let (bytes, scale) = (digits << shift, 10u128.pow(part.len() as u32));
    if bytes % scale != 0 {
        return Err(split());
    }
    let bytes = (u128::from(whole) << shift) + bytes / scale;
    u64::try_from(bytes).map_err(|_| "too large".to_string())
}

/// A size of a file that is measured on.
///
/// # Errors
/// A sentence, where it is less than 64 MiB: it would fit any cache.
pub fn file_size(text: &str) -> Result<u64, String> {
    match binary_size(text)? {
        bytes if bytes >= 64 << 20 => Ok(bytes),
        _ => Err("at least 64m, or caches answer in place of the drive".to_string()),
    }
}

/// Bytes that streams of writes may write.
///
/// # Errors
/// A sentence, where it is less than 64 MiB: that is no stream.
pub fn write_budget(text: &str) -> Result<u64, String> {
    match binary_size(text)? {
        bytes if bytes >= 64 << 20 => Ok(bytes),
        _ => Err("at least 64m, or it is too short to disturb".to_string()),
    }
}

/// A percentile of latency that a search can keep.
///
/// # Errors
/// A sentence, where it is not from 50 to 99.99.
pub fn percentile(text: &str) -> Result<f64, String> {
    match text.trim_start_matches('p').parse() {
        Ok(percent) if (50.0..=99.99).contains(&percent) => Ok(percent),
        _ => Err("write a percentile from 50 to 99.99, as 99".to_string()),
    }
}

/// Length of a round.
///
/// # Errors
/// A sentence, where it is no time, or not from 1 s to 10 min.
pub fn round(text: &str) -> Result<Nanos, String> {
    let round: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    match round.0 {
        1_000_000_000..=600_000_000_000 => Ok(round),
        _ => Err("rounds are from 1s to 10min".to_string()),
    }
}

/// A time without a load.
///
/// # Errors
/// A sentence, where it is no time, or not from 1 s to a day.
pub fn idle(text: &str) -> Result<Nanos, String> {
    let idle: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    match idle.0 {
        1_000_000_000..=86_400_000_000_000 => Ok(idle),
        _ => Err("pauses are from 1s to 24h".to_string()),
    }
}

/// A limit of latency.
///
/// # Errors
/// A sentence, where it is no time, or not from 1 µs to 10 s.
pub fn limit(text: &str) -> Result<Nanos, String> {
    let limit: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    match limit.0 {
        1_000..=10_000_000_000 => Ok(limit),
        _ => Err("limits are from 1us to 10s".to_string()),
    }
}

/// A size of one operation.
///
/// # Errors
/// A sentence, where it isn't a multiple of 512 between 512 bytes and 64 MiB.
pub fn block_size(text: &str) -> Result<u32, String> {
    let bytes = binary_size(text)?;
    if bytes == 0 || !bytes.is_multiple_of(512) || bytes > 64 << 20 {
        return Err("blocks are multiples of 512 bytes, up to 64m".to_string());
    }
    Ok(bytes as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_and_limits_have_bounds() {
        assert_eq!(percentile("99.9"), Ok(99.9));
        assert_eq!(percentile("p95"), Ok(95.0));
        for text in ["0.99", "100", "x", "nan"] {
            assert!(percentile(text).is_err(), "{text}");
        }
        assert_eq!(limit("500us"), Ok(Nanos(500_000)));
        for text in ["0ms", "1", "1h", "soon"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_powers_of_two_and_nothing_else() {
        assert_eq!(binary_size("8k"), Ok(8192));
        assert_eq!(binary_size("1MiB"), Ok(1 << 20));
        assert_eq!(binary_size("4096"), Ok(4096));
        for text in ["8kB", "1.5GB", "k", "", "8q", "99999999999t", ".", "1.5.5k", "1.k", ".5g"] {
            assert!(binary_size(text).is_err(), "{text}");
        }
        assert_eq!(binary_size("1.5g"), Ok(3 << 29));
        assert_eq!(binary_size("0.5 KiB"), Ok(512));
        for text in ["1.5", "0.1g", "1.0000000000000000001k"] {
            assert_eq!(
                binary_size(text).unwrap_err(),
                "that is no whole number of bytes",
                "{text}"
            );
        }
        let said = binary_size("1.5GB").unwrap_err();
        assert_eq!(said, "is that a power of ten? write 1.5G for powers of two");
        assert_eq!(block_size("8k"), Ok(8192));
        assert_eq!(file_size("1g"), Ok(1 << 30));
        assert!(file_size("1m").is_err());
        assert_eq!(write_budget("64m"), Ok(64 << 20));
        assert!(write_budget("63m").is_err());
        for text in ["0", "1000", "128m"] {
            assert!(block_size(text).is_err(), "{text}");
        }
    }
}
