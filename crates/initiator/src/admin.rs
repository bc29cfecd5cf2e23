//! The admin queue: one command after another, each waited for.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use narrows_nvme::authentication::Requirement;
use narrows_nvme::command::{
    AdminCommand, Connect, ConnectData, FabricsCommand, Identify, LogRequest,
};
use narrows_nvme::digest::Digests;
use narrows_nvme::identify::IDENTIFY_BYTES;
use narrows_nvme::tls::TlsPsk;
use narrows_nvme::{DataPointer, Status, SubmissionEntry};
use narrows_nvme_tls::{NoKeys, Session};

use crate::HostError;
use crate::address::Address;
use crate::error::UNANSWERED;
use crate::queue::{Direction, Ended, HostQueue, Piece, SlotMemory};

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// What is waited for before a connection takes commands.
const OPENING: &str = "the opening of a connection";
/// Data in a capsule of an admin queue, bytes.
const IN_CAPSULE: u32 = 8192;

/// The one slot of an admin queue.
#[derive(Debug)]
struct OneSlot(Vec<u8>);

impl SlotMemory for OneSlot {
    fn slot(&mut self, _: u16) -> &mut [u8] {
        &mut self.0
    }
}

/// A connection whose commands are executed one after another.
#[derive(Debug)]
pub(crate) struct CommandConnection {
    stream: Arc<TcpStream>,
    queue: HostQueue,
    memory: OneSlot,
    tls: Option<Box<Session>>,
    /// How long an answer may take.
    answer_within: Duration,
    /// An exchange failed: what comes now is of nothing that is known.
    lost: bool,
}

/// What is left of a connection for who uses it otherwise.
#[derive(Debug)]
pub(crate) struct ConnectionParts {
    pub(crate) stream: Arc<TcpStream>,
    pub(crate) queue: HostQueue,
    pub(crate) tls: Option<Box<Session>>,
}

/// Connects to where a target is.
pub(crate) fn connect_to(address: &Address) -> Result<TcpStream, HostError> {
    let resolve = HostError::system("resolve the target's name");
    let all = (address.host.as_str(), address.port).to_socket_addrs().map_err(resolve)?;
    let mut failed = None;
    for one in all {
        match TcpStream::connect_timeout(&one, CONNECT_WITHIN) {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(HostError::system("set TCP_NODELAY"))?;
                return Ok(stream);
            }
            Err(error) => failed = Some(error),
        }
    }
    let source = failed.unwrap_or_else(|| std::io::ErrorKind::NotFound.into());
    Err(HostError::System { action: "connect to the target", source })
}

impl CommandConnection {
    /// Opens a connection, up to where it takes commands; by TLS where something is offered for it.
    pub(crate) fn open(
        address: &Address,
        tls: Option<&[TlsPsk]>,
        slots: u16,
        most: u32,
    ) -> Result<Self, HostError> {
        let stream = Arc::new(connect_to(address)?);
        let queue = HostQueue::new(slots, address.digests, IN_CAPSULE, most);
        let mut connection = CommandConnection {
            stream,
            queue,
            memory: OneSlot(Vec::new()),
            tls: tls.map(Session::host).transpose().map_err(HostError::Tls)?.map(Box::new),
            answer_within: ANSWER_WITHIN,
            lost: false,
        };
        connection.answer_within(ANSWER_WITHIN)?;
        connection.exchange(OPENING, |queue, _| queue.is_initialized())?;
        Ok(connection)
    }

    /// From now on an answer may take so long.
    pub(crate) fn answer_within(&mut self, limit: Duration) -> Result<(), HostError> {
        self.answer_within = limit;
        self.stream
            .set_read_timeout(Some(limit))
            .and_then(|()| self.stream.set_write_timeout(Some(limit)))
            .map_err(HostError::system("set a time limit"))
    }

    /// So many bytes of data go with a command from now on.
    pub(crate) fn set_in_capsule(&mut self, bytes: u32) {
        self.queue.set_in_capsule(bytes);
    }

    /// The socket.
    pub(crate) fn stream(&self) -> &Arc<TcpStream> {
        &self.stream
    }

