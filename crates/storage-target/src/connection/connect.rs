//! Fabrics commands: how a connection becomes a queue, and the controller's properties.

use std::sync::Arc;

use narrows_nvme::authentication::Requirement;
use narrows_nvme::command::{
    Connect, ConnectData, DYNAMIC_CONTROLLER, FabricsCommand, fabrics_command,
};
use narrows_nvme::pdu::Violation;
use narrows_nvme::property::{self, Capabilities, Configuration, ControllerStatus};
use narrows_nvme::tls::PskIdentity;
use narrows_nvme::{DataPointer, Nqn, Status, SubmissionEntry};

use super::gate::Gate;
use super::{ADMIN_CAPSULE_DATA, Connection, Context, Phase, Queue};
use crate::controller::{Controller, Service};
use crate::journal;
use crate::subsystem::Subsystem;
use crate::target::{Beginning, Caller, Permit};

/// How long becoming ready may take, in steps of 500 ms. It takes none.
const READY_TIMEOUT: u8 = 15;
/// Bit 16 of the result of a Connect that failed: the offset is of the data.
const IN_DATA: u64 = 1 << 16;
/// Most of an answer that is copied, with its header, bytes.
const LONGEST_ANSWER: usize = 80 << 10;
/// Offset of QID in the entry.
const QUEUE_AT: u64 = 42;
/// Offset of SQSIZE in the entry.
const QUEUE_SIZE_AT: u64 = 44;

/// Why a Connect isn't answered with a queue.
enum Refusal {
    /// It failed, and where in it.
    Failed(Status, u64),
    /// It has to wait.
    NotYet,
}

impl Connection {
    /// A command that came with `data`, intact or not.
    pub(super) fn command(
        &mut self,
        entry: SubmissionEntry,
        data: &[u8],
        intact: bool,
        context: &mut Context<'_>,
    ) -> Result<(), Violation> {
        let fabrics = fabrics_command(&entry);
        let Some(queue) = &mut self.queue else {
            match fabrics {
                Some(FabricsCommand::Connect(connect)) if intact => {
                    self.connect(&entry, &connect, data, context);
                }
                _ => self.complete(&entry, Status::SEQUENCE_ERROR.for_good(), 0),
            }
            return Ok(());
        };
        // More commands than the queue has entries can't be: the host would have overwritten its own.
        // Those whose answers it doesn't take count, too, by what their answers may be.
        let unsent = self.outbox.waiting() / LONGEST_ANSWER;
        if self.slots.len() + unsent >= queue.entries as usize {
            return Err(Violation::SEQUENCE);
        }
        queue.head = ((u32::from(queue.head) + 1) % queue.entries) as u16;
        if queue.controller.has_ended()
            || (queue.number > 0 && queue.epoch != queue.controller.epoch())
        {
            self.phase = Phase::Ending;
            return Ok(());
        }
        if !intact {
            self.complete(&entry, Status::TRANSIENT_TRANSPORT_ERROR, 0);
            return Ok(());
        }
        let is_admin = queue.number == 0;
        match fabrics {
            Some(FabricsCommand::AuthenticationSend { protocol, length }) => {
                self.authentication_send(&entry, protocol, length, data, context);
            }
            Some(FabricsCommand::AuthenticationReceive { protocol, length }) => {
                self.authentication_receive(&entry, protocol, length, context);
            }
            _ if !self.is_open_to_host() => {
                self.complete(&entry, Status::AUTHENTICATION_REQUIRED.for_good(), 0);
            }
            Some(command) => self.fabrics(&entry, &command, context),
            None if is_admin => self.admin(&entry, data, context),
            None => self.execute(entry, data, context),
        }
        Ok(())
    }

