//! What a thread does next: kind, place and length, from the stream's description.

use narrows_engine::Rng;
use narrows_io::Op;

use super::offset_sequence::{SequenceSetup, Walk};
use super::weighted_choice::WeightedChoice;
use crate::scenario::Stream;

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
}

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
        }
    }

    #[inline]
    pub(super) fn next(&mut self) -> NextOperation {
        let kind = usize::from(self.kinds.draw(&mut self.rng));
        let length = self.lengths[kind].draw(&mut self.rng);
        let bytes = self.bytes[usize::from(length)];
        let offset = self.walk.next(kind, length, bytes, &mut self.rng);
        NextOperation { op: KINDS[kind], offset, bytes }
    }
}

fn kind(op: Op) -> u16 {
    KINDS.iter().position(|kind| *kind == op).unwrap_or(0) as u16
}
