//! Made machines: what is in use, what isn't, and what is only next to it.

mod consent;
mod doubts;
mod identities;
mod machine;
mod plain;
mod same_bytes;
mod uses;
