//! A medium of a log on another machine: a namespace of a target there, reached over NVMe/TCP.
//!
//! It is reserved for this target (Write Exclusive). The key is made of what the log is for, so that a start takes over what an earlier one
//! left; the host's identifier is another each time, so that nothing of the earlier one's is written after that. Whose key is another
//! keeps it, and then no log is opened. Who holds the lock of what the log is for has the right to take over: a file that
//! two machines can lock at once must not have a log on peers.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use narrows_initiator::{Address, Association, CommandQueue, HostError, ReservationState};
use narrows_log_tier::{HEAD_BYTES, ReadMedium, SLOT_BYTES, Superblock};
use narrows_nvme::HostId;

use super::Appended;
use crate::key_maker::fill_random;

/// What is read ahead where records are looked for, bytes.
const AHEAD: u64 = 256 << 10;
/// How long giving a reservation back may take: who stops isn't to wait for a peer that doesn't answer.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);
/// Most of the records that are written by one call, bytes; one record may be longer.
const RUN_BYTES: u64 = 512 << 10;

/// By what other hosts are kept from a log's peers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reservation {
    key: u64,
    host: HostId,
}

impl Reservation {
    /// For what a log is for, by its identity.
    ///
    /// # Errors
    /// Where the system has no randomness.
    pub(crate) fn of(identity: &[u8; 16]) -> io::Result<Reservation> {
        let mut host = [0; 16];
        fill_random(&mut host).ok_or_else(|| io::Error::other("the system has no randomness"))?;
        let key = u64::from_le_bytes(std::array::from_fn(|index| identity[index]));
        // 0 is no key.
        Ok(Reservation { key: key | 1, host: HostId(host) })
    }

    /// The same by another host's identifier.
    ///
    /// # Errors
    /// As [`Reservation::of`].
    pub(super) fn renewed(self) -> io::Result<Reservation> {
        let Reservation { host, .. } = Reservation::of(&[0; 16])?;
        Ok(Reservation { host, ..self })
    }
}

/// A namespace on another machine.
#[derive(Debug)]
pub(crate) struct Peer {
    address: Address,
    association: Arc<Association>,
    queue: Mutex<CommandQueue>,
    /// The key by which it is reserved.
    key: Mutex<Option<u64>>,
}

impl Peer {
    /// Connects, and reserves it where it is to be written.
    ///
    /// # Errors
    /// What stood in the way.
    pub(crate) fn open(
        address: &Address,
        reservation: Option<Reservation>,
    ) -> Result<Peer, HostError> {
        let association = match reservation {
            Some(Reservation { host, .. }) => Association::connect_as(address, 2, host)?,
            None => Association::connect(address, 2)?,
        };
        let association = Arc::new(association);
        let mut queue = association.command_queue()?;
        if let Some(Reservation { key, .. }) = reservation {
            queue.register(key)?;
            if let Err(error) = queue.reserve(key) {
                // A host without a reservation is of no use there.
                let _ = queue.unregister(key);
                return Err(error);
            }
        }
        let key = Mutex::new(reservation.map(|reservation| reservation.key));
        Ok(Peer { address: address.clone(), association, queue: Mutex::new(queue), key })
    }

    /// Its address.
    pub(crate) fn name(&self) -> String {
        self.address.to_string()
    }

    /// Its size, bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.association.reached().bytes()
    }

    /// Whether it is the same namespace as another, by what names it for good.
    pub(crate) fn is_same_as(&self, other: &Peer) -> bool {
        let (here, there) = (self.association.reached(), other.association.reached());
        here.ids.uuid.is_some() && here.ids.uuid == there.ids.uuid
            || here.namespace.nguid != [0; 16] && here.namespace.nguid == there.namespace.nguid
    }

    fn queue(&self) -> MutexGuard<'_, CommandQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a host has reserved it.
    ///
    /// # Errors
    /// What it or the connection said.
    pub(crate) fn is_reserved(&self) -> io::Result<bool> {
        let state = self.queue().reservation().map_err(io_error)?;
        Ok(state != ReservationState::Free)
    }

    /// Writes whole blocks, durably as the peer has it.
    ///
    /// # Errors
    /// As [`Peer::is_reserved`]; [`is_taken`] knows another host's reservation.
    pub(crate) fn write(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.queue().write(at, bytes).map_err(io_error)
    }

    /// Writes a superblock to its place.
    ///
    /// # Errors
    /// As [`Peer::write`].
    pub(crate) fn write_superblock(&self, superblock: &Superblock) -> io::Result<()> {
        let mut slot = vec![0; SLOT_BYTES as usize];
        let sector = superblock.to_bytes();
        slot[..sector.len()].copy_from_slice(&sector);
        self.write(&slot, superblock.at())
    }

    /// Leaves no superblock on it.
    ///
    /// # Errors
    /// As [`Peer::write`].
    pub(crate) fn empty(&self) -> io::Result<()> {
        self.write(&[0; HEAD_BYTES as usize], 0)
    }

    /// A reader of it; with `ahead` one that goes through it in order.
    pub(crate) fn reader(&self, ahead: bool) -> PeerReader<'_> {
        let ahead = if ahead { AHEAD } else { 0 };
        PeerReader { peer: self, ahead, at: 0, chunk: Vec::new() }
    }
}

