//! What every program has from its runner, whatever it measures.

mod execute;
