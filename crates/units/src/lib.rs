//! Quantities as types: bytes, nanoseconds, rates and ratios, with the parsing and printing that the
//! whole program shares.
//!
//! Raw integers and floats live inside these types so that a rate cannot be passed where a size is
//! wanted. Printing uses SI prefixes (1 GB = 10^9 bytes) and three significant figures; callers that
//! were asked for `--units iec` use [`Bytes::iec`].
//!
//! What comes from outside is printed through [`shown()`] and its like: every crate has it from here.
//!
//! Not here: statistics, or anything that knows what a quantity was measured on.

#![forbid(unsafe_code)]

mod parse;
mod print;
mod shown;
mod wrap;

pub use parse::ParseQuantityError;
pub use print::{si, significant};
pub use shown::{shown, shown_cell, shown_json, shown_lines, shown_screen, steers};
pub use wrap::{width, wrap};

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(JsonSchema))]
        #[serde(transparent)]
        pub struct $name(pub $inner);
    };
}

quantity! {
    /// A number of bytes.
    Bytes(u64)
}
quantity! {
    /// A duration in nanoseconds. 2^64 ns are 584 years, so arithmetic on measured times cannot overflow.
    Nanos(u64)
}
quantity! {
    /// Bytes per second; 1 GB/s is 10^9.
    BytesPerSecond(f64)
}
quantity! {
    /// Operations per second.
    OpsPerSecond(f64)
}
quantity! {
    /// A dimensionless share; 1.0 is the whole.
    Ratio(f64)
}

impl Nanos {
    /// From seconds; negative or non-finite input gives zero.
    pub fn from_secs_f64(seconds: f64) -> Self {
        if seconds.is_finite() && seconds > 0.0 { Nanos((seconds * 1e9) as u64) } else { Nanos(0) }
    }

    /// In seconds.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl From<std::time::Duration> for Nanos {
    fn from(duration: std::time::Duration) -> Self {
        Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Bytes {
    /// 1024 bytes.
    pub const KIB: Bytes = Bytes(1024);
    /// 1024 KiB.
    pub const MIB: Bytes = Bytes(1024 * 1024);
    /// 1024 MiB.
    pub const GIB: Bytes = Bytes(1024 * 1024 * 1024);

    /// The rate at which these bytes moved in `elapsed`; `None` for no time.
    pub fn per(self, elapsed: Nanos) -> Option<BytesPerSecond> {
        (elapsed.0 > 0).then(|| BytesPerSecond(self.0 as f64 / elapsed.as_secs_f64()))
    }
}
