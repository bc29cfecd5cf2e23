//! The list of acknowledged records on the second host: JSON, one object a line, each line flushed before what it says
//! is confirmed. A list that ends in the middle of a line is read up to there.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use narrows_files::{Access, create_new};
use serde::{Deserialize, Serialize};

use crate::layout::MOST_RECORDS;
use crate::{CrashTestError, Machine, Ranges, Terms};

/// How the writer's voice ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// It stopped on request and said so.
    Orderly,
    /// A write failed, and it said so.
    Failed(String),
    /// The connection was closed without a word: the process ended and its kernel lived on.
    Closed,
    /// Nothing came any more: the machine or the network was gone.
    Silence,
    /// The collector was stopped.
    Stopped,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ListLine {
    CrashTest { version: u32, terms: Box<Terms>, collector: Machine, unix_ms: u64 },
    Acknowledged { stream: u32, from: u64, to: u64, unix_ms: u64 },
    End { end: End, last_heard_unix_ms: u64 },
}

const VERSION: u32 = 1;
/// Bytes; the first line, which has the terms, has some thousand.
const LONGEST_LINE: u64 = 1 << 20;

/// A list that is being written.
#[derive(Debug)]
pub struct List {
    path: PathBuf,
    file: File,
}

impl List {
    /// Begins a list in a new file.
    ///
    /// # Errors
    /// If the file exists, or the system refuses.
    pub fn create(path: &Path, terms: &Terms, collector: &Machine) -> Result<List, CrashTestError> {
        let file = create_new(path, Access::Write, 0o666);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CrashTestError::Exists(path.to_path_buf()),
            _ => CrashTestError::file("creating the list", path)(error),
        })?;
        let mut list = List { path: path.to_path_buf(), file };
        let (terms, collector) = (Box::new(terms.clone()), collector.clone());
        list.write(&[ListLine::CrashTest {
            version: VERSION,
            terms,
            collector,
            unix_ms: now_ms(),
        }])?;
        Ok(list)
    }

    /// Adds ranges `(stream, from, to)` and flushes.
    ///
    /// # Errors
    /// The system's.
    pub fn add(&mut self, ranges: &[(u32, u64, u64)]) -> Result<(), CrashTestError> {
        let unix_ms = now_ms();
        let lines = ranges.iter().map(|(stream, from, to)| ListLine::Acknowledged {
            stream: *stream,
            from: *from,
            to: *to,
            unix_ms,
        });
        self.write(&lines.collect::<Vec<_>>())
    }

    /// Says how it ended.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(mut self, end: End, last_heard_unix_ms: u64) -> Result<(), CrashTestError> {
        self.write(&[ListLine::End { end, last_heard_unix_ms }])
    }

    fn write(&mut self, lines: &[ListLine]) -> Result<(), CrashTestError> {
        let mut text = String::new();
        for line in lines {
            text += &serde_json::to_string(line).expect("a line has only string keys");
            text.push('\n');
        }
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(CrashTestError::file("writing the list", &self.path))
    }
}

/// A list as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledged {
    /// The test.
    pub terms: Terms,
    /// Who kept the list.
    pub collector: Machine,
    /// What was acknowledged, by stream.
    pub streams: Vec<Ranges>,
    /// How it ended; `None` if the collector itself was killed.
    pub end: Option<End>,
    /// When it began, the collector's clock.
    pub began_unix_ms: u64,
    /// When the last record came, the collector's clock.
    pub last_record_unix_ms: Option<u64>,
    /// When anything came last.
    pub last_heard_unix_ms: Option<u64>,
}

impl Acknowledged {
    /// Reads a list.
    ///
    /// # Errors
    /// If it isn't one.
    pub fn read(path: &Path) -> Result<Acknowledged, CrashTestError> {
        let wrong = |reason: String| CrashTestError::List { path: path.to_path_buf(), reason };
        let opened = narrows_files::open_plain(path).map_err(std::io::Error::from);
        let file = opened.map_err(CrashTestError::file("opening the list", path))?;
        let mut lines = lines(BufReader::new(file));
        let first = lines.next().and_then(Result::ok).unwrap_or_default();
        let (terms, collector, began_unix_ms) = match serde_json::from_str(&first) {
            Ok(ListLine::CrashTest { version: VERSION, terms, collector, unix_ms }) => {
                (*terms, collector, unix_ms)
            }
            Ok(ListLine::CrashTest { version, .. }) => {
                return Err(wrong(format!("version {version}; this one reads {VERSION}")));
            }
            Ok(_) => return Err(wrong("it does not begin with the test".to_string())),
            Err(error) => return Err(wrong(format!("its first line: {error}"))),
        };
        if let Some(fault) = terms.fault() {
            return Err(wrong(fault.to_string()));
        }
        let streams = vec![Ranges::default(); terms.place.streams() as usize];
        let mut list = Acknowledged {
            terms,
            collector,
            streams,
            end: None,
            began_unix_ms,
            last_record_unix_ms: None,
            last_heard_unix_ms: None,
        };
        let mut lines = lines.peekable();
        while let Some(line) = lines.next() {
            let line = line.map_err(CrashTestError::file("reading the list", path))?;
            match serde_json::from_str(&line) {
                Ok(line) => list.take(line).map_err(&wrong)?,
                // The collector was cut off in the middle of it; nothing of it was confirmed.
                Err(_) if lines.peek().is_none() => {}
                Err(error) => return Err(wrong(error.to_string())),
            }
        }
        Ok(list)
    }

