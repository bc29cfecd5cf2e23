//! One connection of a host: a queue of a controller, as a machine that takes bytes and gives bytes.
//!
//! It knows neither sockets nor rings: its thread gives it what came ([`Connection::input`]), sends what is in its
//! [outbox](Connection::outbox), and has done what it asks of files ([`StorageRequest`]). So it is tested, and fuzzed,
//! without either.

mod admin;
mod authenticate;
mod cached;
mod connect;
mod demand;
mod execute;
mod gate;
mod log;
mod outbox;
mod respond;
mod slots;
mod storage;
mod storage_answer;
mod transfer;
mod zero;

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;

use narrows_nvme::SubmissionEntry;
use narrows_nvme::digest::Digests;
use narrows_nvme::intake::{DataIntake, Intake};
use narrows_nvme::pdu::{Framing, IcReq, IcResp, Pdu, Side, Violation};
use narrows_nvme::tls::PskIdentity;

pub(crate) use outbox::PIECES;
pub(crate) use storage::{StorageOperation, StorageRequest};

use crate::backing::logged::{Owner, Waiter};
use crate::buffer::{Buffer, BufferPool, LARGEST};
use crate::controller::Controller;
use crate::key_maker::KeyRequest;
use crate::reactor::Inbox;
use crate::reservation::Registrant;
use crate::target::Target;
use gate::Gate;
use outbox::Outbox;
use slots::{Slots, Step};

/// Data in a command capsule of an admin queue, bytes (NVMe/TCP: 8192, whatever the controller says of I/O queues).
const ADMIN_CAPSULE_DATA: u32 = 8192;
/// Data of an H2CData PDU that is taken, bytes (MAXH2CDATA).
const MAX_H2C_DATA: u32 = LARGEST as u32;
/// Our own bytes that may wait to be sent before no more commands are taken.
const WAITING_LIMIT: usize = 4 << 20;

/// Commands that were answered and that a slower medium is still being given, before no more are taken.
const LINGERING_LIMIT: usize = 4096;

/// What a connection needs of its thread.
pub(crate) struct Context<'a> {
    pub(crate) target: &'a Target,
    pub(crate) pool: &'a mut BufferPool,
    /// Filled with what is to be done.
    pub(crate) requests: &'a mut Vec<StorageRequest>,
    /// Filled with what the maker of keys is asked for.
    pub(crate) keys: &'a mut Vec<KeyRequest>,
    /// By the target's clock, ns; of this turn of the thread.
    pub(crate) now_ns: u64,
    /// Where news for this connection are left, and its place and number there.
    pub(crate) inbox: &'a Arc<Inbox>,
    pub(crate) peer: u32,
    pub(crate) serial: u64,
}

impl Context<'_> {
    fn now_ms(&self) -> u64 {
        self.now_ns / 1_000_000
    }

    /// A command of this connection, for who has news for it.
    fn waiter(&self, slot: u16) -> Waiter {
        let owner = Owner { inbox: Arc::clone(self.inbox), peer: self.peer, serial: self.serial };
        Waiter { owner, slot }
    }
}

/// Where data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// To memory of the connection: of a command capsule, or of what is dropped.
    Capsule,
    /// To the buffer of a command, from this offset on.
    Slot { slot: u16, offset: u32 },
}

/// Where a connection is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// ICReq is to come.
    New,
    /// Commands come.
    Open,
    /// No more commands are taken; those that are wholly here are answered, and it ends.
    Finishing,
    /// Nothing more is taken; what is queued is sent, and it ends.
    Ending,
}

/// The queue that a connection is, once the host said so.
#[derive(Debug)]
struct Queue {
    controller: Arc<Controller>,
    /// QID; 0 for admin.
    number: u16,
    entries: u32,
    /// The host doesn't look at SQHD.
    no_flow_control: bool,
    head: u16,
    registrant: Registrant,
    /// The controller's, when the queue joined it.
    epoch: u32,
    /// It is one of the controller's: an I/O queue whose host has to authenticate isn't before that.
    joined: bool,
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// Where the host reached us.
    address: SocketAddr,
    /// What it came by; absent where there are no sockets.
    socket: Option<Arc<TcpStream>>,
    phase: Phase,
    /// Of what comes.
    framing: Framing,
    /// Of data that go.
    alignment: u32,
    intake: Intake<Destination>,
    /// Data of a capsule that came in pieces.
    capsule: Option<Buffer>,
    queue: Option<Queue>,
    /// Where its host has to authenticate.
    gate: Option<Gate>,
    failed_authentication: bool,
    /// By what key of TLS the host came, and the cipher suite.
    secured: Option<(PskIdentity, String)>,
    /// The controller whose commands are in the storage; known longer than the queue.
    controller_of_storage: Option<Arc<Controller>>,
    /// A Connect that has to wait, with its data.
    waiting_connect: Option<(SubmissionEntry, Vec<u8>)>,
    slots: Slots,
    /// Commands that wait for memory.
    hungry: VecDeque<u16>,
    /// Commands with work left that the thread does itself.
    unfinished: VecDeque<u16>,
    outbox: Outbox,
    /// When data were last asked for or came, ns.
    transfer_ns: u64,
    /// Operations of files that weren't answered yet.
    in_storage: usize,
    /// Why it ended, where that isn't the host's wish.
    ended_by: Option<String>,
}

