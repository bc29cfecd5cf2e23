//! Keeps a table out of the operating system's cache while it is read, so that every miss of the buffer pool is a
//! read of the device by the same path the server always uses (buffered `pread`).
//!
//! The table's files are told `POSIX_FADV_DONTNEED` in a loop. That this worked is not assumed: the device's bytes
//! are compared with what the server read, and the share of the files in memory is looked at before the window.
//! Needs read access to the files (own server, or the same user); changes nothing in them.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Between two rounds; at 100 k reads/s of 8 KiB, 40 MB stay in memory that long.
const EVERY: Duration = Duration::from_millis(50);

/// Evicts in the background until dropped.
pub(crate) struct Evictor {
    halt: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Evictor {
    /// Starts on these files.
    pub(crate) fn start(paths: &[PathBuf]) -> io::Result<Evictor> {
        let files = open(paths)?;
        let halt = Arc::new(AtomicBool::new(false));
        let told = halt.clone();
        let thread = std::thread::Builder::new().name("evictor".into()).spawn(move || {
            while !told.load(Ordering::Relaxed) {
                for file in &files {
                    drop_cache(file);
                }
                std::thread::sleep(EVERY);
            }
        })?;
        Ok(Evictor { halt, thread: Some(thread) })
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.halt.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Evicts once, and returns the share of the files that stayed in memory.
pub(crate) fn evict_once(paths: &[PathBuf]) -> io::Result<f64> {
    let files = open(paths)?;
    let (mut bytes, mut resident) = (0.0, 0.0);
    for file in &files {
        narrows_facts::file::evict(file)?;
        let length = file.metadata()?.len() as f64;
        if length > 0.0 {
            bytes += length;
            resident += length * narrows_facts::file::resident_share(file)?;
        }
    }
    Ok(if bytes > 0.0 { resident / bytes } else { 0.0 })
}

fn open(paths: &[PathBuf]) -> io::Result<Vec<File>> {
    paths.iter().map(|path| Ok(narrows_files::open_plain(path)?)).collect()
}

fn drop_cache(file: &File) {
    let _ = narrows_facts::file::drop_clean(file);
}
