//! Moving what a log holds to what it is for, before anything else is done with either.

use std::io;

use narrows_log_tier::{Action, FoundRecord, ReadMedium, Superblock};

use super::now_ms;
use super::open::OpenLog;
use super::opened::OpenMedium;
use crate::backing::file::FileDisk;
use crate::buffer::{Buffer, LARGEST};
use crate::journal;

/// Moves what a log holds to its backing, and begins its next life on all of its media that are here. With `newcomers` those of copies are
/// members as well that came back empty, or were not there in the last one.
///
/// # Errors
/// What the backing or a medium said; the log is as it was, or is empty.
pub(crate) fn recover(
    log: &mut OpenLog,
    backing: &FileDisk,
    newcomers: bool,
) -> io::Result<Superblock> {
    let mut bounce = Buffer::largest();
    if !log.found.records.is_empty() {
        let renewed = log.found.renewed(now_ms());
        for (number, medium) in log.members_of(&renewed) {
            medium.write_superblock(&Superblock { medium: number, ..renewed })?;
        }
    }
    for record in &log.found.records {
        replay(record, log, backing, &mut bounce)?;
    }
    backing.sync()?;
    if newcomers && log.found.copies().is_some() {
        for joined in log.found.rejoin(&log.places) {
            let medium = &log.media[joined];
            medium.empty()?;
            journal::line("log-peer-joins", &[("peer", &medium.name())]);
        }
    }
    let next = Superblock { backing_bytes: backing.size()?, ..log.found.next(now_ms()) };
    for (number, medium) in log.members_of(&next) {
        medium.write_superblock(&Superblock { medium: number, ..next })?;
    }
    Ok(next)
}

fn replay(
    record: &FoundRecord,
    log: &OpenLog,
    backing: &FileDisk,
    bounce: &mut Buffer,
) -> io::Result<()> {
    let FoundRecord { header, data_at, .. } = *record;
    let zeros = header.action != Action::Write;
    let unit = u64::from(log.found.superblock.geometry.unit);
    let mut done = 0;
    while done < header.bytes {
        let bytes = (header.bytes - done).min(LARGEST as u64);
        let whole = (bytes.div_ceil(unit) * unit) as usize;
        let out = bounce.bytes_mut(LARGEST);
        if zeros {
            out.fill(0);
        } else {
            log.reader_of(record).read(data_at + done, &mut out[..whole])?;
        }
        backing.write_all_at(&bounce.bytes(LARGEST)[..bytes as usize], header.offset + done)?;
        done += bytes;
    }
    Ok(())
}

impl OpenLog {
    /// The media that are members by a superblock, with their numbers.
    pub(crate) fn members_of(
        &self,
        superblock: &Superblock,
    ) -> impl Iterator<Item = (u8, &OpenMedium)> {
        let members = superblock.members;
        let numbered = self.found.numbers.iter().zip(&self.media);
        let numbered = numbered.filter_map(|(number, disk)| Some(((*number)?, disk)));
        numbered.filter(move |(number, _)| members >> number & 1 == 1)
    }

    /// The medium that has a record.
    fn reader_of(&self, record: &FoundRecord) -> Box<dyn ReadMedium + '_> {
        self.media[record.given].reader(false)
    }
}
