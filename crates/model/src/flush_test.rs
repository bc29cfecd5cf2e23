//! What `pg_test_fsync` measured somewhere, in this program's words.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One output of `pg_test_fsync`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FlushTest {
    /// The file it was read from.
    pub source: String,
    /// How long each test ran, s; absent where the output doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_per_test: Option<f64>,
    /// Whether it could write past the page cache with `open_datasync` and `open_sync`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
    /// Its tests.
    pub rows: Vec<FlushTestRow>,
}

/// One test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FlushTestRow {
    /// What one operation is.
    pub kind: FlushTestKind,
    /// Its name there: `fdatasync`.
    pub name: String,
    /// The same way to write in our words: `dsync_direct`; absent where we have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Writes in one operation.
    pub writes: u32,
    /// Bytes of each write.
    pub write_bytes: u64,
    /// Operations per second; absent where the platform or the file system can't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops_per_s: Option<f64>,
    /// Mean time of an operation, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_ns: Option<f64>,
}

/// The section that a test belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlushTestKind {
    /// Writes, then made durable by the method.
    Durable,
    /// The same 16 KiB by writes of different sizes.
    Sizes,
    /// A flush through another descriptor than the one written through.
    OtherDescriptor,
    /// A write that nothing makes durable.
    Plain,
}
