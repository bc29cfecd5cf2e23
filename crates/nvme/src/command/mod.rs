//! Commands: what a submission entry asks for, by the queue that it came on.

mod admin;
mod fabrics;
mod io;
mod range;

pub use admin::{AdminCommand, Identify, LogRequest};
pub use fabrics::{
    Connect, ConnectData, DYNAMIC_CONTROLLER, FABRICS_OPCODE, FabricsCommand, fabrics_command,
};
pub use io::{Extent, IoCommand, ReservationAction};
pub use range::{DeallocatedRange, RANGE_BYTES};
