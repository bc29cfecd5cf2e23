//! Rates, what holds them, and what would widen them.

use super::fair::{FlowError, fair_rates, least_use};
use super::network::Network;

/// Below this share of a capacity left over, a constraint is reported.
pub const LITTLE_SLACK: f64 = 0.05;

/// By how much a component is widened to see what that gives.
pub const WIDENED_BY: f64 = 0.10;

/// Less than this is rounding, no gain and no slack.
const ROUNDING: f64 = 1e-5;

/// A constraint and how much of it is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Used {
    /// Index of the constraint.
    pub constraint: usize,
    /// The least that these rates use of it, in its unit.
    pub used: f64,
    /// The share of it that is left, 0 to 1.
    pub slack: f64,
}

/// What widening one component gives, as shares of the sum of all users' rates: 0.1 is ten per cent more.
#[derive(Debug, Clone, PartialEq)]
pub struct Widening {
    /// Indices of the components, one or those that bind together.
    pub components: Vec<usize>,
    /// Widened by [`WIDENED_BY`].
    pub by_a_tenth: f64,
    /// Its limits lifted; `None` where nothing known limits a user then.
    pub lifted: Option<f64>,
}

/// What a network gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Units per second of each user.
    pub rates: Vec<f64>,
    /// Every constraint that is used, the fullest first.
    pub used: Vec<Used>,
    /// Components whose widening gives something, the best first; where only several together give something, those.
    pub widening: Vec<Widening>,
}

impl Answer {
    /// Units per second of all users.
    pub fn total(&self) -> f64 {
        self.rates.iter().sum()
    }

    /// Constraints with less than [`LITTLE_SLACK`] left, the fullest first.
    pub fn tight(&self) -> impl Iterator<Item = &Used> {
        self.used.iter().filter(|used| used.slack < LITTLE_SLACK)
    }
}

/// Solves a network, and again for each component that is nearly full.
///
/// # Errors
/// As [`fair_rates`].
pub fn answer(network: &Network) -> Result<Answer, FlowError> {
    let rates = fair_rates(network)?;
    let mut used = Vec::new();
    for (index, constraint) in network.constraints.iter().enumerate() {
        let least = least_use(network, &rates, index)?;
        if least > 0.0 {
            let slack = (1.0 - least / constraint.capacity).max(0.0);
            let slack = if slack < ROUNDING { 0.0 } else { slack };
            used.push(Used { constraint: index, used: least, slack });
        }
    }
    used.sort_by(|a, b| a.slack.total_cmp(&b.slack));
    let widening = widenings(network, &rates, &used)?;
    Ok(Answer { rates, used, widening })
}

fn widenings(network: &Network, rates: &[f64], used: &[Used]) -> Result<Vec<Widening>, FlowError> {
    let mut full: Vec<usize> = used
        .iter()
        .filter(|used| used.slack == 0.0)
        .map(|used| network.constraints[used.constraint].component)
        .collect();
    full.sort_unstable();
    full.dedup();
    let mut widenings = Vec::new();
    for component in &full {
        let widening = widen(network, rates, vec![*component])?;
        if gives(&widening) {
            widenings.push(widening);
        }
    }
    // None of several that bind together gives anything alone.
    if widenings.is_empty() && full.len() > 1 {
        widenings.push(widen(network, rates, full)?);
    }
    widenings.sort_by(|a, b| b.lifted.unwrap_or(f64::MAX).total_cmp(&a.lifted.unwrap_or(f64::MAX)));
    Ok(widenings)
}

fn gives(widening: &Widening) -> bool {
    widening.by_a_tenth > ROUNDING || widening.lifted.is_none_or(|gain| gain > ROUNDING)
}

fn widen(network: &Network, rates: &[f64], components: Vec<usize>) -> Result<Widening, FlowError> {
    let before: f64 = rates.iter().sum();
    let gain = |rates: Vec<f64>| rates.iter().sum::<f64>() / before - 1.0;
    let mut wider = network.clone();
    for component in &components {
        wider = wider.widened(*component, 1.0 + WIDENED_BY);
    }
    let by_a_tenth = gain(fair_rates(&wider)?);
    let lifted = match fair_rates(&network.without(&components)) {
        Ok(rates) => Some(gain(rates)),
        Err(FlowError::Unlimited(_)) => None,
        Err(error) => return Err(error),
    };
    Ok(Widening { components, by_a_tenth, lifted })
}
