//! A namespace of a storage target as the place of a log.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use narrows_initiator::{Association, OneAtATime};
use narrows_layer_wal::{LogNamespace, LogQueue};
use narrows_observe::{Connections, Watch};

use crate::block::remote::RemoteNamespace;

/// Most data of a command, bytes.
const MOST: u32 = 1 << 20;

/// The namespace, and what says that it is time to stop.
#[derive(Debug)]
pub struct RemoteLog {
    association: Arc<Association>,
    name: PathBuf,
    stop: Arc<AtomicBool>,
}

impl RemoteLog {
    /// The log of that namespace; a command that isn't answered is left when `stop` is set.
    pub fn new(namespace: &RemoteNamespace, stop: Arc<AtomicBool>) -> RemoteLog {
        let name = PathBuf::from(namespace.name());
        RemoteLog { association: Arc::clone(namespace.association()), name, stop }
    }
}

impl LogNamespace for RemoteLog {
    fn name(&self) -> &Path {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.association.reached().bytes()
    }

    fn block_bytes(&self) -> u32 {
        self.association.reached().block_bytes
    }

    fn most_bytes(&self) -> u32 {
        self.association.reached().max_data.min(MOST)
    }

    fn has_volatile_cache(&self) -> bool {
        self.association.reached().controller.write_cache & 1 != 0
    }

    fn open(&self) -> io::Result<Box<dyn LogQueue>> {
        let stop = Arc::clone(&self.stop);
        let queue = OneAtATime::open(&self.association, self.most_bytes(), stop)?;
        Ok(Box::new(Queue(queue)))
    }
}

/// One command at a time.
#[derive(Debug)]
struct Queue(OneAtATime);

impl LogQueue for Queue {
    fn write(&mut self, offset: u64, bytes: &[u8], durable: bool) -> io::Result<()> {
        self.0.write(offset, bytes, durable)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, bytes)
    }
}

/// Connections that are made again.
#[derive(Debug)]
struct MadeAgain(Arc<Association>);

impl Connections for MadeAgain {
    fn lost(&self) -> (u64, u64) {
        let outages = self.0.outages();
        (outages.reconnects.into(), outages.disconnected_ns)
    }

    fn longest_stall_ns(&self, since: Instant) -> u64 {
        let longest = self.0.longest_stall_since(since).as_nanos();
        u64::try_from(longest).unwrap_or(u64::MAX)
    }
}

/// The watch with the connections to a namespace, where they are made again.
pub fn watching(watch: Watch, namespace: &RemoteNamespace) -> Watch {
    let association = namespace.association();
    match association.address().reconnect {
        Some(_) => watch.with_connections(Arc::new(MadeAgain(Arc::clone(association)))),
        None => watch,
    }
}
