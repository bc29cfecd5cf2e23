//! Moves what is in the log to the backing, on a thread of its own.
//!
//! It waits until a quarter of the log is used or the oldest record is a fifth of a second old: what is written again and again, as the last
//! page of a database's log, is then moved once. A backing that fails is tried again, whole batches from the image: what it
//! lost of the try before doesn't matter. Meanwhile the log fills, and then hosts wait.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use narrows_log_tier::{Batch, Piece, Source, State, Superblock};

use super::feed::start_feeders;
use super::mark::{MarkedLife, mark};
use super::rejoin::{end_looking, start_looking};
use super::{FileDisk, LoggedDisk, News, Shared, now_ms};
use crate::buffer::{Buffer, LARGEST};
use crate::journal;

/// Most of a batch, bytes.
const BATCH_BYTES: u64 = 32 << 20;
/// A record is moved when it is so old.
const OLD_MS: u64 = 200;
/// How often a log with records is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// How long nothing is tried after the backing failed.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a backing that fails is tried before a stop gives up.
const TRIES_AT_STOP: u32 = 3;

/// The thread.
#[derive(Debug)]
pub(crate) struct Mover {
    disk: Arc<LoggedDisk>,
    handle: JoinHandle<()>,
    /// One for each peer.
    feeders: Vec<JoinHandle<()>>,
    /// Looks for peers that were lost.
    looking: Option<JoinHandle<()>>,
}

impl Mover {
    /// Whether it ended by itself, which it never should.
    pub(crate) fn has_ended(&self) -> bool {
        self.handle.is_finished()
    }

    /// Starts it.
    ///
    /// # Errors
    /// Where there is no thread to be had.
    pub(crate) fn start(disk: &Arc<LoggedDisk>) -> io::Result<Mover> {
        let feeders = start_feeders(disk)?;
        let looking = start_looking(disk)?;
        let its = Arc::clone(disk);
        let builder = thread::Builder::new().name("target-log".to_string());
        let handle = builder.spawn(move || its.move_until_stopped())?;
        Ok(Mover { disk: Arc::clone(disk), handle, feeders, looking })
    }

    /// Moves everything, leaves the log empty and says so on its media. Nothing may be appended any more.
    ///
    /// # Errors
    /// Where records stay in the log, or the log can't say that it is empty.
    pub(crate) fn stop(self) -> io::Result<()> {
        let Mover { disk, handle, feeders, looking } = self;
        disk.shared().stopping = true;
        disk.bell.notify_one();
        if handle.join().is_err() {
            return Err(io::Error::other("the thread that moves the log's records panicked"));
        }
        let left = disk.leave_empty();
        disk.end_feeders();
        // One that panicked had a peer in hand, of which nothing is needed any more.
        feeders.into_iter().for_each(|feeder| drop(feeder.join()));
        end_looking(looking);
        disk.release_returning();
        disk.release_peers();
        left
    }
}

