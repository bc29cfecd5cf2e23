//! A way to a namespace: one I/O queue, with the memory of its commands.

mod heartbeat;
mod loss;
mod socket;

use std::collections::VecDeque;
use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use narrows_io::{Arena, Completion, DevicePath, Error, HEARTBEAT_MS, Method, Op, Outages, WakeUp};
use narrows_nvme::command::{DeallocatedRange, Extent, IoCommand, RANGE_BYTES};
use narrows_nvme::feature::ServiceTime;
use narrows_nvme::{CompletionEntry, DataPointer, Status, SubmissionEntry};
use narrows_nvme_tls::Session;
use rustix::event::PollFlags;

use self::heartbeat::Heartbeat;
use self::loss::{Wait, no_queue};
use crate::link::OpenQueue;
use crate::queue::{Direction, Ended, HostQueue, SlotMemory};
use crate::{Association, HostError, stamps};

/// Bytes that are received at once.
const INPUT: usize = 64 << 10;
/// Bytes of headers that may wait to be sent before nothing more is received: each R2T makes some, and a target that asks for
/// data in tiny parts and takes none would fill memory. A target that is in order takes data while it asks for more.
const WAITING_LIMIT: usize = 8 << 20;
/// Commands that may be overdue are looked for when nothing came, and each time after so many turns in which something did.
const TURNS_OF_LOOK: u32 = 4096;

/// How a path waits and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathOptions {
    /// It looks for answers instead of sleeping until they come, and takes a whole CPU.
    pub polled: bool,
    /// Writes are durable when they are answered (FUA).
    pub force_unit_access: bool,
    /// The kernel stamps what is sent and received ([`NvmeTcpPath::take_stamps`]).
    pub stamped: bool,
}

/// When messages passed between this host's kernel and its network driver, ns on the clock of [`crate::stamps::realtime_ns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KernelStamps {
    /// What was sent first, by one call, had been handed to the driver.
    pub sent_ns: Option<u64>,
    /// The last that was received came from it.
    pub received_ns: Option<u64>,
}

pub(crate) struct QueueParts {
    pub(crate) association: Arc<Association>,
    pub(crate) number: u16,
    /// Absent while connections are being made again.
    pub(crate) open: Option<OpenQueue>,
    /// Commands that the queue has room for.
    pub(crate) room: u32,
    pub(crate) arena: Arena,
    pub(crate) options: PathOptions,
}

/// Memory of slots, and the ranges of deallocations, for which a command's own bytes play no part.
struct Slots {
    arena: Arena,
    ranges: Vec<[u8; RANGE_BYTES]>,
    trims: Vec<bool>,
}

impl SlotMemory for Slots {
    fn slot(&mut self, slot: u16) -> &mut [u8] {
        if self.trims[usize::from(slot)] {
            &mut self.ranges[usize::from(slot)]
        } else {
            self.arena.slot_mut(u32::from(slot))
        }
    }
}

/// An I/O queue as a way to a namespace.
pub struct NvmeTcpPath {
    association: Arc<Association>,
    number: u16,
    /// Absent while connections are being made again.
    stream: Option<Arc<TcpStream>>,
    /// Of which of the host's associations it is.
    of_association: u32,
    queue: HostQueue,
    /// What its bytes go through, where they are encrypted.
    tls: Option<Box<Session>>,
    /// What came, decrypted; kept for its room.
    plain: Vec<u8>,
    slots: Slots,
    options: PathOptions,
    name: PathBuf,
    input: Box<[u8]>,
    ended: Vec<Ended>,
    /// Operation of each slot, and what it moves.
    operations: Vec<(Op, u32)>,
    /// What each slot waits for.
    waits: Vec<Option<Wait>>,
    /// What was lost before this path began.
    before: crate::Outages,
    longest_stall: Duration,
    service_times: Vec<ServiceTime>,
    /// When the last packet came, where that is stamped.
    received_ns: Option<u64>,
    /// Commands that the queue has no room for yet.
    backlog: VecDeque<(SubmissionEntry, u16, Direction)>,
    /// Commands that it has room for.
    room: u32,
    submit_ns: u64,
    io_timeout: Duration,
    wake_up: WakeUp,
    heartbeat: Heartbeat,
    /// Turns since the queue was made.
    turns: u32,
    /// When commands are next looked at that may be overdue.
    next_look: Instant,
}

