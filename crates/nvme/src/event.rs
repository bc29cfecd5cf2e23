//! Asynchronous events (NVMe Base Specification, "Asynchronous Event Request command").

/// What a controller tells by completing an Asynchronous Event Request: type, information and the log page that clears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AsyncEvent {
    /// Bits 2:0: 0 error, 1 SMART, 2 notice.
    pub kind: u8,
    /// Bits 15:8.
    pub information: u8,
    /// Bits 23:16.
    pub log_page: u8,
}

impl AsyncEvent {
    /// Namespaces came, went, or changed their size.
    pub const NAMESPACES_CHANGED: AsyncEvent =
        AsyncEvent { kind: 2, information: 0x00, log_page: 0x04 };
    /// The state of a path to a group of namespaces changed.
    pub const ANA_CHANGED: AsyncEvent = AsyncEvent { kind: 2, information: 0x03, log_page: 0x0C };
    /// The discovery log changed.
    pub const DISCOVERY_CHANGED: AsyncEvent =
        AsyncEvent { kind: 2, information: 0xF0, log_page: 0x70 };

    /// Double word 0 of the completion.
    pub fn to_result(self) -> u32 {
        u32::from(self.kind & 0b111)
            | u32::from(self.information) << 8
            | u32::from(self.log_page) << 16
    }

    /// Reads double word 0 of a completion.
    pub fn from_result(result: u32) -> AsyncEvent {
        let [kind, information, log_page, _] = result.to_le_bytes();
        AsyncEvent { kind: kind & 0b111, information, log_page }
    }

    /// The bit of Asynchronous Event Configuration (and of OAES in Identify) by which a host asks for this notice; `None`
    /// for what isn't asked for.
    pub fn configuration_bit(self) -> Option<u32> {
        match self {
            AsyncEvent::NAMESPACES_CHANGED => Some(1 << 8),
            AsyncEvent::ANA_CHANGED => Some(1 << 11),
            AsyncEvent::DISCOVERY_CHANGED => Some(1 << 31),
            _ => None,
        }
    }
}
