//! The checker of files and devices: looks for every acknowledged record.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use narrows_model::LostRecord;

use crate::outcome::Counts;
use crate::record::{Found, HEADER_STREAM, SECTOR_BYTES, Sector, decode, judge};
use crate::{Acknowledged, CrashTestError, Layout, Place, RunId};

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
    let Place::File(layout) = &list.terms.place else {
        return Err(CrashTestError::Other {
            list: list_path.to_path_buf(),
            kind: "a table in",
            target: list.terms.target.clone(),
            hint: "narrows log crashtest check --postgres URL --acknowledged LIST",
        });
    };
    let file = match File::open(path) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound && gone => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(CrashTestError::Gone { target: path.display().to_string() });
        }
        Err(error) => return Err(CrashTestError::file("opening", path)(error)),
    };
    if let Some(file) = &file
        && !gone
        && let Some(found) = foreign(file, list.terms.run)
    {
        return Err(CrashTestError::NotOurs {
            target: path.display().to_string(),
            run: list.terms.run.short(),
            found,
        });
    }
    Ok(count(file.as_ref(), layout, list))
}

/// What the file begins with, if not with this test's head.
fn foreign(file: &File, run: RunId) -> Option<String> {
    let mut head = [0; SECTOR_BYTES];
    if let Err(error) = file.read_exact_at(&mut head, 0) {
        return Some(match error.kind() {
            io::ErrorKind::UnexpectedEof => "it is empty or nearly so".to_string(),
            _ => format!("it can't be read: {error}"),
        });
    }
    match decode(&head) {
        Sector::Record { run: found, stream: HEADER_STREAM, .. } if found == run => None,
        Sector::Record { run: found, .. } if found != run => {
            Some(format!("it is of test {}", found.short()))
        }
        Sector::Record { .. } => Some("a record stands in place of the head".to_string()),
        Sector::Damaged => Some("its head is damaged".to_string()),
        Sector::Blank => Some("it begins with zeros".to_string()),
        Sector::Other => Some("it begins with something else".to_string()),
    }
}

fn count(file: Option<&File>, layout: &Layout, list: &Acknowledged) -> Counts {
    let mut counts = Counts::new(list.total());
    let mut record = vec![0; layout.record_bytes as usize];
    for (stream, acknowledged) in (0..).zip(&list.streams) {
        let first = layout.first_checkable(acknowledged.highest().unwrap_or(0));
        for (from, to) in acknowledged.starting_at(first).iter() {
            for number in from..=to {
                let found = match file {
                    None => Found::Missing("the file is gone".to_string()),
                    Some(file) => look(file, layout, list.terms.run, stream, number, &mut record),
                };
                counts.take(stream, number, found);
            }
        }
    }
    counts
}

fn look(
    file: &File,
    layout: &Layout,
    run: RunId,
    stream: u32,
    number: u64,
    record: &mut [u8],
) -> Found {
    let offset = layout.offset(stream, number);
    match file.read_exact_at(record, offset) {
        Ok(()) => judge(record, run, stream, number),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Found::Missing(format!("the file ends before byte {}", offset + record.len() as u64))
        }
        Err(error) => Found::Missing(format!("it can't be read: {error}")),
    }
}

/// Most lost records that are named one by one.
const MOST_NAMED: usize = 10_000;

impl Counts {
    pub(crate) fn new(acknowledged: u64) -> Counts {
        Counts { acknowledged, ..Counts::default() }
    }

    pub(crate) fn take(&mut self, stream: u32, number: u64, found: Found) {
        self.checked += 1;
        let found = match found {
            Found::Whole => return,
            Found::Missing(found) => {
                self.missing += 1;
                found
            }
            Found::Torn(found) => {
                self.torn += 1;
                found
            }
        };
        if self.lost.len() < MOST_NAMED {
            self.lost.push(LostRecord { stream, number, found });
        }
    }
}