fn prepare(stream: &TcpStream, options: PathOptions) -> Result<(), HostError> {
    if options.stamped {
        let stamp = HostError::system("have the kernel stamp packets (SO_TIMESTAMPING)");
        stamps::enable(stream).map_err(stamp)?;
    }
    Ok(())
}

impl NvmeTcpPath {
    pub(crate) fn new(parts: QueueParts) -> Result<NvmeTcpPath, HostError> {
        let slots = parts.arena.slots() as usize;
        let ready = || {
            if let Some(open) = &parts.open {
                prepare(&open.stream, parts.options)?;
            }
            Heartbeat::new()
        };
        let heartbeat =
            ready().inspect_err(|_| parts.association.link().give_back(parts.number))?;
        let (stream, queue, tls, of_association) = match parts.open {
            Some(OpenQueue { stream, queue, tls, association }) => {
                (Some(stream), queue, tls, association)
            }
            None => (None, no_queue(), None, 0),
        };
        Ok(NvmeTcpPath {
            name: PathBuf::from(parts.association.address().to_string()),
            before: parts.association.outages(),
            io_timeout: Duration::from_secs(parts.association.address().io_timeout_s.into()),
            wake_up: WakeUp::default(),
            heartbeat,
            turns: 0,
            next_look: Instant::now(),
            association: parts.association,
            number: parts.number,
            stream,
            of_association,
            queue,
            tls,
            plain: Vec::new(),
            slots: Slots {
                arena: parts.arena,
                ranges: vec![[0; RANGE_BYTES]; slots],
                trims: vec![false; slots],
            },
            options: parts.options,
            input: vec![0; INPUT].into_boxed_slice(),
            ended: Vec::with_capacity(slots),
            operations: vec![(Op::Read, 0); slots],
            waits: vec![None; slots],
            longest_stall: Duration::ZERO,
            service_times: vec![ServiceTime::default(); slots],
            received_ns: None,
            backlog: VecDeque::new(),
            room: parts.room,
            submit_ns: 0,
        })
    }

    /// Whether writes that are submitted from now on are durable when they are answered (FUA).
    pub fn force_unit_access(&mut self, on: bool) {
        self.options.force_unit_access = on;
    }

    /// How long the target took for the last operation of a slot, where it was asked to say so.
    pub fn service_time(&self, slot: u32) -> ServiceTime {
        self.service_times[slot as usize]
    }

    /// The socket, for what the kernel knows of it (TCP_INFO); absent while connections are being made again.
    pub fn socket(&self) -> Option<&TcpStream> {
        self.stream.as_deref()
    }

    /// The kernel's stamps since they were last taken; none where they weren't asked for.
    pub fn take_stamps(&mut self) -> KernelStamps {
        let Some(stream) = self.stream.as_deref().filter(|_| self.options.stamped) else {
            return KernelStamps::default();
        };
        KernelStamps { sent_ns: stamps::take_sent(stream), received_ns: self.received_ns.take() }
    }

    /// Whether an operation is of whole blocks, and no more than a command may have.
    fn can_be(&self, op: Op, offset: u64, bytes: u32) -> bool {
        let reached = self.association.reached();
        let block = u64::from(reached.block_bytes);
        let whole = offset.is_multiple_of(block) && u64::from(bytes).is_multiple_of(block);
        match op {
            Op::Sync => true,
            Op::Trim => whole,
            Op::Read | Op::Write => whole && bytes > 0 && bytes <= reached.max_data,
        }
    }

