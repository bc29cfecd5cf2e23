//! Fabrics commands, which come on every queue (NVMe Base Specification, "Fabrics Command Set").

use crate::bytes::{array_at, put, put_u16, u16_at};
use crate::name::NQN_FIELD;
use crate::{DataPointer, HostId, InvalidNqn, Nqn, SubmissionEntry};

/// Opcode of all Fabrics commands.
pub const FABRICS_OPCODE: u8 = 0x7F;

/// CNTLID of a Connect for an admin queue: the controller is to be made.
pub const DYNAMIC_CONTROLLER: u16 = 0xFFFF;

/// SPSP1, SPSP0 and SECP of a command of authentication.
const PROTOCOL_AT: [usize; 3] = [42, 41, 43];
/// FCTYPE.
const TYPE: usize = 4;
const PROPERTY_SET: u8 = 0x00;
const CONNECT: u8 = 0x01;
const PROPERTY_GET: u8 = 0x04;
const AUTHENTICATION_SEND: u8 = 0x05;
const AUTHENTICATION_RECEIVE: u8 = 0x06;
const DISCONNECT: u8 = 0x08;

/// A Fabrics command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FabricsCommand {
    /// Sets a property.
    PropertySet {
        /// Its offset, bytes.
        offset: u32,
        /// Whether it has 8 bytes rather than 4.
        wide: bool,
        /// Its value.
        value: u64,
    },
    /// Begins a queue; [`ConnectData`] comes with it.
    Connect(Connect),
    /// Asks for a property.
    PropertyGet {
        /// Its offset, bytes.
        offset: u32,
        /// Whether it has 8 bytes rather than 4.
        wide: bool,
    },
    /// A message of an authentication; it comes as data.
    AuthenticationSend {
        /// SPSP1, SPSP0 and SECP: the protocol.
        protocol: [u8; 3],
        /// TL: length of the message, bytes.
        length: u32,
    },
    /// Asks for a message of an authentication.
    AuthenticationReceive {
        /// SPSP1, SPSP0 and SECP: the protocol.
        protocol: [u8; 3],
        /// AL: most bytes of it.
        length: u32,
    },
    /// Ends an I/O queue.
    Disconnect,
    /// Another type.
    Unknown(u8),
}

/// What Connect says in its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Connect {
    /// RECFMT: format of the data; 0 is the only one.
    pub format: u16,
    /// QID: 0 for the admin queue.
    pub queue: u16,
    /// SQSIZE, one less than the entries.
    pub queue_size: u16,
    /// CATTR bits 1:0: priority class.
    pub priority: u8,
    /// CATTR bit 2: the host doesn't look at SQHD.
    pub no_flow_control: bool,
    /// KATO: keep-alive timeout, ms; 0 for none.
    pub keep_alive_ms: u32,
}

impl FabricsCommand {
    /// Reads an entry with [`FABRICS_OPCODE`]; any entry is one.
    pub fn parse(entry: &SubmissionEntry) -> FabricsCommand {
        let protocol = || PROTOCOL_AT.map(|at| entry.byte(at));
        match entry.byte(TYPE) {
            PROPERTY_SET => FabricsCommand::PropertySet {
                wide: entry.byte(40) & 0b111 == 1,
                offset: entry.dword(11),
                value: entry.quad(12),
            },
            CONNECT => FabricsCommand::Connect(Connect {
                format: entry.word(40),
                queue: entry.word(42),
                queue_size: entry.word(44),
                priority: entry.byte(46) & 0b11,
                no_flow_control: entry.byte(46) & 0b100 != 0,
                keep_alive_ms: entry.dword(12),
            }),
            PROPERTY_GET => FabricsCommand::PropertyGet {
                wide: entry.byte(40) & 0b111 == 1,
                offset: entry.dword(11),
            },
            AUTHENTICATION_SEND => {
                FabricsCommand::AuthenticationSend { protocol: protocol(), length: entry.dword(11) }
            }
            AUTHENTICATION_RECEIVE => FabricsCommand::AuthenticationReceive {
                protocol: protocol(),
                length: entry.dword(11),
            },
            DISCONNECT => FabricsCommand::Disconnect,
            other => FabricsCommand::Unknown(other),
        }
    }

