//! Somebody's server, looked at and not touched: what a transaction takes there, what its sessions wait for, and what its
//! processes take of the machine.
//!
//! Goals: nothing is changed or written; every figure comes from a column that the server's catalog was asked for, so that
//! no version is assumed; what a role, another machine or a managed service withholds is named and the rest goes on;
//! looking costs a percent of one processor at most, and the cost is measured. Not here: what follows from it (the verdict),
//! any load, and the log alone ([`crate::live`]).
//!
//! Source: PostgreSQL documentation 13 to 18, "The Cumulative Statistics System", "System Views"; proc(5).

mod activity;
mod consumers;
pub(crate) mod figures;
pub(crate) mod host;
mod load_change;
pub(crate) mod machine;
mod missing;
mod monitor;
mod participants;
pub(crate) mod process_state;
pub(crate) mod sampling;
pub mod settings;
mod slow_probes;
mod wait_checks;
pub(crate) mod window;

pub use crate::monitor::server::Rights;
pub use monitor::{Around, Monitor, Observed, Observer, least};

/// Id of the measurement that holds the demand of a transaction by windows.
pub const MEASUREMENT: &str = narrows_model::Workload::Observed.measurement_id();

/// For looks of tests: nobody is told, and no load changes within so short a look.
#[cfg(test)]
pub(crate) mod testing {
    use std::time::Duration;

    use narrows_model::LoadChange;

    use super::{Around, Observed, Observer};

    pub(crate) struct OneLook;

    impl Observer for OneLook {
        fn begins_again(&mut self, _: &LoadChange, _: Duration) -> Around {
            panic!("a second look")
        }

        fn so_far(&mut self, _: Observed) -> bool {
            false
        }
    }
}
