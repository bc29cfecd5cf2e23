//! The eight bytes that every PDU begins with, and what of them a receiver must have checked before it takes more.

use super::violation::{Fatal, Violation};
use crate::bytes::{put_u32, u32_at};
use crate::digest::{DIGEST_BYTES, Digests};

/// Size of the common header, bytes.
pub const COMMON_BYTES: usize = 8;

/// Who sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The host (initiator).
    Host,
    /// The controller (target).
    Controller,
}

/// The types of PDUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PduType {
    /// Initialize Connection Request.
    IcReq,
    /// Initialize Connection Response.
    IcResp,
    /// Host to Controller Terminate Connection Request.
    H2cTermReq,
    /// Controller to Host Terminate Connection Request.
    C2hTermReq,
    /// Command Capsule.
    CapsuleCmd,
    /// Response Capsule.
    CapsuleResp,
    /// Host to Controller Data Transfer.
    H2cData,
    /// Controller to Host Data Transfer.
    C2hData,
    /// Ready to Transfer.
    R2t,
}

impl PduType {
    /// All of them.
    pub const ALL: [PduType; 9] = [
        PduType::IcReq,
        PduType::IcResp,
        PduType::H2cTermReq,
        PduType::C2hTermReq,
        PduType::CapsuleCmd,
        PduType::CapsuleResp,
        PduType::H2cData,
        PduType::C2hData,
        PduType::R2t,
    ];

    /// PDU-Type.
    pub fn to_byte(self) -> u8 {
        match self {
            PduType::IcReq => 0x00,
            PduType::IcResp => 0x01,
            PduType::H2cTermReq => 0x02,
            PduType::C2hTermReq => 0x03,
            PduType::CapsuleCmd => 0x04,
            PduType::CapsuleResp => 0x05,
            PduType::H2cData => 0x06,
            PduType::C2hData => 0x07,
            PduType::R2t => 0x09,
        }
    }

    /// The type with this number.
    pub fn from_byte(byte: u8) -> Option<PduType> {
        PduType::ALL.into_iter().find(|pdu_type| pdu_type.to_byte() == byte)
    }

    /// HLEN: size of the header, common part included, without digest, bytes.
    pub fn header_bytes(self) -> usize {
        match self {
            PduType::IcReq | PduType::IcResp => 128,
            PduType::CapsuleCmd => 72,
            _ => 24,
        }
    }

    /// Who sends it.
    pub fn sender(self) -> Side {
        match self {
            PduType::IcReq | PduType::H2cTermReq | PduType::CapsuleCmd | PduType::H2cData => {
                Side::Host
            }
            _ => Side::Controller,
        }
    }

    /// Whether digests protect it, where they are agreed.
    pub fn has_digests(self) -> bool {
        !matches!(
            self,
            PduType::IcReq | PduType::IcResp | PduType::H2cTermReq | PduType::C2hTermReq
        )
    }

    /// Whether data may follow.
    fn may_have_data(self) -> bool {
        matches!(self, PduType::CapsuleCmd | PduType::H2cData | PduType::C2hData)
    }

    /// Whether data must follow.
    fn must_have_data(self) -> bool {
        matches!(self, PduType::H2cData | PduType::C2hData)
    }

    fn is_termination(self) -> bool {
        matches!(self, PduType::H2cTermReq | PduType::C2hTermReq)
    }
}

/// FLAGS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags {
    /// HDGSTF: a header digest follows the header.
    pub header_digest: bool,
    /// DDGSTF: a data digest follows the data.
    pub data_digest: bool,
    /// LAST_PDU: the last data of a transfer.
    pub last: bool,
    /// SUCCESS: the command succeeded, and no response capsule follows (C2HData only).
    pub success: bool,
}

impl Flags {
    pub(super) fn to_byte(self) -> u8 {
        u8::from(self.header_digest)
            | u8::from(self.data_digest) << 1
            | u8::from(self.last) << 2
            | u8::from(self.success) << 3
    }

    fn from_byte(byte: u8) -> Flags {
        Flags {
            header_digest: byte & 1 != 0,
            data_digest: byte & 2 != 0,
            last: byte & 4 != 0,
            success: byte & 8 != 0,
        }
    }
}

/// The common header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommonHeader {
    /// PDU-Type.
    pub pdu_type: PduType,
    /// FLAGS.
    pub flags: Flags,
    /// PDO: where the data begin, bytes from the start of the PDU; 0 without data.
    pub data_offset: u8,
    /// PLEN: size of the whole PDU, bytes.
    pub pdu_bytes: u32,
}

/// What a receiver takes of the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Framing {
    /// Who sends.
    pub sender: Side,
    /// The digests that were agreed.
    pub digests: Digests,
    /// Where data begin, as the receiver asked in ICReq or ICResp (HPDA, CPDA): a multiple of this many bytes, 4 or more.
    pub alignment: u32,
    /// The most data of a command capsule, bytes.
    pub capsule_data: u32,
    /// The most data of H2CData and C2HData, bytes.
    pub transfer_data: u32,
}

