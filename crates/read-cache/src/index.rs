//! From the number of a page to where it is kept: open addressing with linear probing, and deletion by moving back (Knuth, The Art of
//! Computer Programming 3, 6.4, algorithm R), so that no marks of what was deleted slow down what is there.

use crate::hash::mix;

const EMPTY: u32 = u32::MAX;

/// Ids by page. The page of an id is known to the caller and not stored a second time.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    table: Vec<u32>,
    used: usize,
}

impl Index {
    /// Room for so many ids; nothing is allocated until [`reserve`](Index::reserve) asks for more.
    pub(crate) fn new(ids: usize) -> Index {
        Index { table: vec![EMPTY; table_for(ids)], used: 0 }
    }

    /// Makes room for `ids` in all.
    pub(crate) fn reserve(&mut self, ids: usize, page_of: impl Fn(u32) -> u64) {
        let wanted = table_for(ids);
        if wanted == self.table.len() || self.used > ids {
            return;
        }
        let old = std::mem::replace(&mut self.table, vec![EMPTY; wanted]);
        self.used = 0;
        for id in old.into_iter().filter(|id| *id != EMPTY) {
            self.insert(page_of(id), id);
        }
    }

    /// The id of a page.
    pub(crate) fn find(&self, page: u64, page_of: impl Fn(u32) -> u64) -> Option<u32> {
        let mut at = self.home(page);
        loop {
            match self.table[at] {
                EMPTY => return None,
                id if page_of(id) == page => return Some(id),
                _ => at = self.after(at),
            }
        }
    }

    /// Takes in a page that is not here.
    pub(crate) fn insert(&mut self, page: u64, id: u32) {
        debug_assert!(self.used * 2 < self.table.len(), "an index is half full at most");
        let mut at = self.home(page);
        while self.table[at] != EMPTY {
            at = self.after(at);
        }
        self.table[at] = id;
        self.used += 1;
    }

    /// Takes out a page; its id.
    pub(crate) fn remove(&mut self, page: u64, page_of: impl Fn(u32) -> u64) -> Option<u32> {
        let mut at = self.home(page);
        let found = loop {
            match self.table[at] {
                EMPTY => return None,
                id if page_of(id) == page => break id,
                _ => at = self.after(at),
            }
        };
        // What follows moves back as long as its way to here leads over the gap.
        let mut gap = at;
        loop {
            at = self.after(at);
            let id = self.table[at];
            if id == EMPTY {
                break;
            }
            let home = self.home(page_of(id));
            let mask = self.table.len() - 1;
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.table[gap] = id;
                gap = at;
            }
        }
        self.table[gap] = EMPTY;
        self.used -= 1;
        Some(found)
    }

    /// How many are here.
    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.table.fill(EMPTY);
        self.used = 0;
    }

    fn home(&self, page: u64) -> usize {
        mix(page) as usize & (self.table.len() - 1)
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.table.len() - 1)
    }
}

/// A power of two of which `ids` fill less than half.
fn table_for(ids: usize) -> usize {
    (ids * 2 + 1).next_power_of_two().max(8)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_index_answers_as_a_map_does(steps in vec((0u64..40, any::<bool>()), 1..400)) {
            // Id is page, so that the index can ask for it.
            let page_of = |id: u32| u64::from(id);
            let (mut index, mut map) = (Index::new(20), BTreeMap::new());
            for (page, insert) in steps {
                if insert && map.len() < 20 && !map.contains_key(&page) {
                    index.insert(page, page as u32);
                    map.insert(page, page as u32);
                } else if !insert {
                    prop_assert_eq!(index.remove(page, page_of), map.remove(&page));
                }
                prop_assert_eq!(index.len(), map.len());
                for page in 0..40 {
                    prop_assert_eq!(index.find(page, page_of), map.get(&page).copied());
                }
            }
            index.reserve(400, page_of);
            for page in 0..40 {
                prop_assert_eq!(index.find(page, page_of), map.get(&page).copied());
            }
        }
    }
}
