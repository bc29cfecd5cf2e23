//! Another size of a log while it is served.
//!
//! Its files are made larger first, behind the ring, where nothing of it lies. Then nothing is appended, all records are moved, and the next life
//! begins ([`super::rejoin`]), whose superblock has the new size. A start that finds that of the old life on a medium finds a log without
//! records there, as whole as it was. Files of a smaller log are cut once all of them have the new superblock.

use std::collections::BTreeMap;
use std::sync::TryLockError;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use narrows_log_tier::{GEOMETRY_HINT, Geometry, HEAD_BYTES, State};

use super::image::RingImage;
use super::{LoggedDisk, state_word};
use crate::backing::FileDisk;
use crate::backing::open::check_memory_for;
use crate::journal;
use crate::room::{check_room, fill_with_zeros};

/// How long hosts may wait for the last records to be moved.
const PAUSE_AT_MOST: Duration = Duration::from_secs(10);
/// How a log gets another size that keeps the one it has while it is served.
const BY_A_STOP: &str = "hint: end the target; then `narrows-target log flush --for WHAT --log WHERE`, `log drop` with the same words, another size for WHERE, `log make`, and serve it again";

/// What to do where a larger log has no room. Its file is in use: nobody else may cut it.
const LESS_ROOM: &str = "ask for a smaller size; a database on the same file system needs room too";

/// Another size that is waited for.
#[derive(Debug)]
pub(super) struct Resizing {
    geometry: Geometry,
    image: RingImage,
    begun: Sender<()>,
}

