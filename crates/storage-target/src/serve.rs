//! From a request to threads that serve, and back to nothing.

use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsRawFd, RawFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use std::{io, thread};

use narrows_nvme::Nqn;
use narrows_nvme::log::TargetWait;
use narrows_nvme_tls::TlsError;

use crate::announce::announce;
use crate::backing::device_cache::Filler;
use crate::backing::logged::{Mover, check_named_once};
use crate::backing::{Backing, LoggedDisk, OpenError, open};
use crate::control::ControlSocket;
use crate::credentials::Authentication;
use crate::key_maker::KeyMaker;
use crate::namespace::{LogMediumSpec, Namespace, NamespaceSpec};
use crate::reactor::{Inbox, Message, Reactor, ReactorSetup, Wait};
use crate::restart::{mark_caches, save_indexes, stop_warmers, warmers_of};
use crate::signals::{Signal, Signals};
use crate::subsystem::{AllowedHosts, Subsystem};
use crate::target::{Limits, Target, Threads};
use crate::tls_keys::TlsKeys;
use crate::warmer::Warmer;
use crate::{journal, metrics};

/// How long nobody is accepted after that failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// How often figures are written.
const METRICS_EVERY: Duration = Duration::from_secs(10);

/// A subsystem that is to be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubsystemSpec {
    /// Its name.
    pub nqn: Nqn,
    /// Who may connect.
    pub hosts: AllowedHosts,
    /// Who of them has to authenticate.
    pub authentication: Authentication,
    /// Who of them has to come by TLS.
    pub tls: TlsKeys,
    /// What it has.
    pub namespaces: Vec<NamespaceSpec>,
}

/// What is to be served, where and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// Subsystems, each with a name of its own.
    pub subsystems: Vec<SubsystemSpec>,
    /// Addresses to listen at.
    pub listen: Vec<SocketAddr>,
    /// Threads.
    pub threads: usize,
    /// What they do while nothing is to be done.
    pub wait: Wait,
    /// Memory for data in flight, of all threads, bytes.
    pub memory_bytes: usize,
    /// Limits for hosts.
    pub limits: Limits,
    /// Where figures go, as OpenMetrics.
    pub metrics: Option<PathBuf>,
    /// Socket for questions about what is in front of namespaces.
    pub control: Option<PathBuf>,
    /// Logs are written as if their files were persistent memory, which they are not: for measurements of that way. No option sets it.
    pub logs_as_persistent_memory: bool,
}

impl Request {
    /// Whether a log is on peers.
    fn has_peers(&self) -> bool {
        let namespaces = self.subsystems.iter().flat_map(|subsystem| &subsystem.namespaces);
        let mut places = namespaces.flat_map(|namespace| &namespace.log);
        places.any(|place| matches!(place, LogMediumSpec::Peer(_)))
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Something can't be opened, or must not be.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Two have the same name or number.
    #[error("{0}")]
    Twice(String),
    /// An address can't be had.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// Which.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The socket for questions can't be had.
    #[error("cannot listen at {path}: {source}")]
    Control {
        /// Where.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// Metrics are not to be written there.
    #[error("metrics are not written to {path}: {reason}")]
    Metrics {
        /// Where.
        path: String,
        /// Why.
        reason: String,
    },
    /// The kernel gives no ring.
    #[error("io_uring is not to be had: {0}")]
    Ring(String),
    /// The library of TLS doesn't begin.
    #[error("TLS is not to be had: {0}")]
    Tls(TlsError),
    /// Something else of the system.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// What came of it.
        source: io::Error,
    },
}

impl ServeError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ServeError::Open(error) => error.hint(),
            ServeError::Control { .. } => {
                Some("name a file that isn't there yet, in a folder that this user may write to")
            }
            ServeError::Metrics { .. } => Some(
                "name a file that isn't there yet, in a folder that is, or one that a target wrote metrics to",
            ),
            ServeError::Twice(_) | ServeError::Tls(_) | ServeError::System { .. } => None,
            ServeError::Listen { source, .. } => match source.kind() {
                io::ErrorKind::AddrInUse => {
                    Some("another program listens there; `ss -ltnp` shows it")
                }
                io::ErrorKind::AddrNotAvailable => {
                    Some("`ip address` shows this machine's addresses")
                }
                _ => None,
            },
            ServeError::Ring(_) => Some(
                "`sysctl kernel.io_uring_disabled` is 0 where it is allowed; containers allow it by their seccomp profile",
            ),
        }
    }
}

