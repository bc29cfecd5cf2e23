//! The other half of the load beside the log: random reads of the data file, as sessions that miss the buffer pool do.
//!
//! 8 KiB at random places at a steady pace, one at a time, with direct I/O where the file system allows it. A slow device makes
//! them fewer; the rate obtained is in the conditions.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Rng, Stop, now_ns};
use narrows_facts::affinity;
use narrows_files::Access;

use crate::LogError;
use crate::page::PAGE;
use crate::segment::Segment;

/// Reads per second: a few sessions of a database that mostly fits into memory.
pub const READS_PER_S: u64 = 500;

/// What the thread did so far.
#[derive(Debug, Default)]
pub struct ReadCounts {
    /// Reads of 8 KiB.
    pub reads: AtomicU64,
    failed: Mutex<Option<io::Error>>,
}

/// A thread that reads until it is dropped.
pub struct Reader<'scope> {
    stop: Stop,
    counts: &'scope ReadCounts,
    thread: Option<std::thread::ScopedJoinHandle<'scope, ()>>,
}

impl<'scope> Reader<'scope> {
    /// Starts reading `file` from a thread on `cpus`.
    pub fn start<'env>(
        scope: &'scope std::thread::Scope<'scope, 'env>,
        file: &'env Segment,
        counts: &'env ReadCounts,
        cpus: &'env [u32],
        seed: u64,
    ) -> Reader<'scope>
    where
        'env: 'scope,
    {
        let stop = Stop::new();
        let until = stop.clone();
        let thread = scope.spawn(move || {
            let result = affinity::pin(cpus).and_then(|()| read(file, counts, seed, &until));
            if let Err(error) = result {
                *counts.failed.lock().expect("nobody panics with it") = Some(error);
            }
        });
        Reader { stop, counts, thread: Some(thread) }
    }

    /// Reads so far.
    pub fn done(&self) -> u64 {
        self.counts.reads.load(Ordering::Relaxed)
    }

    /// Stops it; an error if it could not read.
    pub fn finish(mut self, path: &Path) -> Result<(), LogError> {
        self.join();
        match self.counts.failed.lock().expect("nobody panics with it").take() {
            Some(reason) => Err(LogError::of("reading beside the log from", path, 0, reason)),
            None => Ok(()),
        }
    }

    fn join(&mut self) {
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the reading thread does not panic");
        }
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        self.join();
    }
}

fn read(file: &Segment, counts: &ReadCounts, seed: u64, stop: &Stop) -> io::Result<()> {
    let slots = file.bytes() / PAGE as u64;
    if slots == 0 {
        return Ok(());
    }
    let open =
        |flags: i32| narrows_files::reopen(file.file(), file.path(), Access::ReadWith(flags));
    let direct = open(libc::O_DIRECT);
    let from: File = direct.or_else(|_| open(0))?;
    let mut rng = Rng::new(seed);
    let buffer = &mut vec![0u8; PAGE + 4096];
    let start = buffer.as_ptr().align_offset(4096);
    let gap_ns = 1_000_000_000 / READS_PER_S;
    let mut due = now_ns();
    while !stop.is_set() {
        let offset = rng.below(slots) * PAGE as u64;
        from.read_exact_at(&mut buffer[start..start + PAGE], offset)?;
        counts.reads.fetch_add(1, Ordering::Relaxed);
        // What a slow drive made late is not caught up.
        due = (due + gap_ns).max(now_ns().saturating_sub(gap_ns));
        let _ = stop.sleep(Duration::from_nanos(due.saturating_sub(now_ns())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(done: impl Fn() -> bool) {
        while !done() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn it_reads_at_its_pace_until_dropped_and_says_what_failed() {
        let Some(dir) = crate::tests::folder() else { return };
        let file = Segment::create(dir.path(), "b", 1 << 20, 1, &Stop::new()).unwrap();
        let (counts, gone) = (ReadCounts::default(), ReadCounts::default());
        let cpus = affinity::current();
        let began = now_ns();
        std::thread::scope(|scope| {
            let reader = Reader::start(scope, &file, &counts, &cpus, 5);
            until(|| reader.done() >= 50);
            let done = reader.done();
            let most = (now_ns() - began) * READS_PER_S / 1_000_000_000 + 2;
            reader.finish(file.path()).unwrap();
            assert!(done <= most, "{done} of {most}");
            // A file that is shorter than it was can't be read.
            file.file().set_len(0).unwrap();
            let reader = Reader::start(scope, &file, &gone, &cpus, 5);
            until(|| gone.failed.lock().unwrap().is_some());
            let error = reader.finish(file.path()).unwrap_err();
            assert!(error.to_string().contains("reading beside the log"), "{error}");
        });
    }
}
