//! From a verified jar to a folder: zip, in it one xz, in it a tar.
//!
//! The content is pinned, so it is trusted to be the build we chose; it is still unpacked as if it weren't: no entry
//! leaves the folder, none is written through a symbolic link, no special file, and the whole is bounded.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use lzma_rust2::XzReader;
use tar::EntryType;

use crate::digest;

const MOST_BYTES: u64 = 512 << 20;
const MOST_ENTRIES: usize = 20_000;
/// The xz header names its dictionary, up to 4 GiB; the real one needs 8 MiB.
const DECODER_MEMORY_KIB: u32 = 128 << 10;

/// What was written, for the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnpackedFile {
    File { path: PathBuf, bytes: u64, sha256: String },
    Link { path: PathBuf, target: PathBuf },
}

/// Unpacks the one `.txz` of `jar` into `root`, an existing empty folder. Errors are in words, naming the entry.
pub(crate) fn unpack(jar: &Path, root: &Path) -> Result<Vec<UnpackedFile>, String> {
    let file = narrows_files::open_plain(jar).map_err(|error| error.to_string())?;
    let mut zip =
        zip::ZipArchive::new(file).map_err(|error| format!("it is not a jar: {error}"))?;
    let names: Vec<String> = zip
        .file_names()
        .filter_map(|name| name.ok())
        .filter(|name| name.ends_with(".txz"))
        .map(|name| name.into_owned())
        .collect();
    let [name] = names.as_slice() else {
        return Err(format!("it holds {} .txz files, expected one", names.len()));
    };
    let inner = zip.by_name(name).map_err(|error| format!("{name}: {error}"))?;
    let xz = XzReader::new_mem_limit(inner, true, DECODER_MEMORY_KIB);
    let mut archive = tar::Archive::new(xz.take(MOST_BYTES));
    let mut items = Vec::new();
    for entry in archive.entries().map_err(|error| format!("{name}: {error}"))? {
        let mut entry = entry.map_err(|error| format!("{name}: {error}"))?;
        if items.len() >= MOST_ENTRIES {
            return Err(format!("it holds more than {MOST_ENTRIES} entries"));
        }
        let named = entry.path().map_err(|error| format!("{name}: {error}"))?.into_owned();
        let fail = |why: &dyn std::fmt::Display| format!("entry {}: {why}", named.display());
        let path = inside(&named).ok_or_else(|| fail(&"its name leads out of the folder"))?;
        let full = root.join(&path);
        match entry.header().entry_type() {
            EntryType::Directory => make_folders(root, &path).map_err(|error| fail(&error))?,
            EntryType::Regular | EntryType::Continuous => {
                make_folders(root, path.parent().unwrap_or(Path::new("")))
                    .map_err(|error| fail(&error))?;
                let executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
                let mode = if executable { 0o755 } else { 0o644 };
                // O_EXCL neither overwrites nor follows a link in the last place.
                let mut out = OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(mode)
                    .open(&full)
                    .map_err(|error| fail(&error))?;
                let digest = digest::copy(&mut entry, &mut out, MOST_BYTES, &mut |_| {})
                    .map_err(|error| fail(&error))?;
                // The umask may have taken bits; the server's user, who is another one under root, needs them.
                out.set_permissions(Permissions::from_mode(mode)).map_err(|error| fail(&error))?;
                items.push(UnpackedFile::File { path, bytes: digest.bytes, sha256: digest.sha256 });
            }
            EntryType::Symlink => {
                let target = entry.link_name().map_err(|error| fail(&error))?;
                let target = target.ok_or_else(|| fail(&"a link to nowhere"))?.into_owned();
                if !stays_inside(&path, &target) {
                    return Err(fail(&format!(
                        "it links out of the folder, to {}",
                        target.display()
                    )));
                }
                make_folders(root, path.parent().unwrap_or(Path::new("")))
                    .map_err(|error| fail(&error))?;
                symlink(&target, &full).map_err(|error| fail(&error))?;
                items.push(UnpackedFile::Link { path, target });
            }
            other => return Err(fail(&format!("a {other:?} has no place in a bundle"))),
        }
    }
    // The tar reader stops at the tar's end mark; only reading on makes xz compare its own checksum.
    let mut rest = archive.into_inner();
    std::io::copy(&mut rest, &mut std::io::sink()).map_err(|error| format!("{name}: {error}"))?;
    if rest.limit() == 0 {
        return Err(format!("it unpacks to more than {MOST_BYTES} bytes"));
    }
    Ok(items)
}

