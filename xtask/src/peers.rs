//! Measures beside other programs. Dispatch only, until the comparison is there.

use anyhow::{Result, bail};

/// Refuses: the comparison with fio and pgbench is not part of this build.
pub fn peers(_args: &[&str]) -> Result<()> {
    bail!("`peers` is not part of this build")
}
