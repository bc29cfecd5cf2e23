//! Moving what a log holds, without serving it.

use anyhow::{Context, Result};
use narrows_log_tier::Superblock;

use super::{FlushArguments, explained, open_explained, say};
use crate::backing::logged::{Consents, LogOwner, check_backing, now_ms, recover, unmark};
use crate::backing::open::open_file_or_device;

pub(super) fn flush(arguments: &FlushArguments) -> Result<()> {
    let consents = Consents {
        without_missing: arguments.without_missing,
        changed: arguments.changed,
        unreadable: arguments.unreadable,
    };
    let backing = open_file_or_device(&arguments.backing).map_err(explained)?;
    let serial = arguments.backing.serial.as_deref();
    let path = backing.path().display();
    let owner = LogOwner::of(&backing, serial).with_context(|| format!("looking at {path}"))?;
    let mut log = open_explained(&arguments.log, Some(owner), consents)?;
    check_backing(&backing, serial, &log.found, consents).map_err(explained)?;
    let next =
        recover(&mut log, &backing, false).with_context(|| format!("moving the log to {path}"))?;
    let clean =
        Superblock { generation: next.generation + 1, clean: true, time_ms: now_ms(), ..next };
    for (number, medium) in log.members_of(&clean) {
        medium
            .write_superblock(&Superblock { medium: number, ..clean })
            .with_context(|| format!("writing to {}", medium.name()))?;
    }
    unmark(&backing.file).with_context(|| format!("taking the mark off {path}"))?;
    let bytes: u64 = log.found.records.iter().map(|record| record.header.bytes).sum();
    say(&format!(
        "{} records with {bytes} bytes moved to {path}; the log is empty",
        log.found.records.len()
    ))
}
