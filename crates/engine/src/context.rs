//! What a layer is handed when it measures.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use narrows_model::Layer;

use crate::Stop;

/// The named phases; only [`Phase::Measure`] feeds results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Allocate, open, register, pin.
    Prepare,
    /// Write the data that will be read.
    Fill,
    /// Bring the device to the state in which it will be measured.
    Precondition,
    /// Run the workload unmeasured.
    WarmUp,
    /// Wait for what the preparation stirred up.
    Settle,
    /// The window.
    Measure,
    /// Check that what was asked was done.
    Verify,
    /// Remove what was made.
    CleanUp,
}

impl Phase {
    /// The word shown to people.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Prepare => "prepare",
            Phase::Fill => "fill",
            Phase::Precondition => "precondition",
            Phase::WarmUp => "warm up",
            Phase::Settle => "settle",
            Phase::Measure => "measure",
            Phase::Verify => "verify",
            Phase::CleanUp => "clean up",
        }
    }
}

/// Told what is going on; draws it or not. Must not cost the measurement anything: it is called between
/// windows, never inside.
pub trait Progress: Sync {
    /// A phase begins, or the next window of one. Where windows were before it, `detail` ends with what they gave so far
    /// ([`crate::repeat_of`]).
    fn phase(&self, layer: Layer, phase: Phase, detail: &str);
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {
    fn phase(&self, _: Layer, _: Phase, _: &str) {}
}

/// Keeps what it is told, for tests of what is told when.
#[derive(Debug, Default)]
pub struct Announced(Mutex<Vec<(Phase, String)>>);

impl Announced {
    /// What was told of that phase, first to last.
    pub fn of(&self, phase: Phase) -> Vec<String> {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().filter(|(of, _)| *of == phase).map(|(_, detail)| detail.clone()).collect()
    }
}

impl Progress for Announced {
    fn phase(&self, _: Layer, phase: Phase, detail: &str) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.push((phase, detail.to_string()));
    }
}

/// What every measurement shares.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Looked at every 50 ms or more often.
    pub stop: &'a Stop,
    /// Told of every phase.
    pub progress: &'a dyn Progress,
    /// Seed of every random choice.
    pub seed: u64,
    /// Fresh windows per measurement.
    pub repeats: u32,
    /// A sketch: shorter probes where a layer has a choice.
    pub quick: bool,
    /// Length of one window.
    pub window: Duration,
}
