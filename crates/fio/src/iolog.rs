//! fio's logs of operations (`write_iolog`), as a list of operations to be done again.
//!
//! Both formats of text are read, "fio version 2 iolog" and "fio version 3 iolog" (fio's manual, "Trace file format"). Pure: which file
//! the log is, and what becomes of the files it names, is the caller's affair. What fio's parser skips with a message on its error
//! output stops here, with the line.

/// A log of operations that are done again, and in which way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// The logs, one for each clone in turn.
    pub logs: Vec<String>,
    /// As fast as possible, whatever the times in it.
    pub no_stall: bool,
    /// The file on which all operations are done.
    pub redirect: Option<String>,
    /// Offsets are divided by this; at least 1.
    pub scale: u64,
    /// Offsets go down to a multiple of this; a power of two.
    pub align_bytes: u64,
    /// Speed, per cent of the log's; at least 1.
    pub time_percent: u32,
    /// What is left out.
    pub skip: Skipped,
}

/// Operations of a log that are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Skipped {
    /// Reads.
    pub read: bool,
    /// Writes.
    pub write: bool,
    /// Trims.
    pub trim: bool,
    /// Syncs.
    pub sync: bool,
}

/// What an operation of a log does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoggedKind {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A trim.
    Trim,
    /// `sync` or `datasync`.
    Sync,
}

/// An operation of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Logged {
    /// What it does.
    pub kind: LoggedKind,
    /// Number of its file in [`Iolog::files`].
    pub file: u16,
    /// Where, bytes, as scaled and aligned.
    pub offset: u64,
    /// How much, bytes; 0 for a sync.
    pub bytes: u32,
    /// When, µs from the log's first line, as scaled.
    pub due_us: u64,
}

/// A log that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Iolog {
    /// Files that operations name, in the order of their first operation; with a redirection that one alone.
    pub files: Vec<String>,
    /// The operations, in their order.
    pub operations: Vec<Logged>,
    /// Whether they have times to keep.
    pub timed: bool,
}

/// More operations than this are not held in memory.
pub const MOST_OPERATIONS: usize = 1 << 22;
const MOST_FILES: usize = 1 << 10;
/// Nothing is due later, µs.
const MOST_US: u64 = 30 * 86_400 * 1_000_000;
/// The first bytes of a binary log of blktrace, in either byte order, without its version.
const BLKTRACE: [[u8; 3]; 2] = [*b"\x74\x61\x65", *b"\x65\x61\x74"];

/// Reads a log as a job wants it.
///
/// # Errors
/// Why it can't be done again, as the rest of a sentence that begins with the log's name, and what to do.
pub fn parse(log: &[u8], replay: &Replay) -> Result<Iolog, (String, String)> {
    let is_blktrace = log.get(1..4).is_some_and(|magic| magic == BLKTRACE[0])
        || log.get(..3).is_some_and(|magic| magic == BLKTRACE[1]);
    if is_blktrace {
        let why = "is a binary log of blktrace, which is not read";
        let hint =
            "let fio write it as text: fio --read_iolog=LOG --ioengine=null --write_iolog=TEXT";
        return Err((why.to_string(), hint.to_string()));
    }
    let not_a_log = || {
        let hint = "its first line is `fio version 3 iolog` or `fio version 2 iolog`";
        ("is no log of fio".to_string(), hint.to_string())
    };
    let text = std::str::from_utf8(log).map_err(|_| not_a_log())?;
    let mut lines = text.lines();
    // fio compares no more than its own words.
    let version = match lines.next().unwrap_or_default() {
        first if first.starts_with("fio version 2 iolog") => 2,
        first if first.starts_with("fio version 3 iolog") => 3,
        _ => return Err(not_a_log()),
    };
    let mut reader = Reader::new(replay, version);
    for (line, number) in lines.zip(2_u64..) {
        reader.line(line).map_err(|(why, hint)| (format!("line {number}: {why}"), hint))?;
    }
    if reader.log.operations.is_empty() {
        let hint = "a log without reads, writes and trims has nothing to be done again";
        return Err(("holds no operation".to_string(), hint.to_string()));
    }
    reader.log.timed = version == 3 && !replay.no_stall;
    Ok(reader.log)
}

struct Reader<'a> {
    replay: &'a Replay,
    version: u8,
    /// Of the line before, as it is written.
    last_us: u64,
    due_us: u64,
    log: Iolog,
}

