//! Every way of doing I/O, its faults, and the targets that it works on.

mod common;
mod faults;
mod methods;
mod nvme;
mod targets;
mod test_file;