/// The name without `.`, where it is relative and has no `..`; `None` otherwise. The folder itself is empty.
fn inside(name: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in name.components() {
        match part {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            Component::RootDir | Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Whether a link at `path` (inside) to `target` ends inside, read as text: `..` never climbs above the folder.
/// Because no entry is written through a link and links are judged alike, text and file system agree closely enough
/// that nothing is ever written outside.
fn stays_inside(path: &Path, target: &Path) -> bool {
    let mut depth = path.components().count() - 1;
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}

/// Creates the folders of `path` below `root`; an existing part must be a real folder, not a link to one.
fn make_folders(root: &Path, path: &Path) -> std::io::Result<()> {
    let mut full = root.to_path_buf();
    for part in path.components() {
        full.push(part);
        match fs::symlink_metadata(&full) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => {
                return Err(std::io::Error::other(format!("{} is not a folder", full.display())));
            }
            Err(_) => {
                DirBuilder::new().mode(0o755).create(&full)?;
                fs::set_permissions(&full, Permissions::from_mode(0o755))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, Entry};

    fn unpacked(entries: &[Entry]) -> (Result<Vec<UnpackedFile>, String>, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let jar = dir.path().join("a.jar");
        fs::write(&jar, testing::jar(entries)).unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        (unpack(&jar, &root), dir)
    }

    #[test]
    fn a_bundle_unpacks_with_its_links_and_modes() {
        let (items, dir) = unpacked(&testing::bundle());
        let items = items.unwrap();
        assert_eq!(items.len(), 5);
        let mode = |path: &str| {
            fs::metadata(dir.path().join("root").join(path)).unwrap().permissions().mode() & 0o777
        };
        assert_eq!((mode("bin/postgres"), mode("share/a.sql"), mode("bin")), (0o755, 0o644, 0o755));
        let link = fs::read_link(dir.path().join("root/lib/liba.so")).unwrap();
        assert_eq!(link, Path::new("liba.so.1"));
    }

    #[test]
    fn nothing_leaves_the_folder() {
        let file = |name| Entry::File { name, content: b"evil", mode: 0o644 };
        let link = |name, target| Entry::Link { name, target };
        let cases: Vec<(Vec<Entry>, &str)> = vec![
            (vec![file("../evil")], "leads out"),
            (vec![file("lib/../../evil")], "leads out"),
            (vec![file("/tmp/narrows-evil")], "leads out"),
            (vec![link("lib/a", "../../evil")], "links out"),
            (vec![link("a", "/etc/passwd")], "links out"),
            (vec![link("lib", "."), file("lib/x")], "not a folder"),
            (vec![file("a"), file("a")], "exists"),
            (vec![link("a", "b"), file("a")], "exists"),
            (vec![Entry::Special { name: "pipe" }], "no place"),
        ];
        for (entries, expected) in cases {
            let (result, dir) = unpacked(&entries);
            let why = result.unwrap_err();
            assert!(why.contains(expected), "{why}");
            assert!(!dir.path().join("evil").exists());
        }
        assert!(!Path::new("/tmp/narrows-evil").exists());
    }

    #[test]
    fn a_jar_without_one_txz_or_cut_inside_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir(&root).unwrap();
        let jar = dir.path().join("a.jar");
        fs::write(&jar, testing::zip(&[("META-INF/MANIFEST.MF", b"x")])).unwrap();
        assert!(unpack(&jar, &root).unwrap_err().contains("0 .txz"));

        fs::write(&jar, b"no zip at all").unwrap();
        assert!(unpack(&jar, &root).unwrap_err().contains("not a jar"));

        let mut xz = testing::xz(&testing::tar(&testing::bundle()));
        xz.truncate(xz.len() - 40);
        fs::write(&jar, testing::zip(&[("a.txz", &xz)])).unwrap();
        assert!(unpack(&jar, &root).is_err());
    }
}