    fn connect(
        &mut self,
        entry: &SubmissionEntry,
        connect: &Connect,
        data: &[u8],
        context: &mut Context<'_>,
    ) {
        match self.try_connect(entry, connect, data, context) {
            Ok((queue, permit)) => {
                let id = u64::from(queue.controller.id);
                if queue.number > 0 {
                    self.framing.capsule_data = context.target.limits.in_capsule_bytes;
                }
                let credentials = queue.controller.credentials.as_ref().zip(permit);
                let required =
                    Requirement { authentication: credentials.is_some(), secure_channel: false };
                if let Some((credentials, permit)) = credentials {
                    // Messages come in a capsule on every queue.
                    self.framing.capsule_data = self.framing.capsule_data.max(ADMIN_CAPSULE_DATA);
                    self.gate = Some(Gate::new(credentials, permit, context.now_ns));
                }
                self.controller_of_storage = Some(Arc::clone(&queue.controller));
                self.ended_by = None;
                if let (Some((identity, suite)), 0) = (&self.secured, queue.number) {
                    journal::encrypted(identity, suite, queue.controller.id);
                }
                self.queue = Some(queue);
                self.complete(entry, Status::SUCCESS, id | required.to_result());
            }
            Err(Refusal::Failed(status, offset)) => {
                let reason = reason_of(status, offset, data, self.secured_by());
                self.ended_by = reason.or(self.ended_by.take());
                self.complete(entry, status, offset);
            }
            Err(Refusal::NotYet) => self.waiting_connect = Some((*entry, data.to_vec())),
        }
    }

    /// Tries a Connect again that had to wait.
    pub(crate) fn connect_again(&mut self, context: &mut Context<'_>) {
        let Some((entry, data)) = self.waiting_connect.take() else { return };
        if let Some(FabricsCommand::Connect(connect)) = fabrics_command(&entry) {
            self.connect(&entry, &connect, &data, context);
        }
    }

    fn try_connect(
        &self,
        entry: &SubmissionEntry,
        connect: &Connect,
        data: &[u8],
        context: &Context<'_>,
    ) -> Result<(Queue, Option<Permit>), Refusal> {
        let bytes: &[u8; ConnectData::BYTES] = data
            .try_into()
            .map_err(|_| Refusal::Failed(Status::SGL_LENGTH_INVALID.for_good(), 0))?;
        let whole = DataPointer::InCapsule { offset: 0, length: ConnectData::BYTES as u32 };
        if entry.data() != whole {
            return Err(Refusal::Failed(Status::SGL_LENGTH_INVALID.for_good(), 0));
        }
        if connect.format != 0 {
            return Err(Refusal::Failed(Status::CONNECT_FORMAT.for_good(), 0));
        }
        let parameters = |offset| Refusal::Failed(Status::CONNECT_PARAMETERS.for_good(), offset);
        let in_data = |offset: u16| parameters(u64::from(offset) | IN_DATA);
        let asked = ConnectData::parse(bytes).map_err(|(offset, _)| in_data(offset))?;
        let entries = u32::from(connect.queue_size) + 1;
        if !(2..=context.target.limits.queue_entries.max(32)).contains(&entries) {
            return Err(parameters(QUEUE_SIZE_AT));
        }
        let mut epoch = 0;
        let permit;
        let controller = if connect.queue == 0 {
            if asked.controller != DYNAMIC_CONTROLLER {
                return Err(in_data(ConnectData::CONTROLLER_AT));
            }
            let begun = self.begin(&asked, connect.keep_alive_ms, context)?;
            permit = begun.1;
            begun.0
        } else {
            let controller = context.target.controller(asked.controller);
            let controller = controller.ok_or(in_data(ConnectData::CONTROLLER_AT))?;
            permit = controller.credentials.as_ref().map(|_| permit_of(context)).transpose()?;
            epoch = join(&controller, &asked, connect, context)?;
            if let Service::Io(subsystem) = &controller.service {
                self.check_channel(&asked, Some(subsystem))?;
            }
            controller
        };
        let queue = Queue {
            registrant: controller.registrant,
            epoch,
            joined: permit.is_none(),
            controller,
            number: connect.queue,
            entries,
            no_flow_control: connect.no_flow_control,
            head: 0,
        };
        Ok((queue, permit))
    }

