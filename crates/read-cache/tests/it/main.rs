//! The cache as its caller sees it.

mod curves;
mod interleavings;
mod oracle;
mod quotas;
mod restart;
mod scans;
mod traces;
mod two_pools;
