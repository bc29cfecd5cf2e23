//! The log of a server that is compared: how much of it there may be, and segments that lie ready for every window.
//!
//! A server that has run for a while writes into segments that it recycles; one that has none left makes and flushes a new one in the
//! middle of a window. And a checkpoint of its own, when the log has grown, would fall into the windows of one place and not of
//! another. So checkpoints are ours, between windows and on all servers alike, and each is followed by a warm-up, because after it the
//! first change of a page logs the whole page.

use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_postgres::{Address, Connection};

use crate::database::managed_server::connect;

const MIB: u64 = 1 << 20;
const SEGMENT_BYTES: u64 = 16 * MIB;
/// The part of the table that is updated, and what its pages log after a checkpoint, each whole and with the rest of its record.
pub const CACHED_BYTES: u64 = 32 * MIB;
const FULL_PAGES_BYTES: u64 = CACHED_BYTES / 2 * 3;
/// What each session, and all of them together, write to the log at most, for the plan.
const SESSION_BYTES_PER_S: f64 = 5e6;
const LOG_BYTES_PER_S: f64 = 200e6;
/// Segments that are made before anything is known.
const FIRST: u64 = 6;
/// The fewest bytes of segments that are kept to be written again.
const LEAST_KEPT_BYTES: u64 = 256 * MIB;
/// A warm-up takes no longer: by then sessions that don't wait for the log have changed every page.
const LONGEST_WARM_UP: Duration = Duration::from_secs(2);

/// How large the log may grow, by what its windows may write.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogSize {
    /// One window with its run-up, bytes.
    pub window_bytes: u64,
    /// A warm-up after a checkpoint, bytes.
    pub warm_up_bytes: u64,
}

impl LogSize {
    /// For so many sessions and windows of that length.
    pub fn of(sessions: u32, window: Duration) -> LogSize {
        let rate = (f64::from(sessions) * SESSION_BYTES_PER_S).min(LOG_BYTES_PER_S);
        // Sessions run up for a quarter of the window before it.
        let bytes = |window: Duration| (window.as_secs_f64() * 1.25 * rate) as u64;
        LogSize {
            window_bytes: bytes(window),
            warm_up_bytes: bytes(warm_up(window)) + FULL_PAGES_BYTES,
        }
    }

    /// `min_wal_size`: segments for a warm-up and a window are kept to be written again.
    pub fn kept_bytes(&self) -> u64 {
        (self.warm_up_bytes + self.window_bytes)
            .max(LEAST_KEPT_BYTES)
            .next_multiple_of(SEGMENT_BYTES)
    }

    /// `max_wal_size`: the server begins a checkpoint of its own when the log since the last one exceeds this over 1 +
    /// `checkpoint_completion_target`, which is 0.9; that is never reached with [`LogSize::kept_bytes`].
    pub fn most_bytes(&self) -> u64 {
        2 * self.kept_bytes()
    }

    /// What has to be free for it: the limit is a soft one, and the segment being made comes on top.
    pub fn needed_bytes(&self) -> u64 {
        self.most_bytes() + 4 * SEGMENT_BYTES
    }
}

/// How long a warm-up is beside windows of that length.
pub fn warm_up(window: Duration) -> Duration {
    window.min(LONGEST_WARM_UP)
}

/// Where the log stands.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stand {
    /// Written since the last checkpoint, bytes.
    since_bytes: u64,
    /// In segments that lie ready, bytes.
    ready_bytes: u64,
    /// What the next window takes, as far as one was seen, bytes.
    next_bytes: u64,
}

impl Stand {
    /// Whether the next window would use up the segments, or come near a checkpoint of the server's own.
    fn is_short(&self, size: &LogSize) -> bool {
        self.ready_bytes < self.next_bytes || self.since_bytes + self.next_bytes > size.kept_bytes()
    }
}

/// The segments of one server.
pub struct Segments {
    control: Connection,
    size: LogSize,
    /// Position at the last checkpoint, bytes.
    recycled_at: u64,
    /// What warm-ups and windows took at most, bytes.
    warm_up_bytes: u64,
    window_bytes: u64,
    recycled: u32,
}

impl Segments {
    /// Makes the first of them.
    ///
    /// # Errors
    /// The server refuses.
    pub fn make(address: &Address, size: LogSize, stop: &Stop) -> Result<Segments> {
        let control = connect(address, stop)?;
        let mut segments = Segments {
            control,
            size,
            recycled_at: 0,
            warm_up_bytes: 0,
            window_bytes: 0,
            recycled: 0,
        };
        segments.recycle()?;
        Ok(segments)
    }

    /// How often they were made anew.
    pub fn recycled(&self) -> u32 {
        self.recycled
    }

