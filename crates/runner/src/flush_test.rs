//! Reads what `pg_test_fsync` prints, of all versions from 9.2 on, and puts it into our words.
//!
//! Every line has to be understood: a section or a test that is passed over in silence would look like one that was not
//! run. Counts and times of a line have to fit each other. Source: src/bin/pg_test_fsync/pg_test_fsync.c.

use std::path::Path;

use anyhow::Result;
use narrows_model::{FlushTest, FlushTestKind, FlushTestRow};

use crate::failure::Failure;

/// A line that isn't understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    line: usize,
    reason: String,
    text: String,
}

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}: `{}`", self.line, self.reason, self.text)
    }
}

/// Bytes; it prints some thousand.
const LONGEST_OUTPUT: u64 = 1 << 20;

/// Reads a file.
///
/// # Errors
/// It can't be read, or a line isn't understood; named with what to do.
pub fn read(path: &Path) -> Result<FlushTest> {
    let shown = path.display();
    let text = narrows_files::read_text(path, LONGEST_OUTPUT).map_err(|reason| {
        Failure::hinted(
            format!("cannot read {shown}: {reason}"),
            "name a file with the output of pg_test_fsync",
        )
    })?;
    parse(&shown.to_string(), &text).map_err(|misread| {
        Failure::hinted(
            format!("{shown} is no output of pg_test_fsync, {misread}"),
            "run it again with LC_ALL=C pg_test_fsync -f FILE > OUTPUT, and name OUTPUT",
        )
    })
}

/// What a section's tests have in common.
#[derive(Debug, Clone, Copy)]
struct Section {
    kind: FlushTestKind,
    writes: u32,
    bytes: u64,
}

/// Reads a text; `source` is only kept.
///
/// # Errors
/// The first line that isn't understood.
pub fn parse(source: &str, text: &str) -> Result<FlushTest, Misread> {
    let mut test = FlushTest {
        source: source.to_string(),
        seconds_per_test: None,
        direct: None,
        rows: vec![],
    };
    let mut section: Option<Section> = None;
    // Remarks in parentheses and footnotes go over several lines.
    let (mut remark, mut footnote) = (false, false);
    for (index, line) in text.lines().enumerate() {
        let wrong = |reason: &str| Misread {
            line: index + 1,
            reason: reason.to_string(),
            text: line.trim().to_string(),
        };
        let words = line.trim();
        footnote &= !words.is_empty();
        footnote |= words.starts_with('*');
        remark |= words.starts_with('(');
        if words.is_empty() || footnote || remark {
            remark &= !words.ends_with(')');
            continue;
        }
        if let Some(seconds) = seconds(words) {
            test.seconds_per_test = Some(seconds);
        } else if let Some(direct) = direct(words) {
            test.direct = Some(direct);
        } else if let Some(begun) = begins(words) {
            section = Some(begun);
        } else if let Some(section) = section.filter(|_| line.starts_with([' ', '\t'])) {
            test.rows.push(row(words, section, test.direct).map_err(|reason| wrong(&reason))?);
        } else {
            return Err(wrong("neither a section of it nor a test"));
        }
    }
    if test.rows.is_empty() {
        return Err(Misread {
            line: text.lines().count().max(1),
            reason: "it ends without a test".to_string(),
            text: String::new(),
        });
    }
    Ok(test)
}

/// `5 seconds per test`
fn seconds(words: &str) -> Option<f64> {
    let number = words.strip_suffix(" seconds per test").or(words.strip_suffix(" second per test"));
    number?.parse().ok()
}

/// Whether `open_datasync` and `open_sync` go past the page cache.
fn direct(words: &str) -> Option<bool> {
    if words.starts_with("O_DIRECT supported on this platform") {
        Some(true)
    } else if words.starts_with("Direct I/O is not supported on this platform") {
        Some(false)
    } else {
        None
    }
}

