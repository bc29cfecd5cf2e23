//! A server that does nothing: it answers the load's sessions on a Unix socket at once, with a thread for each of its
//! processors. It has no table and no statement; what is asked doesn't change what is said.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use narrows_facts::{affinity, process};

use super::conversation::{Conversation, LONGEST_MESSAGE};
use crate::address::{Address, Endpoint};
use narrows_layer_database::poller::Poller;

/// What an event is about, beside the number of a connection.
const LISTENER: usize = usize::MAX;
const DOOR: usize = usize::MAX - 1;
/// How often a thread without events looks whether the server was stopped.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A server that does nothing; stopped, and its socket removed, when dropped.
pub struct NullServer {
    address: Address,
    socket: PathBuf,
    doors: Arc<[Door]>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

/// How one thread is given connections, and what it says of itself.
struct Door {
    waiting: Mutex<Vec<UnixStream>>,
    bell: UnixStream,
    cpu_ns: AtomicU64,
}

impl NullServer {
    /// Starts one that listens in `folder` under that port's name, as a PostgreSQL does, with one thread on each of `cpus`,
    /// but not more than sessions.
    ///
    /// # Errors
    /// The socket can't be made, or a thread can't be set up.
    pub fn start(folder: &Path, port: u16, cpus: &[u32], sessions: u32) -> io::Result<NullServer> {
        Self::start_slow(folder, port, cpus, sessions, Duration::ZERO)
    }

    /// The same, and each answer is held back for `takes` while its threads sleep: a server whose sessions each take that long
    /// and don't hinder each other.
    ///
    /// # Errors
    /// As of [`NullServer::start`].
    pub fn start_slow(
        folder: &Path,
        port: u16,
        cpus: &[u32],
        sessions: u32,
        takes: Duration,
    ) -> io::Result<NullServer> {
        let socket = folder.join(format!(".s.PGSQL.{port}"));
        let listener = UnixListener::bind(&socket)?;
        let mut server = NullServer {
            address: Address {
                endpoint: Endpoint::Unix { folder: folder.into(), port },
                user: "narrows".into(),
                password: None,
                database: "narrows".into(),
                session: Default::default(),
            },
            socket,
            doors: Arc::new([]),
            stop: Arc::default(),
            threads: Vec::new(),
        };
        listener.set_nonblocking(true)?;
        let threads = cpus.len().min(sessions as usize).max(1);
        let (mut doors, mut bells) = (Vec::new(), Vec::new());
        for _ in 0..threads {
            let (bell, step) = UnixStream::pair()?;
            step.set_nonblocking(true)?;
            doors.push(Door { waiting: Mutex::default(), bell, cpu_ns: AtomicU64::new(0) });
            bells.push(step);
        }
        server.doors = doors.into();
        let mut listener = Some(listener);
        for (index, step) in bells.into_iter().enumerate() {
            let listener = listener.take();
            server.thread(index, cpus.get(index).copied(), listener, step, takes)?;
        }
        Ok(server)
    }

    /// Starts a thread and waits until it is set up.
    fn thread(
        &mut self,
        index: usize,
        cpu: Option<u32>,
        listener: Option<UnixListener>,
        step: UnixStream,
        takes: Duration,
    ) -> io::Result<()> {
        let (doors, stop) = (self.doors.clone(), self.stop.clone());
        let (tell, told) = mpsc::channel();
        self.threads.push(std::thread::spawn(move || {
            let made = Worker::new(index, cpu, listener, step, doors);
            match made {
                Ok(mut worker) => {
                    worker.takes_ns = takes.as_nanos() as u64;
                    let _ = tell.send(Ok(()));
                    worker.serve(&stop);
                }
                Err(error) => drop(tell.send(Err(error))),
            }
        }));
        told.recv().unwrap_or_else(|_| Err(io::Error::other("a thread ended at once")))
    }

    /// Where it is.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Processor time that its threads have used, ns, up to 50 ms ago.
    pub fn cpu_ns(&self) -> u64 {
        self.doors.iter().map(|door| door.cpu_ns.load(Ordering::Relaxed)).sum()
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for door in self.doors.iter() {
            let _ = (&door.bell).write(b"!");
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        let _ = narrows_files::remove_file(&self.socket);
    }
}

/// A connection and what came of it so far.
struct Peer {
    stream: UnixStream,
    talk: Conversation,
    inbox: Vec<u8>,
    filled: usize,
}

/// An answer that is held back.
struct Held {
    due_ns: u64,
    number: usize,
    bytes: Vec<u8>,
}

struct Worker {
    index: usize,
    listener: Option<UnixListener>,
    step: UnixStream,
    doors: Arc<[Door]>,
    poller: Poller,
    peers: Vec<Option<Peer>>,
    /// Of those that this thread let in, the number: they go to all threads in turn.
    admitted: usize,
    output: Vec<u8>,
    takes_ns: u64,
    /// In the order in which they are due.
    held: VecDeque<Held>,
}

impl Worker {
    fn new(
        index: usize,
        cpu: Option<u32>,
        listener: Option<UnixListener>,
        step: UnixStream,
        doors: Arc<[Door]>,
    ) -> io::Result<Worker> {
        if let Some(cpu) = cpu {
            affinity::pin(&[cpu])?;
        }
        let mut poller = Poller::for_this_thread();
        poller.add(step.as_raw_fd(), DOOR)?;
        if let Some(listener) = &listener {
            poller.add(listener.as_raw_fd(), LISTENER)?;
        }
        let output = Vec::with_capacity(2 * LONGEST_MESSAGE);
        let (peers, held) = (Vec::new(), VecDeque::new());
        let (admitted, takes_ns) = (0, 0);
        Ok(Worker { index, listener, step, doors, poller, peers, admitted, output, takes_ns, held })
    }

