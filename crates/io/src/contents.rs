//! Whether a target holds what it should: a sample of sectors, read past the page cache where possible.
//!
//! A device may answer reads of blocks that were never written, or trimmed, out of its tables; such blocks are zeros,
//! which can be told even where nothing is known of the contents.

use std::os::unix::fs::FileExt;

use crate::{Arena, Error, Pattern, SECTOR, Tag, Target};

/// What a sample of blocks held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// Sectors looked at.
    pub sampled: u32,
    /// Of these, nothing but zeros.
    pub zeros: u32,
    /// Of these, not what was written there.
    pub wrong: u32,
}

impl Target {
    /// What the sector at `offset` says of itself, read past the page cache where possible; `None` where it can't be read, or sectors
    /// don't begin there.
    pub fn tag_at(&self, pattern: Pattern, offset: u64) -> Option<Tag> {
        let step = self.offset_alignment().max(4096);
        let (from, within) = (offset / step * step, (offset % step) as usize);
        if !within.is_multiple_of(SECTOR) || from + step > self.bytes() {
            return None;
        }
        let file = self.direct.as_ref().map_or(self.buffered_file(), |direct| &direct.file);
        let mut arena = Arena::new(1, u32::try_from(step).ok()?, self.memory_alignment()).ok()?;
        file.read_exact_at(arena.slot_mut(0), from).ok()?;
        Some(pattern.tag(&arena.slot(0)[within..], offset))
    }

    /// Reads sectors at places spread over the target (drawn from `seed`) and looks at what they hold.
    pub fn sample_contents(&self, count: u32, seed: u64) -> Result<Contents, Error> {
        let step = self.offset_alignment().max(4096);
        let file = self.direct.as_ref().map_or(self.buffered_file(), |direct| &direct.file);
        let places = self.bytes() / step;
        let mut contents = Contents::default();
        if places == 0 {
            return Ok(contents);
        }
        let length = u32::try_from(step).expect("alignments are small");
        let mut arena = Arena::new(1, length, self.memory_alignment())
            .map_err(|source| Error::buffers(step, self.path(), source))?;
        let mut state = seed;
        for i in 0..u64::from(count) {
            // One place in each of `count` equal parts, so that a hole of any size above a part is met.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let part = |i: u64| (u128::from(i) * u128::from(places) / u128::from(count)) as u64;
            let (from, to) = (part(i), part(i + 1).max(part(i) + 1).min(places));
            let offset = (from + (state >> 33) % (to - from).max(1)).min(places - 1) * step;
            file.read_exact_at(arena.slot_mut(0), offset)
                .map_err(|source| Error::system_at("read", self.path(), offset, source))?;
            contents.sampled += 1;
            // Zeros can be told without knowing what was written, anything else can't.
            match self.pattern().unwrap_or(Pattern::new(0)).tag(arena.slot(0), offset) {
                Tag::Ours { .. } => {}
                Tag::Zeros => contents.zeros += 1,
                Tag::Displaced { .. } | Tag::Foreign => {
                    contents.wrong += u32::from(self.pattern().is_some());
                }
            }
        }
        Ok(contents)
    }
}