impl Connection {
    /// A connection that a host opened to `address`.
    pub(crate) fn new(address: SocketAddr) -> Connection {
        Connection {
            address,
            socket: None,
            phase: Phase::New,
            framing: Framing {
                sender: Side::Host,
                digests: Digests::NONE,
                alignment: 4,
                capsule_data: ADMIN_CAPSULE_DATA,
                transfer_data: MAX_H2C_DATA,
            },
            alignment: 4,
            intake: Intake::new(),
            capsule: None,
            queue: None,
            gate: None,
            failed_authentication: false,
            secured: None,
            controller_of_storage: None,
            waiting_connect: None,
            slots: Slots::default(),
            hungry: VecDeque::new(),
            unfinished: VecDeque::new(),
            outbox: Outbox::default(),
            transfer_ns: 0,
            in_storage: 0,
            ended_by: None,
        }
    }

    /// The same by a socket, which is asked whether the host closed it.
    pub(crate) fn by_socket(address: SocketAddr, socket: Arc<TcpStream>) -> Connection {
        Connection { socket: Some(socket), ..Connection::new(address) }
    }

    /// What comes from now on came by TLS, from who has this key.
    pub(crate) fn secure(&mut self, identity: PskIdentity, suite: String) {
        self.secured = Some((identity, suite));
    }

    /// It is of no more use; what is queued is sent, and it ends.
    pub(crate) fn end_because(&mut self, why: String) {
        self.ended_by = Some(why);
        self.phase = Phase::Ending;
    }

    /// What is to be sent.
    pub(crate) fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// Its controller, once it has one.
    pub(crate) fn controller(&self) -> Option<&Arc<Controller>> {
        self.queue.as_ref().map(|queue| &queue.controller)
    }

    /// Whether it is the admin queue of its controller.
    pub(crate) fn is_admin(&self) -> bool {
        self.queue.as_ref().is_some_and(|queue| queue.number == 0)
    }

    /// QID.
    pub(crate) fn queue_number(&self) -> Option<u16> {
        self.queue.as_ref().map(|queue| queue.number)
    }

    /// Whether more may come now: not while the host doesn't take its answers.
    pub(crate) fn wants_input(&self) -> bool {
        matches!(self.phase, Phase::New | Phase::Open)
            && self.outbox.waiting() < WAITING_LIMIT
            && self.slots.lingering() < LINGERING_LIMIT
            && self.waiting_connect.is_none()
    }

    /// Whether nothing is left to be done or sent, after it began to end.
    pub(crate) fn is_over(&self) -> bool {
        let waits = self.phase == Phase::Finishing && self.is_hungry();
        matches!(self.phase, Phase::Finishing | Phase::Ending)
            && !waits
            && self.outbox.is_empty()
            && self.in_storage == 0
            && self.unfinished.is_empty()
            && (self.phase == Phase::Ending || !self.waits_for_log())
    }

    /// Whether files work for it.
    pub(crate) fn is_in_storage(&self) -> bool {
        self.in_storage > 0
    }

    /// Takes no more; what is wholly here is answered.
    pub(crate) fn finish(&mut self) {
        self.hungry.retain(|number| self.slots.get(*number).is_some_and(|slot| slot.reads));
        self.phase = Phase::Finishing;
    }

    /// Why it ended, where the host didn't just close it.
    pub(crate) fn ended_by(&self) -> Option<&str> {
        self.ended_by.as_deref()
    }

    /// Whether a host owes data that it was asked for, since before `since_ns`.
    pub(crate) fn owes_data_since(&self, since_ns: u64) -> bool {
        self.transfer_ns < since_ns
            && self.slots.all().any(|(_, slot)| matches!(slot.step, Step::Data { .. }))
    }