    /// Position at which the next record is written, bytes.
    ///
    /// # Errors
    /// The server refuses.
    pub fn position(&mut self) -> Result<u64> {
        self.number("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint")
    }

    /// Keeps what was written since `from`, by a warm-up or by a window.
    ///
    /// # Errors
    /// The server refuses.
    pub fn took(&mut self, from: u64, warm_up: bool) -> Result<()> {
        let bytes = self.position()?.saturating_sub(from);
        let most = if warm_up { &mut self.warm_up_bytes } else { &mut self.window_bytes };
        *most = bytes.max(*most);
        Ok(())
    }

    /// Whether they have to be made anew before the next window.
    ///
    /// # Errors
    /// The server refuses.
    pub fn is_short(&mut self) -> Result<bool> {
        let position = self.position()?;
        let ahead =
            self.number(&segments_where("name > pg_walfile_name(pg_current_wal_insert_lsn())"))?;
        let stand = Stand {
            since_bytes: position.saturating_sub(self.recycled_at),
            ready_bytes: ahead * SEGMENT_BYTES + SEGMENT_BYTES - position % SEGMENT_BYTES,
            next_bytes: self.next_bytes(),
        };
        Ok(stand.is_short(&self.size))
    }

    /// Makes as many as a warm-up and two windows take, where there are fewer, and a checkpoint behind which all are written again.
    ///
    /// # Errors
    /// The server refuses.
    pub fn recycle(&mut self) -> Result<()> {
        let wanted_bytes = self.warm_up_bytes + 2 * self.next_bytes();
        let wanted = wanted_bytes.min(self.size.kept_bytes()).div_ceil(SEGMENT_BYTES).max(FIRST);
        if self.number(&segments_where("true"))? < wanted {
            for _ in 0..wanted {
                // A switch of a segment in which nothing was written does nothing.
                self.control.execute("SELECT txid_current()")?;
                self.control.execute("SELECT pg_switch_wal()")?;
            }
        }
        self.control.execute("CHECKPOINT")?;
        self.recycled_at = self.position()?;
        self.recycled += 1;
        Ok(())
    }

    /// Before the first window a warm-up stands for it: it logs more.
    fn next_bytes(&self) -> u64 {
        if self.window_bytes > 0 { self.window_bytes } else { self.warm_up_bytes }
    }

    fn number(&mut self, sql: &str) -> Result<u64> {
        let text = self.control.one(sql)?;
        text.and_then(|text| text.parse().ok())
            .with_context(|| format!("no number came from {sql}"))
    }
}

/// How many segments there are of which that is true.
fn segments_where(what: &str) -> String {
    format!("SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{{24}}$' AND {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_may_grow_as_far_as_a_warm_up_and_a_window_take_twice_over() {
        // 8 sessions write 40 MB/s at most: 100 MB in 2 s and their run-up, and 48 MiB of whole pages after a checkpoint.
        let usual = LogSize::of(8, Duration::from_secs(2));
        assert_eq!((usual.window_bytes, usual.warm_up_bytes), (100_000_000, 150_331_648));
        assert_eq!(usual.kept_bytes(), 256 * MIB);
        assert_eq!((usual.most_bytes(), usual.needed_bytes()), (512 * MIB, 576 * MIB));
        // A minute of 40 sessions and more: 15 GB, and a warm-up of 2 s.
        let long = LogSize::of(256, Duration::from_secs(60));
        assert_eq!((long.window_bytes, long.warm_up_bytes), (15_000_000_000, 550_331_648));
        assert!(
            long.kept_bytes() >= 15_550_331_648
                && long.kept_bytes() < 15_550_331_648 + SEGMENT_BYTES
        );
        // The server's own checkpoint comes after 1 / 1.9 of the limit.
        for size in [usual, long, LogSize::of(1, Duration::from_millis(100))] {
            assert!(size.most_bytes() as f64 / 1.9 > size.kept_bytes() as f64, "{size:?}");
        }
    }

    #[test]
    fn segments_are_short_where_the_next_window_would_use_them_up_or_come_near_a_checkpoint() {
        let size = LogSize::of(8, Duration::from_secs(2));
        let stand = Stand { since_bytes: 100 * MIB, ready_bytes: 30 * MIB, next_bytes: 30 * MIB };
        assert!(!stand.is_short(&size));
        assert!(Stand { next_bytes: 31 * MIB, ..stand }.is_short(&size));
        // 256 MiB are kept.
        assert!(!Stand { since_bytes: 226 * MIB, ..stand }.is_short(&size));
        assert!(Stand { since_bytes: 227 * MIB, ..stand }.is_short(&size));
    }
}
