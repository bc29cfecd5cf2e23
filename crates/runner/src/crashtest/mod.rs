//! Does what was acknowledged survive a cut of the power? The three parts of that test; what they do is `narrows-crashtest`'s.

pub mod check;
pub mod listen;
pub mod write;
