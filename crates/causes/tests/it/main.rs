//! Causes of observed servers, built figure by figure.

mod built;
mod healthy;
mod mariadb;
mod order;
mod pairs;
mod property;
mod queues;
mod quoting;
