//! What several tests need: a folder on a disk, a file in it, a context.

use std::path::Path;
use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_io::TestFile;
use narrows_layer_block::{BlockError, prepare};
use narrows_model::{Measurement, Metric};

/// Bytes.
pub const MIB: u64 = 1 << 20;

/// On the disk of the build folder: the folder for temporary files is often in memory.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// Two repeats, as a sketch.
pub fn context(stop: &Stop, window_ms: u64) -> Context<'_> {
    let window = Duration::from_millis(window_ms);
    Context { stop, progress: &Silent, seed: 42, repeats: 2, quick: true, window }
}

/// A file that can be reached past the page cache; `None`, said aloud, where there is none.
pub fn made(ctx: &Context<'_>, dir: &Path, mib: u64) -> Option<TestFile> {
    match prepare(ctx, dir, mib * MIB, 7) {
        Ok(file) if file.direct().is_ok() => Some(file),
        Ok(file) => {
            eprintln!("SKIPPED: no direct I/O in the build folder: {:?}", file.direct());
            None
        }
        Err(BlockError::Io(error @ narrows_io::Error::InMemory { .. })) => {
            eprintln!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The samples of a metric.
pub fn samples(measurement: &Measurement, name: Metric) -> &[f64] {
    measurement.metric(name).map_or(&[], |metric| &metric.samples)
}
