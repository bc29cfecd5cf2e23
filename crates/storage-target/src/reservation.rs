//! Reservations: which host may write or read a namespace that several share (NVMe Base Specification, "Reservations").
//!
//! Clusters keep a node that was declared dead from writing with them. They belong to a host's identifier, not to a
//! connection, and last until the target ends: persistence through loss of power (PTPL) is refused, not pretended. An identifier is only
//! claimed. So where a host has authenticated they belong to the name that it proved as well, and whoever claims its identifier under
//! another name has none of them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use narrows_nvme::command::ReservationAction;
use narrows_nvme::{HostId, Nqn, Status};

/// Whose a reservation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Registrant {
    id: HostId,
    /// SHA-256 of the name that the host proved; zeros of a host that proves none.
    proved: [u8; 32],
}

impl Registrant {
    /// A host by its identifier and, where it has to authenticate before it can do anything, its name.
    pub(crate) fn new(id: HostId, proved: Option<&Nqn>) -> Registrant {
        let mut digest = [0; 32];
        if let Some(name) = proved {
            let hash = ring::digest::digest(&ring::digest::SHA256, name.as_str().as_bytes());
            digest.copy_from_slice(hash.as_ref());
        }
        Registrant { id, proved: digest }
    }
}

/// RTYPE: who may do what while a reservation is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReservationType {
    WriteExclusive,
    ExclusiveAccess,
    WriteExclusiveRegistrants,
    ExclusiveAccessRegistrants,
    WriteExclusiveAll,
    ExclusiveAccessAll,
}

impl ReservationType {
    fn from_byte(byte: u8) -> Option<ReservationType> {
        Some(match byte {
            1 => ReservationType::WriteExclusive,
            2 => ReservationType::ExclusiveAccess,
            3 => ReservationType::WriteExclusiveRegistrants,
            4 => ReservationType::ExclusiveAccessRegistrants,
            5 => ReservationType::WriteExclusiveAll,
            6 => ReservationType::ExclusiveAccessAll,
            _ => return None,
        })
    }

    fn to_byte(self) -> u8 {
        self as u8 + 1
    }

    /// Whether every registrant holds it.
    fn is_for_all(self) -> bool {
        matches!(self, ReservationType::WriteExclusiveAll | ReservationType::ExclusiveAccessAll)
    }

    fn lets_registrants(self) -> bool {
        !matches!(self, ReservationType::WriteExclusive | ReservationType::ExclusiveAccess)
    }

    fn lets_all_read(self) -> bool {
        matches!(
            self,
            ReservationType::WriteExclusive
                | ReservationType::WriteExclusiveRegistrants
                | ReservationType::WriteExclusiveAll
        )
    }
}

#[derive(Debug, Default)]
struct State {
    /// GEN: registrations so far.
    generation: u32,
    registrants: BTreeMap<Registrant, u64>,
    /// The kind, and who holds it where not all do.
    held: Option<(ReservationType, Registrant)>,
}

/// What a command does with blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It reads them.
    Read,
    /// It changes them, or makes them durable.
    Write,
}

/// The reservations of one namespace.
#[derive(Debug, Default)]
pub(crate) struct Reservations {
    /// Whether one is held, so that commands needn't ask the lock.
    active: AtomicBool,
    state: Mutex<State>,
}

/// Hosts that may be registered at once.
const MOST_REGISTRANTS: usize = 256;
/// Size of a registered controller in a report, bytes: with identifiers of hosts of 16 bytes.
const EXTENDED_ENTRY: usize = 64;
/// Size of a report's header, bytes.
const REPORT_HEADER: usize = 24;
/// Size of the header of an extended report, bytes.
const EXTENDED_HEADER: usize = 64;
/// Size of a registered controller in a report with identifiers of 8 bytes.
const ENTRY: usize = 24;

