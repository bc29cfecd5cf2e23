//! Programs of others that ran beside a measurement.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a program of others used of the machine, from the first measurement to the run's end, at least: all processes of that name together, of those that
/// were there at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OtherProgram {
    /// Its name as the kernel keeps it, at most 15 bytes.
    pub name: String,
    /// Whether it is a thread of the kernel: it may have worked for the test itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kernel: bool,
    /// CPUs that it used, on average.
    pub cpus: f64,
    /// Bytes per second that it had read from drives; absent where that may not be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes_per_s: Option<f64>,
    /// Bytes per second that it had written to drives; absent where that may not be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes_per_s: Option<f64>,
}
