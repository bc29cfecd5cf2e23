//! The command from end to end, as users meet it. One test program: each more of them would link the whole product again,
//! and here what mostly waits can run side by side (`machine`).

mod alone;
mod block;
mod block_device;
mod buffercache;
mod clean;
mod command;
mod common;
mod compared_runs;
mod config;
mod costs;
mod crashtest;
mod db;
mod dry_run;
mod ends;
mod fabric;
mod gather;
mod golden;
mod hostile;
mod imported;
mod kept;
mod kills;
mod live;
mod log;
mod memory;
mod placement;

mod observe;
mod orders;
mod places;
mod plan;
mod planted;
mod planted_objects;
mod secrets;
mod signals;
mod stored;
mod stuck;
mod tier_proofs;
mod tiers;
mod url;
mod words;
