//! What a machine is, without measuring anything.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_facts::{Live, Source, Tree};
use narrows_model::{Platform, Role, RunningDatabase};

use crate::failure::Failure;
use crate::request::machine::InventoryRequest;
use crate::{captures, store};

/// Where the data files are looked for on this machine, if nobody says.
pub const DEFAULT_DATA: &str = "/var/tmp";

/// Database servers that run on this machine.
pub fn running_databases() -> Vec<RunningDatabase> {
    let found = narrows_platform::running_databases(&Live);
    found.into_iter().map(|(server, _)| server).collect()
}

/// What a machine is: this one, the one that was named, or the one that is copied below a folder.
///
/// # Errors
/// It isn't there, or can't be read.
pub fn machine(request: &InventoryRequest) -> Result<Platform> {
    match (&request.root, &request.of) {
        (Some(root), _) => copied(root, request),
        (None, Some(of)) => named(of, request),
        (None, None) => live(request),
    }
}

/// The machine in a capture, below a folder, or that a run was made on.
fn named(of: &str, request: &InventoryRequest) -> Result<Platform> {
    if Path::new(of).is_dir() {
        return copied(Path::new(of), request);
    }
    let path = store::find(of)?;
    let options = [(&request.data, "--data"), (&request.wal, "--wal")];
    if let Some((_, option)) = options.iter().find(|(folder, _)| folder.is_some()) {
        return Err(Failure::hinted(
            format!("{option} and {of}: it holds the paths of the folders it was made with"),
            format!("leave {option} out"),
        ));
    }
    if captures::is_capture(&path) && !store::is_packed_run(&path) {
        return captures::platform(&path);
    }
    let run = store::load(&path)?;
    run.platform().cloned().ok_or_else(|| {
        Failure::hinted(format!("{of}: this run has no machine"), "name another run")
    })
}

fn live(request: &InventoryRequest) -> Result<Platform> {
    let data = request.data.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_DATA));
    let wal = request.wal.as_ref().unwrap_or(&data);
    must_exist(&data, wal)?;
    let roles = [(Role::Data, data.as_path()), (Role::Wal, wal.as_path())];
    Ok(narrows_platform::discover(&Live, &roles))
}

/// Folders of roles on this machine.
///
/// # Errors
/// One of them is none.
pub fn must_exist(data: &Path, wal: &Path) -> Result<()> {
    for (path, option) in [(data, "--data"), (wal, "--wal")] {
        let reason = match std::fs::metadata(path) {
            Err(error) => Some(error.to_string()),
            Ok(there) => (!there.is_dir()).then(|| "it is no folder".to_string()),
        };
        if let Some(reason) = reason {
            return Err(Failure::hinted(
                format!("{option} {}: {reason}", path.display()),
                format!("name a folder that exists with {option} DIR"),
            ));
        }
    }
    Ok(())
}

/// The machine below `root`; its roles are those that were named.
fn copied(root: &Path, request: &InventoryRequest) -> Result<Platform> {
    let failure = |reason: &str| {
        Failure::hinted(
            format!(
                "{}{}: {reason}",
                if request.root.is_some() { "--root " } else { "" },
                root.display()
            ),
            "name the folder that stands for the other machine's /, with its sys or proc in it",
        )
    };
    match std::fs::metadata(root) {
        Err(error) => return Err(failure(&error.to_string())),
        Ok(metadata) if !metadata.is_dir() => return Err(failure("it is no folder")),
        Ok(_) => {}
    }
    let tree = Tree::new(root);
    if !tree.exists("/sys/devices/system") && !tree.exists("/proc/cpuinfo") {
        return Err(failure("it has neither sys/devices/system nor proc/cpuinfo"));
    }
    let wal = request.wal.as_ref().or(request.data.as_ref());
    let roles: Vec<(Role, &Path)> = [(Role::Data, request.data.as_ref()), (Role::Wal, wal)]
        .into_iter()
        .filter_map(|(role, path)| Some((role, path?.as_path())))
        .collect();
    Ok(narrows_platform::discover(&tree, &roles))
}
