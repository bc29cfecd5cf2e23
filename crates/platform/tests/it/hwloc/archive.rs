//! The archives: where they are, and unpacking them.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};

/// Files that discovery doesn't read, thousands of them.
const UNREAD: [&str; 4] = ["uevent", "power", "cpuidle", "ways_of_associativity"];

/// hwloc's `tests/hwloc/linux`, or what there is of it; `None` where there is nothing.
pub fn folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/hwloc");
    let folder = std::env::var_os("NARROWS_HWLOC_TREES").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "SKIPPED: no machines to compare with at {}; set NARROWS_HWLOC_TREES to hwloc's tests/hwloc/linux",
        folder.display()
    );
    None
}

/// An unpacked machine; removed when dropped.
pub struct Unpacked {
    _folder: tempfile::TempDir,
    /// What stands for its `/`.
    pub root: PathBuf,
}

/// Unpacks an archive; the one folder in it is the machine's root.
pub fn unpack(archive: &Path) -> Unpacked {
    // In memory where there is such a folder: ten thousand small files take a minute on a busy disk.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let file = BufReader::new(File::open(archive).unwrap());
    let mut entries = tar::Archive::new(bzip2::read::MultiBzDecoder::new(file));
    for entry in entries.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        if !path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
            || path.iter().any(|part| UNREAD.iter().any(|name| part == *name))
        {
            continue;
        }
        let target = folder.path().join(&path);
        let parent = target.parent().unwrap();
        std::fs::create_dir_all(parent).unwrap();
        // A link that the archive made before must not lead what comes later out of the folder.
        let inside =
            parent.canonicalize().unwrap().starts_with(folder.path().canonicalize().unwrap());
        assert!(inside && !target.is_symlink(), "{}: {}", archive.display(), path.display());
        match entry.header().entry_type() {
            tar::EntryType::Directory => std::fs::create_dir_all(target).unwrap(),
            tar::EntryType::Symlink => {
                let to = entry.link_name().unwrap().unwrap().into_owned();
                std::os::unix::fs::symlink(to, target).unwrap();
            }
            tar::EntryType::Link => {
                let to = entry.link_name().unwrap().unwrap().into_owned();
                std::fs::copy(folder.path().join(to), target).unwrap();
            }
            _ => {
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).unwrap();
                std::fs::write(target, bytes).unwrap();
            }
        }
    }
    let mut folders = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let root = folders.next().expect("a folder");
    assert!(folders.next().is_none(), "{}: more than one root", archive.display());
    Unpacked { _folder: folder, root }
}