/// A thread that serves.
struct Worker {
    inbox: Arc<Inbox>,
    handle: JoinHandle<io::Result<()>>,
}

/// Serves until a signal ends it: SIGTERM or SIGINT, after what is here was answered. SIGHUP looks at sizes again.
///
/// # Errors
/// Why nothing could be served, or what failed while it was.
pub fn serve(request: &Request) -> Result<(), ServeError> {
    narrows_io::uring_available().map_err(ServeError::Ring)?;
    let system = |action| move |source| ServeError::System { action, source };
    let take_signals = || Signals::take().map_err(system("take signals"));
    // Before threads begin, so that none of them is interrupted. Connections to peers have some.
    let early = request.has_peers().then(take_signals).transpose()?;
    if let Some(path) = &request.metrics {
        let refused = |reason| ServeError::Metrics { path: path.display().to_string(), reason };
        metrics::check_place(path).map_err(refused)?;
    }
    let subsystems = subsystems_of(&request.subsystems)?;
    let listeners = listeners_at(&request.listen)?;
    let signals = early.map_or_else(take_signals, Ok)?;
    let control = request.control.as_deref().map(|path| {
        let fail = |source| ServeError::Control { path: path.display().to_string(), source };
        ControlSocket::listen(path).map_err(fail)
    });
    let control = control.transpose()?;
    let counters = (0..request.threads.max(1)).map(|_| Arc::default()).collect();
    let threads = Threads { wait: told_wait(request.wait), counters };
    let target = Arc::new(Target::new(subsystems, request.limits, threads));
    let connections = Arc::new(AtomicUsize::new(0));
    if target.has_tls() {
        // Not in the middle of what others wait for.
        narrows_nvme_tls::prepare().map_err(ServeError::Tls)?;
    }
    let workers = workers_for(request, &target, &connections)?;
    if request.logs_as_persistent_memory {
        logged(&target)
            .try_for_each(|disk| disk.pretend_persistent())
            .map_err(system("map a log"))?;
    }
    let movers = movers_of(&target).map_err(system("start a thread"))?;
    let fillers = fillers_of(&target).map_err(system("start a thread"))?;
    // Once all is there, and before a host is let in.
    mark_caches(&target)?;
    announce(&target, &listeners);
    let warmers = warmers_of(&target).map_err(system("start a thread"))?;
    let service = Service {
        request,
        target,
        connections,
        workers,
        movers,
        fillers,
        warmers,
        control,
        listeners,
        signals,
    };
    service.run()
}

/// A thread for each log.
fn movers_of(target: &Target) -> io::Result<Vec<Mover>> {
    logged(target).map(Mover::start).collect()
}

fn logged(target: &Target) -> impl Iterator<Item = &Arc<LoggedDisk>> {
    target.namespaces().filter_map(|namespace| match &namespace.backing {
        Backing::Logged(disk) => Some(disk),
        _ => None,
    })
}

/// A thread for each cache on a file or device.
fn fillers_of(target: &Target) -> io::Result<Vec<Filler>> {
    let caches = target.namespaces().filter_map(|namespace| namespace.device_cache.as_ref());
    caches.map(Filler::start).collect()
}

/// How threads wait, as hosts are told.
fn told_wait(wait: Wait) -> TargetWait {
    match wait {
        Wait::Sleep => TargetWait::Sleep,
        Wait::Spin(time) => TargetWait::Spin(u32::try_from(time.as_nanos()).unwrap_or(u32::MAX)),
        Wait::Poll => TargetWait::Poll,
    }
}

