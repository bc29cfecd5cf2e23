//! What a host knows of the blocks that it writes.

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

/// Size of a block, bytes.
pub(super) const BLOCK: usize = 4096;

/// Blocks that are not what they may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// Older than what was acknowledged last.
    pub(super) lost: u64,
    /// Of two writes, or of none.
    pub(super) torn: u64,
}

/// Of each block what it holds for sure, and what it may hold since. Values grow.
pub(super) struct Model {
    sure: Vec<u64>,
    maybe: Vec<Vec<u64>>,
}

impl Model {
    pub(super) fn new(blocks: usize) -> Model {
        Model { sure: vec![0; blocks], maybe: vec![Vec::new(); blocks] }
    }

    pub(super) fn blocks(&self) -> usize {
        self.sure.len()
    }

    pub(super) fn begun(&mut self, block: usize, value: u64) {
        self.maybe[block].push(value);
    }

    pub(super) fn acknowledged(&mut self, block: usize, value: u64) {
        self.sure[block] = self.sure[block].max(value);
        self.maybe[block].retain(|other| *other > value);
    }

    /// Where nothing can be read any more.
    pub(super) fn all_lost(&self) -> Outcome {
        Outcome { lost: self.sure.iter().filter(|sure| **sure > 0).count() as u64, torn: 0 }
    }

    /// Holds a file against it.
    pub(super) fn compare(&self, content: &[u8]) -> Result<Outcome> {
        ensure!(content.len() >= self.sure.len() * BLOCK, "the file ends early");
        let mut outcome = Outcome::default();
        for (block, bytes) in content.chunks_exact(BLOCK).take(self.sure.len()).enumerate() {
            match value_of(bytes) {
                Some(value) if value == self.sure[block] || self.maybe[block].contains(&value) => {}
                Some(value) if value < self.sure[block] => outcome.lost += 1,
                _ => outcome.torn += 1,
            }
        }
        Ok(outcome)
    }
}

/// Fills a block with its value.
pub(super) fn fill(block: &mut [u8], value: u64) {
    block.chunks_exact_mut(8).for_each(|word| word.copy_from_slice(&value.to_le_bytes()));
}

/// The value that a block is filled with, if it is one.
fn value_of(block: &[u8]) -> Option<u64> {
    let first: [u8; 8] = block[..8].try_into().ok()?;
    block.chunks_exact(8).all(|word| word == first).then(|| u64::from_le_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_older_is_lost_and_what_is_mixed_is_torn() {
        let mut model = Model::new(4);
        for block in 0..4 {
            model.begun(block, 5);
            model.begun(block, 9);
            model.acknowledged(block, 5);
        }
        let mut content = vec![0; 4 * BLOCK];
        for (block, value) in [(0, 5), (1, 9), (2, 0), (3, 5)] {
            fill(&mut content[block * BLOCK..(block + 1) * BLOCK], value);
        }
        content[3 * BLOCK + 512] ^= 1;
        assert_eq!(model.compare(&content).unwrap(), Outcome { lost: 1, torn: 1 });
        assert!(model.compare(&content[..BLOCK]).is_err());
        assert_eq!(model.all_lost(), Outcome { lost: 4, torn: 0 });
    }
}
