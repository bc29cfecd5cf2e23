//! What a target did that was asked to. One that was begun before an upgrade does not say of which namespace.

use serde::{Deserialize, Serialize};

use crate::output::Report;

/// A log whose records were moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LogMoved {
    #[serde(default)]
    pub(super) subsystem: Option<String>,
    #[serde(default)]
    pub(super) nsid: Option<u32>,
    /// Those that it held when it was asked.
    pub(super) moved_records: u64,
}

impl Report for LogMoved {
    fn text(&self) -> String {
        format!("{} records moved", self.moved_records)
    }
}

/// A cache that was emptied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CacheEvicted {
    #[serde(default)]
    pub(super) subsystem: Option<String>,
    #[serde(default)]
    pub(super) nsid: Option<u32>,
    pub(super) evicted_pages: u64,
}

impl Report for CacheEvicted {
    fn text(&self) -> String {
        format!("{} pages evicted", self.evicted_pages)
    }
}

/// A cache of another size. Pages are of 4 KiB.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CacheResized {
    #[serde(default)]
    pub(super) subsystem: Option<String>,
    #[serde(default)]
    pub(super) nsid: Option<u32>,
    pub(super) pages: u64,
    pub(super) used_pages: u64,
}

impl Report for CacheResized {
    fn text(&self) -> String {
        format!("room for {} pages, {} used", self.pages, self.used_pages)
    }
}

/// A log of another size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LogResized {
    pub(super) subsystem: String,
    pub(super) nsid: u32,
    /// Room for records, with a page for each.
    pub(super) capacity_bytes: u64,
}

impl Report for LogResized {
    fn text(&self) -> String {
        format!("room for {} bytes of records", self.capacity_bytes)
    }
}
