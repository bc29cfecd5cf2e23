//! What names a namespace for good: the list of descriptors that Identify gives, by which hosts tell whether what they find
//! after a reconnect is what they had.

use super::{IDENTIFY_BYTES, IdentifyData};
use crate::bytes::{array_at, put};

const EUI64: u8 = 1;
const NGUID: u8 = 2;
const UUID: u8 = 3;
const COMMAND_SET: u8 = 4;

/// Size of a descriptor before its identifier, bytes.
const DESCRIPTOR_HEADER: usize = 4;

/// Identifiers of a namespace; a host needs one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NamespaceIds {
    /// EUI-64.
    pub eui64: Option<[u8; 8]>,
    /// NGUID.
    pub nguid: Option<[u8; 16]>,
    /// UUID.
    pub uuid: Option<[u8; 16]>,
    /// CSI: the command set; 0 is NVM.
    pub command_set: Option<u8>,
}

impl NamespaceIds {
    /// The list.
    pub fn to_bytes(&self) -> Box<IdentifyData> {
        let mut data = Box::new([0; IDENTIFY_BYTES]);
        let mut at = 0;
        let mut append = |kind: u8, identifier: &[u8]| {
            data[at] = kind;
            data[at + 1] = identifier.len() as u8;
            put(&mut *data, at + DESCRIPTOR_HEADER, identifier);
            at += DESCRIPTOR_HEADER + identifier.len();
        };
        if let Some(eui64) = self.eui64 {
            append(EUI64, &eui64);
        }
        if let Some(nguid) = self.nguid {
            append(NGUID, &nguid);
        }
        if let Some(uuid) = self.uuid {
            append(UUID, &uuid);
        }
        if let Some(command_set) = self.command_set {
            append(COMMAND_SET, &[command_set]);
        }
        data
    }

    /// Reads a list. A type that isn't known is passed over; what follows a length that can't be is not read.
    pub fn from_bytes(data: &IdentifyData) -> NamespaceIds {
        let mut ids = NamespaceIds::default();
        let mut at = 0;
        while at + DESCRIPTOR_HEADER <= IDENTIFY_BYTES {
            let (kind, length) = (data[at], usize::from(data[at + 1]));
            let begin = at + DESCRIPTOR_HEADER;
            if length == 0 || begin + length > IDENTIFY_BYTES {
                break;
            }
            match (kind, length) {
                (EUI64, 8) => ids.eui64 = Some(array_at(data, begin)),
                (NGUID, 16) => ids.nguid = Some(array_at(data, begin)),
                (UUID, 16) => ids.uuid = Some(array_at(data, begin)),
                (COMMAND_SET, 1) => ids.command_set = Some(data[begin]),
                _ => {}
            }
            at = begin + length;
        }
        ids
    }
}
