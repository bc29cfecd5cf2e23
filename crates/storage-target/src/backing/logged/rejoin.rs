//! A life that begins while the log is served: peers that were lost and are there again become members of it, or it has another size ([`super::resize`]).
//!
//! Nothing is appended, all records are moved, the superblock of the next life is written to all of its members, the backing is marked with it, and
//! appending goes on. That is what a start does, so that what recovery knows of lives holds here too.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use narrows_log_tier::{Geometry, HEAD_BYTES, State, Superblock};

use super::mark::MarkedLife;
use super::open::holds_something_else;
use super::opened::newest_on;
use super::peer::{Peer, PeerLines, PeerMedium, Reservation};
use super::{LogMedium, LoggedDisk, News, Shared, now_ms};
use crate::journal;

/// How often peers that were lost are looked for, and how often whether that is still wanted.
const LOOK_EVERY: Duration = Duration::from_secs(2);
const LOOK_STEP: Duration = Duration::from_millis(100);
/// How long who stops waits for the end of that: it may be waiting for a machine that isn't there.
const LOOK_ENDS_WITHIN: Duration = Duration::from_secs(1);

/// A thread that looks for peers that were lost, where a log is on peers.
///
/// # Errors
/// Where there is none to be had.
pub(super) fn start_looking(disk: &Arc<LoggedDisk>) -> io::Result<Option<JoinHandle<()>>> {
    let Some(reservation) = disk.reservation else { return Ok(None) };
    let its = Arc::clone(disk);
    let builder = thread::Builder::new().name("target-peers".to_string());
    builder.spawn(move || its.look_for_peers(reservation)).map(Some)
}

/// Waits for the end of looking, for a moment.
pub(super) fn end_looking(looking: Option<JoinHandle<()>>) {
    let Some(looking) = looking else { return };
    let until = Instant::now() + LOOK_ENDS_WITHIN;
    while !looking.is_finished() && Instant::now() < until {
        thread::sleep(LOOK_STEP / 10);
    }
    if looking.is_finished() {
        // One that panicked has nothing that is needed any more.
        drop(looking.join());
    }
}

impl LoggedDisk {
    /// Peers that were on their way back are given back too. Nothing is looked for any more.
    pub(super) fn release_returning(&self) {
        drop(std::mem::take(&mut *self.returning()));
    }

    fn returning(&self) -> MutexGuard<'_, BTreeMap<u8, PeerLines>> {
        self.returning.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look_for_peers(&self, reservation: Reservation) {
        loop {
            for _ in 0..LOOK_EVERY.as_millis() / LOOK_STEP.as_millis() {
                thread::sleep(LOOK_STEP);
                if self.shared().stopping {
                    return;
                }
            }
            self.look_for_restarted();
            for (number, medium) in &self.media {
                let Some(peer) = medium.peer().filter(|peer| peer.is_away()) else { continue };
                if self.returning().contains_key(number) {
                    continue;
                }
                match self.open_again(*number, peer, reservation) {
                    Ok(lines) if self.shared().stopping => return drop(lines),
                    Ok(lines) => {
                        self.returning().insert(*number, lines);
                    }
                    Err(reason) => {
                        if peer.stays_out(&reason) {
                            let told: [(&str, &dyn Display); 2] =
                                [("peer", peer.address()), ("reason", &reason)];
                            journal::line("log-peer-stays-out", &told);
                        }
                    }
                }
            }
            if self.returning().is_empty() {
                continue;
            }
            let mut shared = self.shared();
            if !shared.taken && !shared.stopping && shared.log.state() != State::Failed {
                shared.pausing = true;
                drop(shared);
                self.bell.notify_one();
            }
        }
    }

    /// Members that hold nothing of this log any more, or don't answer, are out, also where nothing is written to them.
    fn look_for_restarted(&self) {
        for (number, medium) in &self.media {
            let Some(peer) = medium.peer().filter(|peer| peer.trouble().is_none()) else {
                continue;
            };
            let Some(its) = peer.peer() else { continue };
            let newest = newest_on(&mut its.reader(false));
            let is_member = newest.is_some_and(|newest| newest.id == self.superblock.id);
            // It may have joined meanwhile, by another connection.
            let still = peer.peer().is_some_and(|now| Arc::ptr_eq(&now, &its));
            if !is_member && still {
                let said = "it does not answer, or holds nothing of the log any more";
                self.give_up(*number, &io::Error::new(io::ErrorKind::NotConnected, said));
            }
        }
    }

