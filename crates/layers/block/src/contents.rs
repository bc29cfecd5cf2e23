//! What is known of a stream's blocks before its window: whether anything was ever written to them, and how much of them
//! memory holds already. Looked at before each window, so that every command that runs one has it.

use narrows_facts::file;
use narrows_io::Op;

use crate::scenario::{Route, Stream};

/// What stands before the window. Absent is what the file system or the kernel doesn't tell, or what plays no part.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Contents {
    /// Whether others wrote it, as far as is known.
    pub foreign: bool,
    /// Share of the stream's part of the file that is a hole or was allocated without having been written; of files only.
    pub unwritten: Option<f64>,
    /// Share of that part that is in the page cache, where the stream reads through it.
    pub resident: Option<f64>,
}

impl Contents {
    /// Asks file system and kernel; what of the file is still to be written back is written back.
    pub(crate) fn of(stream: &Stream) -> Contents {
        if !stream.access.method().moves_data() {
            return Contents::default();
        }
        let (region, target) = (&stream.region, stream.region.target());
        let range = region.offset_bytes()..region.offset_bytes() + region.bytes();
        let cached = stream.route == Route::Buffered || stream.region.direct_refused().is_some();
        let reads = stream.mix.weight(Op::Read) > 0;
        let resident = (cached && reads)
            .then(|| file::resident_share_within(target.buffered_file(), range.clone()).ok())
            .flatten();
        let foreign = target.pattern().is_none();
        Contents { foreign, unwritten: target.unwritten_share_within(range), resident }
    }

    /// Of several streams the worst counts.
    pub(crate) fn worse(self, other: Contents) -> Contents {
        let most = |one: Option<f64>, two: Option<f64>| one.into_iter().chain(two).reduce(f64::max);
        Contents {
            foreign: self.foreign || other.foreign,
            unwritten: most(self.unwritten, other.unwritten),
            resident: most(self.resident, other.resident),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several_counts_and_unknown_is_not_zero() {
        let one = Contents { unwritten: Some(0.5), ..Contents::default() };
        let two = Contents { unwritten: Some(0.1), ..Contents::default() };
        assert_eq!(one.worse(two), one);
        assert_eq!(Contents::default().worse(two), two);
    }
}
