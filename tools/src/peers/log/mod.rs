//! The log's measurements beside `pg_test_fsync`, fio and pgbench, and slowness planted below and beside them.

pub(super) mod commits;
mod flush_test;
mod place;
pub(super) mod plants;
pub(super) mod writes;

/// Nanoseconds as microseconds, one digit behind the point.
pub(super) fn micros(ns: f64) -> String {
    format!("{:.1}", ns / 1e3)
}
