//! A controller: what a host has of a subsystem between its first Connect and its last connection.
//!
//! Its queues may be on several threads. What they share is here: whether it lives, when the host was last heard, and,
//! behind a lock that I/O commands don't take, its registers, features, events and errors.

use std::collections::{BTreeSet, VecDeque};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use narrows_nvme::log::ErrorEntry;
use narrows_nvme::property::{Configuration, ControllerStatus};
use narrows_nvme::{AsyncEvent, HostId, Nqn};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::credentials::Credentials;
use crate::reservation::Registrant;
use crate::subsystem::Subsystem;

/// Errors that are remembered.
pub(crate) const ERROR_ENTRIES: usize = 16;
/// Asynchronous Event Requests at once.
pub(crate) const EVENT_REQUESTS: usize = 4;

/// What is asked of a controller.
#[derive(Debug, Clone)]
pub(crate) enum Service {
    /// Namespaces of a subsystem.
    Io(Arc<Subsystem>),
    /// What subsystems there are.
    Discovery,
}

/// A controller.
#[derive(Debug)]
pub(crate) struct Controller {
    /// CNTLID.
    pub(crate) id: u16,
    pub(crate) service: Service,
    pub(crate) host: Nqn,
    pub(crate) host_id: HostId,
    /// Whose reservations are its own.
    pub(crate) registrant: Registrant,
    /// What the host has to prove on each of its queues; `None` where it connects without.
    pub(crate) credentials: Option<Arc<Credentials>>,
    /// Where the host reached the target.
    pub(crate) address: SocketAddr,
    /// Of its admin queue; absent where there are no sockets.
    socket: Option<Arc<TcpStream>>,
    /// KATO, ms; 0 for none.
    pub(crate) keep_alive_ms: AtomicU32,
    /// By the target's clock, ms.
    pub(crate) last_heard_ms: AtomicU64,
    /// Completions carry how long the command took.
    pub(crate) tells_service_time: AtomicBool,
    ended: AtomicBool,
    /// How often it was disabled or shut down: I/O queues of before are none of now.
    epoch: AtomicU32,
    /// Operations on blocks that its commands have under way, on all threads.
    in_storage: AtomicUsize,
    registers: Mutex<Registers>,
}

/// What admin commands and properties move.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub(crate) configuration: u32,
    pub(crate) status: ControllerStatus,
    /// I/O queues that are connected.
    pub(crate) queues: BTreeSet<u16>,
    /// Queues that the host was granted, once it asked.
    pub(crate) granted_queues: Option<u16>,
    /// Asynchronous Event Configuration.
    pub(crate) wanted_events: u32,
    /// Commands that wait for an event.
    pub(crate) event_requests: VecDeque<u16>,
    /// Events that nobody was told yet, each kind once.
    pub(crate) events: VecDeque<AsyncEvent>,
    /// Log pages of events that were told and not read.
    pub(crate) unread: BTreeSet<u8>,
    /// Namespaces that changed since the list of them was read.
    pub(crate) changed: BTreeSet<u32>,
    pub(crate) errors: VecDeque<ErrorEntry>,
    pub(crate) error_count: u64,
}

impl Registers {
    /// Whether the controller is enabled and not shut down.
    pub(crate) fn is_enabled(&self) -> bool {
        Configuration(self.configuration).is_enabled() && !self.status.shut_down
    }

    /// What a disabled controller doesn't keep.
    pub(crate) fn forget_all(&mut self) {
        self.queues.clear();
        self.granted_queues = None;
        self.wanted_events = 0;
        self.event_requests.clear();
        self.events.clear();
        self.unread.clear();
    }

    /// Remembers an event for the host, if it wants such, once until it has read the log page.
    pub(crate) fn raise(&mut self, event: AsyncEvent) {
        let wanted = event.configuration_bit().is_none_or(|bit| self.wanted_events & bit != 0);
        if wanted && !self.unread.contains(&event.log_page) && !self.events.contains(&event) {
            self.events.push_back(event);
        }
    }

