//! A file or device with a log in front: writes are acknowledged when they are in the log, durably, and moved behind.
//!
//! What may be acknowledged, moved and forgotten when is decided by [`narrows_log_tier::Log`]; here are its bytes, its files, the
//! commands that wait for it, and the thread that moves ([`mover`]). Connections ask for the writes to the media by their own rings, and
//! write to persistent memory themselves ([`persistent`]). Memory of other machines ([`peer`]) is written by a thread for each ([`feed`]).

mod feed;
mod image;
mod mark;
mod medium;
mod mover;
mod open;
mod opened;
mod owner;
mod peer;
mod persistent;
mod recover;
mod rejoin;
mod resize;
mod wait;

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use narrows_log_tier::{
    Acknowledge, Change, Geometry, Log, Refused, SECTOR, Source, State, Status, Superblock,
};

pub(crate) use mark::{Mark, check_can_be_marked, mark_of, mark_without, unmark};
pub(crate) use medium::{LogMedium, PEER_WORD, medium_word, power_of};
pub(crate) use mover::Mover;
pub(crate) use open::{
    Consents, MediumReader, OpenLog, check_named_once, check_no_log, newest_of, open_log,
    open_logged, open_medium,
};
pub(crate) use opened::{OpenMedium, newest_on, open_media};
pub(crate) use owner::{LogOwner, check_backing, identity_of};
pub(crate) use peer::Peer;
pub(crate) use recover::recover;
pub(crate) use wait::{News, Owner, Waiter};

use self::mark::MarkedLife;
use super::{DeviceCache, FileDisk, MemoryCache};
use crate::journal;
use feed::End;
use image::RingImage;
use peer::{PeerLines, Reservation};
use resize::Resizing;

/// A record that the caller now has to write to each of `media`: with [`LoggedDisk::write_of`], or by [`LoggedDisk::persist`] where the medium
/// is mapped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Appended {
    pub(crate) seq: u64,
    at: u64,
    bytes: u32,
    /// A bit for each.
    pub(crate) media: u8,
}

/// What came of an append.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is in the log's image.
    Appended(Appended),
    /// There is no room; the waiter is told when there may be.
    Waits,
    /// The log takes nothing any more.
    Failed,
}

/// Data that lie over what the backing has, from so many bytes of the request on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Overlay {
    pub(crate) at: u32,
    pub(crate) bytes: Vec<u8>,
}

/// What was done with a log.
#[derive(Debug, Default)]
pub(crate) struct LogCounters {
    pub(crate) appended_bytes: AtomicU64,
    pub(crate) moved_bytes: AtomicU64,
    pub(crate) batches: AtomicU64,
    pub(crate) waits_for_room: AtomicU64,
    pub(crate) backing_errors: AtomicU64,
}

/// What threads share behind one lock.
#[derive(Debug)]
struct Shared {
    log: Log,
    image: RingImage,
    /// Commands by the record that they wait for.
    waiting: BTreeMap<u64, Waiter>,
    /// Commands that found no room, the first first.
    for_room: VecDeque<Waiter>,
    /// The mover is to move everything and end.
    stopping: bool,
    /// Nothing is appended until a life has begun: of which peers are members that came back, or of another size.
    pausing: bool,
    /// The size of the life that is waited for, where it is another one.
    resizing: Option<Resizing>,
    /// Another host has reserved a medium: it may serve the same file by now, to which nothing is moved any more.
    taken: bool,
    /// Somebody asked for the records before this one to be moved.
    move_until: u64,
}

/// A backing with a log in front.
#[derive(Debug)]
pub(crate) struct LoggedDisk {
    pub(crate) backing: FileDisk,
    /// By their numbers in the log.
    media: BTreeMap<u8, LogMedium>,
    /// With which it was opened.
    superblock: Superblock,
    /// By what its peers are kept from others.
    reservation: Option<Reservation>,
    /// Held by whoever gives the log another size.
    resize_turn: Mutex<()>,
    /// Peers that are there again and members of the next life, by their numbers.
    returning: Mutex<BTreeMap<u8, PeerLines>>,
    /// Pages in front of backing and log, which have to leave when the log loses data that were read.
    caches: (Option<Arc<MemoryCache>>, Option<Arc<DeviceCache>>),
    /// A mark on the backing's file that says that it has a log was set.
    marked: bool,
    /// And with which life and members, of a log of copies.
    marked_life: Mutex<Option<MarkedLife>>,
    shared: Mutex<Shared>,
    /// Rings when there is something to move.
    bell: Condvar,
    /// Rings when a batch was moved.
    moved: Condvar,
    pub(crate) counters: LogCounters,
}