impl Reservations {
    /// RESCAP: all six types, and ignoring the existing key.
    pub(crate) const CAPABILITIES: u8 = 0b1111_1110;

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let result = act(&mut state);
        self.active.store(state.held.is_some(), Ordering::Release);
        result
    }

    /// Whether a host may do that now.
    #[inline]
    pub(crate) fn allow(&self, host: Registrant, what: Use) -> bool {
        !self.active.load(Ordering::Acquire) || self.look(host, what)
    }

    #[cold]
    fn look(&self, host: Registrant, what: Use) -> bool {
        self.with(|state| {
            let Some((kind, holder)) = state.held else { return true };
            let registered = state.registrants.contains_key(&host);
            holder == host
                || (registered && kind.lets_registrants())
                || (what == Use::Read && kind.lets_all_read())
        })
    }

    /// Reservation Register. `keys` are CRKEY and NRKEY.
    pub(crate) fn register(
        &self,
        host: Registrant,
        action: ReservationAction,
        keys: [u64; 2],
    ) -> Status {
        let [current, new] = keys;
        // CPTPL 3: persist through loss of power.
        if action.persistence == 3 {
            return Status::INVALID_FIELD.for_good();
        }
        self.with(|state| {
            let have = state.registrants.get(&host).copied();
            let fits = action.ignore_key || have.is_none_or(|key| key == current);
            let known = state.registrants.contains_key(&host);
            if !known && state.registrants.len() >= MOST_REGISTRANTS {
                return Status::CAPACITY_EXCEEDED;
            }
            match (action.action, have) {
                (0, None) => state.registrants.insert(host, new),
                (0, Some(key)) if key == new => return Status::SUCCESS,
                (1, Some(_)) if fits => {
                    state.unregister(host);
                    None
                }
                (2, Some(_)) if fits => state.registrants.insert(host, new),
                (2, None) if action.ignore_key => state.registrants.insert(host, new),
                (0..=2, _) => return Status::RESERVATION_CONFLICT,
                _ => return Status::INVALID_FIELD.for_good(),
            };
            state.generation = state.generation.wrapping_add(1);
            Status::SUCCESS
        })
    }

    /// Reservation Acquire. `keys` are CRKEY and PRKEY.
    pub(crate) fn acquire(
        &self,
        host: Registrant,
        action: ReservationAction,
        keys: [u64; 2],
    ) -> Status {
        let [current, preempted] = keys;
        let Some(kind) = ReservationType::from_byte(action.reservation_type) else {
            return Status::INVALID_FIELD.for_good();
        };
        self.with(|state| {
            if state.registrants.get(&host) != Some(&current) {
                return Status::RESERVATION_CONFLICT;
            }
            match action.action {
                0 => state.take(host, kind),
                // Preempt, and preempt and abort: commands of the preempted host that are here already end by themselves.
                1 | 2 => state.preempt(host, kind, preempted),
                _ => Status::INVALID_FIELD.for_good(),
            }
        })
    }

    /// Reservation Release. `key` is CRKEY.
    pub(crate) fn release(&self, host: Registrant, action: ReservationAction, key: u64) -> Status {
        self.with(|state| {
            if state.registrants.get(&host) != Some(&key) {
                return Status::RESERVATION_CONFLICT;
            }
            match action.action {
                0 => match state.held {
                    Some((kind, holder)) if holder == host || kind.is_for_all() => {
                        if kind.to_byte() != action.reservation_type {
                            return Status::INVALID_FIELD.for_good();
                        }
                        state.held = None;
                        Status::SUCCESS
                    }
                    // Who holds none has nothing to give up.
                    _ => Status::SUCCESS,
                },
                1 => {
                    state.held = None;
                    state.registrants.clear();
                    state.generation = state.generation.wrapping_add(1);
                    Status::SUCCESS
                }
                _ => Status::INVALID_FIELD.for_good(),
            }
        })
    }

    /// Reservation Report, with identifiers of hosts of 16 bytes where `extended`.
    pub(crate) fn report(&self, extended: bool) -> Vec<u8> {
        self.with(|state| {
            let header = if extended { EXTENDED_HEADER } else { REPORT_HEADER };
            let mut report = vec![0; header];
            report[..4].copy_from_slice(&state.generation.to_le_bytes());
            report[4] = state.held.map_or(0, |(kind, _)| kind.to_byte());
            let count = state.registrants.len() as u16;
            report[5..7].copy_from_slice(&count.to_le_bytes());
            for (host, key) in &state.registrants {
                let holds =
                    state.held.is_some_and(|(kind, holder)| holder == *host || kind.is_for_all());
                let mut entry = vec![0; if extended { EXTENDED_ENTRY } else { ENTRY }];
                // CNTLID FFFFh: of a host, whatever controllers it has now.
                entry[..2].fill(0xFF);
                entry[2] = u8::from(holds);
                if extended {
                    entry[8..16].copy_from_slice(&key.to_le_bytes());
                    entry[16..32].copy_from_slice(&host.id.0);
                } else {
                    entry[8..16].copy_from_slice(&host.id.0[..8]);
                    entry[16..24].copy_from_slice(&key.to_le_bytes());
                }
                report.extend_from_slice(&entry);
            }
            report
        })
    }
}