    /// The entry, with `data` as its data pointer.
    pub fn to_entry(&self, command_id: u16, data: DataPointer) -> SubmissionEntry {
        let mut entry = SubmissionEntry::new(FABRICS_OPCODE, command_id, 0).with_data(data);
        match *self {
            FabricsCommand::PropertySet { offset, wide, value } => {
                entry.set_byte(TYPE, PROPERTY_SET);
                entry.set_byte(40, u8::from(wide));
                entry.set_dword(11, offset);
                entry.set_quad(12, value);
            }
            FabricsCommand::Connect(connect) => {
                entry.set_byte(TYPE, CONNECT);
                entry.set_word(40, connect.format);
                entry.set_word(42, connect.queue);
                entry.set_word(44, connect.queue_size);
                let flow = u8::from(connect.no_flow_control) << 2;
                entry.set_byte(46, connect.priority & 0b11 | flow);
                entry.set_dword(12, connect.keep_alive_ms);
            }
            FabricsCommand::PropertyGet { offset, wide } => {
                entry.set_byte(TYPE, PROPERTY_GET);
                entry.set_byte(40, u8::from(wide));
                entry.set_dword(11, offset);
            }
            FabricsCommand::AuthenticationSend { protocol, length } => {
                entry.set_byte(TYPE, AUTHENTICATION_SEND);
                authentication(&mut entry, protocol, length);
            }
            FabricsCommand::AuthenticationReceive { protocol, length } => {
                entry.set_byte(TYPE, AUTHENTICATION_RECEIVE);
                authentication(&mut entry, protocol, length);
            }
            FabricsCommand::Disconnect => entry.set_byte(TYPE, DISCONNECT),
            FabricsCommand::Unknown(other) => entry.set_byte(TYPE, other),
        }
        entry
    }
}

fn authentication(entry: &mut SubmissionEntry, protocol: [u8; 3], length: u32) {
    for (at, byte) in PROTOCOL_AT.into_iter().zip(protocol) {
        entry.set_byte(at, byte);
    }
    entry.set_dword(11, length);
}

/// The data of Connect, 1024 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectData {
    /// HOSTID.
    pub host_id: HostId,
    /// CNTLID: [`DYNAMIC_CONTROLLER`], or the controller that an I/O queue belongs to.
    pub controller: u16,
    /// SUBNQN.
    pub subsystem: Nqn,
    /// HOSTNQN.
    pub host: Nqn,
}

impl ConnectData {
    /// Size, bytes.
    pub const BYTES: usize = 1024;
    /// Offsets of the fields, which an answer names where one can't be.
    pub const CONTROLLER_AT: u16 = 16;
    /// Of SUBNQN.
    pub const SUBSYSTEM_AT: u16 = 256;
    /// Of HOSTNQN.
    pub const HOST_AT: u16 = 512;

    /// Reads the data.
    ///
    /// # Errors
    /// The offset of the name that is none, and why.
    pub fn parse(bytes: &[u8; ConnectData::BYTES]) -> Result<ConnectData, (u16, InvalidNqn)> {
        let name = |at: u16| {
            let field: [u8; NQN_FIELD] = array_at(bytes, usize::from(at));
            Nqn::from_field(&field).map_err(|why| (at, why))
        };
        Ok(ConnectData {
            host_id: HostId(array_at(bytes, 0)),
            controller: u16_at(bytes, usize::from(ConnectData::CONTROLLER_AT)),
            subsystem: name(ConnectData::SUBSYSTEM_AT)?,
            host: name(ConnectData::HOST_AT)?,
        })
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; ConnectData::BYTES] {
        let mut bytes = [0; ConnectData::BYTES];
        put(&mut bytes, 0, &self.host_id.0);
        put_u16(&mut bytes, usize::from(ConnectData::CONTROLLER_AT), self.controller);
        put(&mut bytes, usize::from(ConnectData::SUBSYSTEM_AT), &self.subsystem.to_field());
        put(&mut bytes, usize::from(ConnectData::HOST_AT), &self.host.to_field());
        bytes
    }
}

/// Whether an entry is a Fabrics command, whatever queue it came on.
pub fn fabrics_command(entry: &SubmissionEntry) -> Option<FabricsCommand> {
    (entry.opcode() == FABRICS_OPCODE).then(|| FabricsCommand::parse(entry))
}
