//! The cache: one folder per version, its manifest, and the order in which sources are tried.
//!
//! Invariants: a folder under its final name is complete (it gets that name by a rename after everything in it was
//! synced); nothing is unpacked that doesn't have the pinned digest; two processes don't fill one cache at once (a
//! file lock); what a killed process left (`.narrows-part-*`) is removed by the next one that holds the lock.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use narrows_files::{Access, Dir, Doubt};

use crate::digest::{self, Digest};
use crate::download::{self, JarSource, Patience, Unfetched};
use crate::unpack::{self, UnpackedFile};
use crate::{Bundle, BundleError, Pin};

const MANIFEST: &str = "narrows-manifest";
const LOCK: &str = ".narrows-lock";
const PART: &str = ".narrows-part-";

/// Where a jar may be taken from when the cache has none.
#[derive(Debug, Clone)]
pub(crate) enum Origin {
    Registry { mirror: Option<String> },
    Jar(PathBuf),
}

pub(crate) fn ensure(
    pin: Pin,
    cache_dir: &Path,
    origin: &Origin,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Bundle, BundleError> {
    let folder = cache_dir.join(pin.folder());
    trust(&folder)?;
    trust(cache_dir)?;
    // Before the lock, so that a read-only cache filled by an administrator works.
    if let Some(bundle) = cached(&pin, &folder) {
        return Ok(bundle);
    }
    Dir::create_all(cache_dir, 0o755)
        .map_err(|reason| cache_error("create the cache folder", cache_dir, reason))?;
    trust(cache_dir)?;
    let lock = lock(&cache_dir.join(LOCK), stop)?;
    // While we waited another process may have done it.
    if let Some(bundle) = cached(&pin, &folder) {
        return Ok(bundle);
    }
    remove_parts(cache_dir);
    let (jar, source) = jar(&pin, cache_dir, origin, stop, progress)?;
    place(&pin, cache_dir, &jar, &source)?;
    drop(lock);
    Ok(Bundle {
        bin_dir: folder.join("bin"),
        version: pin.version.to_owned(),
        source,
        cached: false,
    })
}

fn cache_error(doing: &'static str, path: &Path, reason: io::Error) -> BundleError {
    BundleError::Cache { doing, path: path.to_path_buf(), reason }
}

/// Refuses a folder into which others than we and root can put programs, or whose place others can take. Its mode is the user's
/// business: it may be a shared folder like `/tmp`.
fn trust(dir: &Path) -> Result<(), BundleError> {
    narrows_files::trusted_way(dir).map_err(|doubt| match doubt {
        Doubt::Untrusted(path, why) => BundleError::Untrusted { path, why },
        Doubt::System(path, reason) => cache_error("look at the cache folder", &path, reason),
    })
}

/// How often one looks whether the other process is done, or a stop was asked for.
const LOOK: Duration = Duration::from_millis(50);

/// Waits until no other process fills the cache.
fn lock(path: &Path, stop: &dyn Fn() -> bool) -> Result<File, BundleError> {
    let failed = |reason| cache_error("lock", path, reason);
    let file = match narrows_files::create_new(path, Access::Write, 0o644) {
        // A link is refused here.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            narrows_files::open_existing(path, Access::Write)
        }
        made => made,
    };
    let file = file.map_err(failed)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if stop() => return Err(BundleError::Stopped),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
            Err(TryLockError::Error(reason)) => return Err(failed(reason)),
        }
    }
}

/// The bundle if it lies unpacked in the cache and every file of its manifest still has its digest.
fn cached(pin: &Pin, folder: &Path) -> Option<Bundle> {
    let source = verify(pin, folder)?;
    Some(Bundle {
        bin_dir: folder.join("bin"),
        version: pin.version.to_owned(),
        source,
        cached: true,
    })
}

