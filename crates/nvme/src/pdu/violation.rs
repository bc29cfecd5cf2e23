//! What ends a connection at once, as the one side tells the other before it closes (H2CTermReq and C2HTermReq).

use std::fmt;

/// FES: what was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fatal {
    /// 01h: a field of a header; its offset follows.
    InvalidHeaderField,
    /// 02h: a PDU that must not come now.
    SequenceError,
    /// 03h: the header digest; what was computed follows.
    HeaderDigestError,
    /// 04h: data outside of what was asked for.
    DataOutOfRange,
    /// 05h: more data, or more transfers at once, than were allowed.
    DataLimitExceeded,
    /// 06h: a parameter that is not supported.
    UnsupportedParameter,
    /// Another number.
    Other(u16),
}

impl Fatal {
    /// The number.
    pub fn to_code(self) -> u16 {
        match self {
            Fatal::InvalidHeaderField => 1,
            Fatal::SequenceError => 2,
            Fatal::HeaderDigestError => 3,
            Fatal::DataOutOfRange => 4,
            Fatal::DataLimitExceeded => 5,
            Fatal::UnsupportedParameter => 6,
            Fatal::Other(code) => code,
        }
    }

    /// What a number stands for.
    pub fn from_code(code: u16) -> Fatal {
        match code {
            1 => Fatal::InvalidHeaderField,
            2 => Fatal::SequenceError,
            3 => Fatal::HeaderDigestError,
            4 => Fatal::DataOutOfRange,
            5 => Fatal::DataLimitExceeded,
            6 => Fatal::UnsupportedParameter,
            other => Fatal::Other(other),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Fatal::InvalidHeaderField => "Invalid PDU Header Field",
            Fatal::SequenceError => "PDU Sequence Error",
            Fatal::HeaderDigestError => "Header Digest Error",
            Fatal::DataOutOfRange => "Data Transfer Out of Range",
            Fatal::DataLimitExceeded => "Data Transfer Limit Exceeded",
            Fatal::UnsupportedParameter => "Unsupported Parameter",
            Fatal::Other(_) => "fatal error",
        }
    }
}

/// A reason to end the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub struct Violation {
    /// FES.
    pub fatal: Fatal,
    /// FEI: the offset of the field, the digest that was expected, or 0.
    pub information: u32,
}

impl Violation {
    /// The reason, with its detail.
    pub fn new(fatal: Fatal, information: u32) -> Violation {
        Violation { fatal, information }
    }

    /// A PDU that must not come now.
    pub const SEQUENCE: Violation = Violation { fatal: Fatal::SequenceError, information: 0 };
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fatal {
            Fatal::InvalidHeaderField | Fatal::UnsupportedParameter => {
                write!(f, "{} at byte {}", self.fatal.words(), self.information)
            }
            Fatal::HeaderDigestError => {
                write!(f, "{} (expected {:#010x})", self.fatal.words(), self.information)
            }
            Fatal::Other(code) => write!(f, "{} {code:#x}", self.fatal.words()),
            _ => f.write_str(self.fatal.words()),
        }
    }
}
