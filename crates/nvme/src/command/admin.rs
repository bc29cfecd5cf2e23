//! Admin commands that a fabric's controller answers (NVMe Base Specification, "Admin Command Set").

use crate::{DataPointer, SubmissionEntry};

const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
const ABORT: u8 = 0x08;
const SET_FEATURES: u8 = 0x09;
const GET_FEATURES: u8 = 0x0A;
const ASYNC_EVENT_REQUEST: u8 = 0x0C;
const KEEP_ALIVE: u8 = 0x18;

/// An admin command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AdminCommand {
    /// Asks for a log page.
    GetLogPage(LogRequest),
    /// Asks for a structure of 4096 bytes.
    Identify(Identify),
    /// Asks for a command to be given up.
    Abort {
        /// SQID.
        queue: u16,
        /// CID.
        command_id: u16,
    },
    /// Sets a feature.
    SetFeatures {
        /// FID.
        feature: u8,
        /// SV: over resets, too.
        save: bool,
        /// Double word 11.
        value: u32,
        /// Namespace, or 0 or FFFFFFFFh for all.
        namespace: u32,
    },
    /// Asks for a feature.
    GetFeatures {
        /// FID.
        feature: u8,
        /// SEL: 0 current, 1 default, 2 saved, 3 what can be done with it.
        select: u8,
        /// Double word 11.
        value: u32,
        /// Namespace, or 0 or FFFFFFFFh for all.
        namespace: u32,
    },
    /// To be answered when something happens.
    AsyncEventRequest,
    /// The host lives.
    KeepAlive,
    /// Another opcode.
    Unknown(u8),
}

/// Which structure Identify asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identify {
    /// CNS.
    pub structure: u8,
    /// CNTID.
    pub controller: u16,
    /// CSI: command set.
    pub command_set: u8,
    /// NSID.
    pub namespace: u32,
}

impl Identify {
    /// Identify Namespace.
    pub const NAMESPACE: u8 = 0x00;
    /// Identify Controller.
    pub const CONTROLLER: u8 = 0x01;
    /// Active Namespace ID list.
    pub const ACTIVE_NAMESPACES: u8 = 0x02;
    /// Namespace Identification Descriptor list.
    pub const DESCRIPTORS: u8 = 0x03;
    /// I/O Command Set specific Identify Namespace.
    pub const COMMAND_SET_NAMESPACE: u8 = 0x05;
    /// I/O Command Set specific Identify Controller.
    pub const COMMAND_SET_CONTROLLER: u8 = 0x06;
    /// I/O Command Set Independent Identify Namespace.
    pub const INDEPENDENT_NAMESPACE: u8 = 0x08;
}

/// Which part of which log page is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LogRequest {
    /// LID.
    pub page: u8,
    /// LSP: 4 bits or more that the page gives a meaning.
    pub specific: u8,
    /// RAE: the event that led here stays unanswered.
    pub retain_event: bool,
    /// NUMD: double words, one less.
    pub dwords_less_one: u32,
    /// LPO: offset, bytes.
    pub offset: u64,
    /// NSID.
    pub namespace: u32,
}

impl LogRequest {
    /// Bytes that are asked for, 4 to 16 GiB; nobody allocates by it.
    pub fn bytes(&self) -> u64 {
        (u64::from(self.dwords_less_one) + 1) * 4
    }
}

impl AdminCommand {
    /// Reads an entry of the admin queue that is no Fabrics command; any entry is one.
    pub fn parse(entry: &SubmissionEntry) -> AdminCommand {
        let (dword10, dword11) = (entry.dword(10), entry.dword(11));
        let [low, _, _, _] = dword10.to_le_bytes();
        match entry.opcode() {
            GET_LOG_PAGE => AdminCommand::GetLogPage(LogRequest {
                page: low,
                specific: (dword10 >> 8) as u8 & 0x7F,
                retain_event: dword10 >> 15 & 1 != 0,
                dwords_less_one: dword10 >> 16 | dword11 << 16,
                offset: entry.quad(12),
                namespace: entry.namespace(),
            }),
            IDENTIFY => AdminCommand::Identify(Identify {
                structure: low,
                controller: (dword10 >> 16) as u16,
                command_set: (dword11 >> 24) as u8,
                namespace: entry.namespace(),
            }),
            ABORT => {
                AdminCommand::Abort { queue: dword10 as u16, command_id: (dword10 >> 16) as u16 }
            }
            SET_FEATURES => AdminCommand::SetFeatures {
                feature: low,
                save: dword10 >> 31 != 0,
                value: dword11,
                namespace: entry.namespace(),
            },
            GET_FEATURES => AdminCommand::GetFeatures {
                feature: low,
                select: (dword10 >> 8) as u8 & 0b111,
                value: dword11,
                namespace: entry.namespace(),
            },
            ASYNC_EVENT_REQUEST => AdminCommand::AsyncEventRequest,
            KEEP_ALIVE => AdminCommand::KeepAlive,
            other => AdminCommand::Unknown(other),
        }
    }

    /// The entry, with `data` as its data pointer.
    pub fn to_entry(&self, command_id: u16, data: DataPointer) -> SubmissionEntry {
        let entry =
            |opcode, namespace| SubmissionEntry::new(opcode, command_id, namespace).with_data(data);
        match *self {
            AdminCommand::GetLogPage(log) => {
                let mut entry = entry(GET_LOG_PAGE, log.namespace);
                entry.set_dword(
                    10,
                    u32::from(log.page)
                        | u32::from(log.specific & 0x7F) << 8
                        | u32::from(log.retain_event) << 15
                        | log.dwords_less_one << 16,
                );
                entry.set_dword(11, log.dwords_less_one >> 16);
                entry.set_quad(12, log.offset);
                entry
            }
            AdminCommand::Identify(identify) => {
                let mut entry = entry(IDENTIFY, identify.namespace);
                let controller = u32::from(identify.controller) << 16;
                entry.set_dword(10, u32::from(identify.structure) | controller);
                entry.set_dword(11, u32::from(identify.command_set) << 24);
                entry
            }
            AdminCommand::Abort { queue, command_id: aborted } => {
                let mut entry = entry(ABORT, 0);
                entry.set_dword(10, u32::from(queue) | u32::from(aborted) << 16);
                entry
            }
            AdminCommand::SetFeatures { feature, save, value, namespace } => {
                let mut entry = entry(SET_FEATURES, namespace);
                entry.set_dword(10, u32::from(feature) | u32::from(save) << 31);
                entry.set_dword(11, value);
                entry
            }
            AdminCommand::GetFeatures { feature, select, value, namespace } => {
                let mut entry = entry(GET_FEATURES, namespace);
                entry.set_dword(10, u32::from(feature) | u32::from(select & 0b111) << 8);
                entry.set_dword(11, value);
                entry
            }
            AdminCommand::AsyncEventRequest => entry(ASYNC_EVENT_REQUEST, 0),
            AdminCommand::KeepAlive => entry(KEEP_ALIVE, 0),
            AdminCommand::Unknown(opcode) => entry(opcode, 0),
        }
    }
}
