//! Some of a window's writes, to be read back after it: a device that drops what it acknowledges is otherwise the fastest of all.

use narrows_io::Pattern;

/// Places that are kept, the latest ones.
const KEPT: usize = 64;

/// Where one thread wrote, of a sample of its writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wrote {
    /// What it wrote, and the generation before its first write.
    pub carried: Option<(Pattern, u64)>,
    /// Offsets.
    pub places: Vec<u64>,
    next: usize,
}

impl Wrote {
    /// Keeps that place.
    pub(super) fn keep(&mut self, offset: u64) {
        match self.places.get_mut(self.next) {
            Some(place) => *place = offset,
            None => self.places.push(offset),
        }
        self.next = (self.next + 1) % KEPT;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_places_are_kept() {
        let mut wrote = Wrote::default();
        (0..200).for_each(|offset| wrote.keep(offset));
        let mut places = wrote.places.clone();
        places.sort_unstable();
        assert_eq!(places, (136..200).collect::<Vec<_>>());
    }
}
