//! Commands of an admin queue.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use narrows_nvme::command::{AdminCommand, Identify, LogRequest};
use narrows_nvme::feature::{self, QueueCounts};
use narrows_nvme::identify::{IDENTIFY_BYTES, IdentifyData};
use narrows_nvme::log::page;
use narrows_nvme::{DataPointer, Status, SubmissionEntry};

use super::respond::Payload;
use super::{Connection, Context};
use crate::buffer::LARGEST;
use crate::controller::{Controller, EVENT_REQUESTS, Service};
use crate::{describe, log_pages};

/// A keep-alive timeout is counted in steps of so many ms (KAS 10).
pub(crate) const KEEP_ALIVE_STEP_MS: u32 = 1000;
/// Most of a log page that is given at once, bytes; hosts ask for the rest by its offset.
const LONGEST_LOG: usize = 64 << 10;
/// Double word 0 of Abort: the command was not aborted.
const NOT_ABORTED: u64 = 1;

/// How an admin command ends.
enum Ending {
    /// With a value.
    Value(u64),
    /// With data.
    Data(Vec<u8>),
    /// Later, when something happens.
    Later,
}

impl Connection {
    /// Executes a command of the admin queue.
    pub(super) fn admin(&mut self, entry: &SubmissionEntry, data: &[u8], context: &Context<'_>) {
        let Some(queue) = &self.queue else { return };
        let controller = Arc::clone(&queue.controller);
        let command = AdminCommand::parse(entry);
        let ended = if !entry.has_sgl() || entry.is_fused() {
            Err(Status::INVALID_FIELD)
        } else if controller.registers().is_enabled() {
            self.ending_of(&command, entry, data, &controller, context)
        } else {
            Err(Status::SEQUENCE_ERROR)
        };
        match ended {
            Ok(Ending::Value(value)) => self.complete(entry, Status::SUCCESS, value),
            Ok(Ending::Data(data)) => {
                let copy = |out: &mut Vec<u8>| out.extend_from_slice(&data);
                self.answer(entry, Payload::Copied(&copy), data.len(), 0);
            }
            Ok(Ending::Later) => self.deliver_events(),
            Err(status) => self.complete(entry, status.for_good(), 0),
        }
    }

    fn ending_of(
        &mut self,
        command: &AdminCommand,
        entry: &SubmissionEntry,
        data: &[u8],
        controller: &Arc<Controller>,
        context: &Context<'_>,
    ) -> Result<Ending, Status> {
        match command {
            AdminCommand::Identify(identify) => {
                expect(entry, IDENTIFY_BYTES)?;
                identified(identify, controller, context).map(|data| Ending::Data(data.to_vec()))
            }
            AdminCommand::GetLogPage(request) => {
                let wanted = usize::try_from(request.bytes()).ok();
                let wanted = wanted.filter(|wanted| *wanted <= LONGEST_LOG);
                let wanted = wanted.ok_or(Status::INVALID_FIELD)?;
                expect(entry, wanted)?;
                logged(request, wanted, controller, context).map(Ending::Data)
            }
            AdminCommand::SetFeatures { feature, save, value, .. } => {
                if *save {
                    return Err(Status::NOT_SAVEABLE);
                }
                set_feature(*feature, *value, data, controller, context).map(Ending::Value)
            }
            AdminCommand::GetFeatures { feature, select, .. } => {
                if *feature == feature::HOST_IDENTIFIER {
                    expect(entry, 16)?;
                    return Ok(Ending::Data(controller.host_id.0.to_vec()));
                }
                get_feature(*feature, *select, controller, context).map(Ending::Value)
            }
            AdminCommand::AsyncEventRequest => {
                let mut registers = controller.registers();
                if registers.event_requests.len() >= EVENT_REQUESTS {
                    return Err(Status::EVENT_LIMIT);
                }
                registers.event_requests.push_back(entry.command_id());
                Ok(Ending::Later)
            }
            AdminCommand::KeepAlive => Ok(Ending::Value(0)),
            AdminCommand::Abort { queue, command_id } => {
                Ok(Ending::Value(self.abort(*queue, *command_id, controller)))
            }
            AdminCommand::Unknown(_) => Err(Status::INVALID_OPCODE),
        }
    }

    /// Commands of I/O queues end by themselves and soon; what can wait for ever, and so is worth to be aborted, is an
    /// Asynchronous Event Request.
    fn abort(&mut self, queue: u16, command_id: u16, controller: &Controller) -> u64 {
        let waiting = {
            let mut registers = controller.registers();
            let at = registers.event_requests.iter().position(|id| *id == command_id);
            at.filter(|_| queue == 0).and_then(|at| registers.event_requests.remove(at))
        };
        let Some(aborted) = waiting else { return NOT_ABORTED };
        let entry = AdminCommand::AsyncEventRequest.to_entry(aborted, DataPointer::NONE);
        self.complete(&entry, Status::ABORT_REQUESTED, 0);
        0
    }

    /// Tells the host what happened, if it waits for that.
    pub(crate) fn deliver_events(&mut self) {
        let Some(queue) = &self.queue else { return };
        let controller = Arc::clone(&queue.controller);
        loop {
            let told = controller.registers().deliver();
            let Some((command_id, event)) = told else { return };
            let entry = AdminCommand::AsyncEventRequest.to_entry(command_id, DataPointer::NONE);
            self.complete(&entry, Status::SUCCESS, u64::from(event.to_result()));
        }
    }
}

