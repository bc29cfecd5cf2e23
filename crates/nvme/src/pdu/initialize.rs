//! ICReq and ICResp: how a connection begins.

use super::header::PduType;
use super::violation::{Fatal, Violation};
use crate::bytes::{put_u16, put_u32, u16_at, u32_at};
use crate::digest::Digests;

/// What a host asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IcReq {
    /// PFV: format of the PDUs; 0 is the only one.
    pub format: u16,
    /// HPDA: data that the host gets begin at multiples of 4 x (this + 1) bytes; 0 to 31.
    pub alignment: u8,
    /// Digests that it wants.
    pub digests: Digests,
    /// MAXR2T: transfers that it serves at once for a command, less one.
    pub max_r2t: u32,
}

/// What a controller grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IcResp {
    /// PFV.
    pub format: u16,
    /// CPDA: as HPDA, for data that the controller gets.
    pub alignment: u8,
    /// Digests that are used.
    pub digests: Digests,
    /// MAXH2CDATA: most data of an H2CData PDU, bytes; 4096 or more, a multiple of 4.
    pub max_h2c_data: u32,
}

/// Offsets in both.
const FORMAT: usize = 8;
const ALIGNMENT: usize = 10;
const DIGESTS: usize = 11;
const LIMIT: usize = 12;

/// The least that MAXH2CDATA may be, bytes.
pub const MIN_MAX_H2C_DATA: u32 = 4096;

impl IcReq {
    /// What Linux's host sends, with these digests.
    pub fn new(digests: Digests) -> IcReq {
        IcReq { format: 0, alignment: 0, digests, max_r2t: 0 }
    }

    /// Where data for this host begin, bytes.
    pub fn alignment_bytes(&self) -> u32 {
        (u32::from(self.alignment) + 1) * 4
    }

    pub(super) fn parse(header: &[u8]) -> Result<IcReq, Violation> {
        common(header)?;
        Ok(IcReq {
            format: u16_at(header, FORMAT),
            alignment: header[ALIGNMENT],
            digests: Digests::from_bits(header[DIGESTS]),
            max_r2t: u32_at(header, LIMIT),
        })
    }

    pub(super) fn write(&self, header: &mut [u8]) {
        write(header, self.format, self.alignment, self.digests, self.max_r2t);
    }
}

impl IcResp {
    /// Where data for this controller begin, bytes.
    pub fn alignment_bytes(&self) -> u32 {
        (u32::from(self.alignment) + 1) * 4
    }

    pub(super) fn parse(header: &[u8]) -> Result<IcResp, Violation> {
        common(header)?;
        let max_h2c_data = u32_at(header, LIMIT);
        if max_h2c_data < MIN_MAX_H2C_DATA || !max_h2c_data.is_multiple_of(4) {
            return Err(Violation::new(Fatal::InvalidHeaderField, LIMIT as u32));
        }
        Ok(IcResp {
            format: u16_at(header, FORMAT),
            alignment: header[ALIGNMENT],
            digests: Digests::from_bits(header[DIGESTS]),
            max_h2c_data,
        })
    }

    pub(super) fn write(&self, header: &mut [u8]) {
        write(header, self.format, self.alignment, self.digests, self.max_h2c_data);
    }
}

fn write(header: &mut [u8], format: u16, alignment: u8, digests: Digests, limit: u32) {
    debug_assert_eq!(header.len(), PduType::IcReq.header_bytes());
    put_u16(header, FORMAT, format);
    header[ALIGNMENT] = alignment;
    header[DIGESTS] = digests.to_bits();
    put_u32(header, LIMIT, limit);
}

/// What both sides refuse alike.
fn common(header: &[u8]) -> Result<(), Violation> {
    if u16_at(header, FORMAT) != 0 {
        return Err(Violation::new(Fatal::UnsupportedParameter, FORMAT as u32));
    }
    if header[ALIGNMENT] > 31 {
        return Err(Violation::new(Fatal::InvalidHeaderField, ALIGNMENT as u32));
    }
    Ok(())
}
