//! PostgreSQL as a client and as an owner sees it: its wire protocol, a schema of ours on a server, a server of our own, and what a
//! running server says of itself.
//!
//! [`Connection`] asks and sets up; its session is fixed before the first question ([`wire::guard`]). [`schema`] and [`ours`] say what on a
//! server is ours and how it goes. [`server`] finds, makes, starts and ends a server of our own. [`live`] and [`observe`] look at one that
//! others run and change nothing there. Not here: any load, and what follows from what was seen.

mod address;
pub mod event_triggers;
pub mod live;
mod look;
pub mod observe;
pub mod ours;
mod refusal;
pub mod schema;
pub mod server;
pub mod wire;

pub use address::{Address, AddressError, Endpoint, Secret};
#[cfg(feature = "testing")]
pub use look::fake;
pub use schema::LeftBehind;
pub use wire::{Connection, Row, WireError};