    fn command_of(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) -> (IoCommand, Direction) {
        let block = u64::from(self.association.reached().block_bytes);
        let extent = Extent {
            first_block: offset / block,
            blocks_less_one: (u64::from(bytes) / block).saturating_sub(1) as u16,
            force_unit_access: self.options.force_unit_access && op == Op::Write,
        };
        match op {
            Op::Read => (IoCommand::Read(extent), Direction::In(bytes)),
            Op::Write => (IoCommand::Write(extent), Direction::Out(bytes)),
            Op::Sync => (IoCommand::Flush, Direction::None),
            Op::Trim => {
                let range = DeallocatedRange {
                    attributes: 0,
                    blocks: (u64::from(bytes) / block) as u32,
                    first_block: extent.first_block,
                };
                self.slots.ranges[slot as usize] = range.to_bytes();
                let command = IoCommand::DatasetManagement { ranges_less_one: 0, deallocate: true };
                (command, Direction::Out(RANGE_BYTES as u32))
            }
        }
    }

    fn broken(&self, error: &HostError) -> Error {
        Error::System {
            action: "use the NVMe/TCP connection",
            path: self.name.clone(),
            offset: None,
            source: io::Error::other(error.to_string()),
        }
    }

    fn hand_out(&mut self, out: &mut Vec<Completion>) {
        for Ended { slot, completion } in self.ended.drain(..) {
            let index = usize::from(slot);
            let (op, bytes) = self.operations[index];
            self.slots.trims[index] = false;
            if let Some(wait) = self.waits[index].take().filter(|wait| wait.stalled) {
                let lasted = wait.submitted.elapsed();
                self.longest_stall = self.longest_stall.max(lasted);
                self.association.link().report_stall(lasted);
            }
            let result = if completion.status.is_success() {
                self.service_times[index] = ServiceTime::from_result(completion.result);
                if op.moves_data() { bytes as i32 } else { 0 }
            } else {
                -errno_of(completion.status)
            };
            out.push(Completion { slot: u32::from(slot), result });
        }
    }

    fn reap_until(
        &mut self,
        min: u32,
        deadline: Option<Instant>,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        let wanted = min.min(self.in_flight()) as usize;
        loop {
            if self.stream.is_none() && !self.come_back()? {
                if self.ended.len() >= wanted {
                    break;
                }
                let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
                let Some(left) = left.filter(|left| !left.is_zero()) else { break };
                self.association.link().wait(left);
                continue;
            }
            match self.turn(wanted, deadline) {
                Ok(true) => break,
                Ok(false) => {}
                Err(error) => self.lost(&error)?,
            }
        }
        self.hand_out(out);
        Ok(())
    }

    /// Sends and receives once; whether it is enough.
    fn turn(&mut self, wanted: usize, deadline: Option<Instant>) -> Result<bool, HostError> {
        let all_sent = self.flush()?;
        self.turns = self.turns.wrapping_add(1);
        if self.turns.is_multiple_of(TURNS_OF_LOOK) {
            self.look_for_overdue(Instant::now())?;
        }
        let sleeps = !self.options.polled && deadline.is_some();
        let enough = self.ended.len() >= wanted;
        let full = self.queue.bytes().len() > WAITING_LIMIT;
        let came = if self.queue.in_flight() == 0 || full {
            false
        } else {
            self.receive(sleeps && !enough && all_sent)?
        };
        if self.ended.len() >= wanted && !came {
            return Ok(true);
        }
        if self.ended.len() >= wanted && wanted > 0 {
            // What more has come may wait for the next call.
            self.flush()?;
            return Ok(true);
        }
        if !came && self.association.link().is_lost() {
            return Err(HostError::Closed("or is silent"));
        }
        let now = Instant::now();
        if !came && now >= self.next_look {
            self.look_for_overdue(now)?;
        }
        if deadline.is_none_or(|deadline| now >= deadline) {
            return Ok(!came);
        }
        if !came && sleeps && !all_sent {
            self.wait_for_socket(if full {
                PollFlags::OUT
            } else {
                PollFlags::IN | PollFlags::OUT
            })?;
        }
        Ok(false)
    }
}

