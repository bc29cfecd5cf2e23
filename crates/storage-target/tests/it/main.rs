//! The target as hosts see it: a program that listens, and the initiator of the crate beside it.

mod alarms;
mod as_json;
mod authentication;
mod cache_device;
mod cache_index;
mod cached;
mod control;
mod cutter;
mod data;
mod fabric_split;
mod host;
mod hostile;
mod impostor;
mod log_and_cache;
mod log_resize;
mod logged;
mod measured;
mod misuse;
mod model;
mod outage;
mod peers;
mod planted_delay;
mod program;
mod tls;
