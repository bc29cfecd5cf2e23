//! One thread: a ring, and the connections that it serves from their first byte to their last.
//!
//! Each turn hands over what there is to do, takes what is done, gives it to the connections, and looks what they want
//! next: to send, to receive, to have done. Nothing in a turn blocks. Between turns the thread sleeps in the kernel or
//! looks without end, as was chosen ([`Wait`]).

mod channel;
mod inbox;
mod peer;
mod ring;

use std::collections::VecDeque;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use io_uring::{opcode, types};

pub(crate) use inbox::{Inbox, Message};

use crate::buffer::BufferPool;
use crate::connection::{Connection, Context, StorageOperation, StorageRequest};
use crate::journal;
use crate::key_maker::{KeyDone, KeyMaker, KeyOwner, KeyRequest};
use crate::target::Target;
use peer::{Peer, Receiving};
use ring::{Done, Ring, Work};

/// What a thread does while nothing is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// It sleeps in the kernel, and pays a wake-up for each first command.
    Sleep,
    /// It looks for so long, then sleeps.
    Spin(Duration),
    /// It looks without end, and takes a CPU whole.
    Poll,
}

/// Longest sleep: silent hosts and late Connects are noticed by then.
const TICK: Duration = Duration::from_millis(250);
/// A connection must have said which queue it is by then.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// A host that has to authenticate must have done so by then, and must have ended any later exchange in the same time.
const AUTHENTICATE_WITHIN: Duration = Duration::from_secs(60);
/// What is here is answered by then when the target stops.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// A host must take some of its answers, and send data that it was asked for, by then: they hold memory that others wait for.
const TAKE_WITHIN: Duration = Duration::from_secs(30);
/// The rest of a command's data is received where it belongs from this size on, bytes.
const DIRECT_FROM: usize = 16 << 10;

/// What a thread shares with those who look at it.
#[derive(Debug, Default)]
pub(crate) struct ReactorCounters {
    /// CPU time of the thread, ns; as of its last tick.
    pub(crate) cpu_ns: AtomicU64,
}

/// A thread's own.
pub(crate) struct Reactor {
    ring: Ring,
    target: Arc<Target>,
    inbox: Arc<Inbox>,
    counters: Arc<ReactorCounters>,
    connections: Arc<AtomicUsize>,
    pool: BufferPool,
    wait: Wait,
    peers: Vec<Option<Box<Peer>>>,
    free: Vec<u32>,
    requests: Vec<StorageRequest>,
    /// What connections ask the maker of keys for.
    key_requests: Vec<KeyRequest>,
    keys: Option<KeyMaker>,
    /// Connections so far.
    opened: u64,
    /// Connections with something new.
    touched: Vec<u32>,
    /// Connections that wait for memory, the first first.
    hungry: VecDeque<u32>,
    /// Connections with work that the thread does itself, a share at each turn.
    unfinished: Vec<u32>,
    stop_at_ns: Option<u64>,
}

/// What a thread begins with.
pub(crate) struct ReactorSetup {
    pub(crate) target: Arc<Target>,
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) counters: Arc<ReactorCounters>,
    /// Of all threads.
    pub(crate) connections: Arc<AtomicUsize>,
    pub(crate) memory_bytes: usize,
    pub(crate) wait: Wait,
    /// Where somebody has to authenticate.
    pub(crate) keys: Option<KeyMaker>,
}

impl Reactor {
    /// A thread's own, with a ring that only this thread may use.
    ///
    /// # Errors
    /// Where the kernel gives no ring.
    pub(crate) fn new(setup: ReactorSetup) -> std::io::Result<Reactor> {
        Ok(Reactor {
            ring: Ring::new(TICK)?,
            target: setup.target,
            inbox: setup.inbox,
            counters: setup.counters,
            connections: setup.connections,
            pool: BufferPool::new(setup.memory_bytes),
            wait: setup.wait,
            peers: Vec::new(),
            free: Vec::new(),
            requests: Vec::new(),
            key_requests: Vec::new(),
            keys: setup.keys,
            opened: 0,
            touched: Vec::new(),
            hungry: VecDeque::new(),
            unfinished: Vec::new(),
            stop_at_ns: None,
        })
    }

    /// Serves until it is stopped and everything is answered.
    ///
    /// # Errors
    /// Where the ring fails.
    pub(crate) fn run(mut self) -> std::io::Result<()> {
        self.listen_to_inbox();
        let mut done = Vec::new();
        loop {
            let wait =
                if self.unfinished.is_empty() { self.wait } else { Wait::Spin(Duration::ZERO) };
            self.ring.turn(wait, &mut done)?;
            let now_ns = self.target.now_ns();
            for ended in done.drain(..) {
                self.ended(ended, now_ns);
            }
            for index in std::mem::take(&mut self.unfinished) {
                self.with(index, now_ns, |peer, context| peer.connection.go_on(context));
            }
            self.pump(now_ns);
            if self.is_finished(now_ns) {
                return Ok(());
            }
        }
    }

