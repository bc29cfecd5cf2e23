//! Promises about the workspace as a whole, and about the form of a run file.

mod lengths;
mod names;
mod pages;
mod schema;
mod service;
mod workspace;