fn begins(words: &str) -> Option<Section> {
    let words = words.strip_suffix(':')?;
    let section = |kind, writes, bytes| Some(Section { kind, writes, bytes });
    if let Some(rest) = words.strip_prefix("Compare file sync methods using ") {
        let (writes, size) = rest.split_once(' ')?;
        let writes = match writes {
            "one" => 1,
            "two" => 2,
            _ => return None,
        };
        return section(FlushTestKind::Durable, writes, kilobytes(size.split(' ').next()?)?);
    }
    if words == "Compare open_sync with different write sizes" {
        return section(FlushTestKind::Sizes, 1, 0);
    }
    if words == "Test if fsync on non-write file descriptor is honored" {
        return section(FlushTestKind::OtherDescriptor, 1, 8 << 10);
    }
    let size =
        words.strip_prefix("Non-").and_then(|rest| rest.get(.."sync'ed ".len()).zip(Some(rest)));
    let (sync, rest) = size?;
    if !sync.eq_ignore_ascii_case("sync'ed ") {
        return None;
    }
    let size = kilobytes(rest[sync.len()..].strip_suffix(" writes")?)?;
    section(FlushTestKind::Plain, 1, size)
}

/// `8kB`
fn kilobytes(text: &str) -> Option<u64> {
    text.strip_suffix("kB")?.parse::<u64>().ok()?.checked_mul(1024)
}

/// `fdatasync   4220.599 ops/sec   237 usecs/op`
fn row(words: &str, section: Section, direct: Option<bool>) -> Result<FlushTestRow, String> {
    let (name, ops_per_s) = match words.strip_suffix("n/a").or(words.strip_suffix("n/a*")) {
        Some(name) => (name.trim(), None),
        None => measured(words)?,
    };
    let (writes, write_bytes) = match section.kind {
        FlushTestKind::Sizes => sizes(name).ok_or("no number of writes of a size")?,
        _ => (section.writes, section.bytes),
    };
    let method = match (section.kind, name, direct) {
        (FlushTestKind::Durable, "fdatasync" | "fsync", _) => Some(name),
        (FlushTestKind::Durable, "open_datasync", Some(true)) => Some("dsync_direct"),
        (FlushTestKind::Durable, "open_datasync", Some(false)) => Some("dsync"),
        _ => None,
    };
    Ok(FlushTestRow {
        kind: section.kind,
        name: name.to_string(),
        method: method.map(str::to_string),
        writes,
        write_bytes,
        ops_per_s,
        mean_ns: ops_per_s.map(|rate| 1e9 / rate),
    })
}

fn measured(words: &str) -> Result<(&str, Option<f64>), String> {
    let (front, time) = words.split_once("ops/sec").ok_or("neither ops/sec nor n/a")?;
    let front = front.trim_end();
    let at = front.rfind(char::is_whitespace).ok_or("no name before the rate")?;
    let rate: f64 = front[at..].trim().parse().map_err(|_| "a rate that is no number")?;
    if !(rate.is_finite() && rate > 0.0) {
        return Err("a rate that is not above zero".to_string());
    }
    // Before version 9.3 there was no time.
    if let Some(time) = time.trim().strip_suffix("usecs/op") {
        let us: f64 = time.trim().parse().map_err(|_| "a time that is no number")?;
        // It is printed in whole microseconds.
        if (us - 1e6 / rate).abs() > 1.0 + 0.001 * us {
            return Err("its time is not one over its rate".to_string());
        }
    } else if !time.trim().is_empty() {
        return Err("something else than usecs/op behind the rate".to_string());
    }
    Ok((front[..at].trim(), Some(rate)))
}