    fn listen_to_inbox(&mut self) {
        let fd = types::Fd(self.inbox.fd());
        // SAFETY: the inbox and its counter's memory outlive the ring: both belong to this value, the ring goes first.
        let read = opcode::Read::new(fd, self.inbox.counter(), 8).build();
        self.ring.push(read, Work::Inbox);
    }

    fn ended(&mut self, ended: Done, now_ns: u64) {
        match ended.work {
            Work::Inbox => {
                for message in self.inbox.take() {
                    self.message(message, now_ns);
                }
                self.listen_to_inbox();
            }
            Work::Tick => {
                self.ring.renew_tick();
                self.tick(now_ns);
            }
            Work::Receive { peer } => self.received(peer, ended.result, now_ns),
            Work::Send { peer } => self.sent(peer, ended.result, now_ns),
            Work::Storage { peer, slot, part } => {
                self.with(peer, now_ns, |peer, context| {
                    peer.connection.storage_done(slot, part, ended.result, context);
                });
            }
        }
    }

    fn message(&mut self, message: Message, now_ns: u64) {
        match message {
            Message::Connection(socket) => self.open(socket, now_ns),
            Message::Events => {
                for index in 0..self.peers.len() as u32 {
                    if let Some(peer) = self.peers[index as usize].as_mut()
                        && peer.connection.is_admin()
                    {
                        peer.connection.deliver_events();
                        self.touched.push(index);
                    }
                }
            }
            Message::Log { peer, serial, slot, news } => {
                let here = self.peers[peer as usize].as_ref();
                if here.is_some_and(|peer| peer.serial == serial && !peer.closing) {
                    self.with(peer, now_ns, |peer, context| {
                        peer.connection.log_news(slot, news, context);
                    });
                }
            }
            Message::KeyDone { peer, serial, done } => self.key_done(peer, serial, *done, now_ns),
            Message::Stop => {
                self.stop_at_ns = Some(now_ns + STOP_WITHIN.as_nanos() as u64);
                for (index, peer) in self.peers.iter_mut().enumerate() {
                    if let Some(peer) = peer {
                        peer.connection.finish();
                        self.touched.push(index as u32);
                    }
                }
            }
        }
    }

    fn open(&mut self, socket: TcpStream, now_ns: u64) {
        let Ok(address) = socket.local_addr() else {
            self.connections.fetch_sub(1, Ordering::Relaxed);
            return;
        };
        let from = socket.peer_addr().map_or_else(|_| "?".to_string(), |from| from.to_string());
        self.opened += 1;
        let socket = Arc::new(socket);
        let connection = Connection::by_socket(address, Arc::clone(&socket));
        let peer = Box::new(Peer::new(socket, connection, from, now_ns, self.opened));
        let index = self.free.pop().unwrap_or_else(|| {
            self.peers.push(None);
            self.peers.len() as u32 - 1
        });
        self.peers[index as usize] = Some(peer);
        self.touched.push(index);
    }