impl<'a> Reader<'a> {
    fn new(replay: &'a Replay, version: u8) -> Reader<'a> {
        Reader { replay, version, last_us: 0, due_us: 0, log: Iolog::default() }
    }

    fn line(&mut self, line: &str) -> Result<(), (String, String)> {
        let wrong = |what: &str| {
            let hint = "lines are `[TIME] FILE ACTION` or `[TIME] FILE ACTION OFFSET LENGTH`";
            (format!("{what} in `{}`", shortened(line)), hint.to_string())
        };
        let mut words = line.split_whitespace();
        let mut pause_us = 0;
        if self.version == 3 {
            let time = words.next().and_then(|word| word.parse().ok());
            let time_us: u64 = time.ok_or_else(|| wrong("no time"))?;
            // As fio: nothing is waited for behind a line at 0, nor where time goes back.
            if self.last_us > 0 && !self.replay.no_stall {
                pause_us = scaled(time_us.saturating_sub(self.last_us), self.replay.time_percent);
            }
            self.last_us = time_us;
        }
        let (Some(file), Some(action)) = (words.next(), words.next()) else {
            return Err(wrong("no file and action"));
        };
        let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
        let numbers = numbers.ok_or_else(|| wrong("no numbers"))?;
        match (action, numbers.as_slice()) {
            ("add" | "open" | "close", []) => {
                self.due_us = self.due_us.saturating_add(pause_us);
                Ok(())
            }
            ("wait", [_, _]) if self.version == 2 && self.replay.no_stall => Ok(()),
            ("wait", _) => {
                let hint = "write replay_no_stall=1, which leaves waits out, or a log of version 3, which has times";
                Err((crate::options::limits::WAITS_OF_LOGS.why.to_string(), hint.to_string()))
            }
            (action, [offset, bytes]) => {
                let kind = kind(action).ok_or_else(|| wrong("no such action"))?;
                // As fio, which forgets the pause before what it skips; `datasync` it does not skip.
                let skip = self.replay.skip;
                let skipped = match kind {
                    LoggedKind::Read => skip.read,
                    LoggedKind::Write => skip.write,
                    LoggedKind::Trim => skip.trim,
                    LoggedKind::Sync => skip.sync && action == "sync",
                };
                if skipped {
                    return Ok(());
                }
                self.due_us = self.due_us.saturating_add(pause_us);
                if self.due_us > MOST_US {
                    let hint = "write replay_time_scale to shorten it, or replay_no_stall=1";
                    let why = "it is due more than 30 days after the first line";
                    return Err((why.to_string(), hint.to_string()));
                }
                let bytes = u32::try_from(*bytes).map_err(|_| wrong("more than 4 GiB"))?;
                self.add(kind, file, *offset, bytes).map_err(wrong)
            }
            _ => Err(wrong("not as many numbers as the action has")),
        }
    }

    fn add(
        &mut self,
        kind: LoggedKind,
        file: &str,
        offset: u64,
        bytes: u32,
    ) -> Result<(), &'static str> {
        let name = self.replay.redirect.as_deref().unwrap_or(file);
        let file = match self.log.files.iter().position(|known| known == name) {
            Some(file) => file,
            None if self.log.files.len() == MOST_FILES => return Err("more than 1024 files"),
            None => {
                self.log.files.push(name.to_string());
                self.log.files.len() - 1
            }
        };
        let file = u16::try_from(file).map_err(|_| "too many files")?;
        let sync = kind == LoggedKind::Sync;
        if bytes == 0 && !sync {
            return Err("an operation of no bytes");
        }
        if self.log.operations.len() == MOST_OPERATIONS {
            return Err("more than 4 194 304 operations, which are held in memory,");
        }
        let offset = (offset / self.replay.scale) & !(self.replay.align_bytes - 1);
        if offset.checked_add(u64::from(bytes)).is_none_or(|end| end > i64::MAX as u64) {
            return Err("a place beyond what files have");
        }
        let (offset, bytes) = if sync { (0, 0) } else { (offset, bytes) };
        self.log.operations.push(Logged { kind, file, offset, bytes, due_us: self.due_us });
        Ok(())
    }
}

fn kind(action: &str) -> Option<LoggedKind> {
    Some(match action {
        "read" => LoggedKind::Read,
        "write" => LoggedKind::Write,
        "trim" => LoggedKind::Trim,
        "sync" | "datasync" => LoggedKind::Sync,
        _ => return None,
    })
}

