//! Figures to begin with.

use narrows_cost::{Basis, Given, Range};
use narrows_tier_forecast::{LogNow, LogTier, ReadNow, ReadTier};

pub fn is(value: f64) -> Given {
    Given::of(Some(Range::exact(value)), Basis::Described, "given")
}

pub fn between(low: f64, high: f64) -> Given {
    Given::of(Some(Range::between(low, high)), Basis::Described, "given")
}

pub fn unknown() -> Given {
    Given::of(None, Basis::Described, "not given")
}

/// 16 sessions, 20,000 per second, so 800 µs each: 400 µs of commit wait, two flushes of 200 µs; 8 CPUs of which one takes 100 µs.
pub fn commits() -> LogNow {
    LogNow {
        from: "given figures".to_string(),
        unit: "transactions".to_string(),
        rate_per_s: is(20_000.0),
        sessions: is(16.0),
        commits: is(1.0),
        commit_wait_us: is(400.0),
        flush_us: is(200.0),
        device_us: None,
        cpu_us: is(100.0),
        cpu_unflushed_us: None,
        cpus: is(8.0),
        locks_us: None,
        locks_through_commit: None,
        unqueued_us: None,
        limits: Vec::new(),
        ladder_per_s: None,
        wal_bytes: is(2_000.0),
        asked: false,
        no_law: None,
        law_off: 0.0,
        doubts: Vec::new(),
    }
}

pub fn medium(us: f64) -> LogTier {
    LogTier {
        medium_us: is(us),
        added_us: None,
        growth: None,
        backing_bytes_per_s: unknown(),
        size_bytes: unknown(),
        held_bytes: None,
    }
}

/// 16 sessions, 40,000 per second, so 400 µs each: 300 µs of read; 8 CPUs of which one takes 50 µs.
pub fn reads() -> ReadNow {
    ReadNow {
        from: "given figures".to_string(),
        rate_per_s: is(40_000.0),
        sessions: is(16.0),
        read_us: is(300.0),
        alone_us: None,
        cpu_us: is(50.0),
        cpus: is(8.0),
        locks_us: None,
        flushes_us: None,
        besides_us: None,
        block_bytes: is(8192.0),
        limits: Vec::new(),
        asked: false,
        no_law: None,
        law_off: 0.0,
        doubts: Vec::new(),
    }
}

pub fn cache(hit_us: f64, hits: Option<Given>) -> ReadTier {
    ReadTier {
        hit_us: is(hit_us),
        miss_added_us: None,
        size_bytes: unknown(),
        curve: None,
        hits,
        counted: None,
        pool: None,
    }
}