/// What the block layer says for a status (`blk_status_to_errno` of Linux).
fn errno_of(status: Status) -> i32 {
    let is = |other: Status| status.code() == other.code();
    if is(Status::CAPACITY_EXCEEDED) {
        libc::ENOSPC
    } else if is(Status::LBA_OUT_OF_RANGE) || is(Status::INVALID_FIELD) {
        libc::EINVAL
    } else if is(Status::INVALID_OPCODE) {
        libc::EOPNOTSUPP
    } else if is(Status::RESERVATION_CONFLICT) {
        libc::EBADE
    } else if is(Status::WRITE_PROTECTED) {
        libc::EROFS
    } else {
        libc::EIO
    }
}

impl DevicePath for NvmeTcpPath {
    fn method(&self) -> Method {
        Method::NvmeTcp
    }

    fn slots(&self) -> u32 {
        self.slots.arena.slots()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.slots.arena.slot_mut(slot)
    }

    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        let number = u16::try_from(slot).expect("slots are a queue's");
        if !self.can_be(op, offset, bytes) {
            // As the kernel answers what is no whole number of blocks: the operation fails, not the program.
            let completion = CompletionEntry::new(number, Status::INVALID_FIELD, 0);
            self.operations[slot as usize] = (op, bytes);
            self.ended.push(Ended { slot: number, completion });
            return;
        }
        let begun = Instant::now();
        let (command, direction) = self.command_of(op, slot, offset, bytes);
        self.operations[slot as usize] = (op, bytes);
        self.slots.trims[slot as usize] = op == Op::Trim;
        let namespace = self.association.address().namespace;
        let entry = command.to_entry(number, namespace, DataPointer::NONE);
        let stalled = self.stream.is_none();
        let has_room = !stalled && self.queue.in_flight() < self.room;
        let handed = has_room.then_some(begun);
        self.waits[slot as usize] =
            Some(Wait { entry, direction, submitted: begun, handed, stalled });
        if has_room {
            self.queue.submit(entry, number, direction, &mut self.slots);
        } else {
            self.backlog.push_back((entry, number, direction));
        }
        self.submit_ns += begun.elapsed().as_nanos() as u64;
    }

    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        let deadline = (min > 0).then(|| Instant::now() + Duration::from_millis(HEARTBEAT_MS));
        self.reap_until(min, deadline, out)
    }

    fn reap_within(
        &mut self,
        min: u32,
        wait: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        if let Err(error) = self.flush() {
            self.lost(&error)?;
        }
        if !wait.is_zero() && !self.options.polled && self.ended.len() < min as usize {
            self.wait_for_answer(wait);
        }
        let deadline = (self.options.polled && min > 0).then(|| Instant::now() + wait);
        self.reap_until(min, deadline, out)
    }

    fn in_flight(&self) -> u32 {
        self.queue.in_flight() + (self.ended.len() + self.backlog.len()) as u32
    }

    fn submit_ns(&self) -> Option<u64> {
        Some(self.submit_ns)
    }

    fn outages(&self) -> Option<Outages> {
        self.association.address().reconnect?;
        let (now, before) = (self.association.outages(), self.before);
        let waiting = self.waits.iter().flatten().filter(|wait| wait.stalled);
        let waiting = waiting.map(|wait| wait.submitted.elapsed()).max().unwrap_or_default();
        let longest = self.longest_stall.max(waiting).as_nanos();
        Some(Outages {
            reconnects: now.reconnects - before.reconnects,
            disconnected_ns: now.disconnected_ns.saturating_sub(before.disconnected_ns),
            longest_stall_ns: u64::try_from(longest).unwrap_or(u64::MAX),
            disconnected: now.disconnected,
        })
    }
}

impl Drop for NvmeTcpPath {
    fn drop(&mut self) {
        if let Some(stream) = &self.stream {
            if let Some(tls) = &mut self.tls {
                tls.close();
                let (output, flags) = (tls.output(), libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL);
                // SAFETY: as above. Who doesn't hear it sees the connection's end.
                unsafe {
                    libc::send(stream.as_raw_fd(), output.as_ptr().cast(), output.len(), flags);
                }
            }
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
        self.association.link().give_back(self.number);
    }
}
