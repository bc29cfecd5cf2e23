//! What a run says of logs that were only looked at: a live server's, and what `pg_test_fsync` measured.

mod flush_test;
mod server;

pub(crate) use flush_test::{alone, views as flush_views};
pub(crate) use server::{looking, setting, spread, views as live_views};
