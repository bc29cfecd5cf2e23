//! A medium or backing that can lose what was not flushed: each piece of each write by itself, in any order. A drive writes sectors
//! whole; persistent memory only aligned words of eight bytes, and the lines of its writes in any order that no fence excludes.

use std::io;

use narrows_log_tier::ReadMedium;

pub(crate) const SECTOR: usize = 512;
/// What persistent memory writes whole, bytes.
pub(crate) const WORD: usize = 8;

/// Bytes that are there for good, and writes that may be.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Store {
    durable: Vec<u8>,
    /// What is written whole or not at all, bytes.
    piece: usize,
    /// In the order of the writes.
    pending: Vec<Pending>,
}

/// A piece that may be there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Pending {
    /// Which piece of the store.
    at: usize,
    content: Vec<u8>,
    whose: u64,
    /// Its line was flushed, and a fence will make it durable.
    flushed: bool,
}

/// Which of the open pieces a cut of the power leaves.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kept {
    All,
    /// Those whose bit is set, in the order of the pieces.
    Bits(u64),
    /// Drawn from this seed: of each write none, all, or some.
    Drawn(u64),
}

impl Kept {
    /// Whether the next piece, of this write, is left.
    fn next(&mut self, whose: u64) -> bool {
        match self {
            Kept::All => true,
            Kept::Bits(bits) => {
                let bit = *bits & 1 == 1;
                *bits >>= 1;
                bit
            }
            Kept::Drawn(state) => {
                // The write's share depends on the seed's upper half, which drawing leaves as it is.
                let of_eight = [0, 8, 4, 7, 1][(mixed((*state >> 32) ^ (whose << 7)) % 5) as usize];
                *state += 1;
                mixed(*state) % 8 < of_eight
            }
        }
    }
}

/// A number that looks random, the same for the same.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

impl Store {
    /// A drive.
    pub(crate) fn new(bytes: usize) -> Store {
        Store { durable: vec![0; bytes], piece: SECTOR, pending: Vec::new() }
    }

    /// Persistent memory.
    pub(crate) fn memory(bytes: usize) -> Store {
        Store { piece: WORD, ..Store::new(bytes) }
    }

    /// A write begins: each of its pieces may be on the medium from now on.
    pub(crate) fn write(&mut self, at: u64, bytes: &[u8], whose: u64) {
        let piece = self.piece;
        assert!((at as usize).is_multiple_of(piece) && bytes.len().is_multiple_of(piece));
        let first = at as usize / piece;
        for (index, content) in bytes.chunks(piece).enumerate() {
            let at = first + index;
            // A word that becomes what it is can't be told from one that was not written.
            let same = piece == WORD
                && self.pending.iter().all(|other| other.at != at)
                && self.durable[at * piece..(at + 1) * piece] == *content;
            if !same {
                let content = content.to_vec();
                self.pending.push(Pending { at, content, whose, flushed: false });
            }
        }
    }

    /// A write with force unit access has ended; in persistent memory its lines were flushed, and a fence followed.
    pub(crate) fn make_durable(&mut self, whose: u64) {
        self.flush_lines(whose);
        self.fence();
    }

    /// The lines of a write are on their way.
    pub(crate) fn flush_lines(&mut self, whose: u64) {
        let its = self.pending.iter_mut().filter(|pending| pending.whose == whose);
        its.for_each(|pending| pending.flushed = true);
    }

    /// What was flushed has arrived.
    pub(crate) fn fence(&mut self) {
        let (flushed, others) = self.pending.drain(..).partition(|pending| pending.flushed);
        self.pending = others;
        self.apply(flushed);
    }

    /// A flush has ended.
    pub(crate) fn flush(&mut self) {
        let all = std::mem::take(&mut self.pending);
        self.apply(all);
    }

    fn apply(&mut self, writes: Vec<Pending>) {
        for Pending { at, content, .. } in writes {
            self.durable[at * self.piece..(at + 1) * self.piece].copy_from_slice(&content);
        }
    }

    /// How many pieces may or may not be there.
    pub(crate) fn open_pieces(&self) -> usize {
        self.pending.len()
    }

    /// What is there after a cut of the power that left those pieces.
    pub(crate) fn after_cut(&self, kept: &mut Kept) -> Store {
        let kept = self.pending.iter().filter(|pending| kept.next(pending.whose));
        let kept = kept.cloned().collect();
        let durable = self.durable.clone();
        let mut left = Store { durable, piece: self.piece, pending: Vec::new() };
        left.apply(kept);
        left
    }

    /// As a host reads it while the power is on: with all writes.
    pub(crate) fn seen(&self, at: u64, bytes: usize) -> Vec<u8> {
        let whole = self.after_cut(&mut Kept::All);
        whole.durable[at as usize..at as usize + bytes].to_vec()
    }

    /// Replaces bytes, as nobody who keeps the rules does.
    pub(crate) fn forge(&mut self, at: u64, bytes: &[u8]) {
        self.durable[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
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

#[test]
fn persistent_memory_tears_words_and_keeps_what_a_fence_followed() {
    let mut store = Store::memory(64);
    store.write(0, &[1; 32], 7);
    assert_eq!(store.open_pieces(), 4);
    let torn = store.after_cut(&mut Kept::Bits(0b0101));
    assert_eq!(torn.seen(0, 32), [[1; 8], [0; 8], [1; 8], [0; 8]].concat());
    // Flushed is not there yet.
    store.flush_lines(7);
    assert_eq!(store.after_cut(&mut Kept::Bits(0)).seen(0, 32), [0; 32]);
    store.fence();
    assert_eq!(store.after_cut(&mut Kept::Bits(0)).seen(0, 32), [1; 32]);
    // The same once more leaves nothing open, and another value does.
    store.write(0, &[1; 32], 8);
    assert_eq!(store.open_pieces(), 0);
    store.write(8, &[2; 8], 8);
    store.write(8, &[1; 8], 9);
    assert_eq!(store.open_pieces(), 2);
    let drawn = (0..64).map(|seed| store.after_cut(&mut Kept::Drawn(seed << 32)).seen(8, 1)[0]);
    let drawn: std::collections::BTreeSet<u8> = drawn.collect();
    assert_eq!(drawn, [1, 2].into());
}