    /// Whether a command waits for memory.
    pub(crate) fn is_hungry(&self) -> bool {
        !self.hungry.is_empty() && self.phase != Phase::Ending
    }

    /// The host was heard; who only says that he is that host keeps no controller of it alive.
    fn heard(&self, context: &Context<'_>) {
        if let Some(queue) = &self.queue
            && (queue.number == 0 || self.is_open_to_host())
        {
            queue.controller.heard(context.now_ms());
        }
    }

    /// Takes what came, all of it.
    pub(crate) fn input(&mut self, mut input: &[u8], context: &mut Context<'_>) {
        self.heard(context);
        while !input.is_empty() && matches!(self.phase, Phase::New | Phase::Open) {
            let step = match &mut self.intake {
                Intake::Header(_) => self.header(&mut input, context),
                Intake::Data(_) => self.data(&mut input, context),
            };
            if let Err(violation) = step {
                self.terminate(violation);
            }
        }
    }

    fn header(&mut self, input: &mut &[u8], context: &mut Context<'_>) -> Result<(), Violation> {
        let Intake::Header(header) = &mut self.intake else { return Ok(()) };
        let Some((pdu, layout)) = header.take(input, &self.framing)? else { return Ok(()) };
        self.intake = Intake::new();
        if let Pdu::H2cTermReq(violation) = pdu {
            // The header that the host found wrong may follow; it changes nothing.
            self.ended_by = Some(format!("the host ended the connection: {violation}"));
            self.phase = Phase::Ending;
            return Ok(());
        }
        if layout.data == 0 {
            return self.pdu(pdu, context);
        }
        let destination = match &pdu {
            Pdu::H2cData { transfer, last } => self.accept(transfer, *last)?,
            _ => Destination::Capsule,
        };
        self.intake = Intake::Data(DataIntake::new(pdu, layout, destination));
        Ok(())
    }

    /// A PDU without data.
    fn pdu(&mut self, pdu: Pdu, context: &mut Context<'_>) -> Result<(), Violation> {
        match (self.phase, pdu) {
            (Phase::New, Pdu::IcReq(request)) => {
                self.initialize(&request, context);
                Ok(())
            }
            (Phase::Open, Pdu::CapsuleCmd(entry)) => self.command(entry, &[], true, context),
            _ => Err(Violation::SEQUENCE),
        }
    }

    fn initialize(&mut self, request: &IcReq, context: &Context<'_>) {
        let offered =
            Digests { header: context.target.header_digest, data: context.target.data_digest };
        let digests = request.digests.both(offered);
        let response = IcResp { format: 0, alignment: 0, digests, max_h2c_data: MAX_H2C_DATA };
        self.outbox.bytes(|out| {
            Pdu::IcResp(response).write(0, Digests::NONE, 4, out);
        });
        self.framing.digests = digests;
        self.alignment = request.alignment_bytes();
        self.phase = Phase::Open;
    }

    /// Data of a PDU.
    fn data(&mut self, input: &mut &[u8], context: &mut Context<'_>) -> Result<(), Violation> {
        let Intake::Data(data) = &mut self.intake else { return Ok(()) };
        match data.destination {
            Destination::Capsule => self.capsule_data(input, context),
            Destination::Slot { slot, offset } => {
                let bytes = data.bytes();
                let here = self.slots.get(slot).and_then(|slot| slot.buffer.as_mut());
                let buffer = here.ok_or(Violation::SEQUENCE)?;
                let (begin, end) = (offset as usize, offset as usize + bytes);
                if data.copy(input, &mut buffer.bytes_mut(end)[begin..]) {
                    self.transferred(context)?;
                }
                Ok(())
            }
        }
    }

    fn capsule_data(
        &mut self,
        input: &mut &[u8],
        context: &mut Context<'_>,
    ) -> Result<(), Violation> {
        let Intake::Data(data) = &mut self.intake else { return Ok(()) };
        if let Some(whole) = data.whole(input) {
            let (entry, intact) = capsule_of(data)?;
            self.intake = Intake::new();
            return self.capsule_whole(entry, whole, intact, context);
        }
        let bytes = data.bytes();
        let buffer = self.capsule.get_or_insert_with(|| context.pool.take_anyway(bytes));
        if !data.copy(input, buffer.bytes_mut(bytes)) {
            return Ok(());
        }
        let (entry, intact) = capsule_of(data)?;
        self.intake = Intake::new();
        let Some(buffer) = self.capsule.take() else { return Ok(()) };
        let result = self.capsule_whole(entry, buffer.bytes(bytes), intact, context);
        context.pool.give(buffer);
        result
    }

