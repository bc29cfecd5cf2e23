//! Operations that wait for others in flight that they share bytes with. As fio's `serialize_overlap`.

use std::sync::{Arc, Mutex, PoisonError};

/// Among which operations no two in flight may share bytes.
#[derive(Debug, Clone)]
pub enum Serialize {
    /// Those of one thread.
    ByThread,
    /// Those of all streams that have this.
    Among(Arc<RangesInFlight>),
}

impl Serialize {
    /// What one thread looks at.
    pub(crate) fn ranges(&self) -> Arc<RangesInFlight> {
        match self {
            Serialize::ByThread => Arc::default(),
            Serialize::Among(ranges) => Arc::clone(ranges),
        }
    }
}

/// What is in flight, as first byte and end. A list that is gone through: there are as many as operations in flight.
#[derive(Debug, Default)]
pub struct RangesInFlight(Mutex<Vec<(u64, u64)>>);

impl RangesInFlight {
    /// Puts an operation among them unless it shares a byte with one of them; whether it did.
    pub(crate) fn enter(&self, offset: u64, bytes: u32) -> bool {
        let end = offset + u64::from(bytes);
        let mut ranges = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ranges.iter().any(|(from, to)| offset < *to && *from < end) {
            return false;
        }
        ranges.push((offset, end));
        true
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// It has come back.
    pub(crate) fn leave(&self, offset: u64, bytes: u32) {
        let range = (offset, offset + u64::from(bytes));
        let mut ranges = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = ranges.iter().position(|other| *other == range) {
            ranges.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_a_byte_waits_until_the_other_is_back() {
        let ranges = RangesInFlight::default();
        assert!(ranges.enter(4096, 4096) && ranges.enter(8192, 4096) && ranges.enter(0, 4096));
        assert!(!ranges.enter(8191, 1) && !ranges.enter(0, 65_536));
        ranges.leave(4096, 4096);
        assert!(ranges.enter(4096, 512) && ranges.enter(7680, 512));
        assert!(!ranges.enter(4607, 2));
    }

    #[test]
    fn threads_have_their_own_and_streams_may_share_one() {
        let own = Serialize::ByThread;
        assert!(own.ranges().enter(0, 1) && own.ranges().enter(0, 1));
        let among = Serialize::Among(Arc::default());
        assert!(among.ranges().enter(0, 1) && !among.ranges().enter(0, 1));
    }
}
