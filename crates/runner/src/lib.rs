//! What a command does between its arguments and its report: plans, begins, measures, judges, keeps, and ends by one rule.
//!
//! Not here: how something is measured (`layers/*`), how it is told (`report`), and what was typed (`cli`).

pub mod exit;
pub mod failure;
pub mod interrupt;
pub mod kept;
pub mod least_load;
pub mod new_run;
pub mod paragraph;
pub mod secrets;
pub mod split;
pub mod store;
