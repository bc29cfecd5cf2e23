//! What the operations do and how long they are, as shares of all of them.

use narrows_io::Op;

/// Reduced shares that add up to more than this can't be dealt exactly in a reasonable time.
const MOST_CARDS: u64 = 65_536;

/// One of several, and how often it comes relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share<T> {
    /// What.
    pub what: T,
    /// Its weight, of the sum of all.
    pub weight: u32,
}

/// Weights of reads, writes and trims. Exact over time: of every `sum of weights` operations of a thread (reduced by
/// their common divisor) so many are of each kind, in random order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mix {
    /// Weight of reads.
    pub read: u32,
    /// Weight of writes.
    pub write: u32,
    /// Weight of trims.
    pub trim: u32,
}

impl Mix {
    /// Nothing but `op`; syncs are not a part of a mix, [`crate::Stream::sync_after`] places them.
    pub fn only(op: Op) -> Mix {
        let weight = |this| u32::from(op == this);
        Mix { read: weight(Op::Read), write: weight(Op::Write), trim: weight(Op::Trim) }
    }

    /// So many reads and writes of a hundred.
    pub fn read_percent(percent: u32) -> Mix {
        Mix { read: percent.min(100), write: 100 - percent.min(100), trim: 0 }
    }

    /// Whether anything on the device is changed.
    pub fn writes(&self) -> bool {
        self.write > 0 || self.trim > 0
    }

    /// The weight of `op`.
    pub fn weight(&self, op: Op) -> u32 {
        match op {
            Op::Read => self.read,
            Op::Write => self.write,
            Op::Trim => self.trim,
            Op::Sync => 0,
        }
    }

    /// The only kind of operation, where there is only one.
    pub fn single(&self) -> Option<Op> {
        let mut kinds = self.kinds();
        let first = kinds.next();
        if kinds.next().is_some() { None } else { first }
    }

    /// `read`, `write`, `trim`, or `mixed`.
    pub fn word(&self) -> &'static str {
        match self.single() {
            Some(Op::Read) => "read",
            Some(Op::Write) => "write",
            Some(Op::Trim) => "trim",
            Some(Op::Sync) | None => "mixed",
        }
    }

    /// The kinds that occur.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = Op> + use<'_> {
        [Op::Read, Op::Write, Op::Trim].into_iter().filter(|op| self.weight(*op) > 0)
    }

    pub(crate) fn shares(&self) -> Vec<Share<Op>> {
        self.kinds().map(|what| Share { what, weight: self.weight(what) }).collect()
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        too_many(&self.shares())
    }
}

/// Lengths of the operations by kind, in bytes: one, or several by weight (a split). Exact over time, as [`Mix`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// Of reads.
    pub read: Vec<Share<u32>>,
    /// Of writes.
    pub write: Vec<Share<u32>>,
    /// Of trims.
    pub trim: Vec<Share<u32>>,
}

impl Sizes {
    /// One length for all.
    pub fn all(bytes: u32) -> Sizes {
        let one = vec![Share { what: bytes, weight: 1 }];
        Sizes { read: one.clone(), write: one.clone(), trim: one }
    }

    /// The lengths of `op`.
    pub fn of(&self, op: Op) -> &[Share<u32>] {
        match op {
            Op::Read => &self.read,
            Op::Write => &self.write,
            Op::Trim => &self.trim,
            Op::Sync => &[],
        }
    }

    /// The only length that occurs with `mix`, where there is only one.
    pub fn single(&self, mix: &Mix) -> Option<u32> {
        let mut all = self.occurring(mix);
        let first = all.next()?;
        all.all(|bytes| bytes == first).then_some(first)
    }

    /// Every length that occurs, with repetitions.
    pub(crate) fn occurring(&self, mix: &Mix) -> impl Iterator<Item = u32> + use<'_> {
        let mix = *mix;
        [Op::Read, Op::Write, Op::Trim]
            .into_iter()
            .filter(move |op| mix.weight(*op) > 0)
            .flat_map(|op| self.of(op))
            .filter(|share| share.weight > 0)
            .map(|share| share.what)
    }

    pub(crate) fn largest(&self, mix: &Mix) -> u32 {
        self.occurring(mix).max().unwrap_or(0)
    }

    /// The largest of those that need a buffer.
    pub(crate) fn largest_moved(&self, mix: &Mix) -> u32 {
        self.largest(&Mix { trim: 0, ..*mix })
    }

    pub(super) fn reason(&self, mix: &Mix) -> Option<&'static str> {
        if self.occurring(mix).any(|bytes| bytes == 0) {
            return Some("an operation of no bytes");
        }
        // A card of a deck is two bytes.
        if self.occurring(mix).count() > usize::from(u16::MAX) {
            return Some("it has more than 65535 lengths");
        }
        mix.kinds().find_map(|op| too_many(self.of(op)))
    }
}

fn too_many<T>(shares: &[Share<T>]) -> Option<&'static str> {
    match cards(shares.iter().map(|share| share.weight)) {
        0 => Some("its shares add up to nothing"),
        cards if cards > MOST_CARDS => Some("its shares are too fine to be dealt exactly"),
        _ => None,
    }
}

/// Sum of the weights after division by what they have in common.
fn cards(weights: impl Iterator<Item = u32> + Clone) -> u64 {
    let common = divisor(weights.clone());
    weights.map(|weight| u64::from(weight / common)).sum()
}

/// Greatest common divisor; one where all are zero.
pub(crate) fn divisor(weights: impl Iterator<Item = u32>) -> u32 {
    weights
        .fold(0, |a, b| {
            let (mut a, mut b) = (a, b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        })
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_occurs_is_what_has_a_weight() {
        let mix = Mix::read_percent(70);
        let mut sizes = Sizes::all(8192);
        sizes.trim = vec![Share { what: 1 << 20, weight: 1 }];
        assert_eq!(sizes.single(&mix), Some(8192));
        assert_eq!((sizes.largest(&mix), mix.word()), (8192, "mixed"));
        sizes.read.push(Share { what: 4096, weight: 3 });
        assert_eq!(sizes.single(&mix), None);
        let trims = Mix::only(Op::Trim);
        assert_eq!((sizes.largest(&trims), sizes.largest_moved(&trims)), (1 << 20, 0));
        assert_eq!((trims.word(), trims.writes(), trims.single()), ("trim", true, Some(Op::Trim)));
    }

    #[test]
    fn shares_that_cannot_be_dealt_are_refused() {
        assert!(Mix { read: 0, write: 0, trim: 0 }.reason().is_some());
        assert!(Mix::only(Op::Sync).reason().is_some());
        assert!(Mix { read: 1_000_003, write: 1, trim: 0 }.reason().is_some());
        assert_eq!(Mix { read: 700_000, write: 300_000, trim: 0 }.reason(), None);
        assert!(Sizes::all(0).reason(&Mix::only(Op::Read)).is_some());
        let read = (1..=65_536).map(|what| Share { what, weight: 1 }).collect();
        let many = Sizes { read, ..Sizes::all(1) };
        assert!(many.reason(&Mix::only(Op::Read)).is_some());
        assert_eq!(many.reason(&Mix::only(Op::Write)), None);
    }
}