impl LoggedDisk {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        // A panic between two changes of the log is a fault of ours that must not become somebody's lost data.
        self.shared.lock().unwrap_or_else(|_| {
            journal::line("failed", &[("reason", &"a thread panicked with the log in hand")]);
            std::process::abort()
        })
    }

    /// Sizes of the log.
    pub(crate) fn geometry(&self) -> Geometry {
        self.shared().log.geometry()
    }

    /// Figures of the log.
    pub(crate) fn status(&self) -> Status {
        self.shared().log.status()
    }

    /// The media by their numbers.
    pub(crate) fn media(&self) -> &BTreeMap<u8, LogMedium> {
        &self.media
    }

    /// How many of how many media each record has to be on, where that is the rule.
    pub(crate) fn copies(&self) -> Option<(u8, u8)> {
        match self.superblock.acknowledge {
            Acknowledge::Copies(copies) => Some((copies, self.superblock.media)),
            Acknowledge::First | Acknowledge::All => None,
        }
    }

    /// Whether a medium takes records, and how many that are durable it lacks.
    pub(crate) fn medium_state(&self, medium: u8) -> (bool, usize) {
        let shared = self.shared();
        (shared.log.members() >> medium & 1 == 1, shared.log.behind(medium))
    }

    /// Whether what was acknowledged is durable: while a medium takes writes, and after that once all of it was moved.
    pub(crate) fn keeps_each_write(&self) -> bool {
        let status = self.status();
        status.state != State::Failed || status.records == 0
    }

    /// Appends a change. `waiter` is told when the record is durable, unless [`LoggedDisk::written`] says so first, or when there may be
    /// room.
    ///
    /// Who comes new waits behind those who wait already; `woken` is one of them.
    pub(crate) fn append(&self, change: &Change<'_>, waiter: Waiter, woken: bool) -> Outcome {
        let mut shared = self.shared();
        if shared.pausing || (!woken && !shared.for_room.is_empty()) {
            let full = !woken && !shared.pausing;
            self.counters.waits_for_room.fetch_add(u64::from(full), Ordering::Relaxed);
            shared.for_room.push_back(waiter);
            return Outcome::Waits;
        }
        let Shared { log, image, .. } = &mut *shared;
        let empty = log.status().records == 0;
        match log.append(image, change, now_ms()) {
            Ok(append) => {
                let media = log.members();
                shared.waiting.insert(append.seq, waiter);
                drop(shared);
                if empty {
                    self.bell.notify_one();
                }
                self.counters.appended_bytes.fetch_add(append.bytes, Ordering::Relaxed);
                let bytes = u32::try_from(append.bytes).expect("a record is of one command");
                Outcome::Appended(Appended { seq: append.seq, at: append.at, bytes, media })
            }
            Err(Refused::Full) => {
                shared.for_room.push_back(waiter);
                drop(shared);
                self.bell.notify_one();
                self.counters.waits_for_room.fetch_add(u64::from(!woken), Ordering::Relaxed);
                Outcome::Waits
            }
            Err(Refused::Failed) => Outcome::Failed,
        }
    }

    /// What the kernel is to write to a medium for a record: from where, how much, to which offset.
    pub(crate) fn write_of(&self, appended: &Appended) -> (*const u8, u32, u64) {
        let shared = self.shared();
        let offset = shared.log.geometry().on_medium(appended.at);
        (shared.image.pointer(appended.at, appended.bytes as usize), appended.bytes, offset)
    }

    /// Writes a record with these data to a medium that is mapped, durably, on the caller's thread. As [`LoggedDisk::written`].
    pub(crate) fn persist(&self, appended: &Appended, medium: u8, data: &[u8]) -> Option<News> {
        let mut header = [0; SECTOR];
        let (at, unit) = {
            let shared = self.shared();
            shared.image.copy(appended.at, &mut header);
            let geometry = shared.log.geometry();
            (geometry.on_medium(appended.at), u64::from(geometry.unit))
        };
        // What fills the units up means nothing, and stays what it was.
        let whole = self
            .media
            .get(&medium)
            .is_some_and(|medium| medium.persist(&[(at, &header), (at + unit, data)]));
        self.written(appended.seq, medium, whole)
    }

    /// Takes all media for persistent memory, for tests.
    ///
    /// # Errors
    /// What the system said.
    pub(crate) fn pretend_persistent(&self) -> std::io::Result<()> {
        self.media.values().try_for_each(LogMedium::pretend_persistent)
    }

    /// A medium has a record, or failed to take it. Tells those who wait for what is durable now; of the record itself the caller
    /// hears by the result.
    pub(crate) fn written(&self, seq: u64, medium: u8, whole: bool) -> Option<News> {
        let end = if whole { End::Whole } else { End::Failed };
        let mut news = self.end_of(&[seq], medium, end);
        let own =
            news.iter().position(|(of, _, _)| *of == Some(seq)).map(|at| news.swap_remove(at));
        for (_, waiter, news) in news {
            waiter.tell(news);
        }
        own.map(|(_, _, news)| news)
    }

    /// Takes a medium out.
    fn fail_medium(&self, shared: &mut Shared, medium: u8) -> Range<u64> {
        if shared.log.members() >> medium & 1 == 0 {
            return 0..0;
        }
        let durable = shared.log.medium_failed(medium);
        // Who waits for records that are no more hears of it.
        self.moved.notify_all();
        let path = self.media.get(&medium).map_or_else(String::new, LogMedium::name);
        let state = match shared.log.state() {
            State::Failed => "failed",
            State::Healthy | State::Degraded => "degraded",
        };
        journal::line(
            "log-medium-failed",
            &[("backing", &self.backing.path().display()), ("medium", &path), ("log", &state)],
        );
        durable
    }

    /// The log failed, and what of it was not durable is no longer read: nor by the cache. Before anybody hears of it, so that who does
    /// reads what is left.
    fn forget_what_was_lost(&self) {
        let (memory, device) = &self.caches;
        memory.iter().for_each(|cache| cache.clear());
        device.iter().for_each(|cache| cache.clear());
    }

    /// What the log holds of these bytes of the backing, for whoever reads the backing after this.
    pub(crate) fn overlay(&self, offset: u64, bytes: u32) -> Vec<Overlay> {
        let shared = self.shared();
        let pieces = shared.log.pieces(offset, u64::from(bytes));
        let overlay = pieces.map(|piece| {
            let mut bytes = vec![0; piece.bytes as usize];
            if let Source::Image(at) = piece.source {
                shared.image.copy(at, &mut bytes);
            }
            Overlay { at: (piece.offset - offset) as u32, bytes }
        });
        overlay.collect()
    }
}

