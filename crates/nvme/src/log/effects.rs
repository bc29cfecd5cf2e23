//! Commands Supported and Effects.

use crate::bytes::{put_u32, u32_at};

/// Size, bytes.
const BYTES: usize = 4096;
/// CSUPP: the command is supported.
const SUPPORTED: u32 = 1;
/// LBCC: it may change blocks.
const CHANGES_BLOCKS: u32 = 1 << 1;

/// Which commands a controller supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEffects {
    admin: [u32; 256],
    io: [u32; 256],
}

impl CommandEffects {
    /// No command so far.
    pub fn none() -> CommandEffects {
        CommandEffects { admin: [0; 256], io: [0; 256] }
    }

    /// And this admin command.
    #[must_use]
    pub fn with_admin(mut self, opcode: u8) -> CommandEffects {
        self.admin[usize::from(opcode)] = SUPPORTED;
        self
    }

    /// And this I/O command, which may change blocks or not.
    #[must_use]
    pub fn with_io(mut self, opcode: u8, changes_blocks: bool) -> CommandEffects {
        let changes = if changes_blocks { CHANGES_BLOCKS } else { 0 };
        self.io[usize::from(opcode)] = SUPPORTED | changes;
        self
    }

    /// Whether an admin command is supported.
    pub fn supports_admin(&self, opcode: u8) -> bool {
        self.admin[usize::from(opcode)] & SUPPORTED != 0
    }

    /// Whether an I/O command is supported.
    pub fn supports_io(&self, opcode: u8) -> bool {
        self.io[usize::from(opcode)] & SUPPORTED != 0
    }

    /// The log page.
    pub fn to_bytes(&self) -> Box<[u8; BYTES]> {
        let mut data = Box::new([0; BYTES]);
        for (index, effects) in self.admin.iter().chain(&self.io).enumerate() {
            put_u32(&mut *data, index * 4, *effects);
        }
        data
    }

    /// Reads a log page; any bytes are one.
    pub fn from_bytes(data: &[u8; BYTES]) -> CommandEffects {
        let at = |first: usize| move |index: usize| u32_at(data, (first + index) * 4);
        CommandEffects { admin: std::array::from_fn(at(0)), io: std::array::from_fn(at(256)) }
    }
}
