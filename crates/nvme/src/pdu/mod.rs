//! PDUs: what a connection carries (NVMe over TCP Transport Specification, "Protocol Data Units").
//!
//! A receiver takes eight bytes, asks [`CommonHeader::parse`] how the rest is laid out, takes the header and its digest and
//! gives them to [`Pdu::parse`], and takes the data wherever it wants them. A sender asks [`Pdu::write`] for everything
//! before the data.

mod header;
mod initialize;
mod transfer;
mod violation;

pub use header::{COMMON_BYTES, CommonHeader, Flags, Framing, Layout, PduType, Side};
pub use initialize::{IcReq, IcResp, MIN_MAX_H2C_DATA};
pub use transfer::{DataTransfer, ReadyToTransfer};
pub use violation::{Fatal, Violation};

use crate::bytes::{array_at, put_u16, put_u32, u16_at, u32_at};
use crate::digest::{DIGEST_BYTES, Digests, digest};
use crate::{CompletionEntry, SubmissionEntry};

/// The longest header with its digest, bytes.
pub const LONGEST_HEADER: usize = 128 + DIGEST_BYTES;

/// A PDU without its data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pdu {
    /// A connection begins.
    IcReq(IcReq),
    /// It may.
    IcResp(IcResp),
    /// The host ends it; the header that was wrong follows as data.
    H2cTermReq(Violation),
    /// The controller ends it.
    C2hTermReq(Violation),
    /// A command; data may follow.
    CapsuleCmd(SubmissionEntry),
    /// Its answer.
    CapsuleResp(CompletionEntry),
    /// Data of a command from the host; `last` of the transfer.
    H2cData {
        /// Which.
        transfer: DataTransfer,
        /// LAST_PDU.
        last: bool,
    },
    /// Data of a command for the host.
    C2hData {
        /// Which.
        transfer: DataTransfer,
        /// LAST_PDU.
        last: bool,
        /// SUCCESS: they are the answer, too.
        success: bool,
    },
    /// The controller asks for data.
    R2t(ReadyToTransfer),
}

impl Pdu {
    /// Its type.
    pub fn pdu_type(&self) -> PduType {
        match self {
            Pdu::IcReq(_) => PduType::IcReq,
            Pdu::IcResp(_) => PduType::IcResp,
            Pdu::H2cTermReq(_) => PduType::H2cTermReq,
            Pdu::C2hTermReq(_) => PduType::C2hTermReq,
            Pdu::CapsuleCmd(_) => PduType::CapsuleCmd,
            Pdu::CapsuleResp(_) => PduType::CapsuleResp,
            Pdu::H2cData { .. } => PduType::H2cData,
            Pdu::C2hData { .. } => PduType::C2hData,
            Pdu::R2t(_) => PduType::R2t,
        }
    }

    /// Reads a header: `common` and `layout` are what [`CommonHeader::parse`] gave of its first eight bytes, `header` all of
    /// it with its digest, `layout.header + layout.header_digest` bytes.
    ///
    /// # Errors
    /// A digest that doesn't fit, or a field that can't be.
    ///
    /// # Panics
    /// Where `header` has another length.
    pub fn parse(common: &CommonHeader, layout: &Layout, header: &[u8]) -> Result<Pdu, Violation> {
        assert_eq!(header.len(), layout.header + layout.header_digest, "a whole header");
        let (header, its_digest) = header.split_at(layout.header);
        if !its_digest.is_empty() && u32_at(its_digest, 0) != digest(header) {
            return Err(Violation::new(Fatal::HeaderDigestError, digest(header)));
        }
        let flags = common.flags;
        if flags.success && !flags.last {
            return Err(Violation::new(Fatal::InvalidHeaderField, 1));
        }
        Ok(match common.pdu_type {
            PduType::IcReq => Pdu::IcReq(IcReq::parse(header)?),
            PduType::IcResp => Pdu::IcResp(IcResp::parse(header)?),
            PduType::H2cTermReq => Pdu::H2cTermReq(termination(header)),
            PduType::C2hTermReq => Pdu::C2hTermReq(termination(header)),
            PduType::CapsuleCmd => {
                Pdu::CapsuleCmd(SubmissionEntry::from_bytes(array_at(header, COMMON_BYTES)))
            }
            PduType::CapsuleResp => {
                Pdu::CapsuleResp(CompletionEntry::from_bytes(&array_at(header, COMMON_BYTES)))
            }
            PduType::H2cData => Pdu::H2cData {
                transfer: DataTransfer::parse(header, layout.data)?,
                last: flags.last,
            },
            PduType::C2hData => Pdu::C2hData {
                transfer: DataTransfer::parse(header, layout.data)?,
                last: flags.last,
                success: flags.success,
            },
            PduType::R2t => Pdu::R2t(ReadyToTransfer::parse(header)),
        })
    }

    /// Appends to `out` what comes before the data: header, digest, padding. `data` bytes follow, then, where the layout
    /// says so, their digest; the receiver wants data at multiples of `alignment` bytes.
    pub fn write(
        &self,
        data: usize,
        digests: Digests,
        alignment: u32,
        out: &mut Vec<u8>,
    ) -> Layout {
        let pdu_type = self.pdu_type();
        let layout = Layout::for_data(pdu_type, data, digests, alignment);
        let (last, success) = match self {
            Pdu::H2cData { last, .. } => (*last, false),
            Pdu::C2hData { last, success, .. } => (*last, *success),
            _ => (false, false),
        };
        let with_data = data > 0 && pdu_type.has_digests();
        let common = CommonHeader {
            pdu_type,
            flags: Flags {
                header_digest: layout.header_digest > 0,
                data_digest: layout.data_digest > 0,
                last,
                success,
            },
            data_offset: if with_data { layout.data_offset() as u8 } else { 0 },
            pdu_bytes: layout.pdu_bytes() as u32,
        };
        let start = out.len();
        out.extend_from_slice(&common.to_bytes());
        out.resize(start + layout.header, 0);
        self.write_body(&mut out[start..]);
        if layout.header_digest > 0 {
            let its_digest = digest(&out[start..]);
            out.extend_from_slice(&its_digest.to_le_bytes());
        }
        out.resize(start + layout.data_offset(), 0);
        layout
    }

    fn write_body(&self, header: &mut [u8]) {
        match self {
            Pdu::IcReq(request) => request.write(header),
            Pdu::IcResp(response) => response.write(header),
            Pdu::H2cTermReq(violation) | Pdu::C2hTermReq(violation) => {
                put_u16(header, COMMON_BYTES, violation.fatal.to_code());
                put_u32(header, COMMON_BYTES + 2, violation.information);
            }
            Pdu::CapsuleCmd(entry) => header[COMMON_BYTES..].copy_from_slice(entry.as_bytes()),
            Pdu::CapsuleResp(entry) => header[COMMON_BYTES..].copy_from_slice(&entry.to_bytes()),
            Pdu::H2cData { transfer, .. } | Pdu::C2hData { transfer, .. } => {
                transfer.write(header);
            }
            Pdu::R2t(ready) => ready.write(header),
        }
    }
}

fn termination(header: &[u8]) -> Violation {
    let fatal = Fatal::from_code(u16_at(header, COMMON_BYTES));
    Violation::new(fatal, u32_at(header, COMMON_BYTES + 2))
}