fn subsystems_of(specs: &[SubsystemSpec]) -> Result<BTreeMap<Nqn, Arc<Subsystem>>, ServeError> {
    check_named_once(
        specs.iter().flat_map(|spec| &spec.namespaces).flat_map(NamespaceSpec::paths),
    )?;
    let mut subsystems = BTreeMap::new();
    for spec in specs {
        if subsystems.contains_key(&spec.nqn) {
            return Err(ServeError::Twice(format!("two subsystems are called {}", spec.nqn)));
        }
        let mut namespaces = BTreeMap::new();
        for wanted in &spec.namespaces {
            let free = (1..).find(|number| !namespaces.contains_key(number)).unwrap_or(1);
            let number = wanted.number.unwrap_or(free);
            let namespace = Namespace::new(number, &spec.nqn, wanted, open(wanted)?);
            if namespaces.insert(number, Arc::new(namespace)).is_some() {
                let text = format!("two namespaces of {} have the number {number}", spec.nqn);
                return Err(ServeError::Twice(text));
            }
        }
        let subsystem = Subsystem::new(
            spec.nqn.clone(),
            spec.hosts.clone(),
            spec.authentication.clone(),
            namespaces,
        );
        let subsystem = subsystem.with_tls(spec.tls.clone());
        subsystems.insert(spec.nqn.clone(), Arc::new(subsystem));
    }
    Ok(subsystems)
}

fn listeners_at(addresses: &[SocketAddr]) -> Result<Vec<TcpListener>, ServeError> {
    let listener_at = |address: &SocketAddr| {
        let fail = |source| ServeError::Listen { address: *address, source };
        let listener = TcpListener::bind(address).map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        Ok(listener)
    };
    addresses.iter().map(listener_at).collect()
}

fn workers_for(
    request: &Request,
    target: &Arc<Target>,
    connections: &Arc<AtomicUsize>,
) -> Result<Vec<Worker>, ServeError> {
    let threads = request.threads.max(1);
    // Ends with the threads that leave work there.
    let authenticates = target.subsystems.values().any(|its| !its.authentication.is_none());
    let keys = authenticates.then(|| KeyMaker::start(request.limits.connections)).transpose();
    let keys = keys.map_err(|source| ServeError::System { action: "start a thread", source })?;
    let mut workers = Vec::new();
    for (index, counters) in target.threads.counters.iter().enumerate() {
        let fail = |action| move |source| ServeError::System { action, source };
        let inbox = Arc::new(Inbox::new().map_err(fail("make an eventfd"))?);
        let setup = ReactorSetup {
            target: Arc::clone(target),
            inbox: Arc::clone(&inbox),
            counters: Arc::clone(counters),
            connections: Arc::clone(connections),
            memory_bytes: request.memory_bytes / threads,
            wait: request.wait,
            keys: keys.clone(),
        };
        let (begun, beginning) = mpsc::channel();
        // The ring belongs to the thread that made it.
        let work = move || match Reactor::new(setup) {
            Ok(reactor) => {
                let _ = begun.send(Ok(()));
                reactor.run()
            }
            Err(error) => {
                let _ = begun.send(Err(error));
                Ok(())
            }
        };
        let builder = thread::Builder::new().name(format!("target-{index}"));
        let handle = builder.spawn(work).map_err(fail("start a thread"))?;
        match beginning.recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(ServeError::Ring(error.to_string())),
            Err(_) => return Err(ServeError::Ring("its thread ended".to_string())),
        }
        workers.push(Worker { inbox, handle });
    }
    Ok(workers)
}

/// What the first thread looks after while the others serve.
struct Service<'a> {
    request: &'a Request,
    target: Arc<Target>,
    connections: Arc<AtomicUsize>,
    workers: Vec<Worker>,
    movers: Vec<Mover>,
    fillers: Vec<Filler>,
    warmers: Vec<Warmer>,
    control: Option<ControlSocket>,
    listeners: Vec<TcpListener>,
    signals: Signals,
}

