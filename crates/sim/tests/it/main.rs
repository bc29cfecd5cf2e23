//! Simulated devices and servers whose laws are known, and what the judging crates say of them.

mod calibrate;
mod common;
mod devices;
mod honest;
mod laws;
mod observed;
mod open;
mod planted;
mod sharing;
mod silent;
mod steady;
mod tiers;
