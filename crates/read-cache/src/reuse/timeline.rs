//! Who was referenced last when, as a row of marks that can be counted: a Fenwick tree (Fenwick: A new data structure for cumulative
//! frequency tables, 1994).

/// Marks on moments.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    /// From 1 on.
    tree: Vec<u32>,
    marks: u32,
}

impl Timeline {
    /// A row of `moments` without a mark.
    pub(super) fn new(moments: usize) -> Timeline {
        Timeline { tree: vec![0; moments + 1], marks: 0 }
    }

    /// Moments that there are.
    pub(super) fn moments(&self) -> usize {
        self.tree.len() - 1
    }

    /// Sets the mark of a moment that has none; the first moment is 0.
    pub(super) fn mark(&mut self, moment: u32) {
        self.marks += 1;
        self.change(moment, 1);
    }

    /// Takes the mark of a moment that has one.
    pub(super) fn unmark(&mut self, moment: u32) {
        self.marks -= 1;
        self.change(moment, u32::MAX);
    }

    /// Marks after a moment.
    pub(super) fn after(&self, moment: u32) -> u32 {
        let mut at = moment as usize + 1;
        let mut up_to = 0u32;
        while at > 0 {
            up_to += self.tree[at];
            at &= at - 1;
        }
        self.marks - up_to
    }

    fn change(&mut self, moment: u32, by: u32) {
        let mut at = moment as usize + 1;
        while at < self.tree.len() {
            self.tree[at] = self.tree[at].wrapping_add(by);
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_as_a_row_of_flags_is() {
        let mut timeline = Timeline::new(37);
        let mut flags = [false; 37];
        for step in 0..500u32 {
            let moment = step * 17 % 37 + step / 37 % 2;
            let moment = moment.min(36);
            if flags[moment as usize] {
                timeline.unmark(moment);
            } else {
                timeline.mark(moment);
            }
            flags[moment as usize] ^= true;
            for at in 0..37 {
                let marks = flags[at as usize + 1..].iter().filter(|flag| **flag).count();
                assert_eq!(timeline.after(at) as usize, marks);
            }
        }
    }
}
