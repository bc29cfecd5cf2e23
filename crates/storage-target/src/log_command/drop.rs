//! Dropping a log.

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;

use super::{DropArguments, Notes, Report, explained, open_explained, report};
use crate::backing::FileDisk;
use crate::backing::logged::{Consents, LogOwner, Mark, OpenMedium, identity_of, mark_of, unmark};
use crate::backing::open::open_file_or_device;

/// What is gone.
#[derive(Debug, Serialize)]
struct LogDropped {
    log: String,
    /// What is served without it from now on, where that was named.
    path: Option<String>,
    /// What it lay on; none of a log that was lost before.
    media: Vec<String>,
    /// Records that are lost with it; of a log that was lost before nobody knows.
    lost_records: Option<usize>,
    lost_bytes: Option<u64>,
    notes: Vec<String>,
}

impl Report for LogDropped {
    fn text(&self) -> String {
        match (self.lost_records, &self.path) {
            (None, Some(path)) => format!(
                "{path} is served without log {} from now on, and without whatever was on it alone",
                self.log
            ),
            (records, _) => format!(
                "log {} on {} is gone, and {} records with it",
                self.log,
                self.media.join(" and "),
                records.unwrap_or(0)
            ),
        }
    }
}

pub(super) fn drop_log(arguments: &DropArguments) -> Result<()> {
    let backing = arguments.backing.as_ref().map(open_file_or_device).transpose();
    let backing = backing.map_err(explained)?;
    if let (Some(lost), Some(backing)) = (&arguments.lost, &backing) {
        return give_up(lost, backing, arguments.json);
    }
    let consents = Consents { unreadable: true, changed: true, without_missing: false };
    let serial = arguments.backing.as_ref().and_then(|spec| spec.serial.as_deref());
    let owner = backing.as_ref().map(|backing| LogOwner::of(backing, serial)).transpose();
    let owner = owner.context("looking at the file or device")?;
    let log = open_explained(&arguments.log, owner, consents)?;
    if let Some(backing) = &backing {
        let path = backing.path().display();
        let identity =
            identity_of(backing, serial).with_context(|| format!("looking at {path}"))?;
        ensure!(
            identity == log.found.superblock.backing,
            "the log is not one of {path}\nhint: nothing was dropped"
        );
        check_mark(backing, &log.found.superblock.id.to_string())?;
    }
    let records = log.found.records.len();
    let bytes: u64 = log.found.records.iter().map(|record| record.header.bytes).sum();
    ensure!(
        records == arguments.lose,
        "the log holds {records} records with {bytes} bytes that were acknowledged and may be nowhere else\nhint: `narrows-target log flush` moves them to their file; if they are to be lost, say --lose {records}"
    );
    for medium in &log.media {
        medium.empty().with_context(|| format!("writing to {}", medium.name()))?;
    }
    if let Some(backing) = &backing {
        let path = backing.path().display();
        unmark(&backing.file).with_context(|| format!("taking the mark off {path}"))?;
    }
    let id = log.found.superblock.id;
    let notes = Notes::new(arguments.json);
    if backing.is_none() && records > 0 {
        notes.add(&format!(
            "its file is served without it after `narrows-target log drop --for FILE --lost {id}`, where it says that it may lack writes"
        ))?;
    }
    let done = LogDropped {
        log: id.to_string(),
        path: backing.as_ref().map(|backing| backing.path().display().to_string()),
        media: log.media.iter().map(OpenMedium::name).collect(),
        lost_records: Some(records),
        lost_bytes: Some(bytes),
        notes: notes.kept(),
    };
    report(&done, arguments.json)
}

/// Whether this is the log that a file speaks of, or it speaks of none.
fn check_mark(backing: &FileDisk, id: &str) -> Result<()> {
    let path = backing.path().display();
    match mark_of(&backing.file) {
        Mark::None | Mark::Impossible => Ok(()),
        Mark::Log { id: its, .. } | Mark::Without(its) if its == id => Ok(()),
        Mark::Log { id: its, .. } | Mark::Without(its) => {
            bail!("the log of {path} is {its}, not {id}\nhint: nothing was dropped")
        }
    }
}

/// Has a file served without a log that is lost.
fn give_up(id: &str, backing: &FileDisk, as_json: bool) -> Result<()> {
    let path = backing.path().display();
    ensure!(
        matches!(mark_of(&backing.file), Mark::Log { .. } | Mark::Without(_)),
        "{path} has no log that it would be missing\nhint: it can be served as it is"
    );
    check_mark(backing, id)?;
    unmark(&backing.file).with_context(|| format!("taking the mark off {path}"))?;
    let done = LogDropped {
        log: id.to_string(),
        path: Some(path.to_string()),
        media: Vec::new(),
        lost_records: None,
        lost_bytes: None,
        notes: Vec::new(),
    };
    report(&done, as_json)
}
