//! One session that reads a fast place, and now and then a slow one: what a read of the fast one takes between such reads.
//!
//! Back to back, the reads of a fast place show something else. Where host and target are one machine, their threads take turns on one CPU
//! or wake each other across two idle ones, which takes several times as long; which of it the kernel does depends on what runs
//! in between. So what a cache's hits will take is measured between reads that are no hits.
//!
//! Not here: more sessions than one. They queue at the slow place, and the law of the forecast has that.

use std::sync::Arc;
use std::time::Duration;

use narrows_engine::{Context, Rng, Stop, now_ns};
use narrows_io::{Access, Arena, Completion, DevicePath, Op};
use narrows_stats::Recorder;

use crate::BlockError;
use crate::scenario::Region;

/// Reads between two looks at the end of the window and the stop token.
const LOOK_EVERY: u32 = 16;

/// A place, and the way to it.
#[derive(Debug, Clone, Copy)]
pub struct ReadPlace<'a> {
    /// Where blocks are read, each as often as the others.
    pub region: &'a Region,
    /// By which way.
    pub access: &'a Access,
}

/// Which of two places one session reads, and what.
#[derive(Debug, Clone, Copy)]
pub struct TwoPlaces<'a> {
    /// The fast one.
    pub fast: ReadPlace<'a>,
    /// The slow one.
    pub slow: ReadPlace<'a>,
    /// Of the reads, those of the fast one; each read is drawn by itself.
    pub fast_share: f64,
    /// Bytes of a read.
    pub block_bytes: u32,
}

/// What a window of it gave.
#[derive(Debug, Clone, Default)]
pub struct TwoPlacesWindow {
    /// Latency of reads of the fast place.
    pub fast: Recorder,
    /// Latency of reads of the slow one.
    pub slow: Recorder,
    /// Its length, ns.
    pub window_ns: u64,
}

/// Reads by draws of `seed`, unmeasured first, then for one window.
///
/// # Errors
/// The way to a place failed, or a read did; asked to end.
pub fn read_two_places(
    ctx: &Context<'_>,
    places: &TwoPlaces<'_>,
    (warm_up, length): (Duration, Duration),
    seed: u64,
) -> Result<TwoPlacesWindow, BlockError> {
    let mut rng = Rng::new(seed);
    let way = |place| PlaceReader::open(place, places.block_bytes);
    let mut ways = [way(places.fast)?, way(places.slow)?];
    let mut window = TwoPlacesWindow::default();
    for (counts, length) in [(false, warm_up), (true, length)] {
        let begun_ns = now_ns();
        let end_ns = begun_ns + length.as_nanos() as u64;
        let mut now = begun_ns;
        while now < end_ns {
            ctx.stop.check()?;
            for _ in 0..LOOK_EVERY {
                let slow = usize::from(rng.unit_f64() > places.fast_share);
                ways[slow].read(&mut rng, ctx.stop)?;
                let before = std::mem::replace(&mut now, now_ns());
                if counts {
                    let latency = if slow == 1 { &mut window.slow } else { &mut window.fast };
                    latency.record(now - before);
                }
            }
        }
        window.window_ns = now - begun_ns;
    }
    Ok(window)
}

/// One place, with one operation at a time.
struct PlaceReader<'a> {
    region: &'a Region,
    path: Box<dyn DevicePath>,
    block_bytes: u32,
    done: Vec<Completion>,
}

impl PlaceReader<'_> {
    fn open(place: ReadPlace<'_>, block_bytes: u32) -> Result<PlaceReader<'_>, BlockError> {
        let region = place.region;
        let alignment = region.target().memory_alignment();
        let arena = Arena::new(1, block_bytes, alignment).map_err(|source| {
            let wanted = Arena::mapped_bytes(1, block_bytes, alignment);
            narrows_io::Error::buffers(wanted, region.name(), source)
        })?;
        let file = Arc::clone(&region.direct_file());
        let path = place.access.open(file, region.name(), arena, 1)?;
        Ok(PlaceReader { region, path, block_bytes, done: Vec::with_capacity(1) })
    }

    /// Reads any of its blocks.
    fn read(&mut self, rng: &mut Rng, stop: &Stop) -> Result<(), BlockError> {
        let bytes = u64::from(self.block_bytes);
        let block = rng.below((self.region.bytes() / bytes).max(1));
        let offset = self.region.offset_bytes() + block * bytes;
        self.path.submit(Op::Read, 0, offset, self.block_bytes);
        while self.path.in_flight() > 0 {
            stop.check()?;
            self.path.reap(1, &mut self.done)?;
        }
        let read = self.done.pop().map(|completion| completion.bytes());
        self.done.clear();
        let first = match read {
            Some(Ok(read)) if read == self.block_bytes => return Ok(()),
            Some(Err(error)) => error,
            _ => std::io::ErrorKind::UnexpectedEof.into(),
        };
        let id = "reads of two places".to_string();
        Err(BlockError::Failing { id, failed: 1, offset, first })
    }
}
