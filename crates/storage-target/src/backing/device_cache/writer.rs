//! The thread that writes pages to the device.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use super::queue::WaitingPage;
use super::{DeviceCache, HEAD_BYTES, Off};
use crate::backing::shards::{CACHE_PAGE, PAGE};
use crate::buffer::{Buffer, LARGEST};

/// Pages of one write.
const RUN: usize = LARGEST / PAGE as usize;

impl DeviceCache {
    /// Writes some of the pages that wait; whether there were any. By one thread at a time.
    pub(crate) fn write_some(&self, bounce: &mut Buffer) -> bool {
        let taken = self.queue.take_run(RUN);
        let places = taken.len();
        let pages = self.still_given(taken);
        for run in pages.chunk_by(|a, b| a.place + 1 == b.place) {
            if self.is_off() {
                break;
            }
            match self.write_run(run, bounce) {
                Ok(()) => self.written(run),
                Err(error) => {
                    self.counters.errors.fetch_add(1, Ordering::Relaxed);
                    self.turn_off(Off::Failed(format!("a write: {error}")));
                }
            }
        }
        self.queue.release(places);
        places > 0
    }

    /// Leaves out pages whose slot is another's by now. Who gets one of these slots from here on waits behind these pages: nobody else
    /// writes.
    pub(super) fn still_given(&self, mut pages: Vec<WaitingPage>) -> Vec<WaitingPage> {
        let before = pages.len();
        pages.retain(|page| self.states.get(page.place) == page.given);
        let outdated = (before - pages.len()) as u64;
        self.counters.outdated_pages.fetch_add(outdated, Ordering::Relaxed);
        pages
    }

    fn write_run(&self, run: &[WaitingPage], bounce: &mut Buffer) -> io::Result<()> {
        let Some(first) = run.first() else { return Ok(()) };
        let bytes = run.len() * PAGE as usize;
        for (out, page) in bounce.bytes_mut(bytes).chunks_exact_mut(PAGE as usize).zip(run) {
            out.copy_from_slice(&page.bytes);
        }
        self.disk.write_all_at(bounce.bytes(bytes), HEAD_BYTES + first.place * CACHE_PAGE)
    }

    /// The device has these pages.
    pub(super) fn written(&self, run: &[WaitingPage]) {
        let bytes = run.len() as u64 * CACHE_PAGE;
        self.counters.written_bytes.fetch_add(bytes, Ordering::Relaxed);
        run.iter().for_each(|page| self.states.written(page.place, page.given));
    }
}

/// The thread that fills a cache.
#[derive(Debug)]
pub(crate) struct Filler {
    cache: Arc<DeviceCache>,
    handle: JoinHandle<()>,
}

impl Filler {
    /// Starts it.
    ///
    /// # Errors
    /// Where there is no thread to be had.
    pub(crate) fn start(cache: &Arc<DeviceCache>) -> io::Result<Filler> {
        let its = Arc::clone(cache);
        let fill = move || {
            let mut bounce = Buffer::largest();
            while its.queue.wait() {
                its.write_some(&mut bounce);
            }
        };
        let handle = thread::Builder::new().name("target-filler".to_string()).spawn(fill)?;
        Ok(Filler { cache: Arc::clone(cache), handle })
    }

    /// Ends it; what waits is written to nobody's use any more.
    pub(crate) fn stop(self) {
        self.cache.queue.stop();
        // A thread that panicked filled nothing more; what it left unwritten was never read.
        let _ = self.handle.join();
    }
}
