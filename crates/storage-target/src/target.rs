//! The target: subsystems, controllers, and what its threads share.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use narrows_nvme::log::TargetWait;
use narrows_nvme::{AsyncEvent, HostId, Nqn};

use crate::controller::{Controller, NewController, Service};
use crate::credentials::Credentials;
use crate::key_maker::fill_random;
use crate::namespace::Namespace;
use crate::reactor::ReactorCounters;
use crate::subsystem::Subsystem;

/// CNTLIDs above are reserved.
const LAST_CONTROLLER: u16 = 0xFFEF;

/// A host that asks what there is, and says nothing of how often it will be heard, is let go after so long, ms.
const DISCOVERY_KEEP_ALIVE_MS: u32 = 120_000;

/// Limits that a host is told, or feels.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Entries of a queue.
    pub queue_entries: u32,
    /// I/O queues of a controller.
    pub io_queues: u16,
    /// Data in a command capsule of an I/O queue, bytes; a multiple of 16.
    pub in_capsule_bytes: u32,
    /// Controllers at once, and as many for discovery.
    pub controllers: usize,
    /// Connections at once.
    pub connections: usize,
    /// Connections at once that have to authenticate and haven't yet.
    pub authenticating: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            queue_entries: 128,
            io_queues: 64,
            in_capsule_bytes: 16 << 10,
            controllers: 64,
            connections: 1024,
            authenticating: 32,
        }
    }
}

/// What all threads share.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) subsystems: BTreeMap<Nqn, Arc<Subsystem>>,
    pub(crate) limits: Limits,
    pub(crate) header_digest: bool,
    pub(crate) data_digest: bool,
    /// Changes of what discovery tells.
    pub(crate) generation: AtomicU64,
    /// How its threads wait, and what each counts.
    pub(crate) threads: Threads,
    /// Hosts that proved who they are, and attempts that failed.
    pub(crate) authenticated: AtomicU64,
    pub(crate) authentication_failures: AtomicU64,
    authenticating: Arc<AtomicUsize>,
    /// Connections with TLS.
    pub(crate) tls: TlsCounters,
    /// SEQNUM of the last challenge.
    sequence: AtomicU32,
    controllers: Mutex<Controllers>,
    started: Instant,
}

/// What is counted of TLS.
#[derive(Debug, Default)]
pub(crate) struct TlsCounters {
    /// Connections now.
    pub(crate) now: AtomicU64,
    /// Handshakes that ended well.
    pub(crate) handshakes: AtomicU64,
    /// Those that didn't.
    pub(crate) failures: AtomicU64,
}

/// The threads that serve.
#[derive(Debug)]
pub(crate) struct Threads {
    pub(crate) wait: TargetWait,
    pub(crate) counters: Vec<Arc<ReactorCounters>>,
}

impl Threads {
    /// CPU time of all of them, ns, as of the last tick of each.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.counters.iter().map(|counters| counters.cpu_ns.load(Ordering::Relaxed)).sum()
    }
}

#[derive(Debug, Default)]
struct Controllers {
    alive: BTreeMap<u16, Arc<Controller>>,
    /// Controllers that ended with operations under way.
    ending: Vec<Arc<Controller>>,
    last: u16,
}

impl Controllers {
    /// Ends the controllers of a host whose admin connection it has closed, whether or not the threads that serve them know already. What
    /// of their data was received and not begun is begun by nobody then, and what was begun is waited for.
    fn end_hung_up(&mut self, host: &Nqn) {
        let hung_up = |controller: &Controller| controller.host == *host && controller.is_hung_up();
        let gone: Vec<_> = self.alive.extract_if(.., |_, its| hung_up(its)).collect();
        for (_, controller) in gone {
            controller.end();
            self.ending.push(controller);
        }
    }
}

/// What a host gets that wants a controller.
#[derive(Debug)]
pub(crate) enum Beginning {
    /// One.
    Begun(Arc<Controller>),
    /// One as soon as what it had under way before has ended.
    NotYet,
    /// None: there are too many.
    TooMany,
}