impl Peer {
    /// Gives its reservation back, if it has one.
    pub(super) fn release(&self) {
        let key = self.key.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(key) = key {
            let mut queue = self.queue();
            // Who can't be told is told by the next start.
            let _ = queue.answer_within(LEAVE_WITHIN).and_then(|()| queue.unregister(key));
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.release();
    }
}

/// An error as of any other medium.
fn io_error(error: HostError) -> io::Error {
    let taken = error.is_reservation_conflict();
    let kind = if taken { io::ErrorKind::ResourceBusy } else { io::ErrorKind::Other };
    io::Error::new(kind, error.to_string())
}

/// Whether an error of a peer is another host's reservation.
pub(super) fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ResourceBusy
}

/// Reads a peer.
#[derive(Debug)]
pub(crate) struct PeerReader<'a> {
    peer: &'a Peer,
    ahead: u64,
    /// Where what was read last begins.
    at: u64,
    chunk: Vec<u8>,
}

impl ReadMedium for PeerReader<'_> {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = out.len() as u64;
        let end = at.checked_add(bytes).filter(|end| *end <= self.peer.bytes());
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        if at < self.at || end > self.at + self.chunk.len() as u64 {
            let left = self.peer.bytes() - at;
            let ahead = self.ahead.min(left - left % SLOT_BYTES);
            self.chunk.clear();
            let mut chunk = vec![0; bytes.max(ahead) as usize];
            self.peer.queue().read(at, &mut chunk).map_err(io_error)?;
            (self.at, self.chunk) = (at, chunk);
        }
        let from = (at - self.at) as usize;
        out.copy_from_slice(&self.chunk[from..from + out.len()]);
        Ok(())
    }
}

/// A peer with both of its queues: for superblocks, and for records.
#[derive(Debug)]
pub(super) struct PeerLines {
    peer: Arc<Peer>,
    records: CommandQueue,
}

impl PeerLines {
    /// With a second queue.
    ///
    /// # Errors
    /// Where that can't be had.
    pub(super) fn new(peer: Peer) -> io::Result<PeerLines> {
        let records = peer.association.command_queue().map_err(io_error)?;
        Ok(PeerLines { peer: Arc::new(peer), records })
    }

    pub(super) fn peer(&self) -> &Peer {
        &self.peer
    }
}

/// A peer of a log that is served.
#[derive(Debug)]
pub(crate) struct PeerMedium {
    address: Address,
    link: Mutex<PeerLink>,
    waiting: Mutex<Waiting>,
    bell: Condvar,
}

/// What leads to a peer.
#[derive(Debug, Default)]
pub(super) struct PeerLink {
    peer: Option<Arc<Peer>>,
    /// For records; its thread has it while it writes.
    records: Option<CommandQueue>,
    trouble: Option<PeerTrouble>,
    /// Why it was not taken back when it was looked for last.
    stays_out: Option<String>,
    /// Its thread is writing to it.
    writing: bool,
    /// How often it has joined: who holds a queue of before has none of now.
    joined: u64,
}

/// The queue for records, in its thread's hands: until it is given back, the peer is not looked for, and so joins no other life.
#[derive(Debug)]
pub(super) struct ClaimedQueue {
    queue: CommandQueue,
    joined: u64,
}

/// Records that it has to be given.
#[derive(Debug, Default)]
struct Waiting {
    records: VecDeque<Appended>,
    ended: bool,
}

/// Why a peer is given no records.
#[derive(Debug, Clone)]
pub(crate) struct PeerTrouble {
    /// In a word.
    pub(crate) state: &'static str,
    /// What it or the connection said.
    pub(crate) reason: String,
}

/// A peer that another host has reserved.
const STATE_TAKEN: &str = "reserved by another host";

impl PeerMedium {
    /// One that is there.
    pub(super) fn reached(lines: PeerLines) -> PeerMedium {
        let address = lines.peer.address.clone();
        let PeerLines { peer, records } = lines;
        let link = PeerLink { peer: Some(peer), records: Some(records), ..PeerLink::default() };
        PeerMedium::with(address, link)
    }

    /// One that wasn't there at the start.
    pub(super) fn absent(address: Address, reason: String) -> PeerMedium {
        let trouble = Some(PeerTrouble { state: "absent", reason });
        PeerMedium::with(address, PeerLink { trouble, ..PeerLink::default() })
    }