impl Service<'_> {
    fn run(self) -> Result<(), ServeError> {
        let mut next = 0;
        let mut written: Option<Instant> = None;
        loop {
            if self.request.metrics.is_some()
                && written.is_none_or(|at| at.elapsed() >= METRICS_EVERY)
            {
                self.write_metrics();
                written = Some(Instant::now());
            }
            if self.workers.iter().any(|worker| worker.handle.is_finished())
                || self.movers.iter().any(Mover::has_ended)
            {
                break;
            }
            self.wait_for_something();
            match self.signals.next() {
                Some(Signal::Stop) => break,
                Some(Signal::LookAgain) => self.look_again(),
                None => {}
            }
            for listener in &self.listeners {
                self.accept(listener, &mut next);
            }
            if let Some(control) = &self.control {
                control.accept(&self.target);
            }
        }
        self.stop()
    }

    fn wait_for_something(&self) {
        let signals = std::iter::once(self.signals.fd());
        let control = self.control.iter().map(ControlSocket::fd);
        let fds = signals.chain(control).chain(self.listeners.iter().map(AsRawFd::as_raw_fd));
        let readable = |fd: RawFd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        let mut fds: Vec<libc::pollfd> = fds.map(readable).collect();
        // SAFETY: the pointer and the length are those of the vector.
        unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, 1000) };
    }

    fn accept(&self, listener: &TcpListener, next: &mut usize) {
        loop {
            let (socket, from) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    // No descriptors left, mostly: who waits, waits a little longer.
                    journal::line("not-accepted", &[("reason", &error)]);
                    thread::sleep(ACCEPT_PAUSE);
                    return;
                }
            };
            if self.connections.load(Ordering::Relaxed) >= self.request.limits.connections {
                journal::line("refused", &[("from", &from), ("reason", &"too many connections")]);
                continue;
            }
            // Small answers are not held back for more.
            // A host that is gone without a word is noticed by the kernel, where no keep-alive timeout says when.
            let ready = socket
                .set_nodelay(true)
                .and_then(|()| socket.set_nonblocking(false))
                .and_then(|()| Ok(rustix::net::sockopt::set_socket_keepalive(&socket, true)?));
            if ready.is_err() {
                continue;
            }
            self.connections.fetch_add(1, Ordering::Relaxed);
            self.workers[*next % self.workers.len()].inbox.send(Message::Connection(socket));
            *next += 1;
        }
    }

    fn look_again(&self) {
        if self.target.look_again() {
            journal::line("sizes-changed", &[]);
            for worker in &self.workers {
                worker.inbox.send(Message::Events);
            }
        }
    }

    fn write_metrics(&self) {
        let Some(path) = &self.request.metrics else { return };
        let text = metrics::text(&self.target, self.connections.load(Ordering::Relaxed));
        if let Err(error) = narrows_files::write_whole(path, text.as_bytes(), 0o644) {
            journal::line("metrics-not-written", &[("path", &path.display()), ("reason", &error)]);
        }
    }

    fn stop(self) -> Result<(), ServeError> {
        for worker in &self.workers {
            worker.inbox.send(Message::Stop);
        }
        self.write_metrics();
        let Service { target, workers, movers, fillers, warmers, .. } = self;
        let left = stop_warmers(warmers);
        let mut failed = None;
        for worker in workers {
            match worker.handle.join() {
                Ok(Ok(())) => {}
                Ok(Err(source)) => failed = Some(source),
                Err(_) => failed = Some(io::Error::other("a thread panicked")),
            }
        }
        for namespace in target.namespaces() {
            let Backing::File(disk) = &namespace.backing else { continue };
            if let Err(source) = disk.sync() {
                failed = Some(source);
            }
        }
        fillers.into_iter().for_each(Filler::stop);
        for mover in movers {
            if let Err(source) = mover.stop() {
                failed = Some(source);
            }
        }
        if failed.is_none() {
            save_indexes(&target, &left);
        }
        let cpu_ns = target.threads.cpu_ns();
        let commands = metrics::commands(&target);
        let per_command = match commands {
            0 => "-".to_string(),
            commands => format!("{:.2}", cpu_ns as f64 / 1e3 / commands as f64),
        };
        journal::line(
            "stopped",
            &[
                ("commands", &commands),
                ("cpu-seconds", &format!("{:.3}", cpu_ns as f64 / 1e9)),
                ("cpu-us-per-command", &per_command),
            ],
        );
        failed.map_or(Ok(()), |source| Err(ServeError::System { action: "go on serving", source }))
    }
}
