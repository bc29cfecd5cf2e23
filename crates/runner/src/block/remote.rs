//! A namespace that a storage target serves over NVMe/TCP, reached without a driver.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use narrows_engine::Stop;
use narrows_initiator::{Address, Association, HostError, InvalidAddress, PathOptions};
use narrows_io::{Access, Arena, DevicePath, Error, Op, Remote, Target};
use narrows_model::{Platform, Role, RolePath};
use narrows_raw::contents;

use crate::failure::Failure;
use crate::request::block::DeviceConsent;

/// What it is in place of a file system.
pub(crate) const NAMESPACE: &str = "NVMe/TCP namespace";
/// I/O queues that are asked for, where the address names no more: one per thread of a load, of what is beside it too.
const QUEUES: u16 = 64;
/// A flush may take so long: a device may have a whole cache to write.
const FLUSH_WITHIN: Duration = Duration::from_secs(120);
/// What is read at once where the contents are looked at, bytes; a block where that is larger.
const CHUNK: u32 = 4096;

/// A namespace, connected.
#[derive(Debug, Clone)]
pub struct RemoteNamespace {
    association: Arc<Association>,
    /// What answers its reads, where the target tells.
    storage: Option<&'static str>,
    writable: bool,
}

/// Opens queues as ways of the crate `io`.
#[derive(Debug)]
struct Queues {
    association: Arc<Association>,
    options: PathOptions,
}

impl Remote for Queues {
    fn open(&self, arena: Arena, _depth: u32) -> Result<Box<dyn DevicePath>, Error> {
        let (most, block) =
            (self.association.reached().max_data, self.association.reached().block_bytes);
        if arena.slot_bytes() > most || !arena.slot_bytes().is_multiple_of(block) {
            let name = PathBuf::from(self.association.address().to_string());
            let source = io::Error::other(format!(
                "operations of {} bytes are asked for, and the target takes whole blocks of {block} bytes, {most} at most (MDTS)",
                arena.slot_bytes()
            ));
            return Err(Error::System { action: "reach", path: name, offset: None, source });
        }
        let path = self.association.path(arena, self.options).map_err(|error| Error::System {
            action: "open a queue of",
            path: PathBuf::from(self.association.address().to_string()),
            offset: None,
            source: io::Error::other(error.to_string()),
        })?;
        Ok(Box::new(path))
    }

    fn most_bytes(&self) -> u32 {
        self.association.reached().max_data
    }

    fn ways(&self) -> (u32, u32) {
        let asked = self.association.address().queues.map(u32::from);
        // One is left for what goes on beside a load: a log, a look at what was written.
        let most = self.association.reached().queues.saturating_sub(1).max(1);
        asked.map_or((1, most), |asked| (asked, asked))
    }
}

/// That a command takes no address yet.
pub fn no_address(what: &str) -> anyhow::Error {
    Failure::hinted(
        format!("{what} takes no nvme-tcp:// address"),
        "narrows block calibrate, steady and interference do, narrows log ladder, commits and streams, and fio job files in their filename",
    )
}

fn explained(address: &str, error: &HostError) -> anyhow::Error {
    let text = format!("{address}: {error}");
    match error.hint() {
        Some(hint) => Failure::hinted(text, hint),
        None => anyhow::anyhow!(text),
    }
}

impl RemoteNamespace {
    /// Connects, to read.
    ///
    /// # Errors
    /// What is no address, and what stood in the way.
    pub fn connect(text: &str) -> Result<RemoteNamespace> {
        let example = "nvme-tcp://192.0.2.10:4420/nqn.2026-11.org.example:disk?ns=1";
        let address: Address = text.parse().map_err(|why: InvalidAddress| {
            Failure::hinted(why.to_string(), format!("as in {example}"))
        })?;
        let wanted = address.queues.unwrap_or(1);
        let association = Association::connect(&address, wanted.saturating_add(1).max(QUEUES));
        let association = association.map_err(|error| explained(text, &error))?;
        let granted = association.reached().queues;
        if granted < wanted.into() {
            return Err(Failure::hinted(
                format!(
                    "{text}: the target grants {granted} I/O queues, and `queues={wanted}` are asked for"
                ),
                "ask for no more than that, or let the target grant more (nvmet: attr_qid_max; SPDK: max_qpairs)",
            ));
        }
        let activity = association.target_activity();
        let storage = activity.and_then(|activity| activity.storage).map(|storage| storage.word());
        Ok(RemoteNamespace { association: Arc::new(association), storage, writable: false })
    }

