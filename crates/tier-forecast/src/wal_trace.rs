//! What a log tier would have had to take in, from PostgreSQL's WAL itself: the records that `pg_waldump` prints.
//!
//! Each record has its place in the WAL, and each commit the time at which its record was made. So commits per second, WAL bytes of one, and
//! how fast bytes came are counted; and for a backing that takes so much, how much the tier would have held at most. Not in the WAL: when a
//! commit was flushed, which commits shared a flush, how long they waited, and which did not wait at all (`synchronous_commit=off`).

use narrows_cost::{Basis, Given, Range};

use crate::given::Refused;

/// Bytes that a record of a switch to the next file takes; what follows it in its file is no WAL.
const SWITCH_BYTES: u64 = 24;
/// Commits that are taken in.
const MOST_COMMITS: usize = 1 << 24;
/// Commits from which on a rate is told.
const LEAST_COMMITS: usize = 100;

/// WAL that is read record by record.
#[derive(Debug, Default)]
pub struct WalTrace {
    /// Where the first record begins.
    first: Option<u64>,
    /// Of files that were left early, bytes behind their last record.
    unused: u64,
    /// Where the last switch ended, until the next record is known.
    switched: Option<u64>,
    /// When each commit's record was made, µs, and bytes of WAL up to it.
    commits: Vec<(i64, u64)>,
}

impl WalTrace {
    /// Nothing yet.
    pub fn new() -> WalTrace {
        WalTrace::default()
    }

    /// Takes a line; one that is no record is passed over. `false` once no more are taken in.
    pub fn line(&mut self, line: &str) -> bool {
        let Some((head, described)) = line.split_once("desc: ") else { return true };
        let Some(lsn) = lsn(head) else { return true };
        let first = *self.first.get_or_insert(lsn);
        if let Some(end) = self.switched.take() {
            self.unused += lsn.saturating_sub(end);
        }
        if described.starts_with("SWITCH") {
            self.switched = Some(lsn + SWITCH_BYTES);
        }
        if let Some(at_us) = described.strip_prefix("COMMIT ").and_then(time_us) {
            let bytes = lsn.saturating_sub(first).saturating_sub(self.unused);
            self.commits.push((at_us, bytes));
        }
        self.commits.len() < MOST_COMMITS
    }

    /// What the records come to.
    ///
    /// # Errors
    /// Too few commits, or all of them at one time.
    pub fn counted(mut self, from: &str) -> Result<WalCounted, Refused> {
        let refused = |why: String| {
            let hint = "pg_waldump --path PGDATA/pg_wal FIRST-FILE LAST-FILE writes one; it needs no server";
            Refused::new(format!("{from}: {why}"), hint)
        };
        if self.commits.len() < LEAST_COMMITS {
            let count = self.commits.len();
            let why = format!("has {count} commits of pg_waldump, and {LEAST_COMMITS} are needed");
            return Err(refused(why));
        }
        // Times are taken a little before places in the WAL are.
        let mut latest = i64::MIN;
        for (at_us, _) in &mut self.commits {
            latest = latest.max(*at_us);
            *at_us = latest;
        }
        let (begun, ended) = (self.commits[0], self.commits[self.commits.len() - 1]);
        let seconds = (ended.0 - begun.0) as f64 / 1e6;
        if seconds <= 0.0 {
            return Err(refused("its commits are all of one time".to_string()));
        }
        Ok(WalCounted { from: from.to_string(), seconds, commits: self.commits })
    }
}

/// Commits and bytes of some time.
#[derive(Debug, Clone, PartialEq)]
pub struct WalCounted {
    from: String,
    seconds: f64,
    commits: Vec<(i64, u64)>,
}

impl WalCounted {
    fn given(&self, value: f64) -> Given {
        let source = format!("{}, {:.0} s of WAL", self.from, self.seconds.max(1.0));
        Given::of(Some(Range::exact(value)), Basis::Measured, source)
    }

    /// Those behind the first one, which only begins the time.
    fn count(&self) -> f64 {
        (self.commits.len() - 1) as f64
    }

    fn bytes(&self) -> f64 {
        self.commits[self.commits.len() - 1].1.saturating_sub(self.commits[0].1) as f64
    }

    /// Where it is from.
    pub fn from(&self) -> &str {
        &self.from
    }

    /// Commits per second.
    pub fn rate_per_s(&self) -> Given {
        self.given(self.count() / self.seconds)
    }

    /// Bytes of WAL of one, with those of everybody's other records.
    pub fn wal_bytes(&self) -> Given {
        self.given(self.bytes() / self.count())
    }

    /// The most that a tier would have held, bytes, if for each byte of WAL so many go to a backing that takes so much per second.
    pub fn held_bytes(&self, backing_bytes_per_s: f64, growth: f64) -> f64 {
        let (mut held, mut most) = (0.0f64, 0.0f64);
        for pair in self.commits.windows(2) {
            let seconds = (pair[1].0 - pair[0].0) as f64 / 1e6;
            let came = pair[1].1.saturating_sub(pair[0].1) as f64 * growth;
            // What came since the commit before may have come at any time since: at the end it is all there.
            held = (held - backing_bytes_per_s * seconds).max(0.0) + came;
            most = most.max(held);
        }
        most
    }
}

/// `lsn: 0/0151F1A0` as bytes.
fn lsn(head: &str) -> Option<u64> {
    let (_, rest) = head.split_once("lsn: ")?;
    let (high, low) = rest.split(',').next()?.trim().split_once('/')?;
    let part = |text: &str| u32::from_str_radix(text, 16).ok().map(u64::from);
    Some(part(high)? << 32 | part(low)?)
}

