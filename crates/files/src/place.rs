//! Gives a file another place, where nothing stands.

use std::io;
use std::path::Path;

use rustix::fs::{AtFlags, RenameFlags, linkat, renameat_with, unlinkat};
use rustix::io::Errno;

use crate::walk;

/// Moves a file on its file system to a path where nothing stands; a link there is something, and is not followed.
///
/// # Errors
/// `AlreadyExists` for whatever is there; else what the system said. Then the file is where it was.
pub fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    let (from_dir, from_name) = walk::above(from)?;
    let (to_dir, to_name) = walk::above(to)?;
    match renameat_with(&from_dir, from_name, &to_dir, to_name, RenameFlags::NOREPLACE) {
        // File systems without that flag (NFS, older FUSE) can link, which replaces nothing either.
        Err(Errno::INVAL | Errno::NOSYS) => {
            linkat(&from_dir, from_name, &to_dir, to_name, AtFlags::empty())?;
            Ok(unlinkat(&from_dir, from_name, AtFlags::empty())?)
        }
        done => Ok(done?),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_goes_where_nothing_is_and_nowhere_else() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "ours").unwrap();
        fs::write(at("theirs"), "theirs").unwrap();
        symlink(at("elsewhere"), at("link")).unwrap();
        for taken in ["theirs", "link"] {
            let error = move_new(&at("a"), &at(taken)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{taken}");
        }
        assert_eq!(fs::read_to_string(at("theirs")).unwrap(), "theirs");
        assert!(!at("elsewhere").exists());
        move_new(&at("a"), &at("b")).unwrap();
        assert_eq!(
            (fs::read_to_string(at("b")).unwrap().as_str(), at("a").exists()),
            ("ours", false)
        );
    }
}
