//! A machine's files below a folder: what a capture or a topology archive holds.
//!
//! The folder is treated as the root of everything. An absolute link inside it starts at the folder again, and
//! `..` does not lead out of it; otherwise a copied `/sys` would answer with facts of the machine it is read on.

use std::io;
use std::path::{Path, PathBuf};

use crate::Source;

/// As many links as Linux itself follows in one path.
const MAX_LINKS: u32 = 40;

/// The same files under a folder.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// A tree whose `/` is `root`.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Tree { root: root.into() }
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

    fn resolved(&self, path: &str) -> io::Result<PathBuf> {
        Ok(self.host_path(&self.resolve(path, true)?))
    }
}

fn components(path: &str) -> impl DoubleEndedIterator<Item = String> + '_ {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_string)
}

impl Source for Tree {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        std::fs::read(self.resolved(path)?)
    }

    fn list(&self, path: &str) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = std::fs::read_dir(self.resolved(path)?)?
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort_unstable();
        Ok(names)
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
}
