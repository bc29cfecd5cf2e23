//! A namespace of a storage target as the place of a log.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use narrows_initiator::{Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};
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
        let arena = Arena::new(1, self.most_bytes(), 4096)?;
        let path = self.association.path(arena, PathOptions::default());
        let path = path.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Box::new(Queue { path, done: Vec::with_capacity(1), stop: Arc::clone(&self.stop) }))
    }
}

/// One command at a time.
struct Queue {
    path: NvmeTcpPath,
    done: Vec<Completion>,
    stop: Arc<AtomicBool>,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl Queue {
    fn execute(&mut self, op: Op, offset: u64, bytes: usize) -> io::Result<()> {
        self.done.clear();
        self.path.submit(op, 0, offset, bytes as u32);
        while self.done.is_empty() {
            self.path
                .reap(1, &mut self.done)
                .map_err(|error| io::Error::other(error.to_string()))?;
            if self.done.is_empty() && self.stop.load(Ordering::Relaxed) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped on request"));
            }
        }
        let moved = self.done[0].bytes()?;
        let wanted = if op.moves_data() { bytes } else { 0 };
        if moved as usize == wanted {
            Ok(())
        } else {
            Err(io::Error::other(format!("{moved} of {wanted} bytes were moved")))
        }
    }
}

impl LogQueue for Queue {
    fn write(&mut self, offset: u64, bytes: &[u8], durable: bool) -> io::Result<()> {
        self.path.buffer(0)[..bytes.len()].copy_from_slice(bytes);
        self.path.force_unit_access(durable);
        self.execute(Op::Write, offset, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.execute(Op::Sync, 0, 0)
    }

    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.execute(Op::Read, offset, bytes.len())?;
        bytes.copy_from_slice(&self.path.buffer(0)[..bytes.len()]);
        Ok(())
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
