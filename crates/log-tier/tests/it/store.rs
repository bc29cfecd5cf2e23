//! A medium or backing that can lose what was not flushed: each sector of each write by itself, in any order.

use std::io;

use narrows_log_tier::ReadMedium;

pub(crate) const SECTOR: usize = 512;

/// Bytes that are there for good, and writes that may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    durable: Vec<u8>,
    /// Sector, content and whose write it is, in the order of the writes.
    pending: Vec<(usize, Vec<u8>, u64)>,
}

impl Store {
    pub(crate) fn new(bytes: usize) -> Store {
        Store { durable: vec![0; bytes], pending: Vec::new() }
    }

    /// A write begins: each of its sectors may be on the medium from now on.
    pub(crate) fn write(&mut self, at: u64, bytes: &[u8], whose: u64) {
        assert!(at.is_multiple_of(SECTOR as u64) && bytes.len().is_multiple_of(SECTOR));
        let first = at as usize / SECTOR;
        let sectors = bytes.chunks(SECTOR).enumerate();
        self.pending
            .extend(sectors.map(|(index, content)| (first + index, content.to_vec(), whose)));
    }

    /// A write with force unit access has ended.
    pub(crate) fn make_durable(&mut self, whose: u64) {
        let (its, others) = self.pending.drain(..).partition(|(_, _, of)| *of == whose);
        self.pending = others;
        self.apply(its);
    }

    /// A flush has ended.
    pub(crate) fn flush(&mut self) {
        let all = std::mem::take(&mut self.pending);
        self.apply(all);
    }

    fn apply(&mut self, writes: Vec<(usize, Vec<u8>, u64)>) {
        for (sector, content, _) in writes {
            self.durable[sector * SECTOR..(sector + 1) * SECTOR].copy_from_slice(&content);
        }
    }

    /// How many sectors may or may not be there.
    pub(crate) fn open_sectors(&self) -> usize {
        self.pending.len()
    }

    /// What is there after a cut of the power that left those pending sectors whose bit is set.
    pub(crate) fn after_cut(&self, kept: u64) -> Store {
        let pending = self.pending.iter().enumerate();
        let kept = pending.filter(|(index, _)| kept >> index & 1 == 1);
        let mut left = Store { durable: self.durable.clone(), pending: Vec::new() };
        left.apply(kept.map(|(_, write)| write.clone()).collect());
        left
    }

    /// As a host reads it while the power is on: with all writes.
    pub(crate) fn seen(&self, at: u64, bytes: usize) -> Vec<u8> {
        let all = u64::MAX >> (64 - self.pending.len().clamp(1, 64));
        let whole = self.after_cut(if self.pending.is_empty() { 0 } else { all });
        whole.durable[at as usize..at as usize + bytes].to_vec()
    }
}

impl ReadMedium for Store {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let end = at as usize + out.len();
        let bytes = self.durable.get(at as usize..end).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}
