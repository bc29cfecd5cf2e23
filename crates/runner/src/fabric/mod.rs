//! Programs about a storage fabric.

mod echo;
pub mod split;

pub use echo::echo;
