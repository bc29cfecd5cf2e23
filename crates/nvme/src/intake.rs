//! Cutting what comes into PDUs, in whatever pieces it comes.
//!
//! A receiver has one [`Intake`] at a time. It takes the header first; where data follow, it says where they go (`D`, in
//! its own words) and takes them there.

use crate::digest::{DIGEST_BYTES, digest, digest_more};
use crate::pdu::{COMMON_BYTES, CommonHeader, Framing, LONGEST_HEADER, Layout, Pdu, Violation};

/// A header that is coming, or data behind one.
#[derive(Debug)]
pub enum Intake<D> {
    /// A header is coming.
    Header(HeaderIntake),
    /// Data are coming.
    Data(DataIntake<D>),
}

impl<D> Intake<D> {
    /// The next PDU is to come.
    pub fn new() -> Intake<D> {
        Intake::Header(HeaderIntake::new())
    }
}

impl<D> Default for Intake<D> {
    fn default() -> Intake<D> {
        Intake::new()
    }
}

/// A header that is coming.
#[derive(Debug)]
pub struct HeaderIntake {
    bytes: [u8; LONGEST_HEADER],
    have: usize,
    known: Option<(CommonHeader, Layout)>,
}

impl HeaderIntake {
    fn new() -> HeaderIntake {
        HeaderIntake { bytes: [0; LONGEST_HEADER], have: 0, known: None }
    }

    /// Takes what it needs from `input`; the PDU once its header is whole.
    ///
    /// # Errors
    /// What the header breaks.
    pub fn take(
        &mut self,
        input: &mut &[u8],
        framing: &Framing,
    ) -> Result<Option<(Pdu, Layout)>, Violation> {
        if self.known.is_none() {
            if !self.fill(input, COMMON_BYTES) {
                return Ok(None);
            }
            let mut common = [0; COMMON_BYTES];
            common.copy_from_slice(&self.bytes[..COMMON_BYTES]);
            self.known = Some(CommonHeader::parse(&common, framing)?);
        }
        let Some((header, layout)) = self.known else { return Ok(None) };
        let need = layout.header + layout.header_digest;
        if !self.fill(input, need) {
            return Ok(None);
        }
        let pdu = Pdu::parse(&header, &layout, &self.bytes[..need])?;
        Ok(Some((pdu, layout)))
    }

    fn fill(&mut self, input: &mut &[u8], need: usize) -> bool {
        let taken = (need - self.have.min(need)).min(input.len());
        let (now, rest) = input.split_at(taken);
        self.bytes[self.have..self.have + taken].copy_from_slice(now);
        self.have += taken;
        *input = rest;
        self.have >= need
    }

    /// What is here of it, to show whoever sent it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.have.min(128)]
    }
}

/// Data that are coming.
#[derive(Debug)]
pub struct DataIntake<D> {
    /// The PDU that they belong to.
    pub pdu: Pdu,
    layout: Layout,
    /// Where they go.
    pub destination: D,
    padding_left: usize,
    have: usize,
    digest: u32,
    its_digest: [u8; DIGEST_BYTES],
    its_digest_have: usize,
}

impl<D> DataIntake<D> {
    /// The data of a PDU whose header is here.
    pub fn new(pdu: Pdu, layout: Layout, destination: D) -> DataIntake<D> {
        DataIntake {
            pdu,
            layout,
            destination,
            padding_left: layout.padding,
            have: 0,
            digest: digest(&[]),
            its_digest: [0; DIGEST_BYTES],
            its_digest_have: 0,
        }
    }

    /// Bytes of data in all.
    pub fn bytes(&self) -> usize {
        self.layout.data
    }

    /// Data that are missing, where nothing else comes before them.
    pub fn missing(&self) -> usize {
        if self.padding_left > 0 { 0 } else { self.layout.data - self.have }
    }

    /// How many are here.
    pub fn have(&self) -> usize {
        self.have
    }

    /// All of the data with their digest, where `input` has them and nothing was taken before.
    pub fn whole<'a>(&mut self, input: &mut &'a [u8]) -> Option<&'a [u8]> {
        let (layout, begin) = (self.layout, self.padding_left);
        let end = begin + layout.data + layout.data_digest;
        if self.have > 0 || self.padding_left != layout.padding || input.len() < end {
            return None;
        }
        let data = &input[begin..begin + layout.data];
        if layout.data_digest > 0 {
            self.digest = digest(data);
            self.its_digest.copy_from_slice(&input[begin + layout.data..end]);
        }
        self.its_digest_have = layout.data_digest;
        self.padding_left = 0;
        self.have = layout.data;
        *input = &input[end..];
        Some(data)
    }

    /// Copies data from `input` to `memory`, which is for all of them; whether all are here, with their digest.
    pub fn copy(&mut self, input: &mut &[u8], memory: &mut [u8]) -> bool {
        let padding = self.padding_left.min(input.len());
        self.padding_left -= padding;
        *input = &input[padding..];
        let taken = self.missing().min(input.len());
        let (now, rest) = input.split_at(taken);
        memory[self.have..self.have + taken].copy_from_slice(now);
        if self.layout.data_digest > 0 {
            self.digest = digest_more(self.digest, now);
        }
        self.have += taken;
        *input = rest;
        self.finish(input)
    }

    /// So many bytes were received to where they belong, which `memory` shows.
    pub fn received(&mut self, bytes: usize, memory: &[u8]) -> bool {
        if self.layout.data_digest > 0 {
            self.digest = digest_more(self.digest, &memory[self.have..self.have + bytes]);
        }
        self.have += bytes;
        self.finish(&mut &[][..])
    }

    fn finish(&mut self, input: &mut &[u8]) -> bool {
        if self.padding_left > 0 || self.have < self.layout.data {
            return false;
        }
        let taken = (self.layout.data_digest - self.its_digest_have).min(input.len());
        let (now, rest) = input.split_at(taken);
        self.its_digest[self.its_digest_have..self.its_digest_have + taken].copy_from_slice(now);
        self.its_digest_have += taken;
        *input = rest;
        self.its_digest_have == self.layout.data_digest
    }

    /// Whether the digest, if there is one, is that of the data.
    pub fn is_intact(&self) -> bool {
        self.layout.data_digest == 0 || u32::from_le_bytes(self.its_digest) == self.digest
    }
}
