//! Where each record of each stream lies.

use serde::{Deserialize, Serialize};

/// The head of the file: its first sector says whose it is.
pub const HEADER_BYTES: u64 = 4096;

/// How far a stream may be ahead of what the second host has confirmed, records. In a ring this bounds which old
/// records a write under way at the cut may have hit.
pub const WINDOW: u64 = 256;

/// Most records of a stream: its largest offset, with the longest records in the most streams, still is one.
pub(crate) const MOST_RECORDS: u64 = 1 << 34;

/// Whether records go around or on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Around, over blocks that were written and flushed before, as a server's recycled log.
    Overwrite {
        /// Records in each stream's ring; more than [`WINDOW`].
        slots: u64,
    },
    /// On, at the end of a growing file: each flush also has to keep the file's new size.
    Append,
}

/// Records of one size in several streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// A multiple of 512.
    pub record_bytes: u32,
    /// Writers that share the file.
    pub streams: u32,
    /// Around or on.
    pub mode: Mode,
}

impl Layout {
    /// Where the record of that number (from 1) of a stream (from 0) begins, bytes.
    pub fn offset(&self, stream: u32, number: u64) -> u64 {
        let index = match self.mode {
            Mode::Overwrite { slots } => u64::from(stream) * slots + (number - 1) % slots,
            Mode::Append => (number - 1) * u64::from(self.streams) + u64::from(stream),
        };
        HEADER_BYTES + index * u64::from(self.record_bytes)
    }

    /// Length of a ring's file, bytes; of a growing one only its head.
    pub fn length(&self) -> u64 {
        match self.mode {
            Mode::Overwrite { slots } => {
                HEADER_BYTES + u64::from(self.streams) * slots * u64::from(self.record_bytes)
            }
            Mode::Append => HEADER_BYTES,
        }
    }

    /// The first number that can't have been overwritten, where `highest` is the last that the second host has.
    pub fn first_checkable(&self, highest: u64) -> u64 {
        match self.mode {
            Mode::Overwrite { slots } => (highest + WINDOW + 1).saturating_sub(slots).max(1),
            Mode::Append => 1,
        }
    }

    /// Why this can't be a layout, if so. Lists come from other machines.
    pub fn fault(&self) -> Option<&'static str> {
        if self.record_bytes == 0 || !self.record_bytes.is_multiple_of(512) {
            return Some("records are multiples of 512 bytes");
        }
        if self.record_bytes > 1 << 20 {
            return Some("records have at most 1 MiB");
        }
        if self.streams == 0 || self.streams > 256 {
            return Some("there are 1 to 256 streams");
        }
        match self.mode {
            Mode::Overwrite { slots } if slots <= WINDOW || slots > 1 << 30 => {
                Some("a ring has more records than may be under way, and fewer than 2^30")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_never_overlap_and_stay_inside() {
        for mode in [Mode::Overwrite { slots: 300 }, Mode::Append] {
            let layout = Layout { record_bytes: 1024, streams: 3, mode };
            let mut offsets: Vec<u64> = (0..3)
                .flat_map(|stream| (1..=300).map(move |number| layout.offset(stream, number)))
                .collect();
            offsets.sort_unstable();
            assert_eq!(offsets[0], HEADER_BYTES);
            assert!(offsets.windows(2).all(|pair| pair[1] - pair[0] >= 1024));
            if mode != Mode::Append {
                assert_eq!(offsets[899] + 1024, layout.length());
                assert_eq!(layout.offset(1, 301), layout.offset(1, 1));
            }
        }
    }

    #[test]
    fn what_a_write_under_way_may_have_hit_is_not_looked_for() {
        let layout =
            Layout { record_bytes: 512, streams: 1, mode: Mode::Overwrite { slots: 1000 } };
        assert_eq!(layout.first_checkable(0), 1);
        assert_eq!(layout.first_checkable(744), 1);
        // Record 1001 may be under way, and takes the place of record 1.
        assert_eq!(layout.first_checkable(745), 2);
        let highest = 5000;
        let first = layout.first_checkable(highest);
        assert_eq!(layout.offset(0, first - 1), layout.offset(0, highest + WINDOW));
        let growing = Layout { mode: Mode::Append, ..layout };
        assert_eq!(growing.first_checkable(1 << 40), 1);
    }

    #[test]
    fn the_last_possible_record_still_has_an_offset() {
        let layout = Layout { record_bytes: 1 << 20, streams: 256, mode: Mode::Append };
        assert_eq!(layout.fault(), None);
        assert!(i64::try_from(layout.offset(255, MOST_RECORDS)).is_ok());
    }

    #[test]
    fn impossible_layouts_are_named() {
        let layout =
            Layout { record_bytes: 512, streams: 1, mode: Mode::Overwrite { slots: 1000 } };
        assert_eq!(layout.fault(), None);
        assert!(Layout { record_bytes: 100, ..layout }.fault().is_some());
        assert!(Layout { streams: 0, ..layout }.fault().is_some());
        assert!(Layout { mode: Mode::Overwrite { slots: WINDOW }, ..layout }.fault().is_some());
    }
}
