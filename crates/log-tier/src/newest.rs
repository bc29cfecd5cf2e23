//! The newest data of each byte of the backing that records hold.

use std::collections::BTreeMap;
use std::ops::Range;

/// Where data are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// In the image of the log, from this byte of the ring on.
    Image(u64),
    /// They are zeros.
    Zeros {
        /// Their space may be given up.
        deallocate: bool,
    },
}

impl Source {
    /// The same, so many bytes further on.
    fn skip(self, bytes: u64) -> Source {
        match self {
            Source::Image(at) => Source::Image(at + bytes),
            zeros @ Source::Zeros { .. } => zeros,
        }
    }
}

/// Data of one record for bytes of the backing that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where in the backing, bytes.
    pub offset: u64,
    /// How many, bytes.
    pub bytes: u64,
    /// Where they are.
    pub source: Source,
    /// Whose.
    pub seq: u64,
}

impl Piece {
    fn end(&self) -> u64 {
        self.offset + self.bytes
    }

    /// The part of it within `range`.
    fn within(&self, range: &Range<u64>) -> Option<Piece> {
        let from = self.offset.max(range.start);
        let to = self.end().min(range.end);
        let source = self.source.skip(from.checked_sub(self.offset)?);
        (from < to).then(|| Piece { offset: from, bytes: to - from, source, seq: self.seq })
    }
}

/// Pieces that don't overlap, by their offset.
#[derive(Debug, Clone, Default)]
pub(crate) struct Newest {
    pieces: BTreeMap<u64, Piece>,
}

impl Newest {
    /// Takes in a piece that is newer than all that are here.
    pub(crate) fn insert(&mut self, piece: Piece) {
        if piece.bytes == 0 {
            return;
        }
        let range = piece.offset..piece.end();
        let old: Vec<Piece> = self.overlapping(range.clone()).collect();
        for old in old {
            self.pieces.remove(&old.offset);
            for rest in [old.offset..range.start, range.end..old.end()] {
                if let Some(rest) = old.within(&rest) {
                    self.pieces.insert(rest.offset, rest);
                }
            }
        }
        self.pieces.insert(piece.offset, piece);
    }

    /// Forgets what the record `seq` holds of `range`.
    pub(crate) fn remove(&mut self, range: Range<u64>, seq: u64) {
        let its = self.overlapping(range).filter(|piece| piece.seq == seq);
        let its: Vec<u64> = its.map(|piece| piece.offset).collect();
        for offset in its {
            self.pieces.remove(&offset);
        }
    }

    /// The parts of pieces that lie within `range`, in order.
    pub(crate) fn parts(&self, range: Range<u64>) -> impl Iterator<Item = Piece> {
        self.overlapping(range.clone()).filter_map(move |piece| piece.within(&range))
    }

    /// All of them, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Piece> {
        self.pieces.values().copied()
    }

    /// Pieces that have a byte in `range`, whole.
    fn overlapping(&self, range: Range<u64>) -> impl Iterator<Item = Piece> {
        let before = self.pieces.range(..range.start).next_back().map(|(_, piece)| *piece);
        let before = before.filter(|piece| piece.end() > range.start && range.start < range.end);
        let inside = self.pieces.range(range.start..range.end.max(range.start));
        before.into_iter().chain(inside.map(|(_, piece)| *piece))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(offset: u64, bytes: u64, seq: u64) -> Piece {
        Piece { offset, bytes, source: Source::Image(1000 * seq), seq }
    }

    #[test]
    fn newer_data_split_older_ones() {
        let mut newest = Newest::default();
        newest.insert(piece(0, 10, 1));
        newest.insert(piece(4, 2, 2));
        let all: Vec<Piece> = newest.all().collect();
        let rest = Piece { offset: 6, bytes: 4, source: Source::Image(1006), seq: 1 };
        assert_eq!(all, [piece(0, 4, 1), piece(4, 2, 2), rest]);
        let parts: Vec<Piece> = newest.parts(5..7).collect();
        assert_eq!((parts[0].offset, parts[0].source), (5, Source::Image(2001)));
        assert_eq!((parts[1].offset, parts[1].bytes), (6, 1));
        newest.remove(0..10, 1);
        assert_eq!(newest.all().collect::<Vec<_>>(), [piece(4, 2, 2)]);
        assert_eq!(newest.parts(4..4).count(), 0);
    }

    proptest! {
        #[test]
        fn pieces_are_what_a_plain_array_says(
            changes in prop::collection::vec((0_u64..60, 0_u64..20, any::<bool>()), 1..40),
        ) {
            let mut newest = Newest::default();
            let mut plain: Vec<Option<(u64, u64)>> = vec![None; 80];
            let mut ranges = Vec::new();
            for (seq, (offset, bytes, forget)) in (1_u64..).zip(changes) {
                newest.insert(piece(offset, bytes, seq));
                for at in offset..offset + bytes {
                    plain[at as usize] = Some((seq, 1000 * seq + at - offset));
                }
                ranges.push(offset..offset + bytes);
                if forget {
                    // Records are forgotten from the oldest on.
                    let old = ranges.iter().position(|range| !range.is_empty());
                    if let Some(index) = old {
                        let range = std::mem::take(&mut ranges[index]);
                        newest.remove(range, index as u64 + 1);
                        let gone = index as u64 + 1;
                        plain.iter_mut().for_each(|at| *at = at.filter(|(seq, _)| *seq != gone));
                    }
                }
            }
            let mut found = vec![None; 80];
            let mut last = 0;
            for piece in newest.all() {
                prop_assert!(piece.offset >= last && piece.bytes > 0);
                last = piece.end();
                let Source::Image(from) = piece.source else { unreachable!() };
                for at in 0..piece.bytes {
                    found[(piece.offset + at) as usize] = Some((piece.seq, from + at));
                }
            }
            prop_assert_eq!(&found, &plain);
            let middle: u64 = newest.parts(20..40).map(|piece| piece.bytes).sum();
            prop_assert_eq!(middle as usize, plain[20..40].iter().flatten().count());
        }
    }
}
