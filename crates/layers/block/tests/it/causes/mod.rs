//! Every cause of a false figure that can be made on an ordinary machine is made, for real, and caught by the rules; what
//! is expected, and with which weight, stands in each test before the window. Counts decide, not speed: the tests hold
//! on a machine that others use.
//!
//! Limits of control groups have a test program of their own (`io_limits`), because they are about the whole process.

mod bench;
mod cache;
mod clean;
mod contents;
mod faults;
mod generator;
mod order;
mod others;
