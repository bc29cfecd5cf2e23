//! A machine made of files.

use std::os::unix::fs::symlink;
use std::path::Path;

use narrows_facts::Tree;

/// A machine under a temporary folder; removed when dropped.
pub struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    /// A machine without anything.
    pub fn new() -> Self {
        Machine { folder: tempfile::tempdir().unwrap() }
    }

    /// Writes a file, with its folders.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.host(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// Several files in one folder.
    pub fn files(&self, folder: &str, files: &[(&str, &str)]) -> &Self {
        for (name, text) in files {
            self.file(&format!("{folder}/{name}"), text);
        }
        self
    }

    /// An empty folder.
    pub fn folder(&self, path: &str) -> &Self {
        std::fs::create_dir_all(self.host(path)).unwrap();
        self
    }

    /// A symbolic link at `path`.
    pub fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.host(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
        self
    }

    /// A block device: its folder in /sys/devices with `dev`, and the link from its number.
    pub fn device(&self, folder: &str, number: &str, sectors: u64) -> &Self {
        self.file(&format!("{folder}/dev"), format!("{number}\n"));
        self.file(&format!("{folder}/size"), format!("{sectors}\n"));
        self.link(&format!("/sys/dev/block/{number}"), folder)
    }

    /// The machine as a source.
    pub fn tree(&self) -> Tree {
        Tree::new(self.folder.path())
    }

    fn host(&self, path: &str) -> std::path::PathBuf {
        Path::new(self.folder.path()).join(path.trim_start_matches('/'))
    }
}
