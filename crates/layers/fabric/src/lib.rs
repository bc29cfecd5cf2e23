//! The storage fabric: where the time of an operation over NVMe/TCP goes.
//!
//! [`split`] has one operation in flight and divides its latency into what this host does, the network, the target, the
//! storage behind it, and the wake-ups on both sides:
//!
//! | from | to | how it is known |
//! | --- | --- | --- |
//! | submission | the command has been handed to the network driver | the kernel's stamp of it, where this host polls |
//! | then | the last packet of the answer comes from the driver | the same, less the time in the target |
//! | arrival at the target | completion there, and of that in the storage | the target says so in each completion (narrows' own) |
//! | the last packet came | the operation has ended | the same |
//! | submission | end, outside the target | what a host that sleeps takes longer than one that polls: its wake-up |
//!
//! The network's part is divided by an [`echo`] on the target's machine, which sends and receives messages of the same sizes
//! and does nothing with them: once polling (wire and network stacks), once sleeping (and the wake-up).
//!
//! Whole and parts are means over the same operations, those of the middle half by latency, so that parts add up and a
//! few that were held up decide nothing. The whole is measured without stamps in windows of its own; what the parts miss
//! it by is a figure.
//!
//! Not here: whether a namespace may be written (the runner), and what the figures mean (`narrows-report`).

pub mod echo;
mod error;
mod fill;
mod operation;
mod plan;
mod rounds;
mod split;
mod throughput;
mod typical;
mod window;

pub use error::FabricError;
pub use operation::SplitOperation;
pub use plan::{DeviceTime, SplitPlan, planned_split};
pub use split::{Divided, split};
