//! A target without threads, sockets and rings: connections that take bytes and give bytes, and files whose operations are
//! done when the caller says so, in the order that it likes. For tests and fuzzers, which so reach every interleaving.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_nvme::Nqn;
use narrows_nvme::log::TargetWait;

use crate::backing::{Backing, CacheIndex, OpenError, open};
use crate::buffer::{Buffer, BufferPool};
use crate::connection::{Connection, Context, StorageOperation, StorageRequest};
use crate::credentials::{Authentication, Credentials};
use crate::key_maker::KeyRequest;
use crate::namespace::{Namespace, NamespaceSpec};
use crate::reactor::{Inbox, Message};
use crate::restart::{mark_cache, save_index};
use crate::subsystem::{AllowedHosts, Subsystem};
use crate::target::{Limits, Target, Threads};
use crate::warmer::PagesToWarm;

/// A target whose only thread is the caller's.
pub struct InMemoryTarget {
    target: Target,
    pool: BufferPool,
    connections: Vec<Option<Connection>>,
    /// Connections that were cut, and stay for what files do for them.
    cut: BTreeSet<usize>,
    requests: Vec<StorageRequest>,
    keys: Vec<KeyRequest>,
    /// What files were asked, with the connection that asked, and the result where it is done already.
    waiting: Vec<(usize, StorageRequest, Option<i32>)>,
    /// News of logs.
    inbox: Arc<Inbox>,
    /// Namespaces, with what the indexes of their caches name.
    to_warm: Vec<(Arc<Namespace>, PagesToWarm)>,
}

impl InMemoryTarget {
    /// A target that serves these namespaces to every host, with `memory_bytes` for data in flight.
    ///
    /// # Errors
    /// What can't be opened.
    pub fn new(
        nqn: &Nqn,
        namespaces: &[NamespaceSpec],
        memory_bytes: usize,
    ) -> Result<InMemoryTarget, OpenError> {
        InMemoryTarget::authenticating(nqn, namespaces, memory_bytes, None)
    }

    /// The same, for hosts that have to authenticate by `credentials`.
    ///
    /// # Errors
    /// What can't be opened.
    pub fn authenticating(
        nqn: &Nqn,
        namespaces: &[NamespaceSpec],
        memory_bytes: usize,
        credentials: Option<Credentials>,
    ) -> Result<InMemoryTarget, OpenError> {
        let mut opened = BTreeMap::new();
        for (number, spec) in (1..).zip(namespaces) {
            opened.insert(number, Arc::new(Namespace::new(number, nqn, spec, open(spec)?)));
        }
        let authentication =
            Authentication { all: credentials.map(Arc::new), ..Authentication::default() };
        let mut to_warm = Vec::new();
        for namespace in opened.values() {
            mark_cache(namespace)?;
            let index = namespace.cache_index.as_ref();
            let found = index.map(CacheIndex::take_found).unwrap_or_default();
            to_warm.push((Arc::clone(namespace), PagesToWarm::new(found)));
        }
        let subsystem = Subsystem::new(nqn.clone(), AllowedHosts::Any, authentication, opened);
        let subsystems = BTreeMap::from([(nqn.clone(), Arc::new(subsystem))]);
        let no_threads = Threads { wait: TargetWait::Sleep, counters: Vec::new() };
        Ok(InMemoryTarget {
            target: Target::new(subsystems, Limits::default(), no_threads),
            pool: BufferPool::new(memory_bytes),
            connections: Vec::new(),
            cut: BTreeSet::new(),
            requests: Vec::new(),
            keys: Vec::new(),
            waiting: Vec::new(),
            to_warm,
            inbox: Arc::new(Inbox::new().map_err(|source| OpenError::System {
                action: "make an eventfd for",
                path: "the target".to_string(),
                source,
            })?),
        })
    }

    /// Opens a connection; its number.
    pub fn connect(&mut self) -> usize {
        let address = SocketAddr::from(([127, 0, 0, 1], narrows_nvme::IO_PORT));
        self.connections.push(Some(Connection::new(address)));
        self.connections.len() - 1
    }

    /// Gives a connection bytes, and lets all do what they can. A connection that is over takes none.
    pub fn input(&mut self, number: usize, bytes: &[u8]) {
        self.with(number, |connection, context| connection.input(bytes, context));
        self.go_on();
    }

