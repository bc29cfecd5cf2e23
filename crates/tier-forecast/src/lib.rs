//! What a tier in front of storage would give before anyone buys it: a log tier, or a read cache tier.
//!
//! They are two products. A log tier acknowledges durable writes from a faster medium and destages them behind; its forecast is of commits.
//! A read cache serves reads; its forecast is of reads, and nothing of it says how long a commit waits.
//!
//! [`log_tier`] and [`read_tier`] fill a sheet of numbered lines ([`narrows_cost::Sheet`]), each given with its source or computed from lines
//! above it, and tell the table of off and on from it. The law is that of sessions in a closed loop ([`narrows_plan::closed`]): what a session
//! waits less for storage, it spends on everything else sooner, until something else is full. Limits of a stored run are those of its verdict.
//! What is not known stays unknown, and so does what rests on it.
//!
//! [`log_proof`], [`read_proof`] and [`lookup_proof`] hold a forecast against a run that has the same load with the tier and without: the forecast is
//! made from the side without it.
//!
//! Pure: data in, data out. Not here: the tiers themselves, measuring media, durability (no forecast says what survives), and how answers are
//! printed.

#![forbid(unsafe_code)]

mod answer;
mod behind_pool;
mod buffercache;
pub mod casebook;
mod csv_records;
mod curve;
mod destage;
mod from_live;
mod from_run;
mod given;
mod lines;
mod log_answer;
mod log_proof;
mod log_tier;
mod lookup_proof;
mod loops;
mod miss_queue;
mod pool_reads;
mod popularity;
mod proof;
mod quantity;
mod read_proof;
mod read_tier;
mod trace;
mod wal_trace;

pub use answer::{Better, Forecast, GainLimit, OffOn, Share, Tier, Unit, Unknown};
pub use behind_pool::PooledLookups;
pub use buffercache::{BUFFERCACHE_BYTES_MAX, BUFFERCACHE_SQL, Buffercache};
pub use curve::{CURVE_BYTES_MAX, Curve};
pub use from_run::{DeviceFlush, device_flush, fabric_added, log_now, read_now};
pub use given::{Limit, LogNow, LogTier, ReadNow, ReadTier, Refused};
pub use log_proof::{log_proof, sides};
pub use log_tier::log_tier;
pub use lookup_proof::{has_lookup_proof, lookup_proof};
pub use pool_reads::{PoolReads, RelationReads};
pub use popularity::Popularity;
pub use proof::{HitShare, MeasuredRange, Proof, ProofOutcome, ProofRow, ReachedStorage};
pub use quantity::{Quantity, bytes, bytes_per_s, number, per_s, share, time_us};
pub use read_proof::{
    READS_ALONE, READS_BETWEEN, READS_HIT, READS_OFF, READS_ON, has_read_proof, read_proof,
};
pub use read_tier::read_tier;
pub use trace::Trace;
pub use wal_trace::{WalCounted, WalTrace};
