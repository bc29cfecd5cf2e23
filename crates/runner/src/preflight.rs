//! What would keep something from being measured and can be seen before anything is written. A run asks before each of its parts, a dry
//! run asks for all of them: the same functions, so that both refuse the same in the same words.
//!
//! Nothing here writes. Not here: whether a machine may be loaded at all, which is `guard`'s.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result};
use narrows_io::{TestFile, check_writable};

use crate::failure::{self, Failure};

/// The most space that files of a run take at a time in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceNeed {
    /// The folder.
    pub folder: PathBuf,
    /// Bytes.
    pub bytes: u64,
}

/// A part of a run that can't be measured: the others are measured without it.
pub struct MissingPart {
    /// Which, as the run names it.
    pub what: String,
    /// Why.
    pub why: Error,
}

/// Refuses a folder in which this user can't make files. `option` is what names it.
///
/// # Errors
/// A read-only mount, permissions, a folder that is gone.
pub fn folder(dir: &Path, option: &str) -> Result<()> {
    check_writable(dir).map_err(|reason| no_scratch(dir, &reason, option))
}

/// That no scratch folder can be made there, for `reason`.
pub fn no_scratch(dir: &Path, reason: &io::Error, option: &str) -> Error {
    let hint = match reason.kind() {
        ErrorKind::ReadOnlyFilesystem => {
            format!(
                "the file system is mounted read-only; name a folder on another one with {option}"
            )
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            format!("free some space, or name a folder on another file system with {option}")
        }
        _ => format!("name a folder that you may write to with {option}"),
    };
    Failure::hinted(format!("cannot create a scratch folder in {}: {reason}", dir.display()), hint)
}

/// Refuses a folder in which no file of so many bytes can be made that storage is measured with.
///
/// # Errors
/// As [`folder`]; a file system in memory; too little room; a limit of this process.
pub fn block_file(dir: &Path, bytes: u64, option: &str) -> Result<()> {
    folder(dir, option)?;
    Ok(TestFile::check(dir, bytes, None)?)
}

/// Refuses folders in which no log can be measured: for its segments, which `option` names, and for data files beside it.
///
/// # Errors
/// As [`folder`]; a log in memory.
pub fn log(wal: &Path, option: &str, data: &Path) -> Result<()> {
    folder(wal, option)?;
    folder(data, "--data")?;
    Ok(narrows_layer_wal::check_dir(wal)?)
}

/// The warning that a part is missing, with its reason and hint.
pub fn not_measured(what: &str, why: &Error) -> String {
    let text = failure::render(why);
    format!("warning: {what} is not measured: {}", text.strip_prefix("error: ").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(result: Result<()>) -> String {
        failure::render(&result.unwrap_err())
    }

    #[test]
    fn a_folder_that_takes_no_files_is_refused_with_its_option() {
        let dir = tempfile::tempdir().unwrap();
        folder(dir.path(), "--data").unwrap();
        let gone = said(folder(&dir.path().join("gone"), "--at"));
        assert!(gone.starts_with("error: cannot create a scratch folder in "), "{gone}");
        assert!(gone.contains("gone: No such file") && gone.contains("with --at"), "{gone}");
        let error = io::Error::from(ErrorKind::ReadOnlyFilesystem);
        let read_only = failure::render(&no_scratch(Path::new("/srv"), &error, "--wal"));
        assert!(read_only.contains("hint: the file system is mounted read-only"), "{read_only}");
        assert!(read_only.contains("with --wal"), "{read_only}");
    }

    #[test]
    fn a_file_that_does_not_fit_is_refused_before_it_is_made() {
        let dir = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let refused = said(block_file(dir.path(), 1 << 60, "--at"));
        assert!(refused.contains("are free") || refused.contains("in memory"), "{refused}");
        assert!(refused.contains("\nhint: "), "{refused}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_part_is_told_with_reason_and_hint() {
        let why = Failure::hinted("no room", "free some");
        assert_eq!(
            not_measured("log", &why),
            "warning: log is not measured: no room\nhint: free some"
        );
    }
}
