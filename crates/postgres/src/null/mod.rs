//! A server that does nothing, and what the load's client is measured to do against it: how much of a figure is the
//! client's own, and from which rate on it would be the narrow place.

mod calibrate;
mod conversation;
mod floor;
mod server;
#[cfg(test)]
mod server_test;

pub use calibrate::{ClientPlan, NullServerError};
pub use floor::{Floor, Hears, Pace, floor};
pub use server::NullServer;