/// `2 *  8kB open_sync writes`
fn sizes(name: &str) -> Option<(u32, u64)> {
    let (writes, rest) = name.split_once('*')?;
    let size = rest.split_whitespace().next()?;
    Some((writes.trim().parse().ok()?, kilobytes(size)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As PostgreSQL 15 printed it.
    const FIFTEEN: &str = include_str!("../../cli/tests/data/pg_test_fsync-15.txt");

    fn of<'a>(test: &'a FlushTest, kind: FlushTestKind, name: &str) -> Vec<&'a FlushTestRow> {
        test.rows.iter().filter(|row| row.kind == kind && row.name == name).collect()
    }

    #[test]
    fn every_section_is_read_in_our_words() {
        let test = parse("x", FIFTEEN).unwrap();
        assert_eq!((test.seconds_per_test, test.direct), (Some(1.0), Some(true)));
        assert_eq!(test.rows.len(), 18);
        let fdatasync = of(&test, FlushTestKind::Durable, "fdatasync");
        assert_eq!(fdatasync.iter().map(|row| row.writes).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(fdatasync[0].write_bytes, 8192);
        assert_eq!(fdatasync[0].method.as_deref(), Some("fdatasync"));
        assert!((fdatasync[0].mean_ns.unwrap() - 1e9 / 4220.599).abs() < 1.0);
        let open = of(&test, FlushTestKind::Durable, "open_datasync");
        assert_eq!(open[0].method.as_deref(), Some("dsync_direct"));
        let none = of(&test, FlushTestKind::Durable, "fsync_writethrough");
        assert_eq!((none[0].ops_per_s, none[0].mean_ns), (None, None));
        let sizes: Vec<_> = test
            .rows
            .iter()
            .filter(|row| row.kind == FlushTestKind::Sizes)
            .map(|row| (row.writes, row.write_bytes >> 10))
            .collect();
        assert_eq!(sizes, [(1, 16), (2, 8), (4, 4), (8, 2), (16, 1)]);
        assert_eq!(of(&test, FlushTestKind::OtherDescriptor, "write, close, fsync").len(), 1);
        assert_eq!(of(&test, FlushTestKind::Plain, "write")[0].write_bytes, 8192);
    }

    #[test]
    fn other_versions_and_file_systems_print_other_lines() {
        // 9.2: no times, another spelling, no direct I/O; a log page of 16 kB.
        let old = "5 seconds per test\nDirect I/O is not supported on this platform.\n\n\
                   Compare file sync methods using one 16kB write:\n\
                   (in wal_sync_method preference order, except fdatasync\nis Linux's default)\n\
                   \x20       open_datasync                      n/a*\n\
                   \x20       fdatasync                         100.000 ops/sec\n\
                   * This file system and its mount options do not support direct\n\
                   \x20 I/O, e.g. ext4 in journaled mode.\n\n\
                   Non-Sync'ed 16kB writes:\n        write            200000.000 ops/sec\n";
        let test = parse("x", old).unwrap();
        assert_eq!((test.direct, test.rows.len()), (Some(false), 3));
        assert_eq!(test.rows[1].mean_ns, Some(1e7));
        assert_eq!(test.rows[2].write_bytes, 16 << 10);
        assert_eq!(test.rows[0].method.as_deref(), Some("dsync"));
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        let said = |text: &str| parse("x", text).unwrap_err().to_string();
        let section = "Compare file sync methods using one 8kB write:\n";
        assert!(said("").contains("line 1: it ends without a test"));
        assert!(said("Bonnie says hello\n").contains("line 1: neither a section"));
        assert!(said("        fdatasync  4 ops/sec\n").contains("line 1: neither a section"));
        for (row, reason) in [
            ("        fdatasync    fast ops/sec", "a rate that is no number"),
            ("        fdatasync    0.000 ops/sec", "not above zero"),
            ("        fdatasync    100.0 ops/sec    10 usecs/op", "not one over its rate"),
            ("        fdatasync    100.0 Op/s", "neither ops/sec nor n/a"),
            ("        fdatasync    100.0 ops/sec  10000 ms", "something else than usecs/op"),
        ] {
            let said = said(&format!("{section}{row}\n"));
            assert!(said.contains("line 2") && said.contains(reason), "{said}");
            assert!(said.contains("fdatasync"), "the line is quoted: {said}");
        }
    }
}
