//! Max-min fair rates where each user's work has one route: the water level rises until something is full, and whoever
//! uses that stays (D. Bertsekas, R. Gallager, Data Networks, 6.5.2). No programme is needed, so hundreds of users
//! take no time.

use super::fair::FlowError;
use super::network::Network;

/// Levels that differ by less, relatively, are reached at once.
const SAME: f64 = 1e-12;

/// Whether each user has one route.
pub(super) fn applies(network: &Network) -> bool {
    network.users.iter().all(|user| user.routes.len() == 1)
}

/// Units per second of each user.
pub(super) fn rates(network: &Network) -> Result<Vec<f64>, FlowError> {
    let mut rates: Vec<Option<f64>> = vec![None; network.users.len()];
    while let Some(free) = rates.iter().position(Option::is_none) {
        let levels: Vec<f64> =
            (0..network.constraints.len()).map(|index| level(network, &rates, index)).collect();
        let wanted = network.users.iter().zip(&rates).filter(|(_, rate)| rate.is_none());
        let wanted = wanted.filter_map(|(user, _)| user.wanted);
        let lowest = levels.iter().copied().chain(wanted).fold(f64::INFINITY, f64::min);
        if lowest == f64::INFINITY {
            return Err(FlowError::Unlimited(network.users[free].name.clone()));
        }
        let reached = |level: f64| level <= lowest * (1.0 + SAME);
        for (user, rate) in network.users.iter().zip(&mut rates).filter(|(_, r)| r.is_none()) {
            let full = user.routes[0].usage.iter().any(|(index, _)| reached(levels[*index]));
            if full || user.wanted.is_some_and(reached) {
                *rate = Some(lowest);
            }
        }
    }
    Ok(rates.into_iter().flatten().collect())
}

/// The level at which a constraint is full; infinite where nobody who still rises uses it.
fn level(network: &Network, rates: &[Option<f64>], constraint: usize) -> f64 {
    let (mut rest, mut rising) = (network.constraints[constraint].capacity, 0.0);
    for (user, rate) in network.users.iter().zip(rates) {
        let takes = user.routes[0].takes(constraint);
        match rate {
            Some(rate) => rest -= rate * takes,
            None => rising += takes,
        }
    }
    if rising > 0.0 { rest.max(0.0) / rising } else { f64::INFINITY }
}
