//! When a job begins and ends, and how fast it goes.

use narrows_units::Nanos;

use super::PerDirection;

/// When a job starts and ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ending {
    /// At the latest after this.
    pub runtime: Option<Nanos>,
    /// Not before either: the work starts over.
    pub time_based: bool,
    /// Passes over the work; at least 1.
    pub loops: u64,
    /// After so many operations.
    pub operations: Option<u64>,
    /// Not measured, and added to the runtime.
    pub ramp: Nanos,
    /// Waited before the job begins.
    pub start_delay: Nanos,
}

/// Pauses between operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Think {
    /// How long.
    pub pause: Nanos,
    /// How much of it keeps the processor busy.
    pub spin: Nanos,
    /// Operations from one to the next, at least 1; `None`: none are counted.
    pub after: Option<u32>,
    /// Whether these are counted when they have come back, and not when they start.
    pub counts_completed: bool,
    /// Time from one to the next.
    pub every: Option<Nanos>,
}

/// A rate that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How much per second; `None` for a kind without a limit.
    pub per_second: PerDirection<Option<u64>>,
    /// Whether operations or bytes are counted.
    pub counted: Counted,
    /// Poisson arrivals instead of even ones.
    pub poisson: bool,
}

/// What a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Operations.
    Operations,
    /// Bytes.
    Bytes,
}
