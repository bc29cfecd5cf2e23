//! What was asked of `narrows compare` and `narrows tag`.

use clap::{Args, ValueEnum};
use narrows_compare::{Correction, Gate};

use super::{Format, UnitsArg};

/// `narrows compare`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows compare 1f3a 9c2e                         what changed between two runs
  narrows compare 1f3a,20bc,77d1 9c2e,a410,b5ef     three runs of each: better, worse, equivalent
  narrows compare before after                      two tags (narrows tag before 1f3a 20bc 77d1)
  narrows compare 9a93 cca7                         a server observed before and after a change
  narrows compare before after --only database. --fail-if 'database.update.throughput < -5%'")]
#[command(after_long_help = "\
A side is a run by its id (or its first characters) or file, several with commas, a folder of run files, or a tag. The others
are compared with the first. With fewer than three runs of a side nothing is called better or worse: one run does not show how runs differ by themselves.
Of two observations of a server it says which cause is gone, what of its bound came, what a transaction takes and which statements changed, and whether server,
load and settings are the same.")]
pub struct CompareArgs {
    /// Sides: runs, tags or folders
    #[arg(value_name = "SIDE", required = true, num_args = 2..)]
    pub sides: Vec<String>,
    /// Difference below which both are as good as the same: 2%
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percent)]
    pub margin: f64,
    /// Compare measurements that begin so: database.update, block.
    #[arg(long, value_name = "PREFIX")]
    pub only: Vec<String>,
    /// For the number of measurements: holm keeps all words right in 95 of 100 comparisons, bh lets at most 5 of 100 words be wrong
    #[arg(long, value_enum, default_value_t = CorrectionArg::Holm)]
    pub correct: CorrectionArg,
    /// End with 1 where a growth crosses this bound, with 4 where that is not resolved: 'block.read.random.8k.knee.throughput < -5%'
    #[arg(long, value_name = "GATE", value_parser = gate)]
    pub fail_if: Vec<Gate>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
    /// Units of bytes
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
}

/// What is promised of many words at once.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CorrectionArg {
    /// Holm
    Holm,
    /// Benjamini and Hochberg
    Bh,
}

impl From<CorrectionArg> for Correction {
    fn from(asked: CorrectionArg) -> Correction {
        match asked {
            CorrectionArg::Holm => Correction::Holm,
            CorrectionArg::Bh => Correction::BenjaminiHochberg,
        }
    }
}

/// `narrows trend`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows trend                               this machine
  narrows trend --host db7 --only database.   another one's saved runs
  narrows trend --tag nightly")]
#[command(after_long_help = "\
Runs of one machine and one workload in the order of their time; from ten on a change of level can be found.")]
pub struct TrendArgs {
    /// Runs of the machine of this name [default: that of the newest run]
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// Runs of this tag
    #[arg(long, conflicts_with = "host")]
    pub tag: Option<String>,
    /// Measurements that begin so
    #[arg(long, value_name = "PREFIX")]
    pub only: Vec<String>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
    /// Units of bytes
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
}

/// `narrows import`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  fio --output-format=json --output=before.json jobs.fio; narrows import before.json
  pgbench -S -c 8 -T 60 shop > before.txt; narrows import before.txt
  narrows import awrrpt_1_160_161.html --capacities 1f3a")]
#[command(after_long_help = "\
Reads:
  fio          --output-format=json and json+
  PostgreSQL   what pgbench prints, its log (pgbench -l), pg_test_fsync, pgio
  Oracle       AWR report of one instance (awrrpt.sql, HTML or text), judged as an observed server;
               CALIBRATE_IO; the table of SLOB's awr_info.sh
  load         sysbench (OLTP), HammerDB with its time profile
  machine      iostat -x, vmstat, mpstat, sar (-u, -q, -d), Intel MLC, multiload, SLB
  by hand      figures of a write-up in TOML, as in cases/figures
What a file does not say stays missing: such a run has no machine and no intervals.")]
pub struct ImportArgs {
    /// Results, each a run
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<std::path::PathBuf>,
    /// Add the runs to this tag
    #[arg(long)]
    pub tag: Option<String>,
    /// Judge an AWR report by what this run measured of the same machine
    #[arg(long, value_name = "RUN")]
    pub capacities: Option<String>,
    /// The run is of the report's machine, whatever the two call it
    #[arg(long, requires = "capacities")]
    pub same_machine: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// `narrows check-claims`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows check-claims claims.toml                 which claims follow from their figures
  narrows check-claims claims.toml --format json   the same, for a program")]
#[command(after_long_help = "\
Each claim is two figures and what the text says of them:
  [[claim]]
  what = \"OLTP, second server against first\"
  before = 30092
  after = 25231
  unit = \"tpmC per core\"    # % for shares, whose difference is in points
  says = \"19 % lower\"       # or 2.4 times, or 9 points")]
pub struct CheckClaimsArgs {
    /// A TOML file of claims
    #[arg(value_name = "FILE")]
    pub file: std::path::PathBuf,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// `narrows tag`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tag                          all tags and their runs
  narrows tag before 1f3a 20bc 77d1    add three saved runs to the tag before
  narrows tag --remove before          forget the tag; its runs stay")]
pub struct TagArgs {
    /// The tag
    #[arg(value_name = "TAG")]
    pub tag: Option<String>,
    /// Runs to add, by their ids (or first characters) or files
    #[arg(value_name = "RUN", requires = "tag", conflicts_with = "remove")]
    pub runs: Vec<String>,
    /// Forget the tag; its runs stay
    #[arg(long, requires = "tag")]
    pub remove: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// A share above 0 and below 1.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').unwrap_or(text).trim();
    let share: f64 = number.parse().map_err(|_| "a share in per cent, as in 2%".to_string())?;
    if share > 0.0 && share < 100.0 {
        Ok(share / 100.0)
    } else {
        Err("above 0 % and below 100 %".to_string())
    }
}

fn gate(text: &str) -> Result<Gate, String> {
    text.parse().map_err(|error: narrows_compare::ParseGateError| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_is_a_share_in_per_cent() {
        assert_eq!(
            (percent("2%"), percent("0.5"), percent("5 %")),
            (Ok(0.02), Ok(0.005), Ok(0.05))
        );
        for wrong in ["0", "-1%", "100%", "x", ""] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
