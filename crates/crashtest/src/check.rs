//! The checker of files and devices: looks for every acknowledged record.

use std::io;
use std::path::Path;

use narrows_model::LostRecord;

use crate::outcome::Counts;
use crate::reading::Reading;
use crate::record::{ENDED, HEADER_STREAM, RecordState, SECTOR_BYTES, Sector, decode, judge};
use crate::{Acknowledged, CrashTestError, Layout, RecordLocation, RunId};

/// Looks for the acknowledged records in that file or device. With `gone`, a missing file or a foreign beginning is
/// taken for lost instead of for another file.
///
/// # Errors
/// Where it isn't there or not of this test, and the list is about a table.
pub fn check_file(
    path: &Path,
    list_path: &Path,
    list: &Acknowledged,
    gone: bool,
) -> Result<Counts, CrashTestError> {
    let RecordLocation::File(layout) = &list.terms.place else {
        return Err(CrashTestError::Other {
            list: list_path.to_path_buf(),
            kind: "a table in",
            target: list.terms.target.clone(),
            hint: "narrows log crashtest check --postgres URL --acknowledged LIST",
        });
    };
    let longest = (layout.record_bytes as usize).max(SECTOR_BYTES);
    let mut file = match Reading::open(path, longest) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound && gone => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(CrashTestError::Gone { target: path.display().to_string() });
        }
        Err(error) => return Err(CrashTestError::file("opening", path)(error)),
    };
    let outlived = match file.as_mut().map(|file| head(file, list.terms.run)) {
        Some(Ok(outlived)) => outlived,
        Some(Err(found)) if !gone => {
            return Err(CrashTestError::NotOurs {
                target: path.display().to_string(),
                run: list.terms.run.short(),
                found,
            });
        }
        Some(Err(_)) | None => false,
    };
    let mut counts = count(file.as_mut(), layout, list);
    counts.outlived = outlived;
    counts.cached = file.and_then(|file| file.cached());
    Ok(counts)
}

/// Whether this test's head has the mark of a writer that outlived its connection, or what else the file begins with.
fn head(file: &mut Reading, run: RunId) -> Result<bool, String> {
    let head = file.read(0, SECTOR_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => "it is empty or nearly so".to_string(),
        _ => format!("it can't be read: {error}"),
    })?;
    match decode(head) {
        Sector::Record { run: found, stream: HEADER_STREAM, number, .. } if found == run => {
            Ok(number == ENDED)
        }
        Sector::Record { run: found, .. } if found != run => {
            Err(format!("it is of test {}", found.short()))
        }
        Sector::Record { .. } => Err("a record stands in place of the head".to_string()),
        Sector::Damaged => Err("its head is damaged".to_string()),
        Sector::Blank => Err("it begins with zeros".to_string()),
        Sector::Other => Err("it begins with something else".to_string()),
    }
}

fn count(mut file: Option<&mut Reading>, layout: &Layout, list: &Acknowledged) -> Counts {
    let mut counts = Counts::new(list.total());
    for (stream, acknowledged) in (0..).zip(&list.streams) {
        let first = layout.first_checkable(acknowledged.highest().unwrap_or(0));
        for (from, to) in acknowledged.starting_at(first).iter() {
            for number in from..=to {
                let found = match file.as_deref_mut() {
                    None => RecordState::Missing("the file is gone".to_string()),
                    Some(file) => look(file, layout, list.terms.run, stream, number),
                };
                counts.take(stream, number, found);
            }
        }
    }
    counts
}

fn look(file: &mut Reading, layout: &Layout, run: RunId, stream: u32, number: u64) -> RecordState {
    let offset = layout.offset(stream, number);
    let length = layout.record_bytes as usize;
    match file.read(offset, length) {
        Ok(record) => judge(record, run, stream, number),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            RecordState::Missing(format!("the file ends before byte {}", offset + length as u64))
        }
        Err(error) => RecordState::Missing(format!("it can't be read: {error}")),
    }
}

/// Most lost records that are named one by one.
const MOST_NAMED: usize = 10_000;

impl Counts {
    pub(crate) fn new(acknowledged: u64) -> Counts {
        Counts { acknowledged, ..Counts::default() }
    }

    pub(crate) fn take(&mut self, stream: u32, number: u64, found: RecordState) {
        self.checked += 1;
        let found = match found {
            RecordState::Whole => return,
            RecordState::Missing(found) => {
                self.missing += 1;
                found
            }
            RecordState::Torn(found) => {
                self.torn += 1;
                found
            }
        };
        if self.lost.len() < MOST_NAMED {
            self.lost.push(LostRecord { stream, number, found });
        }
    }
}
