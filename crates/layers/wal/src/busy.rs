//! The load beside the log: what a checkpoint does to the data files.
//!
//! Buffered 8 KiB writes at random places of an existing file, at a steady pace in small bursts; the kernel is
//! told to start writing every 32 of them (as PostgreSQL's `checkpoint_flush_after` of 256 kB does by
//! `sync_file_range`), and the file is flushed every half window, once a second at least, so
//! that every window holds a flush.

use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Permutation, Stop, now_ns};
use narrows_facts::affinity;

use crate::LogError;
use crate::page::{PAGE, Pages};
use crate::segment::Segment;

/// Writes per second: 20 MB/s, a checkpoint of 6 GB spread over five minutes.
pub const WRITES_PER_S: u64 = 2500;
/// One burst in this time.
const BURST: Duration = Duration::from_millis(20);
const FLUSH_AFTER_WRITES: u64 = 32;
const FSYNC_EVERY: Duration = Duration::from_secs(1);

/// How often the file is flushed beside windows of that length.
pub fn flush_every(window: Duration) -> Duration {
    FSYNC_EVERY.min(window / 2)
}

/// A thread that writes until it is dropped.
pub struct BusyWriter<'scope> {
    stop: Stop,
    counts: &'scope Counts,
    thread: Option<std::thread::ScopedJoinHandle<'scope, ()>>,
}

/// What the thread did so far.
#[derive(Debug, Default)]
pub struct Counts {
    writes: AtomicU64,
    flushes: AtomicU64,
    failed: Mutex<Option<io::Error>>,
}

/// Writes and flushes done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// Writes of 8 KiB.
    pub writes: u64,
    /// Flushes of the whole file.
    pub flushes: u64,
}

impl Done {
    /// What was done after `earlier`.
    pub fn since(&self, earlier: &Done) -> Done {
        Done { writes: self.writes - earlier.writes, flushes: self.flushes - earlier.flushes }
    }
}

impl<'scope> BusyWriter<'scope> {
    /// Starts writing to `file` from a thread on `cpus`, which flushes it `every` so often.
    pub fn start<'env>(
        scope: &'scope std::thread::Scope<'scope, 'env>,
        file: &'env Segment,
        pages: &'env Pages,
        counts: &'env Counts,
        cpus: &'env [u32],
        every: Duration,
        seed: u64,
    ) -> BusyWriter<'scope>
    where
        'env: 'scope,
    {
        let stop = Stop::new();
        let until = stop.clone();
        let thread = scope.spawn(move || {
            let result = affinity::pin(cpus)
                .and_then(|()| write(file, pages, counts, (every, seed), &until));
            if let Err(error) = result {
                *counts.failed.lock().expect("nobody panics with it") = Some(error);
            }
        });
        BusyWriter { stop, counts, thread: Some(thread) }
    }

    /// What it did so far.
    pub fn done(&self) -> Done {
        Done {
            writes: self.counts.writes.load(Ordering::Relaxed),
            flushes: self.counts.flushes.load(Ordering::Relaxed),
        }
    }

    /// Stops it; an error if it could not write.
    pub fn finish(mut self, path: &Path) -> Result<(), LogError> {
        self.join();
        match self.counts.failed.lock().expect("nobody panics with it").take() {
            Some(reason) => Err(LogError::of("writing beside the log to", path, 0, reason)),
            None => Ok(()),
        }
    }

    fn join(&mut self) {
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the busy thread does not panic");
        }
    }
}

impl Drop for BusyWriter<'_> {
    fn drop(&mut self) {
        self.join();
    }
}

fn write(
    file: &Segment,
    pages: &Pages,
    counts: &Counts,
    (every, seed): (Duration, u64),
    stop: &Stop,
) -> io::Result<()> {
    let slots = file.bytes() / PAGE as u64;
    let order = Permutation::new(slots, seed);
    let per_burst = WRITES_PER_S * BURST.as_millis() as u64 / 1000;
    let mut page = vec![0; PAGE];
    let mut written = 0;
    let mut due = now_ns();
    let mut synced = now_ns();
    while !stop.is_set() {
        for _ in 0..per_burst {
            let offset = order.at(written % slots) * PAGE as u64;
            pages.fill(offset, &mut page);
            file.file().write_all_at(&page, offset)?;
            written += 1;
            counts.writes.fetch_add(1, Ordering::Relaxed);
            if written.is_multiple_of(FLUSH_AFTER_WRITES) {
                start_writing(file)?;
            }
        }
        if now_ns() - synced >= every.as_nanos() as u64 {
            file.file().sync_data()?;
            counts.flushes.fetch_add(1, Ordering::Relaxed);
            synced = now_ns();
        }
        due += BURST.as_nanos() as u64;
        // What a slow drive made late is not caught up in one burst; the rate obtained says so.
        due = due.max(now_ns().saturating_sub(BURST.as_nanos() as u64));
        let _ = stop.sleep(Duration::from_nanos(due.saturating_sub(now_ns())));
    }
    Ok(())
}

/// Starts writing out whatever of the file is dirty, without waiting for it.
fn start_writing(file: &Segment) -> io::Result<()> {
    // SAFETY: takes a descriptor that is open and no memory.
    let result = unsafe {
        libc::sync_file_range(file.file().as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE)
    };
    match result {
        0 => Ok(()),
        _ => match io::Error::last_os_error() {
            // Some file systems don't have it; the kernel's own write-back and the fsync remain.
            error if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) => Ok(()),
            error => Err(error),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_writes_at_its_pace_until_dropped() {
        let Some(dir) = crate::tests::folder() else { return };
        let file = Segment::create(dir.path(), "b", 4 << 20, 1, &Stop::new()).unwrap();
        let (pages, counts) = (Pages::new(3), Counts::default());
        let cpus = affinity::current();
        let every = flush_every(Duration::from_millis(250));
        assert_eq!(every, Duration::from_millis(125));
        assert_eq!(flush_every(Duration::from_secs(60)), FSYNC_EVERY);
        let began = now_ns();
        std::thread::scope(|scope| {
            let busy = BusyWriter::start(scope, &file, &pages, &counts, &cpus, every, 5);
            std::thread::sleep(Duration::from_millis(300));
            while busy.done().flushes == 0 {
                std::thread::sleep(Duration::from_millis(10));
            }
            let done = busy.done();
            assert!(done.flushes > 0, "{done:?}");
            busy.finish(file.path()).unwrap();
            // Never faster than its pace (one burst may be ahead); how much slower depends on the drive.
            let most = (now_ns() - began) / 1_000_000_000 * WRITES_PER_S + WRITES_PER_S;
            assert!(done.writes > 0 && done.writes <= most, "{done:?}");
        });
        // What it wrote is what it said: every page that isn't the fill is one of its own.
        let mut own = 0;
        let mut page = vec![0; PAGE];
        for slot in 0..file.bytes() / PAGE as u64 {
            file.file().read_exact_at(&mut page, slot * PAGE as u64).unwrap();
            own += u64::from(pages.matches(slot * PAGE as u64, &page));
        }
        let writes = counts.writes.load(Ordering::Relaxed);
        assert_eq!(own, writes.min(file.bytes() / PAGE as u64));
    }
}
