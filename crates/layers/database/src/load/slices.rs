//! The window of an open loop by slices: what was due, how much of it took too long, what waited.

use narrows_engine::Window;

/// Slices of a window: enough to see how slow operations clump, long enough to hold some.
const SLICES: u64 = 40;

/// The window of an open loop by slices of equal length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenSlices {
    /// Operations that took longer count as over it, ns; `u64::MAX` where no limit was asked for.
    pub limit_ns: u64,
    /// Operations that were due before the window and had not ended when it began.
    pub waiting_before: u64,
    /// In order.
    pub slices: Vec<OpenSlice>,
}

/// One slice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpenSlice {
    /// Operations that were due in it.
    pub due: u64,
    /// Of these: over the limit, refused, or never answered.
    pub over: u64,
    /// Operations that ended in it, whenever they were due.
    pub ended: u64,
}

impl OpenSlices {
    pub(super) fn new(window: Window, limit_ns: u64) -> Self {
        let slices = SLICES.min(window.length_ns()).max(1) as usize;
        OpenSlices { limit_ns, waiting_before: 0, slices: vec![OpenSlice::default(); slices] }
    }

    #[inline]
    fn at(&mut self, ns: u64, window: &Window) -> Option<&mut OpenSlice> {
        let into = ns.checked_sub(window.start_ns)?;
        let count = self.slices.len() as u128;
        let index = u128::from(into) * count / u128::from(window.length_ns().max(1));
        self.slices.get_mut(usize::try_from(index).ok()?)
    }

    #[inline]
    pub(super) fn due(&mut self, due: u64, window: &Window) {
        match self.at(due, window) {
            Some(slice) => slice.due += 1,
            None => self.waiting_before += u64::from(due < window.start_ns),
        }
    }

    #[inline]
    pub(super) fn ended(&mut self, due: u64, now: u64, good: bool, window: &Window) {
        match self.at(now, window) {
            Some(slice) => slice.ended += 1,
            // It was counted when it was due, which was before.
            None => self.waiting_before -= u64::from(now < window.start_ns),
        }
        if !good || now - due > self.limit_ns {
            self.over(due, window);
        }
    }

    /// One that was due has no answer at `now`, or won't get one.
    pub(super) fn never(&mut self, due: u64, now: u64, window: &Window) {
        if now - due > self.limit_ns {
            self.over(due, window);
        }
    }

    fn over(&mut self, due: u64, window: &Window) {
        if let Some(slice) = self.at(due, window) {
            slice.over += 1;
        }
    }

    pub(super) fn merge(&mut self, other: &OpenSlices) {
        self.limit_ns = other.limit_ns;
        self.waiting_before += other.waiting_before;
        self.slices.resize(self.slices.len().max(other.slices.len()), OpenSlice::default());
        for (slice, other) in self.slices.iter_mut().zip(&other.slices) {
            slice.due += other.due;
            slice.over += other.over;
            slice.ended += other.ended;
        }
    }

    /// Operations that were due and had not ended at the end of each slice.
    pub fn waiting(&self) -> Vec<u64> {
        let mut waiting = self.waiting_before;
        let after = |slice: &OpenSlice| {
            waiting = (waiting + slice.due).saturating_sub(slice.ended);
            waiting
        };
        self.slices.iter().map(after).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_counts_where_it_was_due_and_ends_where_it_ended() {
        let window = Window { start_ns: 1000, end_ns: 1400 };
        let mut slices = OpenSlices::new(window, 50);
        // Due before: ended before, ended within.
        for due in [900, 910] {
            slices.due(due, &window);
        }
        slices.ended(900, 990, true, &window);
        slices.ended(910, 1005, true, &window);
        // Due within: in time, late and ended after the window, refused, never sent; the last is not over in time.
        for due in [1010, 1020, 1030, 1399, 1398] {
            slices.due(due, &window);
        }
        slices.ended(1010, 1060, true, &window);
        slices.ended(1020, 1500, true, &window);
        slices.ended(1030, 1031, false, &window);
        slices.never(1399, u64::MAX, &window);
        slices.never(1398, 1401, &window);
        slices.due(1400, &window);
        assert_eq!(slices.waiting_before, 1);
        let slice = |due, over, ended| OpenSlice { due, over, ended };
        assert_eq!(slices.slices[0], slice(0, 0, 1));
        assert_eq!(slices.slices[1..4], [slice(1, 0, 0), slice(1, 1, 0), slice(1, 1, 1)]);
        assert_eq!((slices.slices[6], slices.slices[39]), (slice(0, 0, 1), slice(2, 1, 0)));
        let waiting = slices.waiting();
        assert_eq!((waiting[0], waiting[2], waiting[3], waiting[39]), (0, 2, 2, 3));
        let mut both = slices.clone();
        both.merge(&slices);
        assert_eq!((both.waiting_before, both.slices[39]), (2, slice(4, 2, 0)));
    }
}
