//! How a cache on a device is, and what turns it off: the cache is the faster way to data that are elsewhere, and never a reason to fail.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{DeviceCache, DeviceHit};
use crate::journal;

/// Pages that a device may have wrong before nothing is read from it any more.
pub(super) const MOST_WRONG: u64 = 16;
/// A read that takes so long is slow.
pub(super) const SLOW: Duration = Duration::from_millis(500);
/// Slow reads one after another before nothing is read from the device any more.
pub(super) const MOST_SLOW: u32 = 8;

/// Why a cache is off.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Off {
    /// The device failed a read or write.
    #[error("failed: {0}")]
    Failed(String),
    /// Pages were not what was written.
    #[error("wrong: {} pages were read that are not what was written", MOST_WRONG)]
    Wrong,
    /// It is no faster way to anything.
    #[error("slow: {} reads one after another took more than {} ms", MOST_SLOW, SLOW.as_millis())]
    Slow,
    /// It neither answers nor fails.
    #[error("silent: a read has not ended for {} s", .0.as_secs())]
    Silent(Duration),
}

/// What is counted of the device.
#[derive(Debug, Default)]
pub(crate) struct DeviceCounters {
    /// Written to it: what wears it.
    pub(crate) written_bytes: AtomicU64,
    /// Pages that stayed out because as many as may wait did.
    pub(crate) dropped_pages: AtomicU64,
    /// Pages that lost their slot before they were written to it.
    pub(crate) outdated_pages: AtomicU64,
    /// Reads that a page's change of slots overtook; the backing was asked.
    pub(crate) overtaken_reads: AtomicU64,
    /// Pages that were not what was written; the backing was asked.
    pub(crate) wrong_pages: AtomicU64,
    /// Reads and writes that the device failed.
    pub(crate) errors: AtomicU64,
    /// Reads that lie in too many places of the device; the backing was asked.
    pub(crate) scattered_reads: AtomicU64,
}

/// Whether it is used.
#[derive(Debug, Default)]
pub(super) struct Health {
    off: AtomicBool,
    why: Mutex<Option<Off>>,
    slow_in_a_row: AtomicU32,
    /// When the last of them ended, ns.
    slow_until_ns: AtomicU64,
}

impl DeviceCache {
    /// Whether nothing is read from it and written to it any more.
    pub(super) fn is_off(&self) -> bool {
        self.health.off.load(Ordering::Acquire)
    }

    /// Why it is off, where it is.
    pub(crate) fn off(&self) -> Option<Off> {
        self.health.why.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A read of these pages of the device ended with this, as the kernel gives it, in place of all of their bytes.
    pub(crate) fn read_failed(&self, hit: &DeviceHit, result: i32) {
        self.counters.errors.fetch_add(1, Ordering::Relaxed);
        match result {
            // A part: where that is all that is there, the next read would find no more.
            1.. => self.evict(hit),
            // Nothing for now, of which the device knows nothing.
            _ if matches!(-result, libc::EAGAIN | libc::EINTR) => {}
            0 => self.turn_off(Off::Failed("a read: it is shorter than it was".to_string())),
            _ => {
                let error = io::Error::from_raw_os_error(-result);
                self.turn_off(Off::Failed(format!("a read: {error}")));
            }
        }
    }

    /// A read of the device does not end.
    pub(crate) fn is_silent(&self, for_at_least: Duration) {
        self.turn_off(Off::Silent(for_at_least));
    }

    /// A read of the device was under way for that time, ns. Reads that one pause held together are one.
    pub(crate) fn read_took(&self, time_ns: Range<u64>) {
        let time = Duration::from_nanos(time_ns.end.saturating_sub(time_ns.start));
        if time >= SLOW && time_ns.start < self.health.slow_until_ns.load(Ordering::Relaxed) {
            return;
        }
        if time >= SLOW {
            self.health.slow_until_ns.store(time_ns.end, Ordering::Relaxed);
        }
        if time < SLOW {
            // Written only where it changes: every read comes by.
            if self.health.slow_in_a_row.load(Ordering::Relaxed) > 0 {
                self.health.slow_in_a_row.store(0, Ordering::Relaxed);
            }
        } else if self.health.slow_in_a_row.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_SLOW {
            self.turn_off(Off::Slow);
        }
    }

    /// So many pages were not what was written.
    pub(super) fn had_wrong_pages(&self, pages: u64) {
        let before = self.counters.wrong_pages.fetch_add(pages, Ordering::Relaxed);
        if before + pages >= MOST_WRONG {
            self.turn_off(Off::Wrong);
        }
    }

    /// Uses the device no more, for good; no lock of a shard is held. The first reason stays.
    pub(super) fn turn_off(&self, why: Off) {
        let mut known = self.health.why.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some() {
            return;
        }
        journal::line("cache-off", &[("cache", &self.disk.path().display()), ("reason", &why)]);
        *known = Some(why);
        drop(known);
        self.use_no_more();
    }

    /// Whoever asks from now on is sent to the backing.
    pub(super) fn use_no_more(&self) {
        self.health.off.store(true, Ordering::Release);
        self.clear();
    }

    /// Uses it again, for tests of many histories.
    #[cfg(test)]
    pub(super) fn use_again(&self) {
        self.health.off.store(false, Ordering::Release);
    }
}
