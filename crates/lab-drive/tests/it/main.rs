//! The drive whose power is cut, and what survives on it.

mod common;
mod cuts;
mod drive;
mod postgres;
