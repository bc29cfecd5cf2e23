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
use narrows_nvme::tls::ConfiguredKey;
use narrows_nvme_tls::TlsError;

use crate::backing::device_cache::Filler;
use crate::backing::logged::{Mover, check_named_once, power_of_copies, state_word};
use crate::backing::{Backing, LoggedDisk, OpenError, Shards, open};
use crate::control::ControlSocket;
use crate::credentials::{Authentication, Credentials};
use crate::key_maker::KeyMaker;
use crate::namespace::{LogMediumSpec, Namespace, NamespaceSpec};
use crate::reactor::{Inbox, Message, Reactor, ReactorSetup, Wait};
use crate::restart::{announce_index, mark_indexes, save_indexes, stop_warmers, warmers_of};
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
    let movers = movers_of(&target).map_err(system("start a thread"))?;
    let fillers = fillers_of(&target).map_err(system("start a thread"))?;
    // Once all is there, and before a host is let in.
    mark_indexes(&target)?;
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
    let logged = target.namespaces().filter_map(|namespace| match &namespace.backing {
        Backing::Logged(disk) => Some(disk),
        _ => None,
    });
    logged.map(Mover::start).collect()
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

fn announce(target: &Target, listeners: &[TcpListener]) {
    for subsystem in target.subsystems.values() {
        if subsystem.hosts == AllowedHosts::Any {
            journal::line("any-host-allowed", &[("subsystem", &subsystem.nqn)]);
        }
        announce_authentication(subsystem);
        announce_tls(subsystem);
        for namespace in subsystem.namespaces.values() {
            let path = match namespace.backing.file() {
                Some(disk) => disk.path().display().to_string(),
                None => namespace.backing.word().to_string(),
            };
            let cached = match namespace.backing.file() {
                Some(disk) if !disk.is_direct() => "page-cache",
                _ => "direct",
            };
            journal::line(
                "serves",
                &[
                    ("subsystem", &subsystem.nqn),
                    ("nsid", &namespace.number),
                    ("path", &path),
                    ("kind", &namespace.backing.word()),
                    ("blocks", &namespace.blocks()),
                    ("block-bytes", &namespace.block_bytes()),
                    ("access", &cached),
                    ("readonly", &namespace.read_only),
                ],
            );
            announce_cache(namespace, &path);
            announce_index(namespace, &path);
            if let Backing::Logged(disk) = &namespace.backing {
                announce_log(disk);
            }
        }
    }
    for listener in listeners {
        if let Ok(address) = listener.local_addr() {
            journal::line("listens", &[("address", &address)]);
        }
    }
}

fn announce_cache(namespace: &Namespace, path: &str) {
    let Some(pages) = namespace.cache_shards().map(Shards::pages) else { return };
    let Some(cache) = &namespace.device_cache else {
        return journal::line("caches", &[("path", &path), ("kind", &"ram"), ("pages", &pages)]);
    };
    let disk = cache.disk();
    journal::line(
        "caches",
        &[
            ("path", &path),
            ("kind", &if disk.is_device() { "block device" } else { "file" }),
            ("cache", &disk.path().display()),
            ("access", &if disk.is_direct() { "direct" } else { "page-cache" }),
            ("pages", &pages),
        ],
    );
}

fn announce_log(disk: &LoggedDisk) {
    if let Some((copies, media)) = disk.copies() {
        let power = power_of_copies(copies, media);
        journal::line(
            "copies",
            &[("path", &disk.backing.path().display()), ("copies", &copies), ("power", &power)],
        );
    }
    for medium in disk.media().values() {
        journal::line(
            "logs",
            &[
                ("path", &disk.backing.path().display()),
                ("log", &medium.name()),
                ("medium", &medium.word()),
                ("power", &medium.power().as_deref().unwrap_or("-")),
                ("capacity-bytes", &disk.geometry().capacity),
                ("state", &state_word(disk.status().state)),
            ],
        );
    }
}

fn announce_authentication(subsystem: &Subsystem) {
    let told = |host: &str, credentials: &Credentials| {
        let both = if credentials.controller.is_some() { "yes" } else { "no" };
        journal::line(
            "authenticates",
            &[
                ("subsystem", &subsystem.nqn),
                ("host", &host),
                ("hash", &credentials.hash),
                ("group", &credentials.group),
                ("mutual", &both),
            ],
        );
    };
    if let Some(credentials) = &subsystem.authentication.all {
        told("every-other", credentials);
    }
    for (host, credentials) in &subsystem.authentication.hosts {
        told(host.as_str(), credentials);
    }
    let Authentication { all, hosts } = &subsystem.authentication;
    for host in without_key(&subsystem.hosts, all.is_some(), hosts) {
        journal::line("connects-without-secret", &[("subsystem", &subsystem.nqn), ("host", &host)]);
    }
}

/// Hosts that need TLS, and the key's cipher suite; then those that connect without.
fn announce_tls(subsystem: &Subsystem) {
    let tls = &subsystem.tls;
    let told = |host: &str, key: &ConfiguredKey| {
        let suite = journal::suite_of(key.hash());
        // What is encrypted is copied first.
        let fields: [(&str, &dyn std::fmt::Display); 4] = [
            ("subsystem", &subsystem.nqn),
            ("host", &host),
            ("suite", &suite),
            ("zero-copy", &"off"),
        ];
        journal::line("requires-tls", &fields);
    };
    if let Some(key) = &tls.all {
        told("every-other", key);
    }
    for (host, key) in &tls.hosts {
        told(host.as_str(), key);
    }
    for host in without_key(&subsystem.hosts, tls.all.is_some(), &tls.hosts) {
        journal::line("connects-without-tls", &[("subsystem", &subsystem.nqn), ("host", &host)]);
    }
}

/// Hosts that may connect without a secret or key where others have to have one: whoever has none can claim to be one of them.
fn without_key<'a, T>(
    hosts: &'a AllowedHosts,
    for_all: bool,
    own: &BTreeMap<Nqn, T>,
) -> Vec<&'a str> {
    match hosts {
        _ if for_all || own.is_empty() => Vec::new(),
        AllowedHosts::Any => vec!["every-other"],
        AllowedHosts::These(hosts) => {
            hosts.iter().filter(|host| !own.contains_key(host)).map(Nqn::as_str).collect()
        }
    }
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

#[cfg(test)]
mod tests {
    use narrows_nvme::authentication::{Group, Hash, Secret};

    use super::*;

    #[test]
    fn hosts_without_a_secret_beside_others_with_one_are_told() {
        let (first, second): (Nqn, Nqn) = ("nqn.x:a".parse().unwrap(), "nqn.x:b".parse().unwrap());
        let credentials = Arc::new(Credentials {
            host: Secret::new(None, &[1; 32]).unwrap(),
            controller: None,
            hash: Hash::Sha256,
            group: Group::Null,
        });
        let own = BTreeMap::from([(first.clone(), Arc::clone(&credentials))]);
        let some = Authentication { all: None, hosts: own.clone() };
        let all = Authentication { all: Some(credentials), hosts: own };
        let both = AllowedHosts::These([first, second].into());
        let without_secret = |hosts, authentication: &Authentication| -> Vec<String> {
            let Authentication { all, hosts: own } = authentication;
            without_key(hosts, all.is_some(), own).into_iter().map(str::to_string).collect()
        };
        assert_eq!(without_secret(&both, &some), ["nqn.x:b"]);
        assert_eq!(without_secret(&AllowedHosts::Any, &some), ["every-other"]);
        assert!(without_secret(&both, &all).is_empty());
        assert!(without_secret(&both, &Authentication::default()).is_empty());
    }
}
