//! What was asked of `narrows ab`.

use std::path::PathBuf;

use clap::Args;
use narrows_units::{Nanos, ParseQuantityError};

use super::compare::percent;
use super::number::{at_least, whole};
use super::{Format, UnitsArg};

/// `narrows ab`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows ab pg17 --with-b '--postgres /opt/pg17/bin' -- db update --quick
  narrows ab thp --a 'echo never > /sys/kernel/mm/transparent_hugepage/enabled' \\
      --b 'echo always > /sys/kernel/mm/transparent_hugepage/enabled' \\
      --restore 'echo madvise > /sys/kernel/mm/transparent_hugepage/enabled' -- db lookup --quick
  narrows ab disks --with-a '--data /u1' --with-b '--data /u2' \\
      --find 10% --within 30min -- run --layers block,log
  narrows ab ckpt --clone /u1/pg \\
      --a 'pg_ctl -w -D \"$NARROWS_CLONE\" -l \"$NARROWS_CLONE/log\" start' \\
      --b 'pg_ctl -w -D \"$NARROWS_CLONE\" -l \"$NARROWS_CLONE/log\" -o \"-c max_wal_size=16GB\" start' \\
      --after 'pg_ctl -D \"$NARROWS_CLONE\" stop' -- db update postgres:///shop
  narrows ab pg17                      go on with it, or show its result again
  narrows ab pg17 --within 3h          go on with more time")]
#[command(after_long_help = "\
A and B differ by a command that sets a state before each run (--a, --b), by options (--with-a, --with-b), or by both. Runs take
turns (A B, B A, ...). After three pairs their scatter decides how many there are; nothing is evaluated in between. Stopped, the
same command goes on. --restore puts the state back at the end, also after a crash.
--clone DIR gives each run a new clone of DIR, made in an instant by the file system (Btrfs, XFS): both sides start from the same
bytes, and DIR stays as it is. Its path is {clone} in options, and $NARROWS_CLONE in commands.")]
pub struct AbArgs {
    /// Name of the experiment; its runs get the tags NAME-A and NAME-B
    #[arg(value_name = "NAME")]
    pub name: String,
    /// Shell command that sets the state of A before each of its runs
    #[arg(long, value_name = "COMMAND")]
    pub a: Option<String>,
    /// Shell command that sets the state of B
    #[arg(long, value_name = "COMMAND")]
    pub b: Option<String>,
    /// Options of A's runs
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, value_parser = words)]
    pub with_a: Option<Words>,
    /// Options of B's runs
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, value_parser = words)]
    pub with_b: Option<Words>,
    /// Shell command that puts the state back at the end, also after a crash
    #[arg(long, value_name = "COMMAND")]
    pub restore: Option<String>,
    /// Shell command after each run, as to stop a server
    #[arg(long, value_name = "COMMAND")]
    pub after: Option<String>,
    /// Give each run a new clone of this folder, which stays as it is
    #[arg(long, value_name = "DIR")]
    pub clone: Option<PathBuf>,
    /// Number of pairs [default: by the scatter of the first three]
    #[arg(long, value_name = "N", value_parser = whole::<3, 100>)]
    pub pairs: Option<u32>,
    /// Smallest difference to be found in 80 of 100 experiments [default: 5%]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub find: Option<f64>,
    /// Time for all pairs [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = within)]
    pub within: Option<Nanos>,
    /// Measurements whose scatter decides how many pairs there are, by the beginning of their ids [default: the database's]
    #[arg(long, value_name = "PREFIX")]
    pub measure: Vec<String>,
    /// Difference below which both are as good as the same
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = percent)]
    pub margin: f64,
    /// Seed that draws who begins [default: a new one]
    #[arg(long, value_name = "N", value_parser = at_least::<0>)]
    pub seed: Option<u64>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
    /// Units of bytes
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
    /// What is measured: a command of narrows with its options (run, db, block, memory, log)
    #[arg(last = true, value_name = "MEASUREMENT")]
    pub measurement: Vec<String>,
}

/// A minute or more.
fn within(text: &str) -> Result<Nanos, String> {
    let within: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if within.0 >= 60_000_000_000 {
        Ok(within)
    } else {
        Err("a minute or more, as in 30min".into())
    }
}

/// Options in one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words(pub Vec<String>);

/// Splits at blanks; what is in quotes is one word.
pub(super) fn words(text: &str) -> Result<Words, String> {
    let (mut all, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => all.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(format!("{open} is opened and not closed"));
    }
    all.extend(word);
    Ok(Words(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_split_as_a_shell_splits_them() {
        let of = |text: &str| words(text).map(|words| words.0);
        assert_eq!(of("--postgres /opt/x  --quick").unwrap(), ["--postgres", "/opt/x", "--quick"]);
        assert_eq!(of("--data '/a b' \"\" x'y'z").unwrap(), ["--data", "/a b", "", "xyz"]);
        assert_eq!(of("").unwrap(), Vec::<String>::new());
        assert!(of("'x").unwrap_err().contains("not closed"));
    }
}
