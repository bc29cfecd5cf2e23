//! Memory and clocks alone.

pub mod baseline;
pub mod full_suite;
pub mod matrix;
pub mod placement;
pub mod process_group;
pub mod slb;
mod touch;

use narrows_model::Platform;

/// Whether two inventories are of one machine: its name, and the digest of its id.
fn same_machine(a: &Platform, b: &Platform) -> bool {
    (&a.hostname, &a.machine) == (&b.hostname, &b.machine)
}
