//! What somebody wants in every command and types in none: `$XDG_CONFIG_HOME/narrows/config.toml`, by default
//! `~/.config/narrows/config.toml`. What is typed, and what the environment says, come before it.
//!
//! A file that another user may change is not taken, and that is said: it names folders that are written to and servers that are asked.
//! It is no error, because under sudo(8) the home may be somebody else's.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;

use crate::failure::Failure;

/// Bytes; it has four lines.
const LONGEST: u64 = 64 << 10;
/// Keys and what they are for.
pub const KEYS: [(&str, &str); 4] = [
    ("units", "units of bytes: \"si\" or \"iec\""),
    ("data", "folder on the drives with the data files"),
    ("wal", "folder on the drives with WAL"),
    ("database", "address for `narrows observe` without one"),
];

/// Units of bytes
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnitsSetting {
    /// 10^9 bytes.
    Si,
    /// 2^30 bytes.
    Iec,
}

/// What is set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Units of bytes
    pub units: Option<UnitsSetting>,
    /// Folder of the data files.
    pub data: Option<PathBuf>,
    /// Folder of the WAL.
    pub wal: Option<PathBuf>,
    /// Address of a server.
    pub database: Option<String>,
}

/// The file as it was read, or why it was not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigurationFile {
    /// What is set.
    pub set: Configuration,
    /// Why a file that is there was not taken.
    pub not_taken: Option<String>,
}

/// Where it is looked for; `None` without a home.
pub fn path() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let base = set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")));
    Some(base?.join("narrows/config.toml"))
}

/// What is set there; nothing where there is no such file.
///
/// # Errors
/// It can't be read, or says what is not known.
pub fn read() -> Result<ConfigurationFile> {
    match path() {
        Some(path) => read_at(&path),
        None => Ok(ConfigurationFile::default()),
    }
}

fn read_at(path: &Path) -> Result<ConfigurationFile> {
    let refused = |why: &dyn std::fmt::Display, hint: &str| {
        Failure::hinted(format!("{}: {why}", path.display()), hint)
    };
    if !path.exists() {
        return Ok(ConfigurationFile::default());
    }
    if let Err(doubt) = narrows_files::trusted_way(path) {
        let not_taken = Some(format!("{} is not used: {doubt}", path.display()));
        return Ok(ConfigurationFile { not_taken, ..ConfigurationFile::default() });
    }
    let text = narrows_files::read_text(path, LONGEST);
    let text = text.map_err(|error| refused(&error, "it is a text of some lines"))?;
    let keys = KEYS.map(|(key, _)| key).join(", ");
    let set = toml::from_str(&text).map_err(|error| {
        // The rest of its message shows the line, and a line may hold a password.
        let line = error.span().map(|span| 1 + text[..span.start].matches('\n').count());
        let line = line.map_or(String::new(), |line| format!("line {line}: "));
        let why = format!("{line}{}", error.message().lines().next().unwrap_or_default());
        refused(&why, &format!("keys are {keys}; units are \"si\" or \"iec\""))
    })?;
    Ok(ConfigurationFile { set, not_taken: None })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn read(text: &str, mode: u32) -> Result<ConfigurationFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        read_at(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_are_read_and_others_named_with_their_line() {
        let found = read("units = \"iec\"\ndata = \"/u01\"\n", 0o644).unwrap().set;
        assert_eq!((found.units, found.wal), (Some(UnitsSetting::Iec), None));
        assert_eq!(found.data.as_deref(), Some(Path::new("/u01")));
        assert_eq!(read("", 0o600).unwrap(), ConfigurationFile::default());
        let said = read("units = \"si\"\ncolour = true\n", 0o600).unwrap_err();
        assert!(said.contains("line 2: unknown field `colour`"), "{said}");
        assert!(said.contains("hint: keys are units, data, wal, database"), "{said}");
        let said = read("units = \"metric\"\n", 0o600).unwrap_err();
        assert!(said.contains("line 1: "), "{said}");
    }

    #[test]
    fn a_mistake_tells_no_password() {
        let said = read("database = postgres://app:S3cret@h/x\n", 0o600).unwrap_err();
        assert!(!said.contains("S3cret"), "{said}");
    }

    #[test]
    fn what_others_may_change_is_not_taken_and_that_is_said() {
        let not_taken = |found: ConfigurationFile| {
            assert_eq!(found.set, Configuration::default());
            found.not_taken.expect("it is said")
        };
        for mode in [0o666, 0o620, 0o602] {
            let said = not_taken(read("data = \"/etc\"\n", mode).unwrap());
            assert!(said.contains("config.toml is not used: "), "{said}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert_eq!(read_at(&path).unwrap(), ConfigurationFile::default());
        fs::write(&path, "data = \"/etc\"\n").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        not_taken(read_at(&path).unwrap());
    }
}
