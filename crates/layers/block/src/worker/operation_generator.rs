//! What a thread does next: kind, place and length, from the stream's description.

use std::sync::Arc;

use narrows_engine::Rng;
use narrows_io::Op;

use super::offset_sequence::{SequenceSetup, Walk};
use super::weighted_choice::WeightedChoice;
use crate::scenario::{AccessPattern, RecordedOperation, RecordedOperations, Stream};

/// The next operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NextOperation {
    pub op: Op,
    pub offset: u64,
    pub bytes: u32,
}

/// Decides for one thread; allocates nothing once made.
#[derive(Debug, Clone)]
pub(super) struct OperationGenerator {
    rng: Rng,
    kinds: WeightedChoice,
    /// For each kind in the order of [`KINDS`]: which of `bytes`.
    lengths: [WeightedChoice; 3],
    bytes: Box<[u32]>,
    walk: Walk,
    special: Option<Special>,
}

/// Operations whose kind is not drawn.
#[derive(Debug, Clone)]
enum Special {
    /// A trim and then a write of the same place and length, over and over: where the trim was, and how long, if its write is the next
    /// operation.
    Pairs { trimmed: Option<(u64, u32)> },
    /// A record, and how much of it is done.
    Recorded { record: Arc<RecordedOperations>, done: usize },
}

const TRIM: usize = 2;
const KINDS: [Op; 3] = [Op::Read, Op::Write, Op::Trim];

impl OperationGenerator {
    /// For one thread of a stream that was checked. `order_seed` is the same for all of them, `seed` is not.
    pub(super) fn new(stream: &Stream, thread: u32, order_seed: u64, seed: u64) -> Self {
        let mut bytes: Vec<u32> = stream.sizes.occurring(&stream.mix).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let number = |length: u32| bytes.iter().position(|&b| b == length).unwrap_or(0) as u16;
        let lengths = KINDS.map(|op| {
            let shares: Vec<(u16, u32)> = stream
                .sizes
                .of(op)
                .iter()
                .map(|share| (number(share.what), share.weight))
                .collect();
            WeightedChoice::new(&shares)
        });
        let kinds: Vec<(u16, u32)> =
            stream.mix.shares().iter().map(|share| (kind(share.what), share.weight)).collect();
        let walk = Walk::new(&SequenceSetup {
            place: &stream.place,
            region: (stream.region.offset_bytes(), stream.region.bytes()),
            thread: (thread, stream.threads),
            lengths: &bytes,
            cursor: stream.cursor,
            seed: order_seed,
        });
        let kinds = WeightedChoice::new(&kinds);
        OperationGenerator {
            rng: Rng::new(seed),
            kinds,
            lengths,
            bytes: bytes.into_boxed_slice(),
            walk,
            special: match &stream.place {
                AccessPattern::TrimThenWrite(_) => Some(Special::Pairs { trimmed: None }),
                AccessPattern::Recorded(record) => {
                    Some(Special::Recorded { record: Arc::clone(record), done: 0 })
                }
                _ => None,
            },
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> NextOperation {
        if self.special.is_some() {
            return self.next_special();
        }
        let kind = usize::from(self.kinds.draw(&mut self.rng));
        let length = self.lengths[kind].draw(&mut self.rng);
        let bytes = self.bytes[usize::from(length)];
        let offset = self.walk.next(kind, length, bytes, &mut self.rng);
        NextOperation { op: KINDS[kind], offset, bytes }
    }

    fn next_special(&mut self) -> NextOperation {
        match &mut self.special {
            Some(Special::Recorded { record, done }) => {
                let RecordedOperation { op, offset, bytes, .. } = record.at(*done);
                *done += 1;
                return NextOperation { op, offset, bytes };
            }
            Some(Special::Pairs { trimmed }) => {
                if let Some((offset, bytes)) = trimmed.take() {
                    return NextOperation { op: Op::Write, offset, bytes };
                }
            }
            None => {}
        }
        let length = self.lengths[TRIM].draw(&mut self.rng);
        let bytes = self.bytes[usize::from(length)];
        let offset = self.walk.next(TRIM, length, bytes, &mut self.rng);
        self.special = Some(Special::Pairs { trimmed: Some((offset, bytes)) });
        NextOperation { op: Op::Trim, offset, bytes }
    }
}

fn kind(op: Op) -> u16 {
    KINDS.iter().position(|kind| *kind == op).unwrap_or(0) as u16
}

#[cfg(test)]
mod tests {
    use narrows_io::{Access, Target};

    use super::*;
    use crate::scenario::{Distribution, Mix, Region, Share, Sizes};

    #[test]
    fn behind_each_trim_comes_a_write_of_its_place_and_length() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        std::fs::File::create(&path).unwrap().set_len(64 << 10).unwrap();
        let region = Region::from(Target::open_read(&path, false).unwrap());
        let one = |what| vec![Share { what, weight: 1 }];
        let mut sizes = Sizes::all(512);
        sizes.trim = [512, 1024, 4096].into_iter().flat_map(one).collect();
        let places = [
            AccessPattern::Sequential,
            AccessPattern::Random(Distribution::OnceEach),
            AccessPattern::Random(Distribution::Uniform),
        ];
        for place in places {
            let stream = Stream {
                mix: Mix { read: 0, write: 1, trim: 1 },
                sizes: sizes.clone(),
                place: AccessPattern::TrimThenWrite(Box::new(place)),
                ..Stream::reads("s", region.clone(), 512, 1, Access::null())
            };
            let mut generator = OperationGenerator::new(&stream, 0, 3, 5);
            let seen: Vec<NextOperation> = (0..600).map(|_| generator.next()).collect();
            for pair in seen.chunks(2) {
                assert_eq!((pair[0].op, pair[1].op), (Op::Trim, Op::Write));
                assert_eq!((pair[0].offset, pair[0].bytes), (pair[1].offset, pair[1].bytes));
                assert!(pair[0].offset + u64::from(pair[0].bytes) <= 64 << 10);
            }
            let mut lengths: Vec<u32> = seen.iter().map(|one| one.bytes).collect();
            lengths.sort_unstable();
            lengths.dedup();
            assert_eq!(lengths, [512, 1024, 4096], "the lengths are those of trims");
        }
    }
}
