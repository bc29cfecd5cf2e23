//! Pages that left lately, by number alone: who comes back soon was evicted too early.

use crate::index::Index;

/// No page has it: its bytes would lie beyond what 64 bits count.
const NOBODY: u64 = u64::MAX;

/// The last so many that left.
#[derive(Debug)]
pub(crate) struct Ghost {
    ring: Vec<u64>,
    /// Where the next goes.
    next: usize,
    index: Index,
}

impl Ghost {
    pub(crate) fn new(pages: usize) -> Ghost {
        Ghost { ring: vec![NOBODY; pages], next: 0, index: Index::new(pages) }
    }

    /// Remembers a page; the one that left first is forgotten.
    pub(crate) fn remember(&mut self, page: u64) {
        if self.ring.is_empty() || self.find(page).is_some() {
            return;
        }
        let ring = &self.ring;
        if ring[self.next] != NOBODY {
            self.index.remove(ring[self.next], |id| ring[id as usize]);
        }
        self.ring[self.next] = page;
        self.index.insert(page, self.next as u32);
        self.next = (self.next + 1) % self.ring.len();
    }

    /// Whether a page left lately; it is forgotten then.
    pub(crate) fn recall(&mut self, page: u64) -> bool {
        let ring = &self.ring;
        match self.index.remove(page, |id| ring[id as usize]) {
            Some(id) => {
                self.ring[id as usize] = NOBODY;
                true
            }
            None => false,
        }
    }

    /// Remembers `pages` at least from now on, and no more than twice as many; those that left last stay. Who shrinks a cache in small steps
    /// pays for a few of them.
    pub(crate) fn resize(&mut self, pages: usize) {
        if (pages..=2 * pages).contains(&self.ring.len()) {
            return;
        }
        let len = self.ring.len();
        let old: Vec<u64> = (0..len).map(|at| self.ring[(self.next + at) % len]).collect();
        let old: Vec<u64> = old.into_iter().filter(|page| *page != NOBODY).collect();
        *self = Ghost::new(pages);
        old[old.len().saturating_sub(pages)..].iter().for_each(|page| self.remember(*page));
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.ring.fill(NOBODY);
        self.index.clear();
    }

    fn find(&self, page: u64) -> Option<u32> {
        self.index.find(page, |id| self.ring[id as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_that_left_are_known_once() {
        let mut ghost = Ghost::new(3);
        (0..5).for_each(|page| ghost.remember(page));
        assert!(!ghost.recall(1) && ghost.recall(3) && !ghost.recall(3));
        ghost.remember(2);
        ghost.remember(7);
        ghost.resize(2);
        assert_eq!(ghost.ring.len(), 3);
        ghost.resize(1);
        assert!(!ghost.recall(2) && !ghost.recall(4) && ghost.recall(7));
        ghost.resize(2);
        ghost.remember(9);
        ghost.clear();
        assert!(!ghost.recall(9));
        let mut none = Ghost::new(0);
        none.remember(1);
        assert!(!none.recall(1));
    }
}
