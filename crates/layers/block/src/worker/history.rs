//! Blocks that a thread wrote and that were not read back: in the order of the writes, or where places are written again, by place.

use std::collections::{BTreeMap, VecDeque};

use crate::scenario::WrittenBlock;

/// A write that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WriteId {
    offset: u64,
    turn: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    InFlight,
    Done,
    /// It failed, or what it left is not known.
    Gone,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    block: WrittenBlock,
    turn: u64,
    state: State,
}

/// What was written.
#[derive(Debug)]
pub(super) struct History {
    order: Order,
    turns: u64,
    /// Entries that are not gone.
    length: u64,
}

#[derive(Debug)]
enum Order {
    /// Each place once, the oldest first.
    ByTurn(VecDeque<Entry>),
    /// Of each place the latest, the lowest first; none overlaps another.
    ByPlace(BTreeMap<u64, Entry>),
}

impl History {
    /// Nothing; `overwrites` where a place may be written again.
    pub fn new(overwrites: bool) -> History {
        let order = if overwrites {
            Order::ByPlace(BTreeMap::new())
        } else {
            Order::ByTurn(VecDeque::new())
        };
        History { order, turns: 0, length: 0 }
    }

    /// Blocks that were started and not read back.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// A write starts; what it covers is not there any more. With `known` false nobody can say afterwards what is there.
    pub fn start(&mut self, block: WrittenBlock, known: bool) -> WriteId {
        let turn = self.turns;
        self.turns += 1;
        let state = if known { State::InFlight } else { State::Gone };
        let entry = Entry { block, turn, state };
        self.length += u64::from(known);
        match &mut self.order {
            Order::ByTurn(entries) => entries.push_back(entry),
            Order::ByPlace(entries) => {
                let end = block.offset + u64::from(block.bytes);
                while let Some((&at, other)) = entries.range(..end).next_back()
                    && at + u64::from(other.block.bytes) > block.offset
                {
                    self.length -= u64::from(other.state != State::Gone);
                    entries.remove(&at);
                }
                if known {
                    entries.insert(block.offset, entry);
                }
            }
        }
        WriteId { offset: block.offset, turn }
    }

    /// It has come back, whole or not.
    pub fn end(&mut self, id: WriteId, whole: bool) {
        let entry = match &mut self.order {
            Order::ByTurn(entries) => {
                let first = entries.front().map_or(0, |entry| entry.turn);
                id.turn.checked_sub(first).and_then(|at| entries.get_mut(at as usize))
            }
            Order::ByPlace(entries) => {
                entries.get_mut(&id.offset).filter(|entry| entry.turn == id.turn)
            }
        };
        let Some(entry) = entry.filter(|entry| entry.state == State::InFlight) else { return };
        entry.state = if whole { State::Done } else { State::Gone };
        self.length -= u64::from(!whole);
    }

    /// Takes the next one out, unless its write is still under way: by place the first that isn't.
    pub fn take(&mut self) -> Option<WrittenBlock> {
        let block = match &mut self.order {
            Order::ByTurn(entries) => {
                while entries.front().is_some_and(|entry| entry.state == State::Gone) {
                    entries.pop_front();
                }
                entries.pop_front_if(|entry| entry.state == State::Done)?.block
            }
            Order::ByPlace(entries) => {
                let (&at, _) = entries.iter().find(|(_, entry)| entry.state == State::Done)?;
                entries.remove(&at)?.block
            }
        };
        self.length -= 1;
        Some(block)
    }

    /// All that came back whole.
    pub fn into_blocks(self) -> Vec<WrittenBlock> {
        let done = |entry: Entry| (entry.state == State::Done).then_some(entry.block);
        match self.order {
            Order::ByTurn(entries) => entries.into_iter().filter_map(done).collect(),
            Order::ByPlace(entries) => entries.into_values().filter_map(done).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(offset: u64, bytes: u32, number: u64) -> WrittenBlock {
        WrittenBlock { offset, bytes, number: Some(number) }
    }

    #[test]
    fn the_oldest_comes_first_once_its_write_is_back() {
        let mut history = History::new(false);
        let ids: Vec<WriteId> =
            [8192, 0, 4096].map(|at| history.start(block(at, 4096, at), true)).into();
        history.end(ids[1], true);
        assert_eq!((history.take(), history.len()), (None, 3), "the oldest is under way");
        history.end(ids[0], true);
        assert_eq!(history.take().map(|block| block.offset), Some(8192));
        assert_eq!(history.take().map(|block| block.offset), Some(0));
        history.end(ids[2], false);
        assert_eq!((history.take(), history.len()), (None, 0), "one that failed is not read back");
        let id = history.start(block(0, 4096, 9), true);
        history.end(id, true);
        assert_eq!(history.into_blocks(), [block(0, 4096, 9)]);
    }

    #[test]
    fn of_what_overlaps_the_latest_stays() {
        let mut history = History::new(true);
        for (offset, bytes) in [(0, 4096), (4096, 4096), (16_384, 512), (2048, 4096), (16_384, 512)]
        {
            let number = history.turns;
            let id = history.start(block(offset, bytes, number), true);
            history.end(id, true);
        }
        assert_eq!(history.len(), 2);
        assert_eq!(history.take(), Some(block(2048, 4096, 3)));
        assert_eq!(history.into_blocks(), [block(16_384, 512, 4)]);
    }

    #[test]
    fn a_write_that_was_covered_and_what_nobody_knows_is_left_out() {
        let mut history = History::new(true);
        let early = history.start(block(0, 4096, 0), true);
        let late = history.start(block(0, 4096, 1), true);
        history.end(early, true);
        assert_eq!((history.take(), history.len()), (None, 1));
        history.end(late, true);
        let unknown = history.start(block(2048, 4096, 2), false);
        history.end(unknown, true);
        assert_eq!((history.take(), history.len()), (None, 0));
    }
}
