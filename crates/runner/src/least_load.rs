//! The smallest load that takes every step of a run: for tests of what surrounds a measurement, how it is stopped, kept, refused and
//! reported. Windows are too short for figures: the command warns, each measurement says so, and a rule of validity doubts the run.

use std::borrow::Cow;
use std::time::Duration;

use narrows_model::Platform;
use narrows_units::Bytes;

/// Asks for it.
const VARIABLE: &str = "NARROWS_LEAST_LOAD";

/// What is told before anything is measured.
pub const WARNING: &str = "warning: NARROWS_LEAST_LOAD is set: files and windows are as small as tests need them, and no figure stands for this machine\nhint: unset it to measure";

/// What the memory layer is told is available: it walks over half of it.
const MEMORY_BYTES: u64 = 128 * Bytes::MIB.0;

/// The machine as the memory layer sees it: with little memory under the least load, since large caches ask for gigabytes.
pub fn memory_of(platform: &Platform) -> Cow<'_, Platform> {
    if wanted().is_none() {
        return Cow::Borrowed(platform);
    }
    let mut little = platform.clone();
    little.memory.available_bytes = Some(MEMORY_BYTES);
    Cow::Owned(little)
}

/// Sizes and times of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeastLoad {
    /// A test file.
    pub file_bytes: u64,
    /// A server's table, twice its buffers.
    pub table_bytes: u64,
    /// A server's buffers: less than a run gives one.
    pub buffers_bytes: u64,
    /// What may be written to a test file once it is there.
    pub written_bytes: u64,
    /// The deepest queue.
    pub max_depth: u32,
    /// Windows of each measurement.
    pub repeats: u32,
    /// A window of the storage and memory layers.
    pub window: Duration,
    /// A window of a server's work.
    pub database_window: Duration,
    /// A search for the highest rate within a limit.
    pub search: Duration,
}

/// The least load, where it is asked for.
pub fn wanted() -> Option<LeastLoad> {
    std::env::var_os(VARIABLE).filter(|value| !value.is_empty())?;
    Some(LeastLoad {
        file_bytes: 32 * Bytes::MIB.0,
        table_bytes: 16 * Bytes::MIB.0,
        buffers_bytes: 8 * Bytes::MIB.0,
        written_bytes: 64 * Bytes::MIB.0,
        max_depth: 8,
        repeats: 2,
        window: Duration::from_millis(25),
        database_window: Duration::from_millis(300),
        search: Duration::from_secs(10),
    })
}
