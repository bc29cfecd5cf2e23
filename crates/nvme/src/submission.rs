//! A submission queue entry: 64 bytes that every command begins with.

use std::fmt;

use crate::DataPointer;
use crate::bytes::{array_at, put, put_u16, put_u32, put_u64, u16_at, u32_at, u64_at};

/// Size of an entry, bytes.
pub const SUBMISSION_BYTES: usize = 64;

/// PSDT 01b in bits 7:6 of byte 1: an SGL describes the data, as Fabrics demand.
const SGL_USED: u8 = 0x40;

/// A submission queue entry as it came or goes. [`crate::command`] gives its double words their meaning.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SubmissionEntry([u8; SUBMISSION_BYTES]);

impl SubmissionEntry {
    /// An entry with opcode, identifier and namespace, without data.
    pub fn new(opcode: u8, command_id: u16, namespace: u32) -> SubmissionEntry {
        let mut bytes = [0; SUBMISSION_BYTES];
        bytes[0] = opcode;
        bytes[1] = SGL_USED;
        put_u16(&mut bytes, 2, command_id);
        put_u32(&mut bytes, 4, namespace);
        SubmissionEntry(bytes).with_data(DataPointer::NONE)
    }

    /// The entry of these bytes; any bytes are one.
    pub fn from_bytes(bytes: [u8; SUBMISSION_BYTES]) -> SubmissionEntry {
        SubmissionEntry(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; SUBMISSION_BYTES] {
        &self.0
    }

    /// OPC.
    pub fn opcode(&self) -> u8 {
        self.0[0]
    }

    /// FUSE: whether it is half of a fused operation.
    pub fn is_fused(&self) -> bool {
        self.0[1] & 0b11 != 0
    }

    /// PSDT: whether an SGL describes the data.
    pub fn has_sgl(&self) -> bool {
        self.0[1] & 0xC0 == SGL_USED
    }

    /// CID, which the answer repeats.
    pub fn command_id(&self) -> u16 {
        u16_at(&self.0, 2)
    }

    /// The same entry under another CID.
    #[must_use]
    pub fn with_command_id(mut self, command_id: u16) -> SubmissionEntry {
        put_u16(&mut self.0, 2, command_id);
        self
    }

    /// NSID; the type of a Fabrics command has its first byte.
    pub fn namespace(&self) -> u32 {
        u32_at(&self.0, 4)
    }

    /// SGL1.
    pub fn data(&self) -> DataPointer {
        DataPointer::from_bytes(&array_at(&self.0, 24))
    }

    /// The same entry with this data pointer.
    #[must_use]
    pub fn with_data(mut self, data: DataPointer) -> SubmissionEntry {
        put(&mut self.0, 24, &data.to_bytes());
        self
    }

    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.0[at]
    }

    pub(crate) fn word(&self, at: usize) -> u16 {
        u16_at(&self.0, at)
    }

    /// CDW10 to CDW15 by their number.
    pub(crate) fn dword(&self, number: usize) -> u32 {
        u32_at(&self.0, number * 4)
    }

    /// Two double words, the lower first.
    pub(crate) fn quad(&self, number: usize) -> u64 {
        u64_at(&self.0, number * 4)
    }

    pub(crate) fn set_byte(&mut self, at: usize, value: u8) {
        self.0[at] = value;
    }

    pub(crate) fn set_word(&mut self, at: usize, value: u16) {
        put_u16(&mut self.0, at, value);
    }

    pub(crate) fn set_dword(&mut self, number: usize, value: u32) {
        put_u32(&mut self.0, number * 4, value);
    }

    pub(crate) fn set_quad(&mut self, number: usize, value: u64) {
        put_u64(&mut self.0, number * 4, value);
    }
}

impl fmt::Debug for SubmissionEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dwords: Vec<u32> = (10..16).map(|number| self.dword(number)).collect();
        write!(
            f,
            "SubmissionEntry {{ opcode {:#04x}, command {}, namespace {:#x}, {:?}, dwords 10 to 15 {dwords:x?} }}",
            self.opcode(),
            self.command_id(),
            self.namespace(),
            self.data(),
        )
    }
}
