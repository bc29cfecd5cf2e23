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
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use narrows_engine::Stop;

/// Between two rounds over a few files; at 100 k reads/s of 8 KiB, 40 MB stay in memory that long.
const EVERY: Duration = Duration::from_millis(50);
/// With more files than these the rounds are as much rarer: a table of as many more segments has as much more of it that may stay.
const FEW_FILES: u32 = 4;
/// A round is followed by a pause of so many times its length.
const PAUSES: u32 = 9;

/// Between the end of a round over so many files that took so long and the next one. A page that can't be dropped makes the kernel ask every
/// CPU for the pages that it holds back (`lru_add_drain_all`, mm/fadvise.c), so a round costs all CPUs something for each file, and the
/// evictor waits for them: the longer that takes, because of many files or many CPUs, the rarer it is done.
fn pause(files: usize, took: Duration) -> Duration {
    let files = u32::try_from(files).unwrap_or(u32::MAX);
    let usual = EVERY * files.div_ceil(FEW_FILES).max(1);
    usual.max(took * PAUSES)
}

/// Evicts in the background until dropped.
pub(crate) struct Evictor {
    halt: Stop,
    cpu_ns: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Evictor {
    /// Starts on these files, from those CPUs where it may run there.
    pub(crate) fn start(paths: &[PathBuf], cpus: &[u32]) -> io::Result<Evictor> {
        let files = open(paths)?;
        let (halt, cpu_ns) = (Stop::new(), Arc::new(AtomicU64::new(0)));
        let (told, counted, cpus) = (halt.clone(), cpu_ns.clone(), cpus.to_vec());
        let thread = std::thread::Builder::new().name("evictor".into()).spawn(move || {
            // Elsewhere it evicts as well.
            let _ = narrows_facts::affinity::pin(&cpus);
            while !told.is_set() {
                let began = Instant::now();
                files.iter().for_each(drop_cache);
                counted.store(narrows_facts::process::thread_cpu_ns(), Ordering::Relaxed);
                let _ = told.sleep(pause(files.len(), began.elapsed()));
            }
        })?;
        Ok(Evictor { halt, cpu_ns, thread: Some(thread) })
    }

    /// CPU time it has used, as of its last round, ns.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.cpu_ns.load(Ordering::Relaxed)
    }
}

impl Drop for Evictor {
    fn drop(&mut self) {
        self.halt.set();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_and_many_cpus_are_asked_less_often() {
        let instant = Duration::from_micros(50);
        assert_eq!(pause(1, instant), EVERY);
        assert_eq!(pause(4, instant), EVERY);
        assert_eq!(pause(5, instant), EVERY * 2);
        assert_eq!(pause(100, instant), EVERY * 25, "a table of 100 GB");
        // A round that waits for many CPUs takes a tenth of the time, however long it is.
        let slow = Duration::from_millis(40);
        assert_eq!(pause(4, slow), slow * 9);
    }

    #[test]
    fn what_it_uses_is_counted() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("table");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let evictor = Evictor::start(&[path], &narrows_facts::affinity::current()).unwrap();
        while evictor.cpu_ns() == 0 {
            std::thread::yield_now();
        }
    }
}