/// How a PDU is cut up, in its order. The sum is PLEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    /// Header, common part included, bytes.
    pub header: usize,
    /// Header digest: 4 bytes or none.
    pub header_digest: usize,
    /// Padding before the data, bytes.
    pub padding: usize,
    /// Data, bytes.
    pub data: usize,
    /// Data digest: 4 bytes or none.
    pub data_digest: usize,
}

impl Layout {
    /// Where the data begin.
    pub fn data_offset(&self) -> usize {
        self.header + self.header_digest + self.padding
    }

    /// Size of the whole PDU, bytes.
    pub fn pdu_bytes(&self) -> usize {
        self.data_offset() + self.data + self.data_digest
    }

    /// How a PDU with so many bytes of data is laid out for a receiver that wants data at multiples of `alignment`.
    pub fn for_data(pdu_type: PduType, data: usize, digests: Digests, alignment: u32) -> Layout {
        let has_digests = pdu_type.has_digests();
        let header = pdu_type.header_bytes();
        let header_digest = if has_digests && digests.header { DIGEST_BYTES } else { 0 };
        let with_data = data > 0 && !pdu_type.is_termination();
        let unpadded = header + header_digest;
        let padding =
            if with_data { unpadded.next_multiple_of(alignment as usize) - unpadded } else { 0 };
        let data_digest = if with_data && digests.data { DIGEST_BYTES } else { 0 };
        Layout { header, header_digest, padding, data, data_digest }
    }
}

impl CommonHeader {
    /// Reads the first eight bytes of a PDU, and says how the rest of it is laid out. After `Ok` the receiver may take
    /// [`Layout::pdu_bytes`] bytes and no more: they are within what `framing` allows.
    ///
    /// # Errors
    /// The first thing that is not as it has to be, as it is told to the other side.
    pub fn parse(
        bytes: &[u8; COMMON_BYTES],
        framing: &Framing,
    ) -> Result<(CommonHeader, Layout), Violation> {
        let field = |offset| Violation::new(Fatal::InvalidHeaderField, offset);
        let pdu_type = PduType::from_byte(bytes[0]).ok_or(field(0))?;
        if pdu_type.sender() != framing.sender {
            return Err(field(0));
        }
        if usize::from(bytes[2]) != pdu_type.header_bytes() {
            return Err(field(2));
        }
        let header = CommonHeader {
            pdu_type,
            flags: Flags::from_byte(bytes[1]),
            data_offset: bytes[3],
            pdu_bytes: u32_at(bytes, 4),
        };
        let layout = header.layout(framing)?;
        Ok((header, layout))
    }

    fn layout(&self, framing: &Framing) -> Result<Layout, Violation> {
        let field = |offset| Violation::new(Fatal::InvalidHeaderField, offset);
        let (flags_at, offset_at, length_at) = (1, 3, 4);
        let has_digests = self.pdu_type.has_digests();
        let digests = if has_digests { framing.digests } else { Digests::NONE };
        if has_digests && self.flags.header_digest != digests.header {
            return Err(field(flags_at));
        }
        let header = self.pdu_type.header_bytes();
        let header_digest = if digests.header { DIGEST_BYTES } else { 0 };
        let length = self.pdu_bytes as usize;
        let bare = Layout { header, header_digest, padding: 0, data: 0, data_digest: 0 };
        if length < bare.pdu_bytes() {
            return Err(field(length_at));
        }
        if self.pdu_type.is_termination() {
            // The offending header follows, in part or whole; it has no data offset.
            let rest = length - header;
            let longest = PduType::IcReq.header_bytes();
            let fits = rest <= longest;
            return if fits { Ok(Layout { data: rest, ..bare }) } else { Err(field(length_at)) };
        }
        if length == bare.pdu_bytes() && !self.pdu_type.must_have_data() {
            return Ok(bare);
        }
        if !self.pdu_type.may_have_data() {
            return Err(field(length_at));
        }
        if self.flags.data_digest != digests.data {
            return Err(field(flags_at));
        }
        let data_digest = if digests.data { DIGEST_BYTES } else { 0 };
        let offset = usize::from(self.data_offset);
        if offset < bare.pdu_bytes() || offset % framing.alignment.max(4) as usize != 0 {
            return Err(field(offset_at));
        }
        let data = length.checked_sub(offset + data_digest).filter(|data| *data > 0);
        let data = data.ok_or(field(length_at))?;
        let most = match self.pdu_type {
            PduType::CapsuleCmd => framing.capsule_data,
            _ => framing.transfer_data,
        };
        if data > most as usize {
            return Err(match self.pdu_type {
                PduType::CapsuleCmd => field(length_at),
                _ => Violation::new(Fatal::DataLimitExceeded, 0),
            });
        }
        Ok(Layout { padding: offset - bare.pdu_bytes(), data, data_digest, ..bare })
    }

    /// The eight bytes.
    pub fn to_bytes(&self) -> [u8; COMMON_BYTES] {
        let header = self.pdu_type.header_bytes() as u8;
        let mut bytes =
            [self.pdu_type.to_byte(), self.flags.to_byte(), header, self.data_offset, 0, 0, 0, 0];
        put_u32(&mut bytes, 4, self.pdu_bytes);
        bytes
    }
}
