//! What writer and collector agree on before the first record, and what the list begins with.

use serde::{Deserialize, Serialize};

use crate::{Layout, Machine, RunId};

/// Where records go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A file or a raw device.
    File(Layout),
    /// A table of PostgreSQL.
    Table {
        /// Its name.
        name: String,
        /// Sessions.
        streams: u32,
    },
}

impl Place {
    /// Writers.
    pub fn streams(&self) -> u32 {
        match self {
            Place::File(layout) => layout.streams,
            Place::Table { streams, .. } => *streams,
        }
    }
}

/// A crash test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Its id.
    pub run: RunId,
    /// The machine that writes.
    pub writer: Machine,
    /// File, device or database, as it was named; without a password.
    pub target: String,
    /// How each record is made durable, in words.
    pub method: String,
    /// Whether that asks for a flush at all.
    pub flushes: bool,
    /// Where records go.
    pub place: Place,
    /// Whether the user allowed that the list is kept on the same machine.
    pub same_host: bool,
}

impl Terms {
    /// Why these can't be kept, if so: they come over the network.
    pub fn fault(&self) -> Option<&'static str> {
        match &self.place {
            Place::File(layout) => layout.fault(),
            Place::Table { streams: 0 | 257.., .. } => Some("there are 1 to 256 streams"),
            Place::Table { .. } => None,
        }
    }
}
