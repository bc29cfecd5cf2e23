//! A machine's files below a folder: what a capture or a topology archive holds.
//!
//! The folder is treated as the root of everything. An absolute link inside it starts at the folder again, and
//! `..` does not lead out of it; otherwise a copied `/sys` would answer with facts of the machine it is read on.
//!
//! Such a folder comes from somebody else, so nothing in it is trusted to end: files and folders are read up to a
//! limit, and only plain files are opened (a pipe would wait for ever). What was refused is kept for
//! [`Source::troubles`].

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{Source, Trouble};

/// As many links as Linux itself follows in one path.
const MAX_LINKS: u32 = 40;

/// The largest files that are read, mount tables and firmware tables, have some hundred kilobytes on large machines.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The largest folder, `/proc`, has an entry per process.
const MAX_ENTRIES: usize = 1 << 17;

/// Troubles that are kept; a hostile tree has any number.
const MAX_TROUBLES: usize = 100;

/// The same files under a folder.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    troubles: Mutex<BTreeSet<Trouble>>,
}

impl Tree {
    /// A tree whose `/` is `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Tree { root: root.into(), troubles: Mutex::default() }
    }

    /// The folder that stands for `/`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Resolves all links in `path`; the last component's own link only if `follow_last`.
    fn resolve(&self, path: &str, follow_last: bool) -> io::Result<Vec<String>> {
        let mut pending: Vec<String> = components(path).rev().collect();
        let mut done: Vec<String> = Vec::new();
        let mut links = 0;
        while let Some(part) = pending.pop() {
            if part == ".." {
                done.pop();
                continue;
            }
            done.push(part);
            if pending.is_empty() && !follow_last {
                break;
            }
            let here = self.host_path(&done);
            if !here.is_symlink() {
                continue;
            }
            links += 1;
            if links > MAX_LINKS {
                return Err(io::Error::from_raw_os_error(libc::ELOOP));
            }
            let target = std::fs::read_link(&here)?.to_string_lossy().into_owned();
            done.pop();
            if target.starts_with('/') {
                done.clear();
            }
            pending.extend(components(&target).rev());
        }
        Ok(done)
    }

    fn host_path(&self, parts: &[String]) -> PathBuf {
        let mut path = self.root.clone();
        path.extend(parts);
        path
    }

    /// Keeps what went wrong, unless the file is only absent, empty of meaning or of another type.
    fn noted<T>(&self, path: &str, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            let ordinary = [libc::ENOENT, libc::ENOTDIR, libc::EISDIR];
            let reason = match error.raw_os_error() {
                Some(code) if ordinary.contains(&code) => return result,
                Some(libc::ELOOP) => "its links go round in a circle".to_string(),
                Some(libc::EACCES | libc::EPERM) => "this user may not read it".to_string(),
                _ => error.to_string(),
            };
            let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
            if troubles.len() < MAX_TROUBLES {
                troubles.insert(Trouble { path: path.to_string(), reason });
            }
        }
        result
    }

    fn resolved(&self, path: &str) -> io::Result<PathBuf> {
        Ok(self.host_path(&self.resolve(path, true)?))
    }
}

/// A file's bytes, up to the limit.
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = std::fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::from_raw_os_error(libc::EISDIR));
    }
    if !metadata.is_file() {
        return Err(refused("it is not a regular file".to_string()));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(refused(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    Ok(bytes)
}

fn list_folder(path: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path)? {
        if names.len() == MAX_ENTRIES {
            return Err(refused(format!("it has more than {MAX_ENTRIES} entries")));
        }
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

fn refused(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = String> + '_ {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_string)
}

impl Source for Tree {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.noted(path, self.resolved(path).and_then(|path| read_plain(&path)))
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        self.noted(path, self.resolved(path).and_then(|path| list_folder(&path)))
    }

    fn link(&self, path: &str) -> io::Result<String> {
        let path = self.host_path(&self.resolve(path, false)?);
        Ok(std::fs::read_link(path)?.to_string_lossy().into_owned())
    }

    fn real_path(&self, path: &str) -> io::Result<String> {
        let parts = self.resolve(path, true)?;
        std::fs::symlink_metadata(self.host_path(&parts))?;
        Ok(format!("/{}", parts.join("/")))
    }

    fn exists(&self, path: &str) -> bool {
        self.resolved(path).is_ok_and(|path| path.exists())
    }

    fn troubles(&self) -> Vec<Trouble> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    fn is_live(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("sys/devices/disk/queue")).unwrap();
        std::fs::write(folder.path().join("sys/devices/disk/size"), "8\n").unwrap();
        std::fs::create_dir_all(folder.path().join("sys/class")).unwrap();
        let tree = Tree::new(folder.path());
        (folder, tree)
    }

    #[test]
    fn absolute_links_stay_inside() {
        let (folder, tree) = tree();
        symlink("/sys/devices/disk", folder.path().join("sys/class/disk")).unwrap();
        assert_eq!(tree.read("/sys/class/disk/size").unwrap(), b"8\n");
        assert_eq!(tree.link("/sys/class/disk").unwrap(), "/sys/devices/disk");
        assert_eq!(tree.real_path("/sys/class/disk/queue").unwrap(), "/sys/devices/disk/queue");
        assert!(tree.exists("/sys/class/disk") && !tree.exists("/sys/class/disk/none"));
    }

    #[test]
    fn no_path_leads_out() {
        let (folder, tree) = tree();
        symlink("../../../../../../../../../../etc/passwd", folder.path().join("sys/out")).unwrap();
        assert!(tree.read("/sys/out").is_err(), "read the host's own file");
        assert!(tree.read("/../../../../../../../../etc/passwd").is_err());
        assert!(!tree.exists("/proc/self/stat"));
    }

    #[test]
    fn circles_end() {
        let (folder, tree) = tree();
        symlink("/sys/b", folder.path().join("sys/a")).unwrap();
        symlink("/sys/a", folder.path().join("sys/b")).unwrap();
        assert_eq!(tree.real_path("/sys/a").unwrap_err().raw_os_error(), Some(libc::ELOOP));
        assert!(!tree.exists("/sys/a"));
    }

    #[test]
    fn what_would_not_end_is_refused_and_told() {
        let (folder, tree) = tree();
        symlink("/sys/b", folder.path().join("sys/a")).unwrap();
        symlink("/sys/a", folder.path().join("sys/b")).unwrap();
        let large = File::create(folder.path().join("sys/large")).unwrap();
        large.set_len(1 << 40).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("sys/pipe"), mode).unwrap();
        for path in ["/sys/a", "/sys/large", "/sys/pipe"] {
            assert!(tree.read(path).is_err(), "{path}");
        }
        assert!(tree.read("/sys/none").is_err() && tree.read("/sys/devices").is_err());
        assert!(tree.list("/sys/devices/disk/size").is_err());
        let troubles = tree.troubles();
        let told: Vec<&str> = troubles.iter().map(|trouble| trouble.path.as_str()).collect();
        assert_eq!(told, ["/sys/a", "/sys/large", "/sys/pipe"], "{troubles:?}");
        assert!(troubles[1].reason.contains("16 MiB"), "{troubles:?}");
    }
}
