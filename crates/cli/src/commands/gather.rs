//! `narrows gather`: this machine in one small file, for another place or another user.

use anyhow::Result;
use narrows_runner::gather::gather as capture;
use narrows_runner::request::machine::GatherRequest;

use crate::args::gather::GatherArgs;
use crate::{Exit, defaults, output};

/// Captures this machine.
pub fn gather(args: GatherArgs) -> Result<Exit> {
    let GatherArgs { output, privileged, force, data, wal } = args;
    let (wal, data) = (defaults::wal(wal, data.is_some()), defaults::data(data));
    output::print(&capture(&GatherRequest { output, privileged, force, data, wal })?)?;
    Ok(Exit::Done)
}
