//! What was published, kept beside the harness so that the page can be made of it at any time.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::record::Record;
use crate::stored;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Results {
    pub seed: u64,
    /// In words.
    pub machine: String,
    pub trials: Vec<Record>,
}

impl Results {
    pub(super) fn read() -> Result<Results> {
        stored::read("kills")
    }

    pub(super) fn write(&self) -> Result<()> {
        stored::write("kills", self)
    }
}
