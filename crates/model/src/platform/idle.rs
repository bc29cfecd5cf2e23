//! What CPUs do while they have nothing to do.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Idle states (Linux `Documentation/admin-guide/pm/cpuidle.rst`), those of the first on-line CPU.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Idle {
    /// `intel_idle`, `acpi_idle`, `haltpoll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// `menu`, `teo`, `ladder`, `haltpoll`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governor: Option<String>,
    /// States, the lightest first.
    pub states: Vec<IdleState>,
}

/// One idle state.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct IdleState {
    /// `POLL`, `C1`, `C6`.
    pub name: String,
    /// Time to leave it, µs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<u32>,
    /// Whether it is switched off.
    pub disabled: bool,
}

impl Idle {
    /// Time to leave the deepest state that is allowed, µs: what the first interrupt after a pause waits at most.
    pub fn deepest_latency_us(&self) -> Option<u32> {
        self.states
            .iter()
            .filter(|state| !state.disabled)
            .filter_map(|state| state.latency_us)
            .max()
    }
}