    /// An event to be told and the command that it completes.
    pub(crate) fn deliver(&mut self) -> Option<(u16, AsyncEvent)> {
        if self.events.is_empty() {
            return None;
        }
        let request = self.event_requests.pop_front()?;
        let event = self.events.pop_front()?;
        self.unread.insert(event.log_page);
        Some((request, event))
    }

    /// Remembers a command that failed.
    pub(crate) fn record_error(&mut self, entry: ErrorEntry) {
        self.error_count += 1;
        if self.errors.len() == ERROR_ENTRIES {
            self.errors.pop_back();
        }
        self.errors.push_front(ErrorEntry { count: self.error_count, ..entry });
    }
}

/// A controller that begins.
#[derive(Debug)]
pub(crate) struct NewController {
    pub(crate) id: u16,
    pub(crate) service: Service,
    pub(crate) host: Nqn,
    pub(crate) host_id: HostId,
    pub(crate) address: SocketAddr,
    /// Of its admin queue.
    pub(crate) socket: Option<Arc<TcpStream>>,
    pub(crate) keep_alive_ms: u32,
    pub(crate) credentials: Option<Arc<Credentials>>,
    pub(crate) came_by_tls: bool,
    pub(crate) now_ms: u64,
}

impl Controller {
    pub(crate) fn new(new: NewController) -> Controller {
        let proves = new.credentials.is_some() || new.came_by_tls;
        let proved = proves.then_some(&new.host);
        Controller {
            id: new.id,
            service: new.service,
            registrant: Registrant::new(new.host_id, proved),
            host: new.host,
            host_id: new.host_id,
            credentials: new.credentials,
            address: new.address,
            socket: new.socket,
            keep_alive_ms: AtomicU32::new(new.keep_alive_ms),
            last_heard_ms: AtomicU64::new(new.now_ms),
            tells_service_time: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            epoch: AtomicU32::new(0),
            in_storage: AtomicUsize::new(0),
            registers: Mutex::new(Registers::default()),
        }
    }

    /// Registers, for one command.
    pub(crate) fn registers(&self) -> MutexGuard<'_, Registers> {
        self.registers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether its connections are to be closed.
    #[inline]
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Ends it; whether it was alive.
    pub(crate) fn end(&self) -> bool {
        !self.ended.swap(true, Ordering::SeqCst)
    }

