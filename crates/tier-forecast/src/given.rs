//! What a forecast is made from. Every figure has its source, and one that is not known is absent.

use narrows_cost::Given;

use crate::buffercache::Buffercache;
use crate::curve::Curve;

/// Why there is no forecast, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Refused {
    /// What contradicts what, or what is missing.
    pub what: String,
    /// What to type instead.
    pub hint: String,
}

impl Refused {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Refused {
        Refused { what: what.into(), hint: hint.into() }
    }
}

/// A resource that allows no more operations per second than this, whatever storage does.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// What it is, in words.
    pub title: String,
    /// Operations per second.
    pub per_s: Given,
}

/// What is known of a server that commits.
#[derive(Debug, Clone, PartialEq)]
pub struct LogNow {
    /// Where it is known from, in a few words.
    pub from: String,
    /// What is counted, in the plural: `transactions`.
    pub unit: String,
    /// Of them per second.
    pub rate_per_s: Given,
    /// Sessions in the closed loop.
    pub sessions: Given,
    /// Commits of one.
    pub commits: Given,
    /// Wait of one commit, µs.
    pub commit_wait_us: Given,
    /// One write and flush of the WAL as the server takes it, µs.
    pub flush_us: Given,
    /// The same by one writer with nothing else to do, µs: what a medium is compared with. Absent where only the server's is known.
    pub device_us: Option<Given>,
    /// The server's CPU time of one, µs.
    pub cpu_us: Given,
    /// The same where no commit waits for a flush, µs; absent where nobody tested it.
    pub cpu_unflushed_us: Option<Given>,
    /// CPUs that the server can use.
    pub cpus: Given,
    /// Wait of one for locks, µs; absent where nobody looked.
    pub locks_us: Option<Given>,
    /// Whether these locks are held until the commit has been flushed, where that is known.
    pub locks_through_commit: Option<bool>,
    /// Time of one without queues for what is full, CPU time included, µs; absent where its parts are not known.
    pub unqueued_us: Option<Given>,
    /// Other limits.
    pub limits: Vec<Limit>,
    /// What the WAL commits per second with as many committers that do nothing else.
    pub ladder_per_s: Option<Given>,
    /// Bytes of WAL of one.
    pub wal_bytes: Given,
    /// The rate is what clients ask for, so a faster log does not raise it.
    pub asked: bool,
    /// Why the law describes no rate of it; absent where it does.
    pub no_law: Option<String>,
    /// How far the parts of an operation's time are off the measured rate, relative; 0 where nobody compared them.
    pub law_off: f64,
    /// What bears on its figures.
    pub doubts: Vec<String>,
}

impl LogNow {
    /// The same with its device's flush as that of a medium was measured. The server's own includes it: it is no shorter.
    pub fn compared_by(self, device_us: Given) -> LogNow {
        let value = |given: &Given| given.value.map(|range| range.value);
        // One that is not known is less than any.
        match value(&self.flush_us) < value(&device_us) {
            true => LogNow { flush_us: device_us, device_us: None, ..self },
            false => LogNow { device_us: Some(device_us), ..self },
        }
    }
}

/// A log tier.
#[derive(Debug, Clone, PartialEq)]
pub struct LogTier {
    /// One durable write on its medium, µs.
    pub medium_us: Given,
    /// What the way to it adds, µs; absent where there is none.
    pub added_us: Option<Given>,
    /// Bytes written to the backing for each byte of WAL.
    pub growth: Option<Given>,
    /// What the backing takes of sequential writes, bytes per second.
    pub backing_bytes_per_s: Given,
    /// How much the tier holds, bytes.
    pub size_bytes: Given,
    /// The most that it would have held by a trace of WAL, at the trace's own rate, bytes; absent where there is none, or no backing is given.
    pub held_bytes: Option<Given>,
}

/// What is known of a server that reads.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadNow {
    /// Where it is known from, in a few words.
    pub from: String,
    /// Reads of storage per second.
    pub rate_per_s: Given,
    /// Sessions in the closed loop.
    pub sessions: Given,
    /// One read, µs.
    pub read_us: Given,
    /// One read by one session that has storage to itself, µs; absent where nobody measured it, or there is no more than one session.
    pub alone_us: Option<Given>,
    /// The server's CPU time for each read, µs, what it does with the block included.
    pub cpu_us: Given,
    /// CPUs that the server can use.
    pub cpus: Given,
    /// Wait for locks for each read, µs; absent where nobody looked.
    pub locks_us: Option<Given>,
    /// Wait for flushes of the WAL for each read, µs; absent where nobody looked.
    pub flushes_us: Option<Given>,
    /// Time for each read without queues and without the read, CPU time included, µs; absent where the parts are not known.
    pub besides_us: Option<Given>,
    /// Bytes of one read.
    pub block_bytes: Given,
    /// Other limits, reads per second.
    pub limits: Vec<Limit>,
    /// The rate is what clients ask for.
    pub asked: bool,
    /// Why the law describes no rate of it; absent where it does.
    pub no_law: Option<String>,
    /// How far the parts of an operation's time are off the measured rate, relative; 0 where nobody compared them.
    pub law_off: f64,
    /// What bears on its figures.
    pub doubts: Vec<String>,
}

/// A read cache tier.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadTier {
    /// A read that it serves, µs, the way to it included.
    pub hit_us: Given,
    /// What a read that it does not serve takes longer than now, µs; absent where nothing is known.
    pub miss_added_us: Option<Given>,
    /// How much it holds, bytes.
    pub size_bytes: Given,
    /// Of the reads of now, which a cache of which size misses; absent where nobody measured it.
    pub curve: Option<Curve>,
    /// The share of the reads of now that it serves, where that is given.
    pub hits: Option<Given>,
    /// Counted buffer hits and reads, where only they are known: they bound nothing but say how many accesses become reads.
    pub counted: Option<[f64; 2]>,
    /// Reads by relation, and what the server's buffer pool holds of each, where that was looked at.
    pub pool: Option<Buffercache>,
}