    /// Lets a connection do something, and hands over what it asks of files.
    fn with(&mut self, index: u32, now_ns: u64, act: impl FnOnce(&mut Peer, &mut Context<'_>)) {
        let Some(peer) = self.peers[index as usize].as_mut() else { return };
        let mut context = Context {
            target: &self.target,
            pool: &mut self.pool,
            requests: &mut self.requests,
            keys: &mut self.key_requests,
            now_ns,
            inbox: &self.inbox,
            peer: index,
            serial: peer.serial,
        };
        act(peer, &mut context);
        let serial = peer.serial;
        for request in self.requests.drain(..) {
            let StorageRequest { slot, part, .. } = request;
            self.ring.push(entry_of(&request), Work::Storage { peer: index, slot, part });
        }
        self.touched.push(index);
        // A connection has one at a time.
        if let Some(request) = self.key_requests.pop() {
            let owner = KeyOwner { inbox: Arc::clone(&self.inbox), peer: index, serial };
            if !self.keys.as_ref().is_some_and(|keys| keys.ask(owner, request)) {
                self.key_done(index, serial, KeyDone::Failed, now_ns);
            }
        }
    }

    fn key_done(&mut self, index: u32, serial: u64, done: KeyDone, now_ns: u64) {
        let here = self.peers[index as usize].as_ref();
        if here.is_some_and(|peer| peer.serial == serial && !peer.closing) {
            self.with(index, now_ns, |peer, context| peer.connection.key_done(done, context));
        }
    }

    fn received(&mut self, index: u32, result: i32, now_ns: u64) {
        self.with(index, now_ns, |peer, context| {
            let receiving = peer.receiving.take();
            // What comes after its end is of nobody.
            if peer.closing || peer.broken {
                return;
            }
            match (usize::try_from(result), receiving) {
                (Ok(bytes @ 1..), Some(Receiving::Direct)) => {
                    peer.connection.received_direct(bytes, context);
                }
                (Ok(bytes @ 1..), Some(Receiving::Input)) => {
                    peer.came(bytes, context);
                }
                _ if interrupted(result) => {}
                // Closed by the host, or by us.
                _ => peer.broken = true,
            }
        });
    }

    fn sent(&mut self, index: u32, result: i32, now_ns: u64) {
        let Some(peer) = self.peers[index as usize].as_mut() else { return };
        peer.sending = false;
        peer.took_ns = now_ns;
        match usize::try_from(result) {
            Ok(bytes) => peer.went(bytes, &mut self.pool),
            Err(_) if interrupted(result) => {}
            Err(_) => peer.broken = true,
        }
        self.touched.push(index);
    }

    /// Looks what the connections with something new want next.
    fn pump(&mut self, now_ns: u64) {
        loop {
            self.feed_the_hungry(now_ns);
            let touched = std::mem::take(&mut self.touched);
            let mut gave = false;
            for index in &touched {
                gave |= self.serve(*index);
            }
            // The vector is kept.
            self.touched = touched;
            self.touched.clear();
            // Memory came back, which no end of an operation will say.
            if !gave || self.hungry.is_empty() {
                return;
            }
        }
    }

    /// Memory goes to those who wait for it, in the order in which they began to: a busy connection gives back and takes
    /// again in one turn, and must not be served before a quiet one that waits.
    fn feed_the_hungry(&mut self, now_ns: u64) {
        for at in 0..self.touched.len() {
            let index = self.touched[at];
            let peer = self.peers[index as usize].as_ref();
            let hungry = peer.is_some_and(|peer| peer.connection.is_hungry());
            if hungry && !self.hungry.contains(&index) {
                self.hungry.push_back(index);
            }
        }
        while let Some(index) = self.hungry.front().copied() {
            self.with(index, now_ns, |peer, context| peer.connection.feed(context));
            let peer = self.peers[index as usize].as_ref();
            if peer.is_some_and(|peer| !peer.closing && peer.connection.is_hungry()) {
                break;
            }
            self.hungry.pop_front();
        }
    }

    /// Has a connection send and receive, or closes it; whether memory may have come back by that.
    fn serve(&mut self, index: u32) -> bool {
        let Some(peer) = self.peers[index as usize].as_mut() else { return false };
        let sent = !peer.sending && !peer.broken && peer.send_now(&mut self.pool);
        let over = peer.connection.is_over() || peer.channel.has_failed();
        if peer.broken || (over && peer.channel.is_empty()) {
            return self.close(index) || sent;
        }
        if peer.connection.is_unfinished() && !self.unfinished.contains(&index) {
            self.unfinished.push(index);
        }
        let fd = types::Fd(peer.socket.as_raw_fd());
        if !peer.sending && peer.fill_message(&mut self.pool) {
            // The socket takes no more now: the kernel goes on when it does.
            peer.sending = true;
            let send =
                opcode::SendMsg::new(fd, peer.message()).flags(libc::MSG_NOSIGNAL as u32).build();
            self.ring.push(send, Work::Send { peer: index });
        }
        if peer.receiving.is_none() && peer.connection.wants_input() {
            let direct = match peer.channel.is_tls() {
                // What comes has to be decrypted first.
                true => None,
                false => peer.connection.direct(DIRECT_FROM),
            };
            let (memory, bytes, receiving) = match direct {
                Some((memory, bytes)) => (memory, bytes, Receiving::Direct),
                None => (peer.input.as_mut_ptr(), peer.input.len(), Receiving::Input),
            };
            peer.receiving = Some(receiving);
            peer.wake_up
                .when(peer.socket.as_fd(), if receiving == Receiving::Direct { bytes } else { 1 });
            let receive = opcode::Recv::new(fd, memory, bytes as u32).build();
            self.ring.push(receive, Work::Receive { peer: index });
        }
        sent
    }

    /// Ends a connection as far as the kernel lets go of its memory; called again when it let go of more. Whether it is gone.
    fn close(&mut self, index: u32) -> bool {
        let Some(peer) = self.peers[index as usize].as_mut() else { return false };
        if !peer.closing {
            peer.closing = true;
            journal::connection_ended(&peer.from, &peer.connection);
            peer.say_goodbye(&mut self.pool);
            peer.channel.end(&self.target);
            if self.stop_at_ns.is_none() {
                peer.connection.leave(&self.target);
            }
            // What waits in the kernel returns.
            let _ = peer.socket.shutdown(std::net::Shutdown::Both);
        }
        if peer.receiving.is_some() || peer.sending || peer.connection.is_in_storage() {
            return false;
        }
        if let Some(mut peer) = self.peers[index as usize].take() {
            peer.connection.drop_buffers(&mut self.pool);
            self.free.push(index);
            self.connections.fetch_sub(1, Ordering::Relaxed);
        }
        true
    }

    /// What doesn't come by itself: silence, lateness, ends of controllers.
    fn tick(&mut self, now_ns: u64) {
        self.counters.cpu_ns.store(ring::thread_cpu_ns(), Ordering::Relaxed);
        let now_ms = now_ns / 1_000_000;
        for index in 0..self.peers.len() as u32 {
            let Some(peer) = self.peers[index as usize].as_mut() else { continue };
            let late = now_ns.saturating_sub(peer.opened_ns) > CONNECT_WITHIN.as_nanos() as u64;
            let stuck = now_ns.saturating_sub(peer.took_ns) > TAKE_WITHIN.as_nanos() as u64;
            if !peer.sending {
                peer.took_ns = now_ns;
            } else if stuck {
                journal::line("host-takes-no-answers", &[("from", &peer.from)]);
                peer.broken = true;
            }
            match peer.connection.controller() {
                None if late => peer.broken = true,
                None => {}
                Some(controller) => {
                    let admin = peer.connection.is_admin();
                    // A host that computes a key of 8192 bits may be silent for longer than it promised; that has a limit of its own.
                    let silent = peer.connection.is_open_to_host() && controller.is_silent(now_ms);
                    if admin && silent && controller.end() {
                        journal::host_is_silent(controller);
                    }
                    let disabled = !admin && !controller.registers().is_enabled();
                    peer.broken |= disabled || controller.has_ended();
                    let begun_ns = now_ns.saturating_sub(AUTHENTICATE_WITHIN.as_nanos() as u64);
                    peer.broken |= peer.connection.end_late_exchange(begun_ns, &self.target);
                    let since_ns = now_ns.saturating_sub(TAKE_WITHIN.as_nanos() as u64);
                    if peer.connection.owes_data_since(since_ns) {
                        journal::line("host-sends-no-data", &[("from", &peer.from)]);
                        peer.broken = true;
                    }
                }
            }
            peer.connection.look_at_cached_reads(now_ns);
            self.with(index, now_ns, |peer, context| peer.connection.connect_again(context));
            let Some(peer) = self.peers[index as usize].as_mut() else { continue };
            // Memory may have come back on another connection.
            if peer.broken || peer.connection.is_hungry() {
                self.touched.push(index);
            }
        }
    }

    fn is_finished(&mut self, now_ns: u64) -> bool {
        let Some(stop_at) = self.stop_at_ns else { return false };
        if now_ns >= stop_at {
            for index in 0..self.peers.len() as u32 {
                if let Some(peer) = self.peers[index as usize].as_mut() {
                    peer.broken = true;
                    self.touched.push(index);
                }
            }
            self.pump(now_ns);
        }
        self.counters.cpu_ns.store(ring::thread_cpu_ns(), Ordering::Relaxed);
        self.peers.iter().all(Option::is_none)
    }
}

impl Drop for Reactor {
    /// The kernel goes on with what it was given when a ring is closed, in memory that would be somebody else's by then: on
    /// a disk, too. A thread that fails with connections left ends the program instead.
    fn drop(&mut self) {
        if self.peers.iter().any(Option::is_some) {
            journal::line("failed", &[("reason", &"a thread ended with connections left")]);
            std::process::abort();
        }
    }
}

fn interrupted(result: i32) -> bool {
    matches!(result.checked_neg(), Some(libc::EINTR | libc::EAGAIN))
}

fn entry_of(request: &StorageRequest) -> io_uring::squeue::Entry {
    let fd = types::Fd(request.fd);
    match request.operation {
        StorageOperation::Read { memory, bytes, offset } => {
            opcode::Read::new(fd, memory, bytes).offset(offset).build()
        }
        StorageOperation::Write { memory, bytes, offset, durable } => {
            let flags = if durable { libc::RWF_DSYNC } else { 0 };
            opcode::Write::new(fd, memory, bytes).offset(offset).rw_flags(flags).build()
        }
        StorageOperation::Sync => opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build(),
        StorageOperation::Allocate { mode, offset, bytes } => {
            opcode::Fallocate::new(fd, bytes).offset(offset).mode(mode).build()
        }
    }
}