    fn capsule_whole(
        &mut self,
        entry: SubmissionEntry,
        data: &[u8],
        intact: bool,
        context: &mut Context<'_>,
    ) -> Result<(), Violation> {
        match self.phase {
            Phase::Open => self.command(entry, data, intact, context),
            _ => Err(Violation::SEQUENCE),
        }
    }

    /// Where the rest of a command's data are to be received, past our own memory, if it is worth it: at least `worth` bytes.
    pub(crate) fn direct(&mut self, worth: usize) -> Option<(*mut u8, usize)> {
        let Intake::Data(data) = &self.intake else { return None };
        let Destination::Slot { slot, offset } = data.destination else { return None };
        let (have, missing) = (data.have(), data.missing());
        if missing < worth || self.phase != Phase::Open {
            return None;
        }
        let buffer = self.slots.get(slot)?.buffer.as_mut()?;
        let begin = offset as usize + have;
        Some((buffer.bytes_mut(begin + missing)[begin..].as_mut_ptr(), missing))
    }

    /// So many bytes were received where [`direct`](Connection::direct) said.
    pub(crate) fn received_direct(&mut self, bytes: usize, context: &mut Context<'_>) {
        if !matches!(self.phase, Phase::New | Phase::Open) {
            return;
        }
        self.heard(context);
        let Intake::Data(data) = &mut self.intake else { return };
        let Destination::Slot { slot, offset } = data.destination else { return };
        let whole = data.bytes();
        let here = self.slots.get(slot).and_then(|slot| slot.buffer.as_ref());
        let Some(buffer) = here else { return };
        let (begin, end) = (offset as usize, offset as usize + whole);
        if data.received(bytes, &buffer.bytes(end)[begin..])
            && let Err(violation) = self.transferred(context)
        {
            self.terminate(violation);
        }
    }

    /// Tells the host what it did wrong, and ends.
    fn terminate(&mut self, violation: Violation) {
        let offending = match &self.intake {
            Intake::Header(header) => header.bytes().to_vec(),
            Intake::Data(_) => Vec::new(),
        };
        self.outbox.bytes(|out| {
            Pdu::C2hTermReq(violation).write(offending.len(), Digests::NONE, 4, out);
            out.extend_from_slice(&offending);
        });
        self.ended_by = Some(format!("the host broke the protocol: {violation}"));
        self.phase = Phase::Ending;
    }

    /// Gives memory to commands that wait for it, as far as there is.
    pub(crate) fn feed(&mut self, context: &mut Context<'_>) {
        while let Some(slot) = self.hungry.front().copied() {
            if self.phase == Phase::Ending || !self.give_buffer(slot, context) {
                break;
            }
            self.hungry.pop_front();
        }
    }

    /// Takes leave of the controller: an admin queue's end is its controller's.
    pub(crate) fn leave(&mut self, target: &Target) {
        // What still comes is of nobody.
        self.phase = Phase::Ending;
        self.waiting_connect = None;
        self.gate = None;
        let Some(queue) = self.queue.take() else { return };
        if queue.number == 0 {
            target.forget(&queue.controller);
        } else if queue.joined && queue.epoch == queue.controller.epoch() {
            queue.controller.registers().queues.remove(&queue.number);
        }
    }

    /// Gives back all memory: of commands that will never be answered, and of answers that will never be sent.
    pub(crate) fn drop_buffers(&mut self, pool: &mut BufferPool) {
        let slots: Vec<u16> = self.slots.all().map(|(number, _)| number).collect();
        for number in slots {
            let slot = self.slots.remove(number);
            let compared = match slot.step {
                Step::Compare { expected } => Some(expected),
                _ => None,
            };
            for buffer in slot.buffer.into_iter().chain(compared) {
                pool.give(buffer);
            }
        }
        if let Some(buffer) = self.capsule.take() {
            pool.give(buffer);
        }
        self.outbox.abandon(pool);
        self.hungry.clear();
        self.unfinished.clear();
    }
}

/// The command of a capsule whose data are here, and whether they are intact.
fn capsule_of(data: &DataIntake<Destination>) -> Result<(SubmissionEntry, bool), Violation> {
    match &data.pdu {
        Pdu::CapsuleCmd(entry) => Ok((*entry, data.is_intact())),
        _ => Err(Violation::SEQUENCE),
    }
}
