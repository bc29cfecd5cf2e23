//! Database servers found running.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Role;

/// A database server found running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunningDatabase {
    /// `postgresql`, `oracle`, `mysql`.
    pub kind: String,
    /// Process id of its main process.
    pub pid: u32,
    /// Its data folder, where known.
    pub data_dir: Option<String>,
    /// Roles whose drives it uses, as far as known.
    pub shares_role: Vec<Role>,
}