/// A pause at so many per cent of the log's speed.
fn scaled(pause_us: u64, time_percent: u32) -> u64 {
    if time_percent == 100 {
        return pause_us;
    }
    (pause_us as f64 * 100.0 / f64::from(time_percent.max(1))) as u64
}

/// So much of a line that it can be found again; a log may be any file.
fn shortened(line: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = line.chars().take(MOST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay() -> Replay {
        Replay {
            logs: vec!["l".to_string()],
            no_stall: false,
            redirect: None,
            scale: 1,
            align_bytes: 1,
            time_percent: 100,
            skip: Skipped::default(),
        }
    }

    fn of(log: &str, replay: &Replay) -> Result<Iolog, (String, String)> {
        parse(log.as_bytes(), replay)
    }

    const LOG: &str = "fio version 3 iolog\n30 a add\n40 a open\n50 a read 0 4096\n1050 a write 8192 512\n\
                       1060 a sync 0 0\n1060 a trim 4096 2147483648\n900 a datasync 0 0\n1000 a read 1 1\n1100 a close\n";

    #[test]
    fn operations_have_the_times_that_passed_between_their_lines() {
        let log = of(LOG, &replay()).unwrap();
        assert_eq!((log.files, log.timed), (vec!["a".to_string()], true));
        let due: Vec<u64> = log.operations.iter().map(|one| one.due_us).collect();
        assert_eq!(due, [20, 1020, 1030, 1030, 1030, 1130], "time that goes back is no pause");
        let trim = log.operations[3];
        assert_eq!((trim.kind, trim.offset, trim.bytes), (LoggedKind::Trim, 4096, 1 << 31));
        let twice = of(LOG, &Replay { time_percent: 200, ..replay() }).unwrap();
        assert_eq!(twice.operations[1].due_us, 510);
        let at_once = of(LOG, &Replay { no_stall: true, ..replay() }).unwrap();
        assert!(!at_once.timed && at_once.operations.iter().all(|one| one.due_us == 0));
    }

    #[test]
    fn places_are_scaled_and_then_aligned_and_files_redirected() {
        let other = Some("b".to_string());
        let replay = Replay { scale: 2, align_bytes: 4096, redirect: other, ..replay() };
        let log = of("fio version 2 iolog\nx read 16000 512\ny read 24576 512\n", &replay).unwrap();
        let offsets: Vec<u64> = log.operations.iter().map(|one| one.offset).collect();
        assert_eq!((log.files, offsets), (vec!["b".to_string()], vec![4096, 12288]));
    }

    #[test]
    fn what_is_skipped_is_left_out_with_the_pause_before_it() {
        let skip = Skipped { write: true, sync: true, ..Skipped::default() };
        let log = of(LOG, &Replay { skip, ..replay() }).unwrap();
        let kinds: Vec<_> = log.operations.iter().map(|one| (one.kind, one.due_us)).collect();
        use LoggedKind::{Read, Sync, Trim};
        assert_eq!(kinds, [(Read, 20), (Trim, 20), (Sync, 20), (Read, 120)]);
    }

    #[test]
    fn a_line_that_fio_would_leave_out_stops_with_its_number() {
        let head = "fio version 3 iolog\n1 a add\n";
        for (line, part) in [
            ("a read 0 4096", "no time"),
            ("5 a", "no file and action"),
            ("5 a read 0", "not as many numbers"),
            ("5 a read x 1", "no numbers"),
            ("5 a dance 0 1", "no such action"),
            ("5 a read 0 0", "of no bytes"),
            ("5 a read 0 4294967296", "more than 4 GiB"),
            ("5 a read 9223372036854775807 1", "beyond what files have"),
            ("5 a wait 100 0", "waits"),
            ("9000000000000000 a read 0 1", "more than 30 days"),
        ] {
            let (why, _) = of(&format!("{head}{line}\n"), &replay()).unwrap_err();
            assert!(why.starts_with("line 3: ") && why.contains(part), "{line}: {why}");
        }
        assert!(of(head, &replay()).unwrap_err().0.contains("holds no operation"));
        for log in ["", "fio version 1 iolog\n", "\u{7f}ELF"] {
            assert!(of(log, &replay()).unwrap_err().0.contains("no log of fio"), "{log}");
        }
        let (why, _) = parse(&0x6561_7407_u32.to_le_bytes(), &replay()).unwrap_err();
        assert!(why.contains("blktrace"), "{why}");
    }
}
