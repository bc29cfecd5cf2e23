//! What the tests of this crate share: a folder on a disk, files in it, and the ways to be tried.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use narrows_io::{
    Access, Arena, Blueprint, Completion, DevicePath, Entropy, Error, Method, Op, Options, Space,
    TestFile,
};

pub const MIB: u64 = 1 << 20;
pub const ROOMY: Space =
    Space { total_bytes: 1 << 40, available_bytes: 1 << 39, available_files: None };

/// On the disk of the build folder: the folder for temporary files is often in memory.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

pub fn blueprint(dir: &Path, mib: u64, seed: u64) -> Blueprint<'_> {
    Blueprint { dir, bytes: mib * MIB, seed, entropy: Entropy::default(), space: Some(ROOMY) }
}

pub fn made(dir: &Path, mib: u64, seed: u64) -> Option<TestFile> {
    match TestFile::create(blueprint(dir, mib, seed), &mut |_| Ok(())) {
        Ok(file) => Some(file),
        Err(error @ Error::InMemory { .. }) => {
            eprintln!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Every way to a device that can be had here; says which can't.
pub fn ways() -> Vec<Access> {
    let mut ways = Vec::new();
    let unregistered =
        Options { registered_buffers: false, registered_file: false, ..Options::default() };
    for (method, options) in [
        (Method::IoUring, Options::default()),
        (Method::IoUring, unregistered),
        (Method::Aio, Options::default()),
        (Method::Blocking, Options::default()),
    ] {
        let access = Access::named(method, options);
        if access.method() == method {
            ways.push(access);
        } else {
            eprintln!("SKIPPED: {method}: {:?}", access.refusals());
        }
    }
    ways
}

/// A path with `depth` slots of `bytes` to an open file.
pub fn path(access: &Access, file: &Arc<File>, depth: u32, bytes: u32) -> Box<dyn DevicePath> {
    let arena = Arena::new(depth, bytes, 4096).unwrap();
    access.open(Arc::clone(file), Path::new("the file of the test"), arena, depth).unwrap()
}

/// One operation in slot 0, waited for.
pub fn one(path: &mut dyn DevicePath, op: Op, offset: u64, bytes: u32) -> Completion {
    path.submit(op, 0, offset, bytes);
    let mut out = Vec::new();
    while out.is_empty() {
        path.reap(1, &mut out).unwrap();
    }
    assert_eq!((out.len(), path.in_flight()), (1, 0));
    out[0]
}

/// The error number an operation ended with.
pub fn errno(completion: Completion) -> Option<i32> {
    completion.bytes().err().and_then(|error| error.raw_os_error())
}

/// For reading and writing past the page cache, or `None` where the file system has no such thing.
pub fn open_direct(path: &Path) -> Option<Arc<File>> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_DIRECT)
        .open(path)
        .map(Arc::new)
        .inspect_err(|error| eprintln!("SKIPPED: no direct I/O: {error}"))
        .ok()
}

/// A block device over a file, for root.
pub struct Loop {
    pub device: PathBuf,
}

impl Loop {
    pub fn over(image: &Path, arguments: &[&str]) -> Option<Loop> {
        let output =
            Command::new("losetup").args(["-f", "--show"]).args(arguments).arg(image).output();
        match output {
            Ok(output) if output.status.success() => {
                Some(Loop { device: String::from_utf8(output.stdout).unwrap().trim().into() })
            }
            Ok(output) => {
                eprintln!("SKIPPED: losetup: {}", String::from_utf8_lossy(&output.stderr));
                None
            }
            Err(error) => {
                eprintln!("SKIPPED: losetup: {error}");
                None
            }
        }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("-d").arg(&self.device).status();
    }
}