    /// Whether both ends have the same address.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        let ends = self.stream.local_addr().ok().zip(self.stream.peer_addr().ok());
        ends.is_some_and(|(here, there)| here.ip() == there.ip() || there.ip().is_loopback())
    }

    /// This end's address.
    pub(crate) fn local_address(&self) -> Option<IpAddr> {
        self.stream.local_addr().ok().map(|address| address.ip())
    }

    /// The parts, for another kind of use.
    pub(crate) fn into_parts(self) -> ConnectionParts {
        ConnectionParts { stream: self.stream, queue: self.queue, tls: self.tls }
    }

    /// The cipher suite of TLS, where it goes by that.
    pub(crate) fn suite(&self) -> Option<&str> {
        self.tls.as_ref()?.suite()
    }

    /// Says that nothing more is said, where TLS has a word for that.
    pub(crate) fn say_goodbye(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.close();
            // Who is gone doesn't hear it.
            let _ = (&*self.stream).write_all(tls.output());
            tls.sent(usize::MAX);
        }
    }

    /// Sends what there is.
    fn flush(&mut self) -> Result<(), HostError> {
        let is_open = self.tls.as_ref().is_none_or(|tls| tls.is_open());
        for piece in self.queue.pieces().iter().filter(|_| is_open) {
            let bytes = match piece {
                Piece::Bytes(range) => &self.queue.bytes()[range.clone()],
                Piece::Slot { range, .. } => &self.memory.0[range.clone()],
            };
            match &mut self.tls {
                Some(tls) => tls.gather(bytes).map_err(HostError::Tls)?,
                None => (&*self.stream)
                    .write_all(bytes)
                    .map_err(HostError::system("send to the target"))?,
            }
        }
        if is_open {
            self.queue.sent();
        }
        if let Some(tls) = &mut self.tls {
            tls.flush().map_err(HostError::Tls)?;
            let sent = (&*self.stream).write_all(tls.output());
            tls.sent(usize::MAX);
            sent.map_err(HostError::system("send to the target"))?;
        }
        Ok(())
    }

    /// Takes what came.
    fn take(&mut self, input: &[u8], ended: &mut Vec<Ended>) -> Result<(), HostError> {
        let Some(tls) = &mut self.tls else {
            return self.queue.input(input, &mut self.memory, ended);
        };
        let mut plain = Vec::new();
        let taken = tls.receive(input, &NoKeys, &mut plain);
        self.queue.input(&plain, &mut self.memory, ended)?;
        taken.map_err(|error| {
            // The target is told why, where it can be.
            let _ = (&*self.stream).write_all(tls.output());
            HostError::Tls(error)
        })
    }

    /// What it means that the target has closed the connection.
    fn closed(&self, command: &str) -> HostError {
        match &self.tls {
            Some(tls) if !tls.is_open() => HostError::TlsUnanswered,
            _ if command == OPENING => HostError::Closed(UNANSWERED),
            _ => HostError::Closed("and left a command without an answer"),
        }
    }

    /// Sends what there is and takes what comes until `done`. After an error there is nothing more to be had.
    fn exchange(
        &mut self,
        command: &'static str,
        done: impl Fn(&HostQueue, &[Ended]) -> bool,
    ) -> Result<Vec<Ended>, HostError> {
        let exchanged = self.try_exchange(command, done);
        self.lost |= exchanged.is_err();
        exchanged
    }

    fn try_exchange(
        &mut self,
        command: &'static str,
        done: impl Fn(&HostQueue, &[Ended]) -> bool,
    ) -> Result<Vec<Ended>, HostError> {
        let begun = Instant::now();
        let mut ended = Vec::new();
        let mut input = vec![0; 16 << 10];
        loop {
            self.flush()?;
            if done(&self.queue, &ended) {
                return Ok(ended);
            }
            let limit = self.answer_within;
            let late = || HostError::Silent { command, seconds: limit.as_secs_f64().ceil() as u64 };
            if begun.elapsed() > limit {
                return Err(late());
            }
            let came = match (&*self.stream).read(&mut input) {
                Ok(0) => return Err(self.closed(command)),
                Ok(came) => came,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Err(late()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    return Err(HostError::System { action: "receive from the target", source });
                }
            };
            self.take(&input[..came], &mut ended)?;
        }
    }

    /// Executes a command that sends `data` or gets `gets` bytes; its result and what it got.
    pub(crate) fn execute(
        &mut self,
        name: &'static str,
        entry: SubmissionEntry,
        data: &[u8],
        gets: u32,
    ) -> Result<(u64, &[u8]), HostError> {
        if self.lost {
            return Err(HostError::Closed("before"));
        }
        let direction = match (data.len() as u32, gets) {
            (0, 0) => Direction::None,
            (0, gets) => Direction::In(gets),
            (sends, _) => Direction::Out(sends),
        };
        self.memory.0.clear();
        self.memory.0.extend_from_slice(data);
        self.memory.0.resize(data.len().max(gets as usize), 0);
        self.queue.submit(entry, 0, direction, &mut self.memory);
        let ended = self.exchange(name, |_, ended| !ended.is_empty())?;
        let completion = ended[0].completion;
        if !completion.status.is_success() {
            return Err(HostError::Failed {
                command: name,
                status: completion.status,
                result: completion.result,
            });
        }
        Ok((completion.result, &self.memory.0))
    }

    /// Connect: which queue this is. The controller's number, and what the target demands before anything else.
    pub(crate) fn connect(
        &mut self,
        connect: Connect,
        data: &ConnectData,
    ) -> Result<(u16, Requirement), HostError> {
        let entry = FabricsCommand::Connect(connect).to_entry(0, DataPointer::NONE);
        let by_tls = self.tls.is_some();
        let answer = self.execute("Connect", entry, &data.to_bytes(), 0);
        let (result, _) = answer.map_err(|error| match error {
            HostError::Failed { status, .. } if status == Status::CONNECT_HOST.for_good() => {
                let (host, subsystem) = (data.host.clone(), data.subsystem.clone());
                HostError::NotAllowed { host, subsystem }
            }
            HostError::Failed { status, .. }
                if status.code() == Status::AUTHENTICATION_REQUIRED.code() && !by_tls =>
            {
                let (host, subsystem) = (data.host.clone(), data.subsystem.clone());
                HostError::TlsRequired { host, subsystem }
            }
            other => other,
        })?;
        Ok((result as u16, Requirement::of_result(result)))
    }

    /// A property.
    pub(crate) fn property(&mut self, offset: u32, wide: bool) -> Result<u64, HostError> {
        let command = FabricsCommand::PropertyGet { offset, wide };
        let entry = command.to_entry(0, DataPointer::NONE);
        self.execute("Property Get", entry, &[], 0).map(|(result, _)| result)
    }

    /// Sets a property of 4 bytes.
    pub(crate) fn set_property(&mut self, offset: u32, value: u32) -> Result<(), HostError> {
        let command = FabricsCommand::PropertySet { offset, wide: false, value: value.into() };
        let entry = command.to_entry(0, DataPointer::NONE);
        self.execute("Property Set", entry, &[], 0).map(drop)
    }

    /// A structure of Identify.
    pub(crate) fn identify(
        &mut self,
        structure: u8,
        namespace: u32,
    ) -> Result<Box<[u8; IDENTIFY_BYTES]>, HostError> {
        let identify = Identify { structure, controller: 0, command_set: 0, namespace };
        let entry = AdminCommand::Identify(identify).to_entry(0, DataPointer::NONE);
        let (_, data) = self.execute("Identify", entry, &[], IDENTIFY_BYTES as u32)?;
        let data: Box<[u8; IDENTIFY_BYTES]> =
            Box::new(data.try_into().unwrap_or([0; IDENTIFY_BYTES]));
        Ok(data)
    }

    /// A log page of a namespace, as much of it as `data` has room for: whole double words.
    pub(crate) fn log_page(
        &mut self,
        page: u8,
        namespace: u32,
        data: &mut [u8],
    ) -> Result<(), HostError> {
        let request = LogRequest {
            page,
            specific: 0,
            retain_event: true,
            dwords_less_one: (data.len() / 4) as u32 - 1,
            offset: 0,
            namespace,
        };
        let entry = AdminCommand::GetLogPage(request).to_entry(0, DataPointer::NONE);
        let (_, came) = self.execute("Get Log Page", entry, &[], data.len() as u32)?;
        data.copy_from_slice(came);
        Ok(())
    }

    /// Sets a feature; its result.
    pub(crate) fn set_feature(&mut self, feature: u8, value: u32) -> Result<u64, HostError> {
        let command = AdminCommand::SetFeatures { feature, save: false, value, namespace: 0 };
        let entry = command.to_entry(0, DataPointer::NONE);
        self.execute("Set Features", entry, &[], 0).map(|(result, _)| result)
    }

    /// Says that this host lives.
    pub(crate) fn keep_alive(&mut self) -> Result<(), HostError> {
        let entry = AdminCommand::KeepAlive.to_entry(0, DataPointer::NONE);
        self.execute("Keep Alive", entry, &[], 0).map(drop)
    }

    /// The digests that were agreed on.
    pub(crate) fn digests(&self) -> Digests {
        self.queue.digests()
    }
}