/// A place among the connections that haven't authenticated yet, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit(Arc<AtomicUsize>);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Where the numbers of challenges begin; a challenge itself is random, so that they needn't be.
fn first_sequence() -> u32 {
    let mut bytes = [0; 4];
    fill_random(&mut bytes).map_or(1, |()| u32::from_ne_bytes(bytes))
}

/// Who wants a controller.
#[derive(Debug)]
pub(crate) struct Caller {
    pub(crate) host: Nqn,
    pub(crate) host_id: HostId,
    pub(crate) address: SocketAddr,
    /// By which it came; absent where there are no sockets.
    pub(crate) socket: Option<Arc<TcpStream>>,
    pub(crate) keep_alive_ms: u32,
    /// What the host has to prove.
    pub(crate) credentials: Option<Arc<Credentials>>,
    /// It has proved its name by the key of TLS.
    pub(crate) came_by_tls: bool,
}

impl Target {
    pub(crate) fn new(
        subsystems: BTreeMap<Nqn, Arc<Subsystem>>,
        limits: Limits,
        threads: Threads,
    ) -> Target {
        Target {
            subsystems,
            limits,
            header_digest: true,
            data_digest: true,
            generation: AtomicU64::new(1),
            threads,
            authenticated: AtomicU64::new(0),
            authentication_failures: AtomicU64::new(0),
            authenticating: Arc::default(),
            tls: TlsCounters::default(),
            sequence: AtomicU32::new(first_sequence()),
            controllers: Mutex::default(),
            started: Instant::now(),
        }
    }