/// `2026-11-29 20:51:43.123456 UTC`, µs of a day count that begins anywhere.
fn time_us(text: &str) -> Option<i64> {
    let mut words = text.split_whitespace();
    let (date, time) = (words.next()?, words.next()?);
    let mut date = date.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let mut time = time.trim_end_matches(';').splitn(3, ':');
    let (hour, minute) = (time.next()?.parse::<i64>().ok()?, time.next()?.parse::<i64>().ok()?);
    let second: f64 = time.next()?.parse().ok()?;
    let known = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0.0..61.0).contains(&second)
        && (0..10_000).contains(&year);
    // Days of the proleptic Gregorian calendar, a year beginning in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = year * 365 + leap + (month * 153 + 2) / 5 + day;
    let us = ((days * 24 + hour) * 60 + minute) * 60_000_000;
    known.then(|| us + (second * 1e6).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(lsn: u64, rmgr: &str, described: &str) -> String {
        format!(
            "rmgr: {rmgr:11} len (rec/tot):     34/    34, tx:        731, lsn: {:X}/{:08X}, prev 0/0151F168, desc: {described}",
            lsn >> 32,
            lsn as u32
        )
    }

    fn commit(lsn: u64, time: &str) -> String {
        record(lsn, "Transaction", &format!("COMMIT {time}"))
    }

    /// A commit of 1,000 bytes each millisecond, from a place near the end of four gigabytes on.
    fn even(count: u64) -> Vec<String> {
        let of = |n: u64| {
            let time = format!("2026-12-31 23:59:{:09.6} UTC", 59.0 + n as f64 / 1e3);
            commit(0xFFFF_0000 + 1000 * n, &time)
        };
        (0..count).map(of).collect()
    }

    fn read(lines: &[String]) -> Result<WalCounted, Refused> {
        let mut trace = WalTrace::new();
        assert!(lines.iter().all(|line| trace.line(line)));
        trace.counted("wal.txt")
    }

    fn value(given: &Given) -> f64 {
        given.value.unwrap().value
    }

    #[test]
    fn commits_and_bytes_are_counted_between_the_first_and_the_last() {
        let wal = read(&even(501)).unwrap();
        assert!((value(&wal.rate_per_s()) - 1000.0).abs() < 1e-6);
        assert!((value(&wal.wal_bytes()) - 1000.0).abs() < 1e-6);
        assert!(wal.rate_per_s().source.contains("wal.txt"));
    }

    #[test]
    fn a_tier_holds_what_comes_faster_than_the_backing_takes_it() {
        let wal = read(&even(501)).unwrap();
        // A megabyte per second: nothing gathers but one commit's; half of it: half of what came gathers.
        assert!((wal.held_bytes(1e6, 1.0) - 1000.0).abs() < 1e-6);
        assert!((wal.held_bytes(0.5e6, 1.0) - 250_500.0).abs() < 1e-3);
        assert!((wal.held_bytes(1e6, 2.0) - 501_000.0).abs() < 1e-3);
        // After a pause it is empty again.
        let mut lines = even(301);
        let later = |n: u64| {
            let time = format!("2027-01-01 00:01:{:09.6} UTC", n as f64 / 1e3);
            commit(0xFFFF_0000 + 300_000 + 1000 * n, &time)
        };
        lines.extend((1..301).map(later));
        let held = read(&lines).unwrap().held_bytes(0.5e6, 1.0);
        assert!((held - 150_500.0).abs() < 1e-3, "{held}");
    }

    #[test]
    fn what_is_behind_a_switch_is_no_wal() {
        let mut lines = even(200);
        let at = 0xFFFF_0000u64 + 199_100;
        lines.push(record(at, "XLOG", "SWITCH "));
        let time = "2026-12-31 23:59:59.200000 UTC";
        lines.push(commit(at + SWITCH_BYTES + 5_000_000, time));
        let wal = read(&lines).unwrap();
        // 199,100 bytes to the switch and 24 of it.
        assert!((wal.bytes() - 199_124.0).abs() < 1e-9, "{}", wal.bytes());
    }

    #[test]
    fn times_that_step_back_a_little_stand_still() {
        let mut lines = even(300);
        // As the clock was read by one that then waited for its place in the WAL.
        lines[150] = commit(0xFFFF_0000 + 150_000, "2026-12-31 23:59:59.250000 UTC");
        assert!((value(&read(&lines).unwrap().rate_per_s()) - 1000.0).abs() < 1e-6);
    }

    #[test]
    fn other_records_and_other_text_are_passed_over_and_too_little_is_refused() {
        let mut lines = even(100);
        lines.insert(0, record(0xFFFE_0000, "Heap", "INSERT off 1 flags 0x00"));
        lines.push("pg_waldump: error: error in WAL record at 1/5: invalid record".to_string());
        lines.push(commit(0xFFFF_0000 + 99_500, "2026-13-01 00:00:00 UTC"));
        assert!((value(&read(&lines).unwrap().wal_bytes()) - 1000.0).abs() < 1e-6);
        let refused = read(&even(99)).unwrap_err();
        assert!(refused.what.contains("has 99 commits") && refused.hint.contains("pg_waldump"));
        let same: Vec<String> =
            (0..200).map(|n| commit(1000 * n, "2026-01-01 00:00:00.5 UTC")).collect();
        assert!(read(&same).unwrap_err().what.contains("all of one time"));
    }
}
