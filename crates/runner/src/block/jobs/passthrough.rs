//! `ioengine=io_uring_cmd`: what it goes to, and what else may not go there.

use std::path::Path;

use anyhow::Result;
use narrows_fio::{Engine, Job};

use super::mapping::refuse;
use super::targets::TargetState;

/// Commands of a drive's own go to a namespace's character device, and nothing else goes there.
///
/// # Errors
/// The job that mixes them up.
pub fn check(job: &Job, path: &Path, found: &TargetState) -> Result<()> {
    let generic = matches!(found, TargetState::Device { generic: true, .. });
    let commands = matches!(job.engine, Engine::Passthrough { .. });
    if generic == commands {
        return Ok(());
    }
    let shown = path.display();
    let (reason, hint) = if commands {
        let reason = format!(
            "passthrough is not available here: {shown} is no NVMe namespace's character device"
        );
        (reason, "name /dev/ngXnY (nvme list shows them), or write ioengine=io_uring")
    } else {
        let reason = format!("{shown} takes commands of NVMe drives alone");
        (reason, "write ioengine=io_uring_cmd, or name the block device /dev/nvmeXnY")
    };
    Err(refuse(job, reason, hint))
}