    fn serve(&mut self, stop: &AtomicBool) {
        let mut looked_ns = narrows_engine::now_ns();
        while !stop.load(Ordering::Relaxed) {
            // A poller that fails has no use; its clients see their connections end.
            let Ok(ready) = self.poller.wait(self.until_due()) else { return };
            for event in 0..ready {
                match self.poller.event(event) {
                    LISTENER => self.admit(),
                    DOOR => self.adopt(),
                    number => {
                        if self.talk(number).is_break() {
                            self.let_go(number);
                        }
                    }
                }
            }
            let now = narrows_engine::now_ns();
            self.answer_late(now);
            if now - looked_ns > LOOK_EVERY.as_nanos() as u64 {
                looked_ns = now;
                let cpu_ns = process::thread_cpu_ns();
                self.doors[self.index].cpu_ns.store(cpu_ns, Ordering::Relaxed);
            }
        }
    }

    /// How long there is nothing to say.
    #[inline]
    fn until_due(&self) -> Duration {
        match self.held.front() {
            None => LOOK_EVERY,
            Some(held) => {
                let left_ns = held.due_ns.saturating_sub(narrows_engine::now_ns());
                Duration::from_nanos(left_ns).min(LOOK_EVERY)
            }
        }
    }

    /// Gives the answers that were held back long enough.
    #[inline]
    fn answer_late(&mut self, now: u64) {
        while self.held.front().is_some_and(|held| held.due_ns <= now)
            && let Some(held) = self.held.pop_front()
        {
            let Some(Some(peer)) = self.peers.get_mut(held.number) else { continue };
            if peer.stream.write_all(&held.bytes).is_err() {
                self.let_go(held.number);
            }
        }
    }

    /// The next one by that number gets nothing that was meant for this one.
    fn let_go(&mut self, number: usize) {
        if let Some(peer) = self.peers[number].take() {
            self.poller.remove(peer.stream.as_raw_fd());
        }
        self.held.retain(|held| held.number != number);
    }

    fn admit(&mut self) {
        let Some(listener) = &self.listener else { return };
        while let Ok((stream, _)) = listener.accept() {
            let door = &self.doors[self.admitted % self.doors.len()];
            self.admitted += 1;
            door.waiting.lock().expect("no holder of a door panics").push(stream);
            let _ = (&door.bell).write(b"?");
        }
    }

    fn adopt(&mut self) {
        let _ = self.step.read(&mut [0; 64]);
        let door = &self.doors[self.index];
        let waiting =
            std::mem::take(&mut *door.waiting.lock().expect("no holder of a door panics"));
        for stream in waiting {
            let number = self.peers.iter().position(Option::is_none).unwrap_or(self.peers.len());
            if stream.set_nonblocking(true).is_err()
                || self.poller.add(stream.as_raw_fd(), number).is_err()
            {
                continue;
            }
            let inbox = vec![0; 2 * LONGEST_MESSAGE];
            let peer = Some(Peer { stream, talk: Conversation::default(), inbox, filled: 0 });
            match self.peers.get_mut(number) {
                Some(free) => *free = peer,
                None => self.peers.push(peer),
            }
        }
    }

    /// Reads once and answers; `Break` where the connection is over.
    #[inline]
    fn talk(&mut self, number: usize) -> ControlFlow<()> {
        // An event may still come for one that ended among the same events.
        let Some(Some(peer)) = self.peers.get_mut(number) else { return ControlFlow::Continue(()) };
        match peer.stream.read(&mut peer.inbox[peer.filled..]) {
            Ok(0) => return ControlFlow::Break(()),
            Ok(n) => peer.filled += n,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return ControlFlow::Continue(());
            }
            Err(_) => return ControlFlow::Break(()),
        }
        self.output.clear();
        let outcome = peer.talk.answer(&peer.inbox[..peer.filled], &mut self.output);
        if self.takes_ns > 0 && outcome.is_continue() && !self.output.is_empty() {
            let due_ns = narrows_engine::now_ns() + self.takes_ns;
            self.held.push_back(Held { due_ns, number, bytes: self.output.clone() });
            self.output.clear();
        }
        // A client that doesn't take its answers is no load.
        if !self.output.is_empty() && peer.stream.write_all(&self.output).is_err() {
            return ControlFlow::Break(());
        }
        let taken = outcome?;
        peer.inbox.copy_within(taken..peer.filled, 0);
        peer.filled -= taken;
        ControlFlow::Continue(())
    }
}