impl Shared {
    /// Those who wait for these records.
    fn news_of(&mut self, durable: Range<u64>) -> Vec<(Option<u64>, Waiter, News)> {
        durable
            .filter_map(|seq| Some((Some(seq), self.waiting.remove(&seq)?, News::Durable)))
            .collect()
    }

    /// Everybody who waits, because nothing more becomes durable.
    fn all_fail(&mut self) -> Vec<(Option<u64>, Waiter, News)> {
        let records = std::mem::take(&mut self.waiting).into_iter();
        let records = records.map(|(seq, waiter)| (Some(seq), waiter, News::Failed));
        let room = self.for_room.drain(..).map(|waiter| (None, waiter, News::Failed));
        records.chain(room).collect()
    }
}

/// The word for how a log is.
pub(crate) fn state_word(state: State) -> &'static str {
    match state {
        State::Healthy => "healthy",
        State::Degraded => "degraded",
        State::Failed => "failed",
    }
}

/// What a loss of power means for a log of copies, in a sentence.
pub(crate) fn power_of_copies(copies: u8, media: u8) -> String {
    format!(
        "each write is in the memory of {copies} of {media} peers and of this target before it is answered: what was not moved yet is lost if this target and {copies} peers lose their power, or end, before it is started again"
    )
}

/// Whether data over a request of so many bytes leave none of the backing's.
pub(crate) fn covers(overlay: &[Overlay], bytes: u32) -> bool {
    overlay.iter().map(|over| over.bytes.len()).sum::<usize>() == bytes as usize
}

/// Lays data over what was read.
pub(crate) fn lay_over(overlay: &[Overlay], read: &mut [u8]) {
    for over in overlay {
        let at = over.at as usize;
        read[at..at + over.bytes.len()].copy_from_slice(&over.bytes);
    }
}

/// ms since 1970 by the clock at the start of the process, and by one that is never set since.
pub(crate) fn now_ms() -> u64 {
    static START: OnceLock<(u64, Instant)> = OnceLock::new();
    let (wall_ms, begun) = START.get_or_init(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        (since.map_or(0, |since| since.as_millis() as u64), Instant::now())
    });
    wall_ms + begun.elapsed().as_millis() as u64
}