    /// Takes what a connection has to say, up to `most` bytes.
    pub fn output(&mut self, number: usize, most: usize) -> Vec<u8> {
        let Some(Some(connection)) = self.connections.get_mut(number) else { return Vec::new() };
        let mut pieces = Vec::new();
        let mut taken = Vec::new();
        while taken.len() < most && connection.outbox().gather(&mut pieces) {
            let mut sent = 0;
            for piece in &pieces {
                let length = piece.iov_len.min(most - taken.len());
                // SAFETY: the outbox keeps what its pieces point to until it is told that they were sent, which is below.
                let bytes =
                    unsafe { std::slice::from_raw_parts(piece.iov_base.cast::<u8>(), length) };
                taken.extend_from_slice(bytes);
                sent += length;
            }
            connection.outbox().sent(sent, &mut self.pool);
        }
        self.go_on();
        taken
    }

    /// Operations of files that wait to be done.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Has a file do one of them, `choice` of all that wait, of which its connection hears later: by then others may have been done.
    pub fn perform(&mut self, choice: usize) {
        let most = self.waiting.len().max(1);
        if let Some((_, request, done @ None)) = self.waiting.get_mut(choice % most) {
            *done = Some(execute(request));
        }
    }

    /// Does one of them, `choice` of all that wait.
    pub fn finish(&mut self, choice: usize) {
        if self.waiting.is_empty() {
            return;
        }
        let (number, request, done) = self.waiting.swap_remove(choice % self.waiting.len());
        let result = done.unwrap_or_else(|| execute(&request));
        self.with(number, |connection, context| {
            connection.storage_done(request.slot, request.part, result, context);
        });
        self.clear_away(number);
        self.go_on();
    }

    /// Has one of them fail with this error number, without doing it.
    pub fn fail(&mut self, choice: usize, error: i32) {
        if self.waiting.is_empty() {
            return;
        }
        let (number, request, done) = self.waiting.swap_remove(choice % self.waiting.len());
        let result = done.unwrap_or(-error);
        self.with(number, |connection, context| {
            connection.storage_done(request.slot, request.part, result, context);
        });
        self.clear_away(number);
        self.go_on();
    }

    /// Cuts a connection, as a network does. What files do for it goes on.
    pub fn cut(&mut self, number: usize) {
        if let Some(Some(connection)) = self.connections.get_mut(number) {
            connection.leave(&self.target);
            self.cut.insert(number);
        }
        self.clear_away(number);
        self.go_on();
    }

    /// Forgets a connection that was cut and that files do nothing for.
    fn clear_away(&mut self, number: usize) {
        let Some(here) = self.connections.get_mut(number) else { return };
        let idle = here.as_ref().is_some_and(|connection| !connection.is_in_storage());
        if idle
            && self.cut.remove(&number)
            && let Some(mut connection) = here.take()
        {
            connection.drop_buffers(&mut self.pool);
        }
    }

    /// Pages that caches answered, that they did not have, and that they took over from writes.
    pub fn cached_pages(&self) -> (u64, u64, u64) {
        let mut sum = (0, 0, 0);
        for subsystem in self.target.subsystems.values() {
            for cache in subsystem.namespaces.values().filter_map(|its| its.cache_shards()) {
                let asked = cache.total().asked;
                sum = (sum.0 + asked.hits, sum.1 + asked.misses, sum.2 + asked.updates);
            }
        }
        sum
    }

    /// Writes some of the pages that wait for the devices of caches, as the thread of a cache does; whether there were any.
    pub fn fill_caches(&self) -> bool {
        let caches = self.target.namespaces().filter_map(|its| its.device_cache.as_ref());
        // Each of them, whatever the others had.
        caches.filter(|cache| cache.write_some(&mut Buffer::largest())).count() > 0
    }

    /// Has the device of a cache fail one of the reads that wait for it, without doing it; whether one did.
    pub fn fail_cache_read(&mut self, error: i32) -> bool {
        let caches = self.target.namespaces().filter_map(|its| its.device_cache.as_ref());
        let fds: BTreeSet<i32> = caches.map(|cache| cache.fd()).collect();
        let of_cache = |(_, request, done): &(usize, StorageRequest, Option<i32>)| {
            fds.contains(&request.fd) && done.is_none()
        };
        let Some(choice) = self.waiting.iter().position(of_cache) else { return false };
        self.fail(choice, error);
        true
    }

