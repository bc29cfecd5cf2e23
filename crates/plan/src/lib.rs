//! A platform on paper: what could it do, what would bind, what should be widened first?
//!
//! [`describe`] reads a TOML text and refuses what can't be built; [`plan`] answers by [`narrows_limits::flow`] for
//! each kind of work. Ceilings come from the table of limits or by hand with a source. Data in, data out.
//!
//! Not here: queueing and software. A ceiling is what no system passes; where a source says what good systems reach,
//! that stands beside it.

mod answer;
mod budget;
mod build;
mod carry;
pub mod casebook;
mod demand;
mod description;
mod drives;
mod entry;
mod error;
mod figures;
mod lines;
mod links;
mod machine;
mod memory;
mod note;
mod paths;
mod price;
mod read;
mod render;
mod waits;
mod work;

pub use answer::{Binding, Plan, Price, Question, Share, Widen, WorkAnswer, plan};
pub use demand::{Asked, Demand, Fit, fit};
pub use description::Description;
pub use error::PlanError;
pub use narrows_limits::flow::FlowError;
pub use read::{TEXT_BYTES_MAX, describe};
pub use render::{
    arithmetic_page, case_page, csv, figures_page, fits_csv, fits_json, fits_markdown, fits_table,
    json, markdown, text,
};
pub use work::{SEQUENTIAL_BYTES, Work};
