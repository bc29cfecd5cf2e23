//! Moving what a log holds, without serving it.

use anyhow::{Context, Result};
use narrows_log_tier::Superblock;
use serde::Serialize;

use super::{FlushArguments, Report, explained, open_explained, report};
use crate::backing::logged::{
    Consents, LogOwner, OpenMedium, check_backing, now_ms, recover, unmark,
};
use crate::backing::open::open_file_or_device;

/// What was moved.
#[derive(Debug, Serialize)]
struct LogFlushed {
    log: String,
    /// What it is for, and has it all now.
    path: String,
    media: Vec<String>,
    moved_records: usize,
    moved_bytes: u64,
}

impl Report for LogFlushed {
    fn text(&self) -> String {
        let LogFlushed { path, moved_records, moved_bytes, .. } = self;
        format!(
            "{moved_records} records with {moved_bytes} bytes moved to {path}; the log is empty"
        )
    }
}

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
    let done = LogFlushed {
        log: clean.id.to_string(),
        path: path.to_string(),
        media: log.media.iter().map(OpenMedium::name).collect(),
        moved_records: log.found.records.len(),
        moved_bytes: log.found.records.iter().map(|record| record.header.bytes).sum(),
    };
    report(&done, arguments.json)
}