    /// A new controller, for a host that may have one.
    fn begin(
        &self,
        asked: &ConnectData,
        keep_alive_ms: u32,
        context: &Context<'_>,
    ) -> Result<(Arc<Controller>, Option<Permit>), Refusal> {
        let service = service_of(&asked.subsystem, context);
        let subsystem = u64::from(ConnectData::SUBSYSTEM_AT) | IN_DATA;
        let service =
            service.ok_or(Refusal::Failed(Status::CONNECT_PARAMETERS.for_good(), subsystem))?;
        if let Service::Io(subsystem) = &service
            && !subsystem.hosts.allow(&asked.host)
        {
            return Err(Refusal::Failed(Status::CONNECT_HOST.for_good(), 0));
        }
        let its = match &service {
            Service::Io(subsystem) => Some(&**subsystem),
            Service::Discovery => None,
        };
        self.check_channel(asked, its)?;
        let credentials = match &service {
            Service::Io(subsystem) => subsystem.authentication.of(&asked.host).cloned(),
            Service::Discovery => None,
        };
        let permit = credentials.as_ref().map(|_| permit_of(context)).transpose()?;
        let caller = Caller {
            credentials,
            host: asked.host.clone(),
            host_id: asked.host_id,
            address: self.address,
            socket: self.socket.clone(),
            keep_alive_ms,
            came_by_tls: self.secured.is_some(),
        };
        match context.target.begin(service, caller) {
            Beginning::Begun(controller) => Ok((controller, permit)),
            Beginning::NotYet => Err(Refusal::NotYet),
            // To be tried again: others may leave.
            Beginning::TooMany => Err(Refusal::Failed(Status::CONTROLLER_BUSY, 0)),
        }
    }

    /// The key of TLS by which the host came.
    fn secured_by(&self) -> Option<&PskIdentity> {
        self.secured.as_ref().map(|(identity, _)| identity)
    }

    /// Refuses a host that has to come by TLS and didn't, and one whose key is another host's or of another subsystem.
    fn check_channel(
        &self,
        asked: &ConnectData,
        subsystem: Option<&Subsystem>,
    ) -> Result<(), Refusal> {
        let refused = match self.secured_by() {
            Some(key) => (key.host != asked.host || key.subsystem != asked.subsystem)
                .then_some(Status::CONNECT_HOST),
            None => subsystem
                .is_some_and(|subsystem| subsystem.tls.of(&asked.host).is_some())
                .then_some(Status::AUTHENTICATION_REQUIRED),
        };
        refused.map_or(Ok(()), |status| Err(Refusal::Failed(status.for_good(), 0)))
    }

    fn fabrics(
        &mut self,
        entry: &SubmissionEntry,
        command: &FabricsCommand,
        context: &Context<'_>,
    ) {
        let Some(queue) = &self.queue else { return };
        let is_admin = queue.number == 0;
        let controller = Arc::clone(&queue.controller);
        let (status, result) = match *command {
            FabricsCommand::PropertyGet { offset, wide } if is_admin => {
                match property_of(&controller, offset, wide, context) {
                    Some(value) => (Status::SUCCESS, value),
                    None => (Status::INVALID_FIELD.for_good(), 0),
                }
            }
            FabricsCommand::PropertySet { offset: property::CC, wide: false, value }
                if is_admin =>
            {
                (configure(&controller, value as u32), 0)
            }
            FabricsCommand::PropertySet { .. } if is_admin => (Status::INVALID_FIELD.for_good(), 0),
            // A second Connect on the same connection.
            FabricsCommand::Connect(_) => (Status::SEQUENCE_ERROR.for_good(), 0),
            FabricsCommand::Disconnect if !is_admin => {
                self.complete(entry, Status::SUCCESS, 0);
                self.phase = Phase::Ending;
                return;
            }
            FabricsCommand::Disconnect => (Status::INVALID_QUEUE_TYPE.for_good(), 0),
            _ => (Status::INVALID_OPCODE.for_good(), 0),
        };
        self.complete(entry, status, result);
    }
}

/// What the log says of a host that was refused for what it may change, or the target's administrator.
fn reason_of(
    status: Status,
    offset: u64,
    data: &[u8],
    secured: Option<&PskIdentity>,
) -> Option<String> {
    let ConnectData { host, subsystem, .. } = ConnectData::parse(data.try_into().ok()?).ok()?;
    let no_subsystem = u64::from(ConnectData::SUBSYSTEM_AT) | IN_DATA;
    if status == Status::AUTHENTICATION_REQUIRED.for_good() {
        return Some(format!(
            "{host} has to come to {subsystem} by TLS, and came without; at the host: `nvme connect --tls` with the key, or &tls-key-file=FILE in narrows' address"
        ));
    }
    let other = secured.filter(|key| key.host != host || key.subsystem != subsystem);
    if let Some(key) = other.filter(|_| status == Status::CONNECT_HOST.for_good()) {
        let (its_host, its_subsystem) = (&key.host, &key.subsystem);
        return Some(format!(
            "{host} asked for {subsystem} by the TLS key of {its_host} at {its_subsystem}"
        ));
    }
    if status == Status::CONNECT_HOST.for_good() {
        Some(format!("{host} is not allowed to connect to {subsystem}; --allow-host allows it"))
    } else if status == Status::CONNECT_PARAMETERS.for_good() && offset == no_subsystem {
        Some(format!("{host} asked for {subsystem}, which is not served here"))
    } else {
        None
    }
}