    /// A peer that is there, takes writes, and holds nothing, or what it held of this log.
    ///
    /// # Errors
    /// Why it is not taken back.
    fn open_again(
        &self,
        number: u8,
        peer: &PeerMedium,
        reservation: Reservation,
    ) -> Result<PeerLines, String> {
        let told = |error: io::Error| error.to_string();
        // By another identifier: nothing that was sent to it before is taken any more.
        let reservation = reservation.renewed().map_err(told)?;
        let again = Peer::open(peer.address(), Some(reservation)).map_err(|e| e.to_string())?;
        // Two addresses that lead to one memory are one copy.
        let mut others = self.media.iter().filter(|(other, _)| **other != number);
        let twin = others.find_map(|(_, other)| {
            let other = other.peer().filter(|other| other.trouble().is_none())?;
            other.peer()?.is_same_as(&again).then(|| other.address().to_string())
        });
        if let Some(twin) = twin {
            return Err(format!("it leads to the same namespace as {twin}"));
        }
        let bytes = HEAD_BYTES + self.superblock.geometry.capacity;
        if again.bytes() < bytes {
            let has = again.bytes();
            return Err(format!("it has {has} bytes, and the log takes {bytes}"));
        }
        let mut reader = again.reader(false);
        let newest = newest_on(&mut reader);
        match &newest {
            Some(its) if its.id != self.superblock.id => {
                return Err(format!("it has another log, {}", its.id));
            }
            _ if holds_something_else(&mut reader).map_err(told)? => {
                return Err("it has data that are no log's".to_string());
            }
            _ => {}
        }
        drop(reader);
        // What it has, once more: a peer that hangs at writes is waited for here, where no host waits.
        match newest {
            Some(newest) => again.write_superblock(&newest).map_err(told)?,
            None => again.empty().map_err(told)?,
        }
        PeerLines::new(again).map_err(told)
    }

    /// The log is empty and nothing is appended: its next life begins.
    pub(super) fn begin_next_life(&self) {
        let resizing = self.shared().resizing.take();
        match resizing {
            Some(resizing) => self.begin_resized(resizing),
            None => self.begin_life(),
        }
    }

    /// One of which the peers are members that came back.
    fn begin_life(&self) {
        let mut joining = std::mem::take(&mut *self.returning());
        joining.retain(|_, lines| lines.peer().empty().is_ok());
        if joining.is_empty() {
            return self.end_pause(&mut self.shared());
        }
        let next = self.write_next_life(&mut joining, None);
        let mut before = Vec::new();
        let mut shared = self.shared();
        let joins = joining.keys().fold(0, |bits, number| bits | 1 << number);
        if next.is_some_and(|next| self.begin_in(&mut shared, next, joins)) {
            for (number, lines) in joining {
                let Some(peer) = self.media.get(&number).and_then(LogMedium::peer) else {
                    continue;
                };
                before.push(peer.join(lines));
                journal::line("log-peer-joins", &[("peer", peer.address())]);
            }
        }
        self.end_pause(&mut shared);
        drop(shared);
        // Taking leave of a connection may take time.
        drop(before);
    }

    /// Begins a life whose superblock all of its members have, unless the log has failed or was taken: whether it did. Who failed meanwhile is no
    /// member, unless it joins.
    pub(super) fn begin_in(&self, shared: &mut Shared, next: Superblock, joins: u8) -> bool {
        if shared.taken || shared.log.state() == State::Failed {
            return false;
        }
        let gone = next.members & !shared.log.members() & !joins;
        shared.log.begin(next);
        for number in (0..self.superblock.media).filter(|number| gone >> number & 1 == 1) {
            // Nothing was appended: nobody waits for it.
            self.fail_medium(shared, number);
        }
        true
    }

    /// Writes the superblock of the next life, of another size where one is given, to all of its members, and marks the backing where that has lives; `None` where that can't be, and then the log
    /// takes nothing more: from the first write on, what was appended in this life would not be found.
    pub(super) fn write_next_life(
        &self,
        joining: &mut BTreeMap<u8, PeerLines>,
        geometry: Option<Geometry>,
    ) -> Option<Superblock> {
        let time_ms = now_ms();
        for tries in 0.. {
            let (next, members, state) = {
                let shared = self.shared();
                let members = shared.log.members();
                let all = joining.keys().fold(members, |bits, number| bits | 1 << number);
                let next = shared.log.next_life(all, time_ms, tries);
                let geometry = geometry.unwrap_or(next.geometry);
                (Superblock { geometry, ..next }, members, shared.log.state())
            };
            if state == State::Failed {
                return None;
            }
            let whole = self.write_to_members(next, members);
            let before = joining.len();
            joining.retain(|number, lines| {
                lines.peer().write_superblock(&Superblock { medium: *number, ..next }).is_ok()
            });
            if !whole || joining.len() < before {
                continue;
            }
            if self.copies().is_none() {
                return Some(next);
            }
            let life = MarkedLife { epoch: next.epoch, members: next.members };
            if let Err(error) = self.mark_life(life) {
                journal::line("log-not-marked", &[("reason", &error)]);
                let all = (0..self.superblock.media).filter(|number| members >> number & 1 == 1);
                all.for_each(|number| self.give_up(number, &error));
                return None;
            }
            return Some(next);
        }
        None
    }

    /// Whether all members have it; those that have not are out.
    fn write_to_members(&self, superblock: Superblock, members: u8) -> bool {
        let its = self.media.iter().filter(|(number, _)| members >> **number & 1 == 1);
        let mut whole = true;
        for (number, medium) in its {
            let superblock = Superblock { medium: *number, ..superblock };
            if let Err(error) = medium.write_superblock(&superblock) {
                self.give_up(*number, &error);
                whole = false;
            }
        }
        whole
    }

    /// Appending goes on. Who waits for another size hears that there is none.
    pub(super) fn end_pause(&self, shared: &mut Shared) {
        shared.resizing = None;
        if std::mem::replace(&mut shared.pausing, false) {
            let waiters = std::mem::take(&mut shared.for_room);
            waiters.into_iter().for_each(|waiter| waiter.tell(News::Room));
        }
    }
}