impl LoggedDisk {
    fn move_until_stopped(&self) {
        let mut bounce = Buffer::largest();
        let mut failures = 0;
        loop {
            let Some(batch) = self.next_batch() else { return };
            match self.move_batch(&batch, &mut bounce) {
                Ok(()) => {
                    if failures > 0 {
                        self.tell_of_backing("log-backing-works-again", &"-");
                    }
                    failures = 0;
                }
                Err(error) => {
                    failures += 1;
                    self.counters.backing_errors.fetch_add(1, Ordering::Relaxed);
                    if failures == 1 {
                        self.tell_of_backing("log-backing-failed", &error);
                    }
                    let stops = {
                        let mut shared = self.shared();
                        shared.log.keep();
                        // A pause has no end while the backing takes nothing.
                        self.end_pause(&mut shared);
                        shared.stopping && failures >= TRIES_AT_STOP
                    };
                    // The file may have been changed just now: by us.
                    self.record_state();
                    if stops {
                        return;
                    }
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Has everything moved that is in the log now; whether it was, within so long. What is appended meanwhile may stay.
    pub(crate) fn move_all(&self, within: Duration) -> bool {
        let mut shared = self.shared();
        let until = shared.log.next_seq();
        shared.move_until = shared.move_until.max(until);
        self.bell.notify_one();
        let waits = |shared: &mut Shared| shared.log.first_seq() < until.min(shared.log.next_seq());
        let waited = self.moved.wait_timeout_while(shared, within, waits);
        waited.is_ok_and(|(_, result)| !result.timed_out())
    }

    /// Moves a batch now, if there is one.
    ///
    /// # Errors
    /// What the backing said; the records stay.
    pub(crate) fn move_some(&self) -> io::Result<()> {
        let batch = self.shared().log.batch(BATCH_BYTES);
        let Some(batch) = batch else { return Ok(()) };
        let moved = self.move_batch(&batch, &mut Buffer::largest());
        if moved.is_err() {
            self.shared().log.keep();
        }
        moved
    }

    fn tell_of_backing(&self, event: &str, reason: &dyn std::fmt::Display) {
        journal::line(event, &[("backing", &self.backing.path().display()), ("reason", reason)]);
    }

    /// The next batch, when it is due; `None` at the end.
    fn next_batch(&self) -> Option<Batch> {
        let mut shared = self.shared();
        loop {
            if shared.taken {
                if shared.stopping {
                    return None;
                }
                shared = self.bell.wait(shared).unwrap_or_else(|_| std::process::abort());
                continue;
            }
            if shared.pausing && shared.log.status().records == 0 {
                drop(shared);
                self.begin_next_life();
                shared = self.shared();
                continue;
            }
            if shared.is_due()
                && let Some(batch) = shared.log.batch(BATCH_BYTES)
            {
                return Some(batch);
            }
            if shared.log.has_unrecorded_failure() && !shared.log.has_work() {
                drop(shared);
                self.record_state();
                shared = self.shared();
                if shared.log.has_unrecorded_failure() {
                    // What was acknowledged is on the failed medium alone until the other has it.
                    let waited = self.bell.wait_timeout(shared, LOOK);
                    shared = waited.unwrap_or_else(|_| std::process::abort()).0;
                }
                continue;
            }
            // A peer may have been given less than was acknowledged.
            if shared.stopping && !shared.log.has_work() && !shared.log.is_being_given() {
                return None;
            }
            let empty = shared.log.status().records == 0;
            shared = if empty {
                self.bell.wait(shared).unwrap_or_else(|_| std::process::abort())
            } else {
                let waited = self.bell.wait_timeout(shared, LOOK);
                waited.unwrap_or_else(|_| std::process::abort()).0
            };
        }
    }

    /// Writes a batch to the backing, flushes it, says so on the media, and makes room.
    ///
    /// # Errors
    /// What the backing said. The media's errors take them out.
    fn move_batch(&self, batch: &Batch, bounce: &mut Buffer) -> io::Result<()> {
        self.mark_members()?;
        self.write_pieces(&batch.pieces, bounce)?;
        self.backing.sync()?;
        let superblock = self.shared().log.superblock_after_batch(now_ms());
        self.write_superblock(superblock);
        let mut shared = self.shared();
        shared.log.forget(superblock);
        let waiters = match shared.pausing {
            true => VecDeque::new(),
            false => std::mem::take(&mut shared.for_room),
        };
        drop(shared);
        self.moved.notify_all();
        waiters.into_iter().for_each(|waiter| waiter.tell(News::Room));
        let moved: u64 = batch.pieces.iter().map(|piece| piece.bytes).sum();
        self.counters.moved_bytes.fetch_add(moved, Ordering::Relaxed);
        self.counters.batches.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Says on the file of a log of copies who its members are, before something is moved there that others lack.
    fn mark_members(&self) -> io::Result<()> {
        let life = {
            let log = &self.shared().log;
            MarkedLife { epoch: log.epoch(), members: log.members() }
        };
        let is_marked = self.marked_life().is_none_or(|marked| marked == life);
        if is_marked { Ok(()) } else { self.mark_life(life) }
    }

    /// Marks the file of a log of copies with a life.
    pub(super) fn mark_life(&self, life: MarkedLife) -> io::Result<()> {
        mark(&self.backing.file, self.superblock.id, Some(life))?;
        *self.marked_life() = Some(life);
        Ok(())
    }

    /// With what the file was last marked.
    fn marked_life(&self) -> MutexGuard<'_, Option<MarkedLife>> {
        self.marked_life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pieces that follow each other go in one write.
    fn write_pieces(&self, pieces: &[Piece], bounce: &mut Buffer) -> io::Result<()> {
        let (mut start, mut filled) = (0, 0);
        for piece in pieces {
            let mut done = 0;
            while done < piece.bytes {
                let offset = piece.offset + done;
                if filled > 0 && (filled == LARGEST || offset != start + filled as u64) {
                    self.backing.write_all_at(&bounce.bytes(LARGEST)[..filled], start)?;
                    filled = 0;
                }
                let left = piece.bytes - done;
                match piece.source {
                    Source::Zeros { deallocate } if self.backing.zero(offset, left, deallocate) => {
                        done = piece.bytes;
                    }
                    source => {
                        if filled == 0 {
                            start = offset;
                        }
                        let bytes = left.min((LARGEST - filled) as u64) as usize;
                        let out = &mut bounce.bytes_mut(LARGEST)[filled..filled + bytes];
                        match source {
                            Source::Image(at) => self.copy_record(at + done, out),
                            Source::Zeros { .. } => out.fill(0),
                        }
                        filled += bytes;
                        done += bytes as u64;
                    }
                }
            }
        }
        match filled {
            0 => Ok(()),
            _ => self.backing.write_all_at(&bounce.bytes(LARGEST)[..filled], start),
        }
    }

    /// Copies data of a record that is being moved.
    fn copy_record(&self, at: u64, out: &mut [u8]) {
        let pointer = self.shared().image.pointer(at, out.len());
        // SAFETY: within the image, and of a record of the batch under way: its room is given away by `forget` alone, which this thread
        // calls later.
        unsafe { out.as_mut_ptr().copy_from_nonoverlapping(pointer, out.len()) };
    }

    /// Writes a superblock to each medium, durably; those that fail are out.
    fn write_superblock(&self, superblock: Superblock) {
        let members = self.shared().log.members();
        for (medium, its) in self.media.iter().filter(|(medium, _)| members >> *medium & 1 == 1) {
            let superblock = Superblock { medium: *medium, ..superblock };
            if let Err(error) = its.write_superblock(&superblock) {
                journal::line("log-superblock-failed", &[("reason", &error)]);
                self.give_up(*medium, &error);
            }
        }
    }

    /// Says on the media who is a member now, and that somebody is here.
    fn record_state(&self) {
        let superblock = self.shared().log.superblock_after_batch(now_ms());
        self.write_superblock(superblock);
        let out = !superblock.members;
        // A medium that is out may take this one write, and then nobody takes it for one that isn't.
        for (medium, its) in self.media.iter().filter(|(medium, _)| out >> *medium & 1 == 1) {
            let _ = its.write_superblock(&Superblock { medium: *medium, ..superblock });
        }
        self.shared().log.forget(superblock);
    }

    /// Says on its media that it is empty.
    ///
    /// # Errors
    /// Where it isn't, or can't say so.
    pub(crate) fn leave_empty(&self) -> io::Result<()> {
        let shared = self.shared();
        if shared.taken {
            return Err(io::Error::other(format!(
                "another target has taken the peers of the log of {}: what was not moved to it before is there",
                self.backing.path().display()
            )));
        }
        let Some(clean) = shared.log.clean_superblock(now_ms()) else {
            let records = shared.log.status().records;
            return Err(io::Error::other(format!(
                "{records} records stay in the log of {}, because its file takes no writes; they are moved when it is served with its log again",
                self.backing.path().display()
            )));
        };
        drop(shared);
        self.write_superblock(clean);
        match self.shared().log.state() {
            State::Failed => {
                if self.marked {
                    super::mark_without(&self.backing.file, clean.id)?;
                }
                Err(io::Error::other(
                    "the log failed, and can't say on its media that it is empty; its file has all that was acknowledged",
                ))
            }
            State::Healthy | State::Degraded => {
                if self.marked {
                    super::unmark(&self.backing.file)?;
                }
                Ok(())
            }
        }
    }
}

impl Shared {
    /// Whether records are to be moved now.
    fn is_due(&self) -> bool {
        let oldest = self.log.status().oldest_ms;
        let old = oldest.is_some_and(|oldest| now_ms().saturating_sub(oldest) >= OLD_MS);
        old || self.has_to_move()
    }

    /// Whether something other than their age asks for it.
    pub(super) fn has_to_move(&self) -> bool {
        let status = self.log.status();
        let full = status.used_bytes >= self.log.geometry().capacity / 4;
        let asked = self.log.first_seq() < self.move_until;
        let fails = self.log.has_unrecorded_failure();
        full || asked
            || fails
            || self.stopping
            || self.pausing
            || !self.for_room.is_empty()
            || status.state == State::Failed
    }
}

impl FileDisk {
    /// Writes all of these bytes there.
    pub(crate) fn write_all_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(&self.file, bytes, offset)
    }

    /// Has bytes read as zeros without writing them; whether that can be had.
    fn zero(&self, offset: u64, bytes: u64, deallocate: bool) -> bool {
        let what = if deallocate { libc::FALLOC_FL_PUNCH_HOLE } else { libc::FALLOC_FL_ZERO_RANGE };
        let (Ok(from), Ok(length)) = (i64::try_from(offset), i64::try_from(bytes)) else {
            return false;
        };
        let fd = self.file.as_raw_fd();
        // SAFETY: a system call on an open file, with plain numbers.
        unsafe { libc::fallocate(fd, what | libc::FALLOC_FL_KEEP_SIZE, from, length) == 0 }
    }
}