impl State {
    fn unregister(&mut self, host: Registrant) {
        self.registrants.remove(&host);
        let Some((kind, holder)) = self.held else { return };
        if kind.is_for_all() {
            // It ends with the last of them; until then one of them stands for all.
            self.held = self.registrants.keys().next().map(|other| (kind, *other));
        } else if holder == host {
            self.held = None;
        }
    }

    fn take(&mut self, host: Registrant, kind: ReservationType) -> Status {
        match self.held {
            None => {
                self.held = Some((kind, host));
                Status::SUCCESS
            }
            Some((held, holder)) if held == kind && (holder == host || held.is_for_all()) => {
                Status::SUCCESS
            }
            Some(_) => Status::RESERVATION_CONFLICT,
        }
    }

    fn preempt(&mut self, host: Registrant, kind: ReservationType, key: u64) -> Status {
        let held_by_key = self.held.is_some_and(|(held, holder)| {
            // Where all hold it, a key is one registrant's and not the reservation's.
            if held.is_for_all() { key == 0 } else { self.registrants.get(&holder) == Some(&key) }
        });
        let known = self.registrants.values().any(|registered| *registered == key);
        if !held_by_key && (key == 0 || !known) {
            return Status::RESERVATION_CONFLICT;
        }
        let all = self.held.is_some_and(|(held, _)| held.is_for_all()) && key == 0;
        self.registrants.retain(|other, registered| *other == host || !(all || *registered == key));
        if held_by_key {
            self.held = Some((kind, host));
        } else if let Some((held, holder)) = self.held
            && !self.registrants.contains_key(&holder)
        {
            self.held = self.registrants.keys().next().map(|other| (held, *other));
        }
        self.generation = self.generation.wrapping_add(1);
        Status::SUCCESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Registrant = of(1);
    const B: Registrant = of(2);

    const fn of(byte: u8) -> Registrant {
        Registrant { id: HostId([byte; 16]), proved: [0; 32] }
    }

    fn action(action: u8, reservation_type: u8) -> ReservationAction {
        ReservationAction { action, ignore_key: false, persistence: 0, reservation_type }
    }

    fn shared_by_two() -> Reservations {
        let reservations = Reservations::default();
        assert_eq!(reservations.register(A, action(0, 0), [0, 10]), Status::SUCCESS);
        assert_eq!(reservations.register(B, action(0, 0), [0, 20]), Status::SUCCESS);
        reservations
    }

    #[test]
    fn a_writer_keeps_others_from_writing_and_not_from_reading() {
        let reservations = shared_by_two();
        assert!(reservations.allow(B, Use::Write));
        assert_eq!(reservations.acquire(A, action(0, 1), [10, 0]), Status::SUCCESS);
        assert!(reservations.allow(A, Use::Write) && reservations.allow(B, Use::Read));
        assert!(!reservations.allow(B, Use::Write));
        let refused = reservations.acquire(B, action(0, 1), [20, 0]);
        assert_eq!(refused, Status::RESERVATION_CONFLICT);
        assert_eq!(reservations.release(A, action(0, 1), 10), Status::SUCCESS);
        assert!(reservations.allow(B, Use::Write));
    }

    #[test]
    fn exclusive_access_keeps_strangers_from_reading_and_registrants_only_where_it_says_so() {
        let stranger = of(3);
        for (kind, registrant) in [(2, false), (4, true), (6, true)] {
            let reservations = shared_by_two();
            assert_eq!(reservations.acquire(A, action(0, kind), [10, 0]), Status::SUCCESS);
            assert!(!reservations.allow(stranger, Use::Read));
            assert_eq!(reservations.allow(B, Use::Write), registrant, "type {kind}");
        }
    }

    #[test]
    fn who_is_preempted_is_registered_no_more() {
        let reservations = shared_by_two();
        assert_eq!(reservations.acquire(A, action(0, 3), [10, 0]), Status::SUCCESS);
        assert_eq!(reservations.acquire(B, action(1, 3), [20, 10]), Status::SUCCESS);
        assert!(!reservations.allow(A, Use::Write) && reservations.allow(B, Use::Write));
        let refused = reservations.acquire(A, action(0, 3), [10, 0]);
        assert_eq!(refused, Status::RESERVATION_CONFLICT);
        let report = reservations.report(true);
        assert_eq!((report[4], report[5], report.len()), (3, 1, 128));
        assert_eq!(report[64 + 16..64 + 32], B.id.0);
        assert_eq!(report[64 + 2], 1);
    }

    #[test]
    fn a_key_of_one_of_all_holders_takes_only_that_one_away() {
        let third = of(3);
        for preempted in [10, 30] {
            let reservations = shared_by_two();
            assert_eq!(reservations.register(third, action(0, 0), [0, 30]), Status::SUCCESS);
            assert_eq!(reservations.acquire(A, action(0, 5), [10, 0]), Status::SUCCESS);
            assert_eq!(reservations.acquire(B, action(1, 1), [20, preempted]), Status::SUCCESS);
            assert_eq!(reservations.allow(A, Use::Write), preempted == 30);
            assert_eq!(reservations.allow(third, Use::Write), preempted == 10);
            assert!(reservations.allow(B, Use::Write));
        }
    }

    #[test]
    fn a_reservation_of_all_ends_with_the_last() {
        let reservations = shared_by_two();
        assert_eq!(reservations.acquire(A, action(0, 5), [10, 0]), Status::SUCCESS);
        assert_eq!(reservations.register(A, action(1, 0), [10, 0]), Status::SUCCESS);
        assert!(!reservations.allow(A, Use::Write) && reservations.allow(B, Use::Write));
        assert_eq!(reservations.register(B, action(1, 0), [20, 0]), Status::SUCCESS);
        assert!(reservations.allow(A, Use::Write));
    }

    #[test]
    fn an_identifier_without_the_name_that_was_proved_is_another_host() {
        let (one, other) = ("nqn.x:one".parse().unwrap(), "nqn.x:other".parse().unwrap());
        let proved = |name: Option<&Nqn>| Registrant::new(A.id, name);
        let reservations = Reservations::default();
        let holder = proved(Some(&one));
        assert_eq!(reservations.register(holder, action(0, 0), [0, 10]), Status::SUCCESS);
        assert_eq!(reservations.acquire(holder, action(0, 2), [10, 0]), Status::SUCCESS);
        for impostor in [proved(Some(&other)), proved(None)] {
            assert!(!reservations.allow(impostor, Use::Read));
            let conflict = Status::RESERVATION_CONFLICT;
            assert_eq!(reservations.acquire(impostor, action(1, 2), [10, 10]), conflict);
            assert_eq!(reservations.release(impostor, action(0, 2), 10), conflict);
            assert_eq!(reservations.register(impostor, action(1, 0), [10, 0]), conflict);
        }
        // Another connection of the same host, and what all hosts are told of it.
        assert!(reservations.allow(proved(Some(&one)), Use::Write));
        assert_eq!(reservations.report(true)[64 + 16..64 + 32], A.id.0);
    }

    #[test]
    fn a_wrong_key_and_persistence_are_refused() {
        let reservations = shared_by_two();
        let conflict = Status::RESERVATION_CONFLICT;
        assert_eq!(reservations.register(A, action(1, 0), [11, 0]), conflict);
        assert_eq!(reservations.register(A, action(0, 0), [0, 11]), conflict);
        assert_eq!(reservations.acquire(A, action(0, 1), [11, 0]), conflict);
        let persistent = ReservationAction { persistence: 3, ..action(0, 0) };
        assert_eq!(
            reservations.register(A, persistent, [0, 10]).code(),
            Status::INVALID_FIELD.code()
        );
        let ignoring = ReservationAction { ignore_key: true, ..action(2, 0) };
        assert_eq!(reservations.register(A, ignoring, [0, 12]), Status::SUCCESS);
        assert_eq!(reservations.acquire(A, action(0, 1), [12, 0]), Status::SUCCESS);
    }
}
