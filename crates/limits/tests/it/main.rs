//! Classes, tables and what carries them: the ceilings that a run gets.

mod attach;
mod carriers;
mod classes;
mod common;
mod overrides;
mod tables;
mod usual;