    fn with(address: Address, link: PeerLink) -> PeerMedium {
        PeerMedium {
            address,
            link: Mutex::new(link),
            waiting: Mutex::default(),
            bell: Condvar::new(),
        }
    }

    /// Its address.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    fn link(&self) -> MutexGuard<'_, PeerLink> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What leads to it, if something ever did.
    pub(super) fn peer(&self) -> Option<Arc<Peer>> {
        self.link().peer.clone()
    }

    /// Writes a superblock to its place.
    ///
    /// # Errors
    /// As [`Peer::write`].
    pub(super) fn write_superblock(&self, superblock: &Superblock) -> io::Result<()> {
        let peer = self.peer().ok_or(io::ErrorKind::NotConnected)?;
        peer.write_superblock(superblock)
    }

    /// Why it is given no records, if so.
    pub(crate) fn trouble(&self) -> Option<PeerTrouble> {
        self.link().trouble.clone()
    }

    /// Whether it may be looked for: it is given nothing, and nobody else has it.
    pub(super) fn is_away(&self) -> bool {
        let link = self.link();
        let away = link.trouble.as_ref().is_some_and(|trouble| trouble.state != STATE_TAKEN);
        away && !link.writing
    }

    /// Why it was not taken back when it was looked for last.
    pub(crate) fn why_out(&self) -> Option<String> {
        self.link().stays_out.clone()
    }

    /// It was looked for, and is not taken back. Whether that is another reason than before.
    pub(super) fn stays_out(&self, reason: &str) -> bool {
        let mut link = self.link();
        let new = link.stays_out.as_deref() != Some(reason);
        link.stays_out = Some(reason.to_string());
        new
    }

    /// It failed; the first reason holds. Whether this was the first.
    pub(super) fn fail(&self, error: &io::Error) -> bool {
        let state = if is_taken(error) { STATE_TAKEN } else { "lost" };
        let mut link = self.link();
        let first = link.trouble.is_none();
        if first {
            link.trouble = Some(PeerTrouble { state, reason: error.to_string() });
        }
        first
    }

    /// It is there, and was given the superblock of a life of which it is a member. What led to it before is given back, to be dropped.
    pub(super) fn join(&self, lines: PeerLines) -> PeerLink {
        // Of before: nothing of that is on any medium's way.
        self.waiting().records.clear();
        let PeerLines { peer, records } = lines;
        let mut link = self.link();
        let joined = link.joined + 1;
        let now =
            PeerLink { peer: Some(peer), records: Some(records), joined, ..PeerLink::default() };
        std::mem::replace(&mut *link, now)
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A record that it has to be given.
    pub(super) fn hand_over(&self, appended: Appended) {
        self.waiting().records.push_back(appended);
        self.bell.notify_one();
    }

    /// Nothing comes any more.
    pub(super) fn end(&self) {
        self.waiting().ended = true;
        self.bell.notify_one();
    }

    /// Takes the queue for records; `None` where there is none.
    pub(super) fn claim(&self) -> Option<ClaimedQueue> {
        let mut link = self.link();
        let queue = link.records.take()?;
        link.writing = true;
        Some(ClaimedQueue { queue, joined: link.joined })
    }

    /// Gives it back as it was.
    pub(super) fn give_back(&self, claimed: ClaimedQueue) {
        let mut link = self.link();
        if link.joined == claimed.joined {
            link.writing = false;
            link.records = Some(claimed.queue);
        }
    }

    /// Writes records by that queue; `None` where the peer has joined another life meanwhile, of which nothing follows for this one.
    pub(super) fn write_records(
        &self,
        mut claimed: ClaimedQueue,
        bytes: &[u8],
        at: u64,
    ) -> Option<io::Result<()>> {
        let written = claimed.queue.write(at, bytes).map_err(io_error);
        let mut link = self.link();
        if link.joined != claimed.joined {
            return None;
        }
        link.writing = false;
        if written.is_ok() {
            link.records = Some(claimed.queue);
        }
        Some(written)
    }

    /// The next records, as far as they follow each other in the ring; `None` at the end. Waits for them.
    pub(super) fn next_run(&self) -> Option<Vec<Appended>> {
        let mut waiting = self.waiting();
        loop {
            if let Some(first) = waiting.records.pop_front() {
                let mut run = vec![first];
                let (mut end, mut bytes) =
                    (first.at + u64::from(first.bytes), u64::from(first.bytes));
                // A record of a life before may end where one of now begins, and is none of its run.
                while let Some(next) = waiting.records.front().copied()
                    && next.at == end
                    && next.seq == first.seq + run.len() as u64
                    && bytes + u64::from(next.bytes) <= RUN_BYTES
                {
                    waiting.records.pop_front();
                    end += u64::from(next.bytes);
                    bytes += u64::from(next.bytes);
                    run.push(next);
                }
                return Some(run);
            }
            if waiting.ended {
                return None;
            }
            waiting = self.bell.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
