//! Each rule: when it fires, when it is silent, and how the table is built.

mod clean;
mod company;
mod durability;
mod findings;
mod machine_in_run;
mod observed;
mod orders;
mod pairs;
mod structure;
