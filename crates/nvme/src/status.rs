//! Status of a completed command (NVMe Base Specification, "Status Field Definition").

use std::fmt;

/// Status code type in bits 10:8, status code in bits 7:0, More in bit 13, Do Not Retry in bit 14: the field of the
/// completion without its phase bit, as the Linux kernel's constants have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(u16);

/// Do Not Retry: the same command would fail again. In answer to Connect it makes a Linux host give up for good.
const DO_NOT_RETRY: u16 = 1 << 14;

macro_rules! statuses {
    ($($name:ident = $code:literal, $words:literal;)*) => {
        impl Status {
            $(
                #[doc = concat!(stringify!($code), ": ", $words, ".")]
                pub const $name: Status = Status($code);
            )*

            /// The specification's words for it, or `None` for a code that isn't in the table.
            pub fn words(self) -> Option<&'static str> {
                match self.code() {
                    $($code => Some($words),)*
                    _ => None,
                }
            }
        }
    };
}

statuses! {
    SUCCESS = 0x000, "Successful Completion";
    INVALID_OPCODE = 0x001, "Invalid Command Opcode";
    INVALID_FIELD = 0x002, "Invalid Field in Command";
    COMMAND_ID_CONFLICT = 0x003, "Command ID Conflict";
    DATA_TRANSFER_ERROR = 0x004, "Data Transfer Error";
    INTERNAL_ERROR = 0x006, "Internal Error";
    ABORT_REQUESTED = 0x007, "Command Abort Requested";
    QUEUE_DELETED = 0x008, "Command Aborted due to SQ Deletion";
    INVALID_NAMESPACE = 0x00B, "Invalid Namespace or Format";
    SEQUENCE_ERROR = 0x00C, "Command Sequence Error";
    INVALID_SGL_COUNT = 0x00E, "Invalid Number of SGL Descriptors";
    SGL_LENGTH_INVALID = 0x00F, "Data SGL Length Invalid";
    SGL_TYPE_INVALID = 0x011, "SGL Descriptor Type Invalid";
    SGL_OFFSET_INVALID = 0x016, "SGL Offset Invalid";
    HOST_ID_INCONSISTENT = 0x018, "Host Identifier Inconsistent Format";
    KEEP_ALIVE_EXPIRED = 0x019, "Keep Alive Timer Expired";
    KEEP_ALIVE_INVALID = 0x01A, "Keep Alive Timeout Invalid";
    WRITE_PROTECTED = 0x020, "Namespace is Write Protected";
    TRANSIENT_TRANSPORT_ERROR = 0x022, "Transient Transport Error";
    LBA_OUT_OF_RANGE = 0x080, "LBA Out of Range";
    CAPACITY_EXCEEDED = 0x081, "Capacity Exceeded";
    NAMESPACE_NOT_READY = 0x082, "Namespace Not Ready";
    RESERVATION_CONFLICT = 0x083, "Reservation Conflict";
    INVALID_QUEUE = 0x101, "Invalid Queue Identifier";
    ABORT_LIMIT = 0x103, "Abort Command Limit Exceeded";
    EVENT_LIMIT = 0x105, "Asynchronous Event Request Limit Exceeded";
    INVALID_LOG_PAGE = 0x109, "Invalid Log Page";
    NOT_SAVEABLE = 0x10D, "Feature Identifier Not Saveable";
    NOT_CHANGEABLE = 0x10E, "Feature Not Changeable";
    CONNECT_FORMAT = 0x180, "Incompatible Format";
    CONTROLLER_BUSY = 0x181, "Controller Busy";
    CONNECT_PARAMETERS = 0x182, "Connect Invalid Parameters";
    CONNECT_RESTART_DISCOVERY = 0x183, "Connect Restart Discovery";
    CONNECT_HOST = 0x184, "Connect Invalid Host";
    INVALID_QUEUE_TYPE = 0x185, "Invalid Queue Type";
    DISCOVER_RESTART = 0x190, "Discover Restart";
    AUTHENTICATION_REQUIRED = 0x191, "Authentication Required";
    WRITE_FAULT = 0x280, "Write Fault";
    READ_ERROR = 0x281, "Unrecovered Read Error";
    COMPARE_FAILURE = 0x285, "Compare Failure";
    ACCESS_DENIED = 0x286, "Access Denied";
    ANA_PERSISTENT_LOSS = 0x301, "Asymmetric Access Persistent Loss";
    ANA_INACCESSIBLE = 0x302, "Asymmetric Access Inaccessible";
    ANA_TRANSITION = 0x303, "Asymmetric Access Transition";
}

impl Status {
    /// Of the status field of a completion entry, whose lowest bit is the phase, which fabrics don't use.
    pub fn from_field(field: u16) -> Status {
        Status(field >> 1)
    }

    /// The status field of a completion entry.
    pub fn to_field(self) -> u16 {
        self.0 << 1
    }

    /// Type and code, without More and Do Not Retry.
    pub fn code(self) -> u16 {
        self.0 & 0x7FF
    }

    /// Whether the command succeeded.
    pub fn is_success(self) -> bool {
        self.code() == 0
    }

    /// Whether the same command would fail again.
    pub fn do_not_retry(self) -> bool {
        self.0 & DO_NOT_RETRY != 0
    }

    /// The same, and Do Not Retry.
    #[must_use]
    pub fn for_good(self) -> Status {
        Status(self.0 | DO_NOT_RETRY)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.words() {
            Some(words) => write!(f, "{words} ({:#05x})", self.code()),
            None => write!(f, "status {:#05x}", self.code()),
        }?;
        f.write_str(if self.do_not_retry() { ", do not retry" } else { "" })
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Status({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_has_the_phase_below_and_do_not_retry_on_top() {
        let refused = Status::CONNECT_HOST.for_good();
        assert_eq!(refused.to_field(), 0x8308);
        assert_eq!(Status::from_field(0x8309), refused);
        assert_eq!(refused.to_string(), "Connect Invalid Host (0x184), do not retry");
        assert_eq!(Status::from_field(0x7FE << 1).to_string(), "status 0x7fe");
    }
}
