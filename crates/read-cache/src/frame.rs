//! What is known of each slot, and queues through them.

/// No frame.
pub(crate) const NONE: u32 = u32::MAX;

/// Most uses that are counted, as in the paper: enough to tell pages apart, few enough to be forgotten soon.
pub(crate) const MOST_USES: u8 = 3;

/// Which queue of its pool a frame is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QueueName {
    /// In none: its slot is free.
    Free,
    /// What came in lately.
    Small,
    /// What was asked for again.
    Main,
}

/// A slot's page and its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) page: u64,
    newer: u32,
    older: u32,
    pub(crate) segment: u16,
    pub(crate) queue: QueueName,
    /// A write of it is under way: no hit.
    pub(crate) is_written: bool,
    /// Since it came in or was last spared, up to [`MOST_USES`].
    pub(crate) uses: u8,
}

impl Frame {
    pub(crate) const FREE: Frame = Frame {
        page: u64::MAX,
        newer: NONE,
        older: NONE,
        segment: 0,
        queue: QueueName::Free,
        is_written: false,
        uses: 0,
    };

    /// Of a page that comes in.
    pub(crate) fn new(page: u64, segment: u16) -> Frame {
        Frame { page, segment, ..Frame::FREE }
    }

    /// Whether its slot holds what the backing holds.
    pub(crate) fn is_hit(&self) -> bool {
        self.queue != QueueName::Free && !self.is_written
    }

    /// Counts a use.
    pub(crate) fn used(&mut self) {
        self.uses = (self.uses + 1).min(MOST_USES);
    }
}

/// A queue through frames: first in, first out, or out of the middle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Queue {
    newest: u32,
    oldest: u32,
    len: u32,
}

impl Queue {
    pub(crate) const EMPTY: Queue = Queue { newest: NONE, oldest: NONE, len: 0 };

    /// How many frames.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// The one that came in first.
    pub(crate) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// Takes in a frame that is in no queue.
    pub(crate) fn push(&mut self, frames: &mut [Frame], id: u32) {
        let frame = &mut frames[id as usize];
        (frame.newer, frame.older) = (NONE, self.newest);
        match self.newest {
            NONE => self.oldest = id,
            newest => frames[newest as usize].newer = id,
        }
        self.newest = id;
        self.len += 1;
    }

    /// Takes in a frame that is in no queue, as though it had come before all that are here.
    pub(crate) fn push_oldest(&mut self, frames: &mut [Frame], id: u32) {
        let frame = &mut frames[id as usize];
        (frame.newer, frame.older) = (self.oldest, NONE);
        match self.oldest {
            NONE => self.newest = id,
            oldest => frames[oldest as usize].older = id,
        }
        self.oldest = id;
        self.len += 1;
    }

    /// Takes a frame of this queue out.
    pub(crate) fn unlink(&mut self, frames: &mut [Frame], id: u32) {
        let Frame { newer, older, .. } = frames[id as usize];
        match newer {
            NONE => self.newest = older,
            newer => frames[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => frames[older as usize].newer = newer,
        }
        self.len -= 1;
    }

    /// The frame `from` of this queue is now at `to`, where a copy of it lies.
    pub(crate) fn renumber(&mut self, frames: &mut [Frame], from: u32, to: u32) {
        let Frame { newer, older, .. } = frames[from as usize];
        match newer {
            NONE => self.newest = to,
            newer => frames[newer as usize].older = to,
        }
        match older {
            NONE => self.oldest = to,
            older => frames[older as usize].newer = to,
        }
    }

    /// From the oldest on.
    pub(crate) fn iter<'a>(&self, frames: &'a [Frame]) -> impl Iterator<Item = u32> + use<'a> {
        let first = self.oldest();
        std::iter::successors(first, |id| {
            let newer = frames[*id as usize].newer;
            (newer != NONE).then_some(newer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_gives_frames_in_their_order_whatever_leaves_from_its_middle() {
        let mut frames = vec![Frame::FREE; 6];
        let mut queue = Queue::EMPTY;
        (0..5).for_each(|id| queue.push(&mut frames, id));
        let order = |queue: &Queue, frames: &[Frame]| queue.iter(frames).collect::<Vec<_>>();
        assert_eq!(order(&queue, &frames), [0, 1, 2, 3, 4]);
        for id in [2, 0, 4] {
            queue.unlink(&mut frames, id);
        }
        assert_eq!((order(&queue, &frames), queue.len()), (vec![1, 3], 2));
        frames[5] = frames[3];
        queue.renumber(&mut frames, 3, 5);
        queue.push(&mut frames, 0);
        assert_eq!(order(&queue, &frames), [1, 5, 0]);
        for id in [1, 5, 0] {
            assert_eq!(queue.oldest(), Some(id));
            queue.unlink(&mut frames, id);
        }
        assert_eq!((queue.oldest(), queue.len()), (None, 0));
        for id in [2, 3] {
            queue.push_oldest(&mut frames, id);
        }
        queue.push(&mut frames, 4);
        assert_eq!((order(&queue, &frames), queue.len()), (vec![3, 2, 4], 3));
    }
}
