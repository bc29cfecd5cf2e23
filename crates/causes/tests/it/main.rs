//! Causes of observed servers, built figure by figure.

mod built;
mod healthy;
mod order;
mod pairs;
mod property;
mod queues;
mod quoting;