/// A jar with the pinned digest and where it came from: one that lies in the cache (kept by an earlier run or put
/// there by the user), the one named, or a fresh download, which is kept.
fn jar(
    pin: &Pin,
    cache_dir: &Path,
    origin: &Origin,
    stop: &dyn Fn() -> bool,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(PathBuf, String), BundleError> {
    let kept = cache_dir.join(pin.jar_name());
    let words = |from: &str| format!("{} from {from}, SHA-256 {}", pin.coordinates(), pin.sha256);
    if let Origin::Jar(path) = origin {
        let digest = digest::of_file(path).map_err(|reason| BundleError::Jar {
            path: path.clone(),
            reason,
            jar_name: pin.jar_name(),
        })?;
        check(pin, &digest, || path.display().to_string())?;
        return Ok((path.clone(), words(&path.display().to_string())));
    }
    if digest::of_file(&kept).is_ok_and(|digest| matches_pin(pin, &digest)) {
        return Ok((kept.clone(), words(&kept.display().to_string())));
    }
    let Origin::Registry { mirror } = origin else { unreachable!("the other origin returned") };
    let place = download::place(pin, mirror.as_deref())?;
    let from = match &place {
        JarSource::Web { from, .. } => from.clone(),
        JarSource::File(path) => path.display().to_string(),
    };
    let part = cache_dir.join(format!("{PART}{}.jar", std::process::id()));
    let fetched = download::fetch(pin, &place, &part, &Patience::USUAL, stop, progress)
        .map_err(|why| match why {
            Unfetched::Stopped => BundleError::Stopped,
            Unfetched::Failed(reason) => BundleError::Download {
                what: pin.coordinates(),
                from: from.clone(),
                reason,
                jar_name: pin.jar_name(),
                jar_place: kept.clone(),
            },
        })
        .and_then(|digest| check(pin, &digest, || from.clone()))
        .and_then(|()| {
            fs::rename(&part, &kept).map_err(|reason| cache_error("keep the jar as", &kept, reason))
        });
    if fetched.is_err() {
        let _ = fs::remove_file(&part);
    }
    fetched.map(|()| (kept, words(&from)))
}

fn matches_pin(pin: &Pin, digest: &Digest) -> bool {
    digest.bytes == pin.bytes && digest.sha256 == pin.sha256
}

fn check(pin: &Pin, seen: &Digest, origin: impl Fn() -> String) -> Result<(), BundleError> {
    if matches_pin(pin, seen) {
        return Ok(());
    }
    Err(BundleError::Mismatch {
        origin: origin(),
        what: pin.coordinates(),
        bytes: seen.bytes,
        sha256: seen.sha256.clone(),
        expected_bytes: pin.bytes,
        expected_sha256: pin.sha256,
    })
}

/// Unpacks beside the final folder, syncs, and renames. A damaged folder under the final name is replaced.
fn place(pin: &Pin, cache_dir: &Path, jar: &Path, source: &str) -> Result<(), BundleError> {
    let part = cache_dir.join(format!("{PART}{}", std::process::id()));
    let placed = fill(pin, jar, source, &part).and_then(|()| {
        let folder = cache_dir.join(pin.folder());
        let old = cache_dir.join(format!("{PART}{}-old", std::process::id()));
        if folder.exists() {
            fs::rename(&folder, &old)
                .map_err(|reason| cache_error("set aside the damaged", &folder, reason))?;
        }
        fs::rename(&part, &folder).map_err(|reason| cache_error("create", &folder, reason))
    });
    remove_parts(cache_dir);
    placed
}

fn fill(pin: &Pin, jar: &Path, source: &str, part: &Path) -> Result<(), BundleError> {
    DirBuilder::new()
        .mode(0o755)
        .create(part)
        .and_then(|()| fs::set_permissions(part, Permissions::from_mode(0o755)))
        .map_err(|reason| cache_error("create", part, reason))?;
    let archive = |why| BundleError::Archive { path: jar.to_path_buf(), why };
    let items = unpack::unpack(jar, part).map_err(archive)?;
    for program in ["bin/postgres", "bin/initdb"] {
        if !part.join(program).is_file() {
            return Err(archive(format!("it has no {program}")));
        }
    }
    let manifest = part.join(MANIFEST);
    fs::write(&manifest, manifest_text(pin, source, &items).map_err(archive)?)
        .and_then(|()| sync_file_system(part))
        .map_err(|reason| cache_error("write", &manifest, reason))
}

/// One call instead of a thousand `fsync`s; without it a power cut after the rename could leave empty files.
fn sync_file_system(dir: &Path) -> io::Result<()> {
    let dir = File::open(dir)?;
    Ok(rustix::fs::syncfs(dir)?)
}

fn remove_parts(cache_dir: &Path) {
    let Ok(entries) = fs::read_dir(cache_dir) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(PART) {
            let path = entry.path();
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let _ = if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// Lines of tab-separated fields: `jar DIGEST`, `source WORDS`, then `file DIGEST BYTES PATH` and `link PATH TARGET`.
fn manifest_text(pin: &Pin, source: &str, items: &[UnpackedFile]) -> Result<String, String> {
    let word = |path: &Path| match path.to_str() {
        Some(text) if !text.chars().any(char::is_control) => Ok(text.to_owned()),
        _ => Err(format!("entry {path:?}: its name can't be recorded")),
    };
    let mut text = format!("jar\t{}\nsource\t{}\n", pin.sha256, source.replace(['\n', '\t'], " "));
    for item in items {
        text.push_str(&match item {
            UnpackedFile::File { path, bytes, sha256 } => {
                format!("file\t{sha256}\t{bytes}\t{}\n", word(path)?)
            }
            UnpackedFile::Link { path, target } => {
                format!("link\t{}\t{}\n", word(path)?, word(target)?)
            }
        });
    }
    Ok(text)
}

/// The recorded source, if the folder is what its manifest says. 60 MB of digests: well under a second.
fn verify(pin: &Pin, folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(MANIFEST)).ok()?;
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    if lines.next()? != ["jar", pin.sha256] {
        return None;
    }
    let source = match lines.next()?.as_slice() {
        ["source", source] => (*source).to_owned(),
        _ => return None,
    };
    let mut items = 0;
    for line in lines {
        let good = match line.as_slice() {
            ["file", sha256, bytes, path] => digest::of_file(&folder.join(path))
                .is_ok_and(|seen| seen.sha256 == *sha256 && seen.bytes.to_string() == *bytes),
            ["link", path, target] => {
                fs::read_link(folder.join(path)).is_ok_and(|seen| seen == Path::new(target))
            }
            _ => false,
        };
        if !good {
            return None;
        }
        items += 1;
    }
    (items > 0).then_some(source)
}

#[cfg(test)]
#[path = "cache_test.rs"]
mod tests;
