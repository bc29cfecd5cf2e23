//! Why a file is no run: damaged, something else, or not for this user to read; and what to do.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use narrows_files::Refused;
use narrows_model::ReadRunError;
use narrows_units::Bytes;
use serde_json::error::Category;

use crate::failure::Failure;

pub(crate) const RUN_OR_CAPTURE: &str = "a run file ends in .narrows.json and is written by narrows run; a capture is written by narrows gather";
pub(crate) const COPY_AGAIN: &str = "copy the file again from where it was made";
/// Bytes of the machine's list of users (passwd(5)).
const LONGEST_USERS: u64 = 4 << 20;

/// Why a text is no run, and what to do.
pub(crate) fn unlike_a_run(error: &ReadRunError, text: &str) -> (String, &'static str) {
    match error {
        _ if text.trim().is_empty() => ("the file is empty".to_string(), COPY_AGAIN),
        ReadRunError::Malformed(malformed) => match malformed.classify() {
            Category::Eof => {
                (format!("the file is cut off ({} read)", Bytes(text.len() as u64)), COPY_AGAIN)
            }
            Category::Syntax => ("it is not JSON, so no run file".to_string(), RUN_OR_CAPTURE),
            _ => (error.to_string(), RUN_OR_CAPTURE),
        },
        ReadRunError::Schema { found } if !found.starts_with("narrows.") => {
            ("it is JSON, and no run file of narrows".to_string(), RUN_OR_CAPTURE)
        }
        ReadRunError::Schema { .. } => (
            error.to_string(),
            "read it with the version that wrote it, or measure again with this one",
        ),
        ReadRunError::Packed(_) => {
            (error.to_string(), "copy the page again from where it was made")
        }
    }
}

/// Why a file was not read, with whose it is where that is the reason.
pub(crate) fn unread(path: &Path, why: &Refused) -> anyhow::Error {
    let what = format!("{}: {why}", path.display());
    match why {
        Refused::System(error) if error.kind() == ErrorKind::PermissionDenied => {
            Failure::hinted(what, whose(path))
        }
        _ => Failure::hinted(what, RUN_OR_CAPTURE),
    }
}

/// Whose a file is that may not be read, and what lets it be.
fn whose(path: &Path) -> String {
    let file = path.display();
    let Ok(found) = fs::metadata(path) else {
        return "a folder on the way to it is closed to this user: run this with sudo".to_string();
    };
    if found.uid() == narrows_files::euid() {
        return format!("it is yours and may not be read: chmod u+r {file}");
    }
    let owner = user_name(found.uid());
    format!("it belongs to {owner}: run this with sudo, or as {owner} chmod a+r {file}")
}

/// A user's name; its number where the machine's list has none.
pub(crate) fn user_name(uid: u32) -> String {
    let users = narrows_files::read_text(Path::new("/etc/passwd"), LONGEST_USERS);
    let named = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse::<u32>() == Ok(uid)).then(|| name.to_string())
    };
    let found = users.ok().and_then(|users| users.lines().find_map(named));
    found.unwrap_or_else(|| format!("user {uid}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_may_not_be_read_says_whose_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.narrows.json");
        fs::write(&path, "{}").unwrap();
        let denied = Refused::System(ErrorKind::PermissionDenied.into());
        let said = |path: &Path| crate::failure::render(&unread(path, &denied));
        let own = said(&path);
        assert!(own.contains("\nhint: it is yours and may not be read: chmod u+r "), "{own}");
        let gone = said(&dir.path().join("gone"));
        assert!(gone.contains("a folder on the way to it is closed"), "{gone}");
        assert_eq!(user_name(0), "root");
        assert_eq!(user_name(u32::MAX - 1), format!("user {}", u32::MAX - 1));
        if narrows_files::euid() != 0 {
            let others = said(Path::new("/etc/passwd"));
            assert!(
                others.contains("it belongs to root: run this with sudo, or as root chmod a+r")
            );
        }
    }
}
