//! Folders that a server works in: made by us, owned by its user, removed by that user's rights. And what a dead run left in them.

use std::ffi::OsString;
use std::io;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use narrows_files::Dir;

use crate::error::UserError;
use crate::user::ServerUser;

/// Why a folder for a server was not made.
#[derive(Debug, thiserror::Error)]
pub enum MadeError {
    /// Its user.
    #[error(transparent)]
    User(#[from] UserError),
    /// The folder above it.
    #[error("cannot open the folder {path}: {reason}")]
    Open {
        /// The folder above.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
    /// The folder itself.
    #[error("cannot create the folder {path}: {reason}")]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        reason: io::Error,
    },
}

/// What was made, to be removed: each by its name in the folder that holds it, folders of the server's user emptied by that user.
#[derive(Debug, Default)]
pub struct Made(Vec<(Dir, OsString, Option<ServerUser>)>);

impl Made {
    /// A file of ours in that folder, to be removed.
    pub fn add(&mut self, above: Dir, name: OsString) {
        self.0.push((above, name, None));
    }

    /// Makes a folder of the server's user.
    ///
    /// # Errors
    /// It is there already, can't be made, or the user can't get there.
    pub fn folder(&mut self, folder: &Path, user: &ServerUser) -> Result<Dir, MadeError> {
        user.open_way(folder)?;
        let parent = folder.parent().unwrap_or(Path::new("/"));
        let open = |reason| MadeError::Open { path: parent.to_path_buf(), reason };
        let above = Dir::open(parent).map_err(open)?;
        let name = folder.file_name().unwrap_or_default().to_os_string();
        let made = above
            .create_dir(&name, 0o700)
            .map_err(|reason| MadeError::Create { path: folder.to_path_buf(), reason })?;
        self.0.push((above, name, Some(user.clone())));
        user.own(&made)?;
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for (above, name, user) in self.0.iter().rev() {
            let removed = match user {
                Some(user) => above.open_dir(name).and_then(|dir| {
                    user.acting(|| dir.empty())?;
                    above.remove_empty_dir(name)
                }),
                None => above.remove_file(name),
            };
            if let Err(error) = removed
                && error.kind() != io::ErrorKind::NotFound
            {
                let path = above.path().join(name);
                let warning = format!("warning: could not remove {}: {error}", path.display());
                // Nobody to tell is no reason to fail.
                let _ = writeln!(std::io::stderr(), "{}", narrows_units::shown(&warning));
            }
        }
    }
}

/// Empties the folders of a dead run that belong to its server's user, as that user; what can't be removed stays and stops the rest.
pub fn empty_others(scratch: &Dir) {
    for name in scratch.names().unwrap_or_default() {
        let Ok(folder) = scratch.open_dir(&name) else { continue };
        if let Some(user) = ServerUser::owner_of(&folder) {
            let _ = user.acting(|| folder.empty());
        }
    }
}
