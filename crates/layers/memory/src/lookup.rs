//! The work with which the CPUs of a core are loaded: made like what a database does between two system calls.
//!
//! What one CPU of a core loses to its sibling depends on the work. A pure chain of loads leaves the core idle and
//! shows a yield near 2, a pure multiplication loop keeps it full and shows 1. A lookup of a database is neither:
//! it descends an index by loads that wait for each other and mostly hit the second or third cache, hashes and
//! compares integers on the way, and branches by what it found, which no predictor knows. This does the same: four
//! levels; at each a load whose address the last level decided, four words hashed, and a branch taken every other
//! time with more hashing on one side. Shape and mix are judgement, not a trace of a server.
//!
//! The lookups of a batch are fixed by the seed, so its result is known from doing it once before, and a batch that
//! was not done, or done wrongly, shows.

use narrows_engine::{Rng, Stop, Stopped};

/// One descent's levels.
const LEVELS: usize = 4;
/// Nodes of one thread: 1 MiB in lines of 64 bytes. One such set fits the second cache of most servers or little
/// more than it; those of a whole core do not, and compete as the sessions of a server do. A fixed size, so that the
/// figures of two machines are about the same work.
const NODES: usize = 1 << 14;
/// Lookups between two looks at the clock: some 50 µs.
pub const BATCH: u64 = 512;
/// Batches before the first one comes again: too many branches for a predictor to learn by heart.
const BATCHES: u64 = 64;

/// A cache line: hashed words, and where to go from here.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Node {
    words: [u64; 6],
    low: u64,
    high: u64,
}

/// A thread's own nodes and what its batches give.
#[derive(Debug)]
pub struct Lookups {
    nodes: Vec<Node>,
    known: Vec<u64>,
}

impl Lookups {
    /// Bytes that one thread goes through.
    pub const BYTES: usize = NODES * size_of::<Node>();

    /// Makes the nodes, and does each batch once to know its result.
    ///
    /// # Errors
    /// When asked to stop.
    pub fn new(seed: u64, stop: &Stop) -> Result<Lookups, Stopped> {
        let mut rng = Rng::new(seed);
        let node = |rng: &mut Rng| Node {
            words: [(); 6].map(|()| rng.next_u64()),
            low: rng.next_u64(),
            high: rng.next_u64(),
        };
        let nodes = (0..NODES).map(|_| node(&mut rng)).collect();
        let mut lookups = Lookups { nodes, known: Vec::new() };
        for batch in 0..BATCHES {
            stop.check()?;
            let result = lookups.result(batch);
            lookups.known.push(result);
        }
        Ok(lookups)
    }

    /// Does a batch; whether its result is the known one.
    pub fn batch(&self, number: u64) -> bool {
        self.result(number) == self.known[(number % BATCHES) as usize]
    }

    fn result(&self, number: u64) -> u64 {
        let first = (number % BATCHES) * BATCH;
        (first..first + BATCH).fold(0, |sum, key| sum ^ self.look_up(std::hint::black_box(key)))
    }

    fn look_up(&self, key: u64) -> u64 {
        self.descend(key, |_, _| ())
    }

    /// One lookup; `see` is told each node and whether the branch there was taken.
    #[inline(always)]
    fn descend(&self, key: u64, mut see: impl FnMut(usize, bool)) -> u64 {
        let mut hash = mix(key, 0x9E37_79B9_7F4A_7C15);
        for _ in 0..LEVELS {
            let at = hash as usize % NODES;
            let node = &self.nodes[at];
            for word in &node.words[..4] {
                hash = mix(hash, *word);
            }
            // The upper bits of a product are as good as random.
            let taken = hash >> 63 == 0;
            see(at, taken);
            if taken {
                hash = mix(mix(hash, node.words[4]), node.words[5]) ^ node.low;
            } else {
                hash ^= node.high;
            }
        }
        hash
    }
}

/// One round of an integer hash: multiply, then bring the good upper bits down.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_that_went_wrong_shows() {
        let mut lookups = Lookups::new(3, &Stop::new()).unwrap();
        assert!((0..2 * BATCHES).all(|number| lookups.batch(number)));
        // Each lookup sees 4 nodes of 16384, a batch of 512 about an eighth: over all batches every node counts.
        lookups.nodes[77].words[1] ^= 1;
        assert!((0..BATCHES).any(|number| !lookups.batch(number)));
    }

    #[test]
    fn the_branch_goes_both_ways_and_all_nodes_are_seen() {
        let lookups = Lookups::new(5, &Stop::new()).unwrap();
        let mut seen = vec![0u32; NODES];
        let mut taken = 0u32;
        for key in 0..BATCHES * BATCH {
            lookups.descend(key, |node, went| {
                seen[node] += 1;
                taken += u32::from(went);
            });
        }
        let all = BATCHES * BATCH * LEVELS as u64;
        assert!((0.49..0.51).contains(&(f64::from(taken) / all as f64)), "{taken} of {all}");
        // Eight visits a node on average; e^-8 of 16384 nodes are missed by chance.
        assert!(seen.iter().filter(|visits| **visits == 0).count() < 20);
    }

    #[test]
    fn a_stop_ends_the_preparation() {
        let stop = Stop::new();
        stop.set();
        assert!(Lookups::new(1, &stop).is_err());
    }
}
