//! What the user sees: one [`Report`] built from a run, and views of it.
//!
//! [`Report::new`] decides what is said (which measurement stands in which row, which finding gets which
//! footnote, how a sum is rounded so that it adds up); the views only lay it out: [`text()`] (the one screen),
//! [`markdown()`], [`csv()`], [`json`] and [`html()`]. Every view works from the run file alone, so a report can
//! be made again years later.
//!
//! Not here: judging. A number, a grade or a finding that is not in the run is never invented; what is absent
//! prints as `-` or is named as not known.

#![forbid(unsafe_code)]

mod advice;
mod bottleneck;
mod calibration;
mod capacity;
mod chart;
pub mod document;
mod escape;
pub mod export;
mod fabric;
mod head;
mod interference;
mod inventory;
mod link;
mod live;
mod loads;
mod log;
mod memory;
mod nested_box;
mod notes;
mod observed;
mod orders;
mod outputs;
mod print;
mod question;
mod render;
mod report;
mod result;
mod section;
mod slb;
mod standing;
mod starts;
mod sum;
mod sweep;
mod words;

pub use advice::{CauseStep, NextRow};
pub use bottleneck::{Block, Effect};
pub use calibration::RateAnswer;
pub use capacity::{CapacityRow, Figure};
pub use head::Head;
pub use interference::{Interference, InterferenceCell, InterferenceRow};
pub use log::{CommitsRow, SharingPoint, StepFigures, StepRow, Streams, StreamsRow, TierGain};
pub use notes::{NoteMark, Notes};
pub use observed::ObservedView;
pub use outputs::{
    Explained, Setting, ShownLimits, StoredRun, WordList, claims, comparison, costs, csv,
    explained, first_steps, fits, flush_tests, html, inventory, json, licence_rules, limits,
    markdown, plans, printed, report_document, settings, setup_differences, sizings, slb,
    stored_runs, tags, text, tier, tier_proof, trends, word_lists,
};
pub use print::Units;
pub use render::{COLOURS, FORMS, Form, HTML, Screen, Shows, TEXT, form, render};
pub use report::Report;
pub use result::answer_so_far;
pub use sum::{SumPart, SumText};
