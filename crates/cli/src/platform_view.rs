//! `narrows platform`: the inventory, without measuring anything.

use anyhow::Result;
use narrows_model::Role;

use crate::args::{PlatformArgs, PlatformFormat};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// Prints what this machine is.
pub fn platform(args: &PlatformArgs) -> Result<Exit> {
    let wal = args.wal.as_ref().unwrap_or(&args.data);
    for (path, option) in [(&args.data, "--data"), (wal, "--wal")] {
        if let Err(error) = std::fs::metadata(path) {
            return Err(Failure::hinted(
                format!("{option} {}: {error}", path.display()),
                format!("name a folder that exists with {option} DIR"),
            ));
        }
    }
    let roles = [(Role::Data, args.data.as_path()), (Role::Wal, wal.as_path())];
    let platform = narrows_platform::discover(&narrows_facts::Live, &roles);
    let text = match args.format {
        PlatformFormat::Json => serde_json::to_string_pretty(&platform)? + "\n",
        PlatformFormat::Text => narrows_report::platform(&platform),
    };
    output::print(&text)?;
    Ok(Exit::Done)
}
