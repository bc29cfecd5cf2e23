//! What a command does between its arguments and its report: plans, begins, measures, judges, keeps, and ends by one rule.
//!
//! Every command's work is a [`Program`], and [`execute`] runs it; what is asked of it stands in [`request`], what it tells goes through
//! [`Ui`].
//!
//! Not here: how something is measured (`layers/*`), how it is told (`report`), and what was typed (`cli`).

mod anonymous;
pub mod block;
pub mod captures;
pub mod claims;
pub mod compared;
pub mod configuration;
pub mod costs;
pub mod crashtest;
pub mod database;
pub mod demand;
mod dry_run;
pub mod exit;
pub mod experiment;
pub mod fabric;
pub mod failure;
pub mod flush_test;
pub mod gather;
mod guard;
mod headroom;
pub mod histograms;
pub mod import;
mod interrupt;
pub mod inventory;
mod kept;
mod layers;
mod least_load;
pub mod library;
pub mod log;
pub mod machine;
pub mod memory;
mod named_folder;
pub mod new_run;
mod no_run;
pub mod observe;
pub mod orders;
pub mod paragraph;
pub mod plan_document;
pub mod preflight;
pub mod prepared;
mod program;
pub mod request;
mod resolve;
mod resolved;
pub mod secrets;
mod server_address;
pub mod session;
mod space_check;
mod split;
pub mod store;
pub mod tags;
pub mod tier_proof;
pub mod tiers;
pub mod ui;
pub mod what_if;
pub mod workload;

pub use narrows_facts::spare_addresses;
pub use program::{Program, execute};
pub use ui::Ui;

use anyhow::Result;
use serde::Serialize;

/// A document for programs: what is in it of others' making steers no terminal, and is all there.
///
/// # Errors
/// It has no JSON form.
pub fn json_text(document: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(document)? + "\n";
    Ok(narrows_units::shown_json(&text).into_owned())
}
