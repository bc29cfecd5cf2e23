//! Dropping a log.

use anyhow::{Context, Result, ensure};
use narrows_log_tier::HEAD_BYTES;

use super::{DropArguments, explained, names_of, open_explained, say};
use crate::backing::logged::{Consents, unmark};
use crate::backing::open::open_file_or_device;
use crate::buffer::Buffer;

pub(super) fn drop_log(arguments: &DropArguments) -> Result<()> {
    let backing = arguments.backing.as_ref().map(open_file_or_device).transpose();
    let backing = backing.map_err(explained)?;
    let log = open_explained(&arguments.log, Consents { without_missing: true, changed: true })?;
    let records = log.found.records.len();
    let bytes: u64 = log.found.records.iter().map(|record| record.header.bytes).sum();
    ensure!(
        records == arguments.lose,
        "the log holds {records} records with {bytes} bytes that were acknowledged and may be nowhere else\nhint: `narrows-target log flush` moves them to their file; if they are to be lost, say --lose {records}"
    );
    let mut zeros = Buffer::largest();
    zeros.bytes_mut(HEAD_BYTES as usize).fill(0);
    for medium in &log.media {
        let wiped =
            medium.write_all_at(zeros.bytes(HEAD_BYTES as usize), 0).and_then(|()| medium.sync());
        wiped.with_context(|| format!("writing to {}", medium.path().display()))?;
    }
    if let Some(backing) = &backing {
        let path = backing.path().display();
        unmark(&backing.file).with_context(|| format!("taking the mark off {path}"))?;
    }
    say(&format!(
        "log {} on {} is gone, and {records} records with it",
        log.found.superblock.id,
        names_of(&log.media)
    ))
}
