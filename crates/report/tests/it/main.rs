//! Every output of a run, as people and programs read it.

mod brief;
mod common;
mod exports;
mod forms;
mod hostile;
mod live;
mod log;
mod memory;
mod observed;
mod observed_causes;
mod observed_compared;
mod observed_mariadb;
mod observed_statements;
mod page;
mod pencil;
mod plans;
mod screen;
mod storage;
