//! What was asked of `narrows block`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Format, UnitsArg};

/// `narrows block`
#[derive(Debug, Args)]
pub struct BlockArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: BlockCommand,
}

/// What can be asked of storage.
#[derive(Debug, Subcommand)]
pub enum BlockCommand {
    /// Run the jobs of fio's job files, and report them here or in fio's JSON
    Run(JobsArgs),
    /// Do several writers to one file get in each other's way? One file by n against n files by one
    Writers(WritersArgs),
    /// Say what a raw device is, what is on it, and what stands against writing; writes nothing
    Device(DeviceArgs),
}

/// Where to measure.
#[derive(Debug, Args)]
pub struct PlaceArgs {
    /// Folder on the file system to measure; a file of ours is made there and removed [default: the
    /// current folder]
    #[arg(long, value_name = "DIR")]
    pub at: Option<PathBuf>,
}

/// A device that may be written.
#[derive(Debug, Args)]
pub struct ConsentArgs {
    /// Write to this raw device; everything on it is lost
    #[arg(long, value_name = "DEV", requires = "serial")]
    pub write_to_device: Option<String>,
    /// Its serial, as `narrows block device DEV` shows it
    #[arg(long, value_name = "S", requires = "write_to_device")]
    pub serial: Option<String>,
}

/// How to run and where the results go.
#[derive(Debug, Args)]
pub struct OutputArgs {
    /// Seed of every random choice [default: a new one, kept in the run]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Measure although a database runs on this machine: it will be slowed down for the whole run
    #[arg(long)]
    pub load_here: bool,
    /// Print the plan with its minutes and bytes, and stop
    #[arg(long)]
    pub dry_run: bool,
    /// Folder for the run file and the report in every format [default: the run file alone, in the
    /// XDG data folder]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Prefixes of byte quantities
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
}

/// `narrows block run`
#[derive(Debug, Args)]
pub struct JobsArgs {
    /// fio's job files, as on one command line of fio
    #[arg(required = true, value_name = "FILE.fio")]
    pub files: Vec<PathBuf>,
    /// Only the sections of this name; may be given several times
    #[arg(long, value_name = "NAME")]
    pub section: Vec<String>,
    /// Where the files go.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// What may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Write fio's JSON to this file too, or with - to standard output instead of the report
    #[arg(long, value_name = "FILE")]
    pub fio_json: Option<PathBuf>,
    /// fio's json+ layout with every bin of the histograms, as --output-format=json+
    #[arg(long, requires = "fio_json")]
    pub fio_json_plus: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block writers`
#[derive(Debug, Args)]
pub struct WritersArgs {
    /// Where the files go.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Writers, and files in the second half of each pair
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=64))]
    pub writers: u32,
    /// Bytes of a write: 8k is 8 KiB
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = block_size)]
    pub size: u32,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows block device`
#[derive(Debug, Args)]
pub struct DeviceArgs {
    /// The device, as /dev/nvme1n1
    #[arg(value_name = "DEV")]
    pub device: String,
    /// Text or JSON
    #[arg(long, value_enum, default_value_t = super::PlatformFormat::Text)]
    pub format: super::PlatformFormat,
}

/// A size in powers of two, as sizes of blocks and files are meant: `8k`, `8KiB`, `8192`.
///
/// # Errors
/// A sentence; `8kB` and `8MB` are refused, because they are 8000 and 8 000 000 elsewhere here.
pub fn binary_size(text: &str) -> Result<u64, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().map_err(|_| "write a whole number, as 8k".to_string())?;
    let shift = match text[end..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "ki" | "kib" => 10,
        "m" | "mi" | "mib" => 20,
        "g" | "gi" | "gib" => 30,
        "t" | "ti" | "tib" => 40,
        "kb" | "mb" | "gb" | "tb" => {
            let unit = &text[end..end + 1];
            return Err(format!("is that a power of ten? write {number}{unit} for powers of two"));
        }
        other => return Err(format!("`{other}` is none of k, m, g, t")),
    };
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_string())
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
    fn sizes_are_powers_of_two_and_nothing_else() {
        assert_eq!(binary_size("8k"), Ok(8192));
        assert_eq!(binary_size("1MiB"), Ok(1 << 20));
        assert_eq!(binary_size("4096"), Ok(4096));
        for text in ["8kB", "1.5k", "k", "", "8q", "99999999999t"] {
            assert!(binary_size(text).is_err(), "{text}");
        }
        assert_eq!(block_size("8k"), Ok(8192));
        for text in ["0", "1000", "128m"] {
            assert!(block_size(text).is_err(), "{text}");
        }
    }
}