/// Whether the host has room for exactly so many bytes: more or fewer, and it would wait.
fn expect(entry: &SubmissionEntry, bytes: usize) -> Result<(), Status> {
    match entry.data() {
        _ if bytes > LARGEST => Err(Status::INVALID_FIELD),
        DataPointer::Transport { length } if length as usize == bytes => Ok(()),
        DataPointer::Transport { .. } => Err(Status::SGL_LENGTH_INVALID),
        _ => Err(Status::SGL_TYPE_INVALID),
    }
}

fn identified(
    identify: &Identify,
    controller: &Controller,
    context: &Context<'_>,
) -> Result<Box<IdentifyData>, Status> {
    if identify.structure == Identify::CONTROLLER {
        return Ok(describe::controller(controller, context.target).to_bytes());
    }
    let Service::Io(subsystem) = &controller.service else { return Err(Status::INVALID_FIELD) };
    describe::namespaces(identify, subsystem)
}

fn logged(
    request: &LogRequest,
    wanted: usize,
    controller: &Controller,
    context: &Context<'_>,
) -> Result<Vec<u8>, Status> {
    let mut log = match (request.page, &controller.service) {
        (page::DISCOVERY, Service::Discovery) => log_pages::discovery(controller, context.target),
        (page::ERROR, _) => log_pages::errors(controller),
        (page::EFFECTS, Service::Io(_)) => log_pages::effects(),
        (page::SMART, Service::Io(subsystem)) => log_pages::smart(controller, subsystem, context),
        (page::FIRMWARE, Service::Io(_)) => log_pages::firmware(),
        (page::CHANGED_NAMESPACES, Service::Io(_)) => {
            log_pages::changed(controller, request.retain_event)
        }
        (page::ACTIVITY, Service::Io(subsystem)) => {
            log_pages::activity(context.target, subsystem, request.namespace)
        }
        (page::ANA, Service::Io(subsystem)) => log_pages::ana(subsystem, request.specific & 1 != 0),
        _ => return Err(Status::INVALID_LOG_PAGE),
    };
    if !request.retain_event {
        controller.registers().unread.remove(&request.page);
    }
    let offset = usize::try_from(request.offset).ok().filter(|offset| offset.is_multiple_of(4));
    let offset = offset.filter(|offset| *offset <= log.len()).ok_or(Status::INVALID_FIELD)?;
    log.drain(..offset);
    log.resize(wanted, 0);
    Ok(log)
}

fn set_feature(
    feature: u8,
    value: u32,
    data: &[u8],
    controller: &Controller,
    context: &Context<'_>,
) -> Result<u64, Status> {
    match feature {
        feature::NUMBER_OF_QUEUES => {
            let wanted = QueueCounts::from_value(value);
            let most = u32::from(context.target.limits.io_queues);
            let granted = wanted.submission.min(wanted.completion).min(most);
            controller.registers().granted_queues = Some(granted as u16);
            Ok(QueueCounts { submission: granted, completion: granted }.to_value().into())
        }
        feature::ASYNC_EVENT_CONFIGURATION => {
            controller.registers().wanted_events = value;
            Ok(0)
        }
        feature::KEEP_ALIVE_TIMER => {
            let step = KEEP_ALIVE_STEP_MS;
            let rounded = value.checked_next_multiple_of(step).ok_or(Status::KEEP_ALIVE_INVALID)?;
            controller.keep_alive_ms.store(rounded, Ordering::Relaxed);
            Ok(0)
        }
        // A host's identifier comes with Connect; the same again changes nothing.
        feature::HOST_IDENTIFIER if data == controller.host_id.0 => Ok(0),
        feature::HOST_IDENTIFIER => Err(Status::SEQUENCE_ERROR),
        feature::SERVICE_TIME => {
            controller.tells_service_time.store(value & 1 != 0, Ordering::Relaxed);
            Ok(0)
        }
        feature::VOLATILE_WRITE_CACHE | feature::WRITE_PROTECTION => Err(Status::NOT_CHANGEABLE),
        _ => Err(Status::INVALID_FIELD),
    }
}

fn get_feature(
    feature: u8,
    select: u8,
    controller: &Controller,
    context: &Context<'_>,
) -> Result<u64, Status> {
    /// SEL 3: what can be done with the feature.
    const CAPABILITIES: u8 = 3;
    /// It can be changed.
    const CHANGEABLE: u64 = 1 << 2;
    let changeable = !matches!(feature, feature::VOLATILE_WRITE_CACHE);
    let registers = controller.registers();
    let most = context.target.limits.io_queues;
    let value = match feature {
        feature::NUMBER_OF_QUEUES => {
            let granted = u32::from(registers.granted_queues.unwrap_or(most));
            QueueCounts { submission: granted, completion: granted }.to_value()
        }
        feature::ASYNC_EVENT_CONFIGURATION => registers.wanted_events,
        feature::KEEP_ALIVE_TIMER => controller.keep_alive_ms.load(Ordering::Relaxed),
        feature::VOLATILE_WRITE_CACHE => match &controller.service {
            Service::Io(subsystem) if !subsystem.keeps_each_write() => 1,
            _ => return Err(Status::INVALID_FIELD),
        },
        feature::SERVICE_TIME => u32::from(controller.tells_service_time.load(Ordering::Relaxed)),
        _ => return Err(Status::INVALID_FIELD),
    };
    match select {
        0 => Ok(value.into()),
        CAPABILITIES => Ok(if changeable { CHANGEABLE } else { 0 }),
        _ => Err(Status::INVALID_FIELD),
    }
}
