//! Arguments of a suite that makes something on servers and looks at it, again and again on request.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

/// What was asked for.
#[derive(Debug)]
pub(crate) struct SuiteArguments {
    /// Of what is to be made, or beginnings of names; all where none is named.
    pub names: Vec<String>,
    /// Where servers are made.
    pub data: PathBuf,
    /// The program that looks.
    pub narrows: PathBuf,
    /// How long a look takes, s.
    pub for_s: u32,
    /// Looks at each.
    pub times: u32,
    /// Whether to keep what is stored of those named.
    pub add: bool,
    /// Whether to name them only.
    pub list: bool,
    /// Options with a file or a folder that only this suite has.
    pub others: BTreeMap<String, PathBuf>,
}

/// Reads them; a look takes `for_s` where nobody says otherwise.
pub(crate) fn read(
    args: &[&str],
    usage: &str,
    for_s: u32,
    others: &[&str],
) -> Result<SuiteArguments> {
    let mut asked = SuiteArguments {
        names: Vec::new(),
        data: Path::new("/var/tmp").into(),
        narrows: crate::root().join("target/release/narrows"),
        for_s,
        times: 1,
        add: false,
        list: false,
        others: BTreeMap::new(),
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().with_context(|| format!("{arg} needs a value\n{usage}"));
        match *arg {
            "--data" => asked.data = value()?.into(),
            "--narrows" => asked.narrows = value()?.into(),
            "--for" => asked.for_s = value()?.parse().with_context(|| usage.to_string())?,
            "--times" => asked.times = value()?.parse().with_context(|| usage.to_string())?,
            "--list" => asked.list = true,
            "--add" => asked.add = true,
            other if others.contains(&other) => {
                asked.others.insert(other.to_string(), value()?.into());
            }
            option if option.starts_with('-') => bail!("{option} is not known\n{usage}"),
            name => asked.names.push(name.to_string()),
        }
    }
    ensure!(asked.times > 0, "--times is at least 1\n{usage}");
    Ok(asked)
}

/// Those named, in their order; each name must fit one at least. A whole name is that one's only.
pub(crate) fn chosen<'a, T>(
    all: &'a [T],
    names: &[String],
    name_of: impl Fn(&T) -> &str,
) -> Result<Vec<&'a T>> {
    for name in names {
        ensure!(
            all.iter().any(|one| name_of(one).starts_with(name.as_str())),
            "nothing's name begins with {name}\nhint: --list shows all"
        );
    }
    let fits = |name: &String, one: &T| {
        let whole = all.iter().any(|other| name_of(other) == *name);
        if whole { name_of(one) == *name } else { name_of(one).starts_with(name.as_str()) }
    };
    let named = |one: &&T| names.is_empty() || names.iter().any(|name| fits(name, one));
    Ok(all.iter().filter(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        let asked = |args: &[&str]| read(args, "usage: a suite", 20, &["--capacities"]);
        let all = ["hot", "--for", "5", "--data", "/x", "--times", "40", "--add"];
        let asked_for = asked(&all).unwrap();
        assert!(asked_for.add && !asked(&[]).unwrap().add);
        assert_eq!((asked_for.for_s, asked_for.data.as_path()), (5, Path::new("/x")));
        assert_eq!((asked_for.times, asked(&[]).unwrap().for_s), (40, 20));
        assert_eq!(asked_for.names, ["hot"]);
        let other = asked(&["--capacities", "/y"]).unwrap();
        assert_eq!(other.others["--capacities"], Path::new("/y"));
        for wrong in [&["--for"][..], &["--for", "soon"], &["--every"], &["--times", "0"]] {
            assert!(asked(wrong).err().unwrap().to_string().contains("usage:"), "{wrong:?}");
        }
    }

    #[test]
    fn names_are_whole_or_beginnings() {
        let all = ["hot-row", "hot-row-held", "churn"];
        let of = |name: &str| chosen(&all, &[name.to_string()], |one| one).map(|found| found.len());
        assert_eq!((of("hot").unwrap(), of("hot-row").unwrap()), (2, 1));
        assert_eq!(chosen(&all, &[], |one| one).unwrap().len(), 3);
        assert!(of("nonsense").is_err());
    }
}
