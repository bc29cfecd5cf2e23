//! A storage target: namespaces over NVMe/TCP, without a kernel module and without root.
//!
//! [`serve`] opens what is to be served by rules that keep it from harm ([`backing`](crate::open)), listens, and runs one
//! thread for each CPU that it was given. What a connection says is answered by a machine without sockets
//! (`connection`), which its thread (`reactor`) feeds.
//!
//! A program of its own, because nobody lets a block server into a tool that measures.

mod announce;
mod arguments;
mod backing;
mod buffer;
mod cache_command;
mod config;
mod connection;
mod control;
mod controller;
mod credentials;
mod describe;
mod in_memory;
mod journal;
mod key_maker;
mod log_command;
mod log_pages;
mod metrics;
mod namespace;
mod output;
mod reactor;
mod reading;
mod reservation;
mod restart;
mod room;
mod serve;
mod signals;
mod spec;
mod subsystem;
mod target;
mod tls_keys;
mod warmer;

pub use arguments::{command, main};
pub use backing::{OpenError, Opened, open};
pub use config::{ConfigError, subsystems_of_file};
pub use credentials::{Authentication, CredentialFiles, Credentials, SecretError};
pub use in_memory::InMemoryTarget;
pub use namespace::{CacheRange, CacheSpec, DeviceCacheSpec, DiskSpec, Medium, NamespaceSpec};
pub use reactor::Wait;
pub use serve::{Request, ServeError, SubsystemSpec, serve};
pub use spec::{InvalidSpec, bytes_of, namespace_of, wait_of};
pub use subsystem::AllowedHosts;
pub use target::Limits;
pub use tls_keys::{TlsKeys, tls_key_of};
