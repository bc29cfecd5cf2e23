//! The block layer on files: what it measures, what it finds, and causes that were planted.

mod calibrate;
mod causes;
mod common;
mod file_calls;
mod interference;
mod measure;
mod scenario;
mod steady;
mod two_places;
