//! Reading an archive that may come from anybody: nothing in it decides how much is read, and no path in it is opened.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use narrows_facts::Recording;
use serde::Deserialize;

use super::line::{ArchiveLine, MAX_NAMES, take};
use super::{CaptureError, Header, SCHEMA};
use crate::Capture;

/// The largest archive that is read. A machine with sixty-four nodes takes less than one of these.
pub const MAX_ARCHIVE_BYTES: u64 = 64 << 20;
/// The largest that it unpacks to.
const MAX_TEXT_BYTES: u64 = 256 << 20;
/// The largest answer: a file of 16 MiB in base64.
const MAX_LINE_BYTES: u64 = 24 << 20;
/// Questions.
const MAX_ENTRIES: usize = 1 << 19;
/// The first line: who captured, and what was left out.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// Whether a file that begins so is packed as archives are.
pub fn is_archive(head: &[u8]) -> bool {
    head.starts_with(&[0x1F, 0x8B])
}

/// The last line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    end: usize,
}

/// Reads an archive to its end.
///
/// # Errors
/// What reading gave; that it is no capture, of another format, damaged, contradictory, or larger than any machine's.
pub fn read(archive: impl Read) -> Result<Capture, CaptureError> {
    let packed = BufReader::new(archive.take(MAX_ARCHIVE_BYTES + 1));
    let mut lines = Lines {
        text: BufReader::new(GzDecoder::new(packed).take(MAX_TEXT_BYTES + 1)),
        number: 0,
        bytes: 0,
    };
    let header = header(&lines.next()?.ok_or(CaptureError::Foreign)?)?;
    let mut recording = Recording::default();
    let (mut entries, mut names) = (0, 0);
    loop {
        let bytes = lines.next()?;
        let Some(bytes) = bytes else {
            return Err(CaptureError::Damaged("its last line is missing".to_string()));
        };
        if let Ok(End { end }) = serde_json::from_slice(&bytes) {
            if end != entries {
                return Err(lines.wrong(format!("it has {entries} entries and says {end}")));
            }
            break;
        }
        if entries == MAX_ENTRIES {
            let limit = format!("{MAX_ENTRIES} entries");
            return Err(CaptureError::TooLarge { what: "what it holds", limit });
        }
        let line: ArchiveLine = serde_json::from_slice(&bytes)
            .map_err(|error| lines.wrong(format!("no question with its answer: {error}")))?;
        names += line.names();
        if names > MAX_NAMES {
            let limit = format!("{MAX_NAMES} names in folders");
            return Err(CaptureError::TooLarge { what: "what it holds", limit });
        }
        take(line, &mut recording).map_err(|reason| lines.wrong(reason))?;
        entries += 1;
    }
    if lines.next()?.is_some() {
        return Err(lines.wrong("something follows the end".to_string()));
    }
    Ok(Capture { header, recording })
}

fn header(line: &[u8]) -> Result<Header, CaptureError> {
    if line.len() > MAX_HEADER_BYTES {
        let limit = format!("{} MiB", MAX_HEADER_BYTES >> 20);
        return Err(CaptureError::TooLarge { what: "its first line", limit });
    }
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    let named: Named = serde_json::from_slice(line).map_err(|_| CaptureError::Foreign)?;
    match named.schema.as_str() {
        SCHEMA => {}
        other if other.starts_with("narrows.capture/") => {
            let shown: String = other.chars().take(40).collect();
            return Err(CaptureError::Version(shown));
        }
        _ => return Err(CaptureError::Foreign),
    }
    let wrong = |reason: String| CaptureError::Line { line: 1, reason };
    let header: Header = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
    match header.roles.iter().find(|place| !place.path.starts_with('/')) {
        Some(place) => Err(wrong(format!("{:?} is no absolute path", place.path))),
        None => Ok(header),
    }
}

/// The lines of the unpacked text, each within its limit.
struct Lines<R> {
    text: R,
    number: usize,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    /// The next line without its end; `None` after the last one.
    fn next(&mut self) -> Result<Option<Vec<u8>>, CaptureError> {
        let mut line = Vec::new();
        let read = (&mut self.text).take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut line);
        self.bytes += read.map_err(damaged)? as u64;
        self.number += 1;
        if self.bytes > MAX_TEXT_BYTES {
            let limit = format!("{} MiB", MAX_TEXT_BYTES >> 20);
            return Err(CaptureError::TooLarge { what: "what it unpacks to", limit });
        }
        if line.len() as u64 > MAX_LINE_BYTES {
            let limit = format!("{} MiB", MAX_LINE_BYTES >> 20);
            return Err(CaptureError::TooLarge { what: "one of its answers", limit });
        }
        if line.is_empty() {
            return Ok(None);
        }
        if line.pop() != Some(b'\n') {
            return Err(CaptureError::Damaged("its last line has no end".to_string()));
        }
        Ok(Some(line))
    }

    fn wrong(&self, reason: String) -> CaptureError {
        CaptureError::Line { line: self.number, reason }
    }
}

/// The unpacker tells what is no gzip as `InvalidInput` and what is cut off as `UnexpectedEof`.
fn damaged(error: io::Error) -> CaptureError {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        InvalidInput | InvalidData | UnexpectedEof => CaptureError::Damaged(error.to_string()),
        _ => CaptureError::Io(error),
    }
}
