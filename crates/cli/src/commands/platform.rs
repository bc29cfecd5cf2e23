//! `narrows platform`: the inventory, without measuring anything.

use anyhow::Result;
use narrows_judge::check_machine;
use narrows_model::Inventory;
use narrows_runner::inventory::machine;
use narrows_runner::request::machine::InventoryRequest;

use crate::args::PlatformArgs;
use crate::{Exit, output};

/// Prints what this machine, or the one that was named, is.
pub fn platform(args: PlatformArgs) -> Result<Exit> {
    let PlatformArgs { of, root, data, wal, format } = args;
    let platform = machine(&InventoryRequest { of, root, data, wal })?;
    let findings = check_machine(&platform);
    output::document(&narrows_report::inventory(&Inventory { platform, findings }), format)?;
    Ok(Exit::Done)
}