    fn take(&mut self, line: ListLine) -> Result<(), String> {
        match line {
            ListLine::CrashTest { .. } => return Err("it begins twice".to_string()),
            ListLine::Acknowledged { to, .. } if to > MOST_RECORDS => {
                return Err(format!("no stream gets to record {to}"));
            }
            ListLine::Acknowledged { stream, from, to, unix_ms } => {
                let ranges = self.streams.get_mut(stream as usize);
                ranges.ok_or_else(|| format!("it has no stream {stream}"))?.add(from.max(1), to);
                self.last_record_unix_ms = Some(unix_ms);
            }
            ListLine::End { end, last_heard_unix_ms } => {
                self.end = Some(end);
                self.last_heard_unix_ms = Some(last_heard_unix_ms);
            }
        }
        Ok(())
    }

    /// Acknowledged records in all streams.
    pub fn total(&self) -> u64 {
        self.streams.iter().map(Ranges::count).sum()
    }

    /// Records before the last of their stream that were never acknowledged.
    pub fn gaps(&self) -> u64 {
        self.streams.iter().map(|ranges| ranges.gaps().count()).sum()
    }
}

/// The lines of a file, none longer than any that is written.
fn lines(mut file: impl BufRead) -> impl Iterator<Item = io::Result<String>> {
    std::iter::from_fn(move || {
        let mut line = String::new();
        match (&mut file).take(LONGEST_LINE).read_line(&mut line) {
            Ok(0) => None,
            Ok(n) if n as u64 == LONGEST_LINE => {
                Some(Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long")))
            }
            Ok(_) => Some(Ok(line)),
            Err(error) => Some(Err(error)),
        }
    })
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Mode, RecordLocation, RunId};

    fn terms() -> Terms {
        let layout = Layout { record_bytes: 4096, streams: 2, mode: Mode::Append };
        Terms {
            run: RunId(77),
            writer: Machine::this(),
            target: "/data/file".into(),
            method: "write and fdatasync".into(),
            flushes: true,
            place: RecordLocation::File(layout),
            local_medium: true,
            elsewhere: None,
            server: None,
            mount_point: None,
            power: Vec::new(),
            drives: 0,
            same_host: false,
        }
    }

    #[test]
    fn a_list_reads_back_and_a_torn_end_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        let mut list = List::create(&path, &terms(), &Machine::this()).unwrap();
        list.add(&[(0, 1, 10), (1, 1, 3)]).unwrap();
        list.add(&[(1, 6, 9)]).unwrap();
        let read = Acknowledged::read(&path).unwrap();
        assert_eq!((read.total(), read.gaps(), read.end), (17, 2, None));
        list.finish(End::Silence, 5).unwrap();
        let read = Acknowledged::read(&path).unwrap();
        assert_eq!(read.end, Some(End::Silence));
        assert_eq!(read.terms, terms());

        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        let read = Acknowledged::read(&path).unwrap();
        assert_eq!((read.total(), read.end), (17, None));

        let again = List::create(&path, &terms(), &Machine::this());
        assert!(matches!(again, Err(CrashTestError::Exists(_))));
    }

    #[test]
    fn other_files_and_damage_inside_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            assert!(
                matches!(Acknowledged::read(&path), Err(CrashTestError::List { .. })),
                "{text}"
            );
        };
        refused("");
        refused("hello\n");
        std::fs::remove_file(&path).unwrap();
        let mut list = List::create(&path, &terms(), &Machine::this()).unwrap();
        list.add(&[(0, 1, 10)]).unwrap();
        let good = std::fs::read_to_string(&path).unwrap();
        let head = good.lines().next().unwrap();
        refused(&format!("{head}\nnoise\n{}\n", good.lines().nth(1).unwrap()));
        refused(&good.replace("\"stream\":0", "\"stream\":7"));
        refused(&good.replace("\"to\":10,", "\"to\":18446744073709551615,"));
        refused(&good.replace("\"version\":1", "\"version\":2"));
    }
}