    /// A place among the connections that haven't authenticated yet, if there is one.
    pub(crate) fn permit(&self) -> Option<Permit> {
        let most = self.limits.authenticating;
        let one_more = |count: usize| (count < most).then_some(count + 1);
        let counted = &self.authenticating;
        counted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_more).ok()?;
        Some(Permit(Arc::clone(counted)))
    }

    /// Whether some host comes by TLS.
    pub(crate) fn has_tls(&self) -> bool {
        self.subsystems.values().any(|subsystem| !subsystem.tls.is_none())
    }

    /// SEQNUM of a challenge; never 0, which says that there is none.
    pub(crate) fn next_sequence(&self) -> u32 {
        loop {
            let sequence = self.sequence.fetch_add(1, Ordering::Relaxed);
            if sequence != 0 {
                return sequence;
            }
        }
    }

    /// All namespaces of all subsystems.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &Arc<Namespace>> {
        self.subsystems.values().flat_map(|subsystem| subsystem.namespaces.values())
    }

    /// Time since the start, ms.
    pub(crate) fn now_ms(&self) -> u64 {
        self.started.elapsed().as_millis() as u64
    }

    /// Time since the start, ns.
    #[inline]
    pub(crate) fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn controllers(&self) -> MutexGuard<'_, Controllers> {
        self.controllers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A controller of its own for a host.
    pub(crate) fn begin(&self, service: Service, caller: Caller) -> Beginning {
        let mut controllers = self.controllers();
        controllers.end_hung_up(&caller.host);
        controllers.ending.retain(|controller| !controller.is_quiet());
        // By its name, which is what it proves: there are hosts that make another identifier up for each connection.
        let before = controllers.ending.iter().any(|controller| controller.host == caller.host);
        if before {
            return Beginning::NotYet;
        }
        // Discovery is open to everybody, and must not take the place of those who may have namespaces.
        let discovery = matches!(service, Service::Discovery);
        let alike = controllers
            .alive
            .values()
            .filter(|controller| matches!(controller.service, Service::Discovery) == discovery);
        if alike.count() >= self.limits.controllers {
            return Beginning::TooMany;
        }
        let keep_alive_ms = match caller.keep_alive_ms {
            0 if discovery => DISCOVERY_KEEP_ALIVE_MS,
            said => said,
        };
        // A number that was just in use comes back last, so that what is late for it finds nobody.
        let mut id = controllers.last;
        loop {
            id = if id >= LAST_CONTROLLER { 1 } else { id + 1 };
            if !controllers.alive.contains_key(&id) {
                break;
            }
        }
        controllers.last = id;
        let controller = Arc::new(Controller::new(NewController {
            id,
            service,
            host: caller.host,
            host_id: caller.host_id,
            address: caller.address,
            socket: caller.socket,
            keep_alive_ms,
            credentials: caller.credentials,
            came_by_tls: caller.came_by_tls,
            now_ms: self.now_ms(),
        }));
        controllers.alive.insert(id, Arc::clone(&controller));
        Beginning::Begun(controller)
    }

    /// The controller with this number.
    pub(crate) fn controller(&self, id: u16) -> Option<Arc<Controller>> {
        self.controllers().alive.get(&id).cloned()
    }

    /// Forgets a controller.
    pub(crate) fn forget(&self, controller: &Arc<Controller>) {
        controller.end();
        let mut controllers = self.controllers();
        // Its number may be another's by now.
        if controllers.alive.get(&controller.id).is_some_and(|its| Arc::ptr_eq(its, controller)) {
            controllers.alive.remove(&controller.id);
        }
        if !controller.is_quiet() {
            controllers.ending.push(Arc::clone(controller));
        }
    }

    /// All that are alive.
    pub(crate) fn alive(&self) -> Vec<Arc<Controller>> {
        self.controllers().alive.values().cloned().collect()
    }

    /// Looks at the sizes of files and devices again, and remembers for every controller what it is to be told. Whether
    /// something changed.
    pub(crate) fn look_again(&self) -> bool {
        let mut any = false;
        for subsystem in self.subsystems.values() {
            let changed = subsystem.namespaces.values().filter(|namespace| namespace.look_again());
            let changed: Vec<u32> = changed.map(|namespace| namespace.number).collect();
            if changed.is_empty() {
                continue;
            }
            any = true;
            for controller in self.alive() {
                let Service::Io(its) = &controller.service else { continue };
                if its.nqn == subsystem.nqn {
                    let mut registers = controller.registers();
                    registers.changed.extend(&changed);
                    registers.raise(AsyncEvent::NAMESPACES_CHANGED);
                }
            }
        }
        if any {
            self.generation.fetch_add(1, Ordering::Relaxed);
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn target() -> Target {
        let threads = Threads { wait: TargetWait::Sleep, counters: Vec::new() };
        Target::new(BTreeMap::new(), Limits::default(), threads)
    }

    fn pair() -> (TcpStream, Arc<TcpStream>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (host, Arc::new(listener.accept().unwrap().0))
    }

    fn caller(name: &str, socket: &Arc<TcpStream>) -> Caller {
        Caller {
            host: format!("nqn.2026-11.org.example:{name}").parse().unwrap(),
            host_id: HostId([1; 16]),
            address: socket.local_addr().unwrap(),
            socket: Some(Arc::clone(socket)),
            keep_alive_ms: 0,
            credentials: None,
            came_by_tls: false,
        }
    }

    fn begun(target: &Target, caller: Caller) -> Arc<Controller> {
        match target.begin(Service::Discovery, caller) {
            Beginning::Begun(controller) => controller,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_host_that_hung_up_begins_anew_when_nothing_of_it_is_in_the_storage() {
        let target = target();
        let (host, socket) = pair();
        let old = begun(&target, caller("one", &socket));
        let (_other_host, other_socket) = pair();
        let other = begun(&target, caller("other", &other_socket));
        assert!(old.enter_storage());
        drop(host);
        // The thread of the old connection has not looked yet. What it begins from now on it may not.
        let (_host, socket) = pair();
        assert!(matches!(
            target.begin(Service::Discovery, caller("one", &socket)),
            Beginning::NotYet
        ));
        assert!(!old.enter_storage());
        old.leave_storage();
        let new = begun(&target, caller("one", &socket));
        // It looks now, and takes nobody's place.
        target.forget(&old);
        assert!(target.controller(new.id).is_some_and(|its| Arc::ptr_eq(&its, &new)));
        assert!(new.enter_storage() && other.enter_storage());
    }

    #[test]
    fn a_host_may_have_several_controllers_while_it_has_not_hung_up() {
        let target = target();
        let ((_one, first), (_two, second)) = (pair(), pair());
        let (first, second) =
            (begun(&target, caller("one", &first)), begun(&target, caller("one", &second)));
        assert!(first.enter_storage() && second.enter_storage());
    }
}
