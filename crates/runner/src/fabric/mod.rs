//! Programs about a storage fabric.

mod device;
mod echo;
pub mod split;

pub use echo::echo;
