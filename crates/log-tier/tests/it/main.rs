//! The log tier against a disk in memory: every state that a power cut can leave after small histories, and random ones after long
//! histories. Each rule is taken out once, and then the same search must find a loss.

mod crash;
mod formats;
mod random;
mod recovery;
mod store;
mod world;