    /// What the devices of caches did: reads whose slots were another's at their end, pages that were wrong, errors; and how many are off.
    pub fn cache_devices(&self) -> [u64; 4] {
        let mut sums = [0; 4];
        for cache in self.target.namespaces().filter_map(|its| its.device_cache.as_ref()) {
            let counters = &cache.counters;
            let counts = [&counters.overtaken_reads, &counters.wrong_pages, &counters.errors];
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count.load(Ordering::Relaxed);
            }
            sums[3] += u64::from(cache.off().is_some());
        }
        sums
    }

    /// Reads some pages again that the indexes of caches name, as the thread of a cache does; whether there were any.
    ///
    /// # Errors
    /// What a file said.
    pub fn warm(&mut self) -> std::io::Result<bool> {
        let mut any = false;
        for (namespace, pages) in &mut self.to_warm {
            any |= namespace.warm_some(pages, &mut Buffer::largest())?.is_some();
        }
        Ok(any)
    }

    /// Pages that were read again so far.
    pub fn warmed_pages(&self) -> u64 {
        let indexes = self.target.namespaces().filter_map(|its| its.cache_index.as_ref());
        indexes.map(|index| index.counts().1).sum()
    }

    /// Ends as a stop does: moves what logs hold, and saves the indexes of caches. Nothing may be under way.
    ///
    /// # Errors
    /// What a file said.
    pub fn end(mut self) -> std::io::Result<()> {
        self.move_logs()?;
        for (namespace, pages) in std::mem::take(&mut self.to_warm) {
            match &namespace.backing {
                Backing::File(disk) => disk.sync()?,
                Backing::Logged(disk) => disk.leave_empty()?,
                Backing::Null | Backing::Ram(_) => {}
            }
            save_index(&namespace, pages.left());
        }
        Ok(())
    }

    /// Memory for data in flight that is in use, bytes.
    pub fn memory_in_use(&self) -> usize {
        self.pool.in_use()
    }

    /// Whether a connection takes no more commands.
    pub fn is_over(&self, number: usize) -> bool {
        self.connections.get(number).is_none_or(|connection| {
            connection.as_ref().is_none_or(|connection| !connection.wants_input())
        })
    }

    /// Writes to the media of all logs as if their files were persistent memory: mapped, by stores, within the command.
    ///
    /// # Errors
    /// What a file said.
    pub fn pretend_persistent_logs(&self) -> std::io::Result<()> {
        for subsystem in self.target.subsystems.values() {
            for namespace in subsystem.namespaces.values() {
                if let Backing::Logged(disk) = &namespace.backing {
                    disk.pretend_persistent()?;
                }
            }
        }
        Ok(())
    }

    /// Moves what can be moved of every log to its backing, as the thread of a log does.
    ///
    /// # Errors
    /// What a file said.
    pub fn move_logs(&mut self) -> std::io::Result<()> {
        for subsystem in self.target.subsystems.values() {
            for namespace in subsystem.namespaces.values() {
                if let Backing::Logged(disk) = &namespace.backing {
                    disk.move_some()?;
                }
            }
        }
        self.go_on();
        Ok(())
    }

    fn go_on(&mut self) {
        for message in self.inbox.take() {
            if let Message::Log { peer, slot, news, .. } = message
                && !self.cut.contains(&(peer as usize))
            {
                self.with(peer as usize, |connection, context| {
                    connection.log_news(slot, news, context);
                });
            }
        }
        for number in 0..self.connections.len() {
            self.with(number, |connection, context| {
                connection.connect_again(context);
                connection.feed(context);
                while connection.is_unfinished() {
                    connection.go_on(context);
                }
            });
        }
    }

    fn with(&mut self, number: usize, act: impl FnOnce(&mut Connection, &mut Context<'_>)) {
        let Some(Some(connection)) = self.connections.get_mut(number) else { return };
        let mut context = Context {
            target: &self.target,
            pool: &mut self.pool,
            requests: &mut self.requests,
            keys: &mut self.keys,
            now_ns: 0,
            inbox: &self.inbox,
            peer: number as u32,
            serial: number as u64,
        };
        act(connection, &mut context);
        // A connection has one at a time; what comes of it asks for no other.
        if let Some(request) = context.keys.pop() {
            let done = request.execute();
            connection.key_done(done, &mut context);
        }
        self.waiting.extend(self.requests.drain(..).map(|request| (number, request, None)));
    }
}

/// Does an operation; as the ring gives it, bytes or the negative error number.
fn execute(request: &StorageRequest) -> i32 {
    // SAFETY: memory of a slot, which is kept until it hears of the end; the file is open as long as its namespace.
    let result = unsafe {
        match request.operation {
            StorageOperation::Read { memory, bytes, offset } => {
                libc::pread(request.fd, memory.cast(), bytes as usize, offset as i64)
            }
            StorageOperation::Write { memory, bytes, offset, .. } => {
                libc::pwrite(request.fd, memory.cast(), bytes as usize, offset as i64)
            }
            StorageOperation::Sync => libc::fdatasync(request.fd) as isize,
            StorageOperation::Allocate { mode, offset, bytes } => {
                libc::fallocate(request.fd, mode, offset as i64, bytes as i64) as isize
            }
        }
    };
    if result < 0 {
        -std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
    } else {
        result as i32
    }
}