/// A place among those that have to authenticate yet.
fn permit_of(context: &Context<'_>) -> Result<Permit, Refusal> {
    // To be tried again: each has it for a short time only.
    context.target.permit().ok_or(Refusal::Failed(Status::CONTROLLER_BUSY, 0))
}

fn service_of(name: &Nqn, context: &Context<'_>) -> Option<Service> {
    if name.is_discovery() {
        return Some(Service::Discovery);
    }
    context.target.subsystems.get(name).map(|subsystem| Service::Io(Arc::clone(subsystem)))
}

/// Has an I/O queue join a controller, if it may; the controller's epoch.
fn join(
    controller: &Controller,
    asked: &ConnectData,
    connect: &Connect,
    context: &Context<'_>,
) -> Result<u32, Refusal> {
    let parameters = |offset: u64| Refusal::Failed(Status::CONNECT_PARAMETERS.for_good(), offset);
    let in_data = |offset: u16| parameters(u64::from(offset) | IN_DATA);
    let Service::Io(subsystem) = &controller.service else {
        return Err(parameters(QUEUE_AT));
    };
    if subsystem.nqn != asked.subsystem {
        return Err(in_data(ConnectData::SUBSYSTEM_AT));
    }
    if controller.host != asked.host {
        return Err(in_data(ConnectData::HOST_AT));
    }
    // Its identifier is that of the admin queue: there are hosts that make another up for each connection, and Linux's target takes
    // them, too.
    let mut registers = controller.registers();
    if controller.has_ended() || !registers.is_enabled() {
        return Err(Refusal::Failed(Status::SEQUENCE_ERROR.for_good(), 0));
    }
    let granted = registers.granted_queues.unwrap_or(context.target.limits.io_queues);
    if connect.queue > granted || registers.queues.contains(&connect.queue) {
        return Err(parameters(QUEUE_AT));
    }
    // Who has to authenticate becomes the queue after that.
    if controller.credentials.is_none() {
        registers.queues.insert(connect.queue);
    }
    Ok(controller.epoch())
}

fn property_of(
    controller: &Controller,
    offset: u32,
    wide: bool,
    context: &Context<'_>,
) -> Option<u64> {
    let registers = controller.registers();
    match (offset, wide) {
        (property::CAP, true) => Some(
            Capabilities {
                queue_entries: context.target.limits.queue_entries,
                contiguous: true,
                ready_timeout: READY_TIMEOUT,
                nvm: true,
                page_min: 0,
                page_max: 0,
            }
            .to_bits(),
        ),
        (property::VS, false) => Some(u64::from(property::VERSION_1_4)),
        (property::CC, false) => Some(u64::from(registers.configuration)),
        (property::CSTS, false) => Some(u64::from(registers.status.to_bits())),
        _ => None,
    }
}

/// Enables, disables or shuts down a controller.
fn configure(controller: &Controller, value: u32) -> Status {
    let wanted = Configuration(value);
    let mut registers = controller.registers();
    let was_enabled = Configuration(registers.configuration).is_enabled();
    if wanted.is_enabled() && !was_enabled && !wanted.is_supported() {
        registers.status = ControllerStatus { fatal: true, ..ControllerStatus::default() };
        return Status::INVALID_FIELD.for_good();
    }
    registers.configuration = value;
    registers.status = ControllerStatus {
        ready: wanted.is_enabled() && !wanted.is_shutdown(),
        fatal: false,
        shut_down: wanted.is_shutdown(),
    };
    if was_enabled && (!wanted.is_enabled() || wanted.is_shutdown()) {
        // Its I/O queues end by themselves when they see that (their thread asks).
        registers.forget_all();
        controller.next_epoch();
    }
    Status::SUCCESS
}