impl LoggedDisk {
    /// Gives each medium's log so many bytes, superblocks with them, once all records were moved within that time. The sizes that it has then.
    ///
    /// # Errors
    /// Why it keeps the size that it has.
    pub(crate) fn resize(&self, bytes: u64, within: Duration) -> Result<Geometry, String> {
        let _turn = match self.resize_turn.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err("its log is being given another size just now".to_string());
            }
        };
        let now = self.geometry();
        let new = self.new_geometry(bytes)?;
        if new == now {
            return Ok(now);
        }
        let more = new.capacity.saturating_sub(now.capacity);
        check_memory_for("a log of that size", more)
            .map_err(|error| format!("{error}\nhint: {}", error.hint().unwrap_or(LESS_ROOM)))?;
        let image = usize::try_from(new.capacity).map_err(|error| error.to_string()).and_then(
            |capacity| RingImage::new(capacity).map_err(|error| format!("its memory: {error}")),
        )?;
        let files = self.make_room(now, new)?;
        if let Err(why) = self.begin_with(new, image, within) {
            // A log that failed at its superblock may have been left with one of the new size.
            if self.status().state != State::Failed {
                files.iter().for_each(|(disk, bytes)| cut(disk, *bytes));
            }
            return Err(why);
        }
        if new.capacity < now.capacity {
            let files = self.disks().filter(|disk| !disk.is_device());
            files.for_each(|disk| cut(disk, HEAD_BYTES + new.capacity));
        }
        let path = self.backing.path().display();
        journal::line("log-resized", &[("backing", &path), ("capacity", &new.capacity)]);
        Ok(new)
    }

    /// The sizes of a log of so many bytes.
    fn new_geometry(&self, bytes: u64) -> Result<Geometry, String> {
        if self.copies().is_some() {
            return Err(format!("a log on peers keeps its size while it is served\n{BY_A_STOP}"));
        }
        if self.media.values().any(|medium| medium.is_mapped()) {
            return Err(format!(
                "a log in persistent memory keeps its size while it is served\n{BY_A_STOP}"
            ));
        }
        self.check_healthy()?;
        let new = Geometry::of_medium(bytes, self.geometry().unit);
        new.ok_or_else(|| format!("{bytes} bytes are too few for a log\nhint: {GEOMETRY_HINT}"))
    }

    fn check_healthy(&self) -> Result<(), String> {
        match self.status().state {
            State::Healthy => Ok(()),
            state => Err(format!(
                "its log is {}, and keeps its size\nhint: the journal of the target says why (`log-medium-failed`)",
                state_word(state)
            )),
        }
    }

    /// Media of this machine.
    fn disks(&self) -> impl Iterator<Item = &FileDisk> {
        self.media.values().filter_map(|medium| medium.disk())
    }

    /// Sets the room of a larger log aside, on all of its media or on none. Files that it made larger, with the size that they had.
    fn make_room(&self, now: Geometry, new: Geometry) -> Result<Vec<(&FileDisk, u64)>, String> {
        let (from, to) = (HEAD_BYTES + now.capacity, HEAD_BYTES + new.capacity);
        let mut larger = Vec::new();
        for disk in self.disks() {
            let path = disk.path().display();
            let done = disk
                .size()
                .map_err(|error| format!("the size of {path}: {error}"))
                .and_then(|has| match disk.is_device() {
                    true if has < to => {
                        Err(format!("{path} has {has} bytes, and the log would take {to}"))
                    }
                    false if from < to => {
                        check_room(disk, to, LESS_ROOM).map_err(|error| error.to_string())?;
                        larger.push((disk, has));
                        fill_with_zeros(disk, from..to)
                            .map_err(|error| format!("filling {path}: {error}"))
                    }
                    _ => Ok(()),
                });
            if let Err(why) = done {
                larger.iter().for_each(|(disk, bytes)| cut(disk, *bytes));
                return Err(why);
            }
        }
        Ok(larger)
    }

    /// Has the thread that moves records begin a life of those sizes.
    fn begin_with(
        &self,
        geometry: Geometry,
        image: RingImage,
        within: Duration,
    ) -> Result<(), String> {
        let takes_none = || {
            format!(
                "{} records can't be moved now: the file or device takes no writes, or takes them slowly; the log keeps its size",
                self.status().records
            )
        };
        // Most of them while hosts are served.
        if !self.move_all(within) {
            return Err(takes_none());
        }
        self.check_healthy()?;
        let (begun, has_begun) = mpsc::channel();
        {
            let mut shared = self.shared();
            if shared.stopping {
                return Err("the target is ending".to_string());
            }
            shared.resizing = Some(Resizing { geometry, image, begun });
            shared.pausing = true;
        }
        self.bell.notify_one();
        let waited = match has_begun.recv_timeout(PAUSE_AT_MOST) {
            Err(RecvTimeoutError::Timeout) => {
                let mut shared = self.shared();
                if shared.resizing.is_some() {
                    self.end_pause(&mut shared);
                }
                drop(shared);
                // Where its superblocks are being written, that has an end.
                has_begun.recv().ok()
            }
            other => other.ok(),
        };
        match (waited, self.status().state) {
            (Some(()), _) => Ok(()),
            (None, State::Healthy) => Err(takes_none()),
            (None, _) => self.check_healthy(),
        }
    }

    /// The log is empty: the life of another size begins.
    pub(super) fn begin_resized(&self, resizing: Resizing) {
        let Resizing { geometry, image, begun } = resizing;
        // A medium that failed may still be given what it did not take before, from the memory that would go.
        let next = match self.status().state {
            State::Healthy => self.write_next_life(&mut BTreeMap::new(), Some(geometry)),
            State::Degraded | State::Failed => None,
        };
        let mut shared = self.shared();
        if next.is_some_and(|next| self.begin_in(&mut shared, next, 0)) {
            shared.image = image;
            // Nobody waits who asked for too long.
            let _ = begun.send(());
        }
        self.end_pause(&mut shared);
    }
}

/// Gives back what lies behind so many bytes of a file.
fn cut(disk: &FileDisk, bytes: u64) {
    if let Err(error) = disk.file.set_len(bytes) {
        let path = disk.path().display();
        journal::line("log-file-not-cut", &[("log", &path), ("reason", &error)]);
    }
}