    /// Connects, to read and write what somebody named by the subsystem's serial number.
    ///
    /// # Errors
    /// As [`connect`](RemoteNamespace::connect), and where the serial number is another one.
    pub fn consented(given: &DeviceConsent) -> Result<RemoteNamespace> {
        let found = RemoteNamespace::connect(&given.device)?;
        let serial = found.serial();
        if given.serial.trim() != serial {
            return Err(Failure::hinted(
                format!("the subsystem's serial number is not `{}`", given.serial.trim()),
                format!("it is `{serial}`: is this the subsystem that may be overwritten?"),
            ));
        }
        if found.association.reached().namespace.write_protected {
            return Err(Failure::hinted(
                "the namespace is write-protected".to_string(),
                "the target serves it read-only",
            ));
        }
        Ok(RemoteNamespace { writable: true, ..found })
    }

    /// The connection.
    pub fn association(&self) -> &Arc<Association> {
        &self.association
    }

    /// The serial number that the subsystem tells.
    pub fn serial(&self) -> &str {
        &self.association.reached().controller.serial
    }

    /// Its size, bytes.
    pub fn bytes(&self) -> u64 {
        self.association.reached().bytes()
    }

    /// Whether an address leads to it.
    ///
    /// # Errors
    /// It does, with other digests or as another host.
    pub fn is_at(&self, text: &str) -> Result<bool> {
        let own = self.association.address();
        let Ok(other) = text.parse::<Address>() else { return Ok(false) };
        let same = (&own.host, own.port, &own.subsystem, own.namespace)
            == (&other.host, other.port, &other.subsystem, other.namespace);
        let options = |address: &Address| {
            let timeouts = (address.keep_alive_s, address.io_timeout_s);
            let of_host = (address.host_nqn.clone(), address.queues, address.tls_key_file.clone());
            (address.digests, of_host, timeouts, address.reconnect)
        };
        if same && options(own) != options(&other) {
            return Err(Failure::hinted(
                format!(
                    "{text} names other options (queues, digests, host, TLS, timeouts, reconnect) than --write-to-device"
                ),
                "name the same in both: it is one connection",
            ));
        }
        Ok(same)
    }

    /// Its address.
    pub fn name(&self) -> String {
        self.association.address().to_string()
    }

    /// Whether it may be written.
    pub fn is_writable(&self) -> bool {
        self.writable
    }

    /// This machine with the namespace as what is measured: no drive of this machine is under it.
    pub fn machine(&self) -> Platform {
        self.machine_as(Role::Data)
    }

    /// The same with the namespace in another role.
    pub fn machine_as(&self, role: Role) -> Platform {
        let mut platform = narrows_platform::discover(&narrows_facts::Live, &[]);
        platform.roles.push(RolePath { role, ..self.role() });
        platform
    }

    /// It as the place of data.
    pub fn role(&self) -> RolePath {
        let mut path = RolePath {
            role: Role::Data,
            path: self.name(),
            file_system: Default::default(),
            devices: Vec::new(),
        };
        path.file_system.kind = NAMESPACE.to_string();
        path.file_system.source = self.association.reached().controller.model.clone();
        path.file_system.total_bytes = Some(self.association.reached().bytes());
        path.file_system.this_machine = self.association.is_on_this_machine();
        path.file_system.behind = self.storage.map(str::to_string);
        path
    }

    /// The way to it.
    pub fn access(&self) -> Access {
        self.access_that_writes(false)
    }

    /// The same with writes that are durable when they are answered (FUA), or not.
    pub fn access_that_writes(&self, durable: bool) -> Access {
        let options = PathOptions { force_unit_access: durable, ..PathOptions::default() };
        Access::remote(Arc::new(Queues { association: Arc::clone(&self.association), options }))
    }