    /// How often it was disabled or shut down.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::SeqCst)
    }

    /// It was disabled or shut down.
    pub(crate) fn next_epoch(&self) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
    }

    /// A command begins to change or read blocks; whether it may. After the end it may not: what a host began before it came
    /// back must not happen after what it does now.
    pub(crate) fn enter_storage(&self) -> bool {
        // Counted before the end is looked at, and ended before the count is looked at (`is_quiet`): one of the two sees the
        // other.
        self.in_storage.fetch_add(1, Ordering::SeqCst);
        if self.has_ended() {
            self.leave_storage();
            return false;
        }
        true
    }

    /// One more operation of a command that is in the storage: it is done whatever becomes of the controller.
    pub(crate) fn stay_in_storage(&self) {
        self.in_storage.fetch_add(1, Ordering::SeqCst);
    }

    /// It did.
    pub(crate) fn leave_storage(&self) {
        self.in_storage.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether nothing of it is under way any more.
    pub(crate) fn is_quiet(&self) -> bool {
        self.in_storage.load(Ordering::SeqCst) == 0
    }

    /// Whether the host has closed its admin connection, as far as this machine's kernel knows: the thread that serves it may not have
    /// looked yet.
    pub(crate) fn is_hung_up(&self) -> bool {
        let Some(socket) = &self.socket else { return false };
        let gone = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
        let mut fds = [PollFd::new(socket, gone)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().intersects(gone)
    }

    /// The host was heard.
    #[inline]
    pub(crate) fn heard(&self, now_ms: u64) {
        // Written only when it changes, so that queues on several threads don't fight for the line.
        if self.last_heard_ms.load(Ordering::Relaxed) != now_ms {
            self.last_heard_ms.store(now_ms, Ordering::Relaxed);
        }
    }

    /// Whether the host was silent for longer than it promised.
    pub(crate) fn is_silent(&self, now_ms: u64) -> bool {
        let limit = u64::from(self.keep_alive_ms.load(Ordering::Relaxed));
        limit > 0 && now_ms.saturating_sub(self.last_heard_ms.load(Ordering::Relaxed)) > limit
    }
}

#[cfg(test)]
mod tests {
    use narrows_nvme::authentication::{Group, Hash, Secret};

    use super::*;

    #[test]
    fn an_event_is_told_once_until_its_log_page_is_read() {
        let mut registers = Registers::default();
        registers.raise(AsyncEvent::NAMESPACES_CHANGED);
        assert_eq!(registers.deliver(), None, "it isn't wanted");
        registers.wanted_events = 0x100;
        registers.raise(AsyncEvent::NAMESPACES_CHANGED);
        registers.raise(AsyncEvent::NAMESPACES_CHANGED);
        assert_eq!(registers.deliver(), None, "nobody waits for it");
        registers.event_requests.extend([31, 32]);
        assert_eq!(registers.deliver(), Some((31, AsyncEvent::NAMESPACES_CHANGED)));
        assert_eq!(registers.deliver(), None);
        registers.raise(AsyncEvent::NAMESPACES_CHANGED);
        assert_eq!(registers.deliver(), None, "the page wasn't read");
        registers.unread.clear();
        registers.raise(AsyncEvent::NAMESPACES_CHANGED);
        assert_eq!(registers.deliver(), Some((32, AsyncEvent::NAMESPACES_CHANGED)));
    }

    fn of_host(name: &str, credentials: Option<&Arc<Credentials>>) -> Controller {
        Controller::new(NewController {
            id: 1,
            service: Service::Discovery,
            host: name.parse().unwrap(),
            host_id: HostId([0; 16]),
            address: SocketAddr::from(([127, 0, 0, 1], 4420)),
            socket: None,
            keep_alive_ms: 0,
            credentials: credentials.cloned(),
            came_by_tls: false,
            now_ms: 0,
        })
    }

    #[test]
    fn a_host_that_has_to_prove_its_name_shares_reservations_with_nobody_of_another() {
        let credentials = Arc::new(Credentials {
            host: Secret::new(None, &[1; 32]).unwrap(),
            controller: None,
            hash: Hash::Sha256,
            group: Group::Null,
        });
        let of = |name, credentials| of_host(name, credentials).registrant;
        let own = of("nqn.x:a", Some(&credentials));
        assert_eq!(own, of("nqn.x:a", Some(&credentials)));
        assert_ne!(own, of("nqn.x:b", Some(&credentials)));
        assert_ne!(own, of("nqn.x:a", None));
        // Where nobody proves a name the identifier alone counts, as the specification has it.
        assert_eq!(of("nqn.x:a", None), of("nqn.x:b", None));
    }

    #[test]
    fn after_the_end_no_command_begins_and_those_under_way_are_counted() {
        let controller = of_host("nqn.x:a", None);
        assert!(controller.enter_storage());
        assert!(controller.end() && !controller.end());
        assert!(!controller.enter_storage() && !controller.is_quiet());
        controller.leave_storage();
        assert!(controller.is_quiet());
    }

    #[test]
    fn the_last_errors_are_kept_the_newest_first() {
        let mut registers = Registers::default();
        for command_id in 0..20 {
            registers.record_error(ErrorEntry {
                count: 0,
                queue: 1,
                command_id,
                status: narrows_nvme::Status::LBA_OUT_OF_RANGE,
                location: 0xFFFF,
                block: 0,
                namespace: 1,
            });
        }
        assert_eq!(registers.errors.len(), ERROR_ENTRIES);
        assert_eq!((registers.errors[0].command_id, registers.errors[0].count), (19, 20));
    }
}