    /// Makes durable what was written (Flush).
    ///
    /// # Errors
    /// Why it isn't: what the target says, silence, or the wish to stop.
    pub fn flush(&self, stop: &Stop) -> Result<()> {
        let arena = Arena::new(1, self.association.reached().block_bytes, 4096)?;
        let mut path = self.association.path(arena, PathOptions::default())?;
        path.submit(Op::Sync, 0, 0, 0);
        let mut done = Vec::new();
        let asked = Instant::now();
        while done.is_empty() {
            stop.check()?;
            // While the connection is being made again, its own limit holds.
            if asked.elapsed() > FLUSH_WITHIN && !self.association.outages().disconnected {
                return Err(anyhow::anyhow!("no answer to Flush for {} s", FLUSH_WITHIN.as_secs()));
            }
            path.reap(1, &mut done)?;
        }
        done[0].bytes()?;
        Ok(())
    }

    /// Its size and alignment.
    ///
    /// # Errors
    /// What the system gave.
    pub fn target(&self) -> Result<Target> {
        let reached = self.association.reached();
        let name = PathBuf::from(self.name());
        Ok(Target::remote(&name, reached.bytes(), reached.block_bytes, self.writable)?)
    }

    /// What writing so many bytes would destroy, as far as it can be seen from here.
    pub fn losses(&self, writes_bytes: u64) -> Vec<String> {
        if writes_bytes == 0 { Vec::new() } else { self.losses_of("blocks all over") }
    }

    /// What writing to a part of it would destroy, as far as it can be seen from here; nothing where it may not be written.
    pub fn losses_of(&self, part: &str) -> Vec<String> {
        if !self.writable {
            return Vec::new();
        }
        vec![
            format!("This overwrites {part} {} (serial number {}).", self.name(), self.serial()),
            self.contents(),
            "Whether another host uses it can't be seen from here.".to_string(),
        ]
    }

    /// What is on it, as far as marks of file systems, volumes and databases tell: a sentence.
    pub fn contents(&self) -> String {
        let reached = self.association.reached();
        let unreadable =
            |error: &dyn std::fmt::Display| format!("What it holds could not be read: {error}.");
        let chunk = CHUNK.max(reached.block_bytes);
        let arena = Arena::new(1, chunk, 4096).expect("a page");
        let path = match self.association.path(arena, PathOptions::default()) {
            Ok(path) => path,
            Err(error) => return unreadable(&error),
        };
        let mut reader = Reader { chunk, path: Box::new(path), bytes: reached.bytes(), at: 0 };
        match contents(&mut reader, reached.bytes()) {
            Ok(found) if found.signatures.is_empty() => {
                "No file system, volume or database is known on it.".to_string()
            }
            Ok(found) => {
                let names: Vec<_> = found.signatures.iter().map(|mark| mark.name).collect();
                format!("It holds: {}.", names.join(", "))
            }
            Err(error) => unreadable(&error),
        }
    }
}

/// A namespace as something to read and seek in.
struct Reader {
    /// Read at once, bytes: whole blocks.
    chunk: u32,
    path: Box<dyn DevicePath>,
    bytes: u64,
    at: u64,
}

impl Read for Reader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let chunk = u64::from(self.chunk);
        let begin = self.at / chunk * chunk;
        let length = chunk.min(self.bytes.saturating_sub(begin));
        let skip = self.at - begin;
        if length <= skip || out.is_empty() {
            return Ok(0);
        }
        self.path.submit(Op::Read, 0, begin, length as u32);
        let mut done = Vec::new();
        while done.is_empty() {
            self.path.reap(1, &mut done).map_err(|error| io::Error::other(error.to_string()))?;
        }
        done[0].bytes()?;
        let here = &self.path.buffer(0)[skip as usize..length as usize];
        let taken = here.len().min(out.len());
        out[..taken].copy_from_slice(&here[..taken]);
        self.at += taken as u64;
        Ok(taken)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => i128::from(at),
            SeekFrom::End(by) => i128::from(self.bytes) + i128::from(by),
            SeekFrom::Current(by) => i128::from(self.at) + i128::from(by),
        };
        self.at = u64::try_from(at).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
