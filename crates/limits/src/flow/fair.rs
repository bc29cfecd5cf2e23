//! Max-min fair rates: nobody's rate can grow without taking from somebody who has no more.
//!
//! Progressive filling (D. Bertsekas, R. Gallager, Data Networks, 6.5.2), each step a linear programme, because
//! a user's work may take several routes: all users who are not yet held back rise together; who cannot rise any
//! further keeps what it has.

use super::filling;
use super::network::{Network, User};
use super::programme::{LinearCondition, Programme, ProgrammeError, Relation};

/// How far a user must be able to rise, relative to the common level, to count as not held back.
const RISES: f64 = 1e-5;

/// What a rate that is already settled is taken for in the steps after: a hair less, so that rounding cannot make it
/// impossible.
const SETTLED: f64 = 1.0 - 1e-7;

/// Why there are no rates.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FlowError {
    /// A user without a way to its work.
    #[error("there is no route for {0}")]
    NoRoute(String),
    /// More routes than are reckoned with; leaving some out would understate the ceiling.
    #[error("there are more than {most} routes for {user}, more than are reckoned with")]
    TooManyRoutes {
        /// Whose.
        user: String,
        /// The most.
        most: usize,
    },
    /// Nothing known limits a user.
    #[error("nothing known limits {0}")]
    Unlimited(String),
    /// A capacity, a usage or a wish that is zero, negative or no number.
    #[error("{what} of {of} is {value}, not a positive number")]
    NotPositive {
        /// Which figure.
        what: &'static str,
        /// Whose.
        of: String,
        /// What it is.
        value: f64,
    },
    /// A usage of a constraint that isn't there.
    #[error("{user} uses a constraint that does not exist (index {index})")]
    NoConstraint {
        /// Whose usage.
        user: String,
        /// The index.
        index: usize,
    },
    /// The programme itself failed.
    #[error(transparent)]
    Programme(#[from] ProgrammeError),
}

/// Units per second of each user, in their order.
///
/// # Errors
/// A user without route or without limit, and figures that are not positive.
pub fn fair_rates(network: &Network) -> Result<Vec<f64>, FlowError> {
    check(network)?;
    if filling::applies(network) {
        return filling::rates(network);
    }
    filled_by_programme(network)
}

/// The same for any number of routes.
pub(super) fn filled_by_programme(network: &Network) -> Result<Vec<f64>, FlowError> {
    let users = network.users.len();
    let mut fixed: Vec<Option<f64>> = vec![None; users];
    while fixed.iter().any(Option::is_none) {
        let level = common_level(network, &fixed)?;
        let mut settled = Vec::new();
        for user in (0..users).filter(|user| fixed[*user].is_none()) {
            if most(network, &fixed, user, level)? <= level * (1.0 + RISES) {
                settled.push(user);
            }
        }
        if settled.is_empty() {
            // Rounding hid who is held back; all of them are within it.
            settled.extend((0..users).filter(|user| fixed[*user].is_none()));
        }
        for user in settled {
            fixed[user] = Some(level);
        }
    }
    Ok(fixed.into_iter().flatten().collect())
}

/// The least that a constraint is used while the users have these rates.
///
/// # Errors
/// As [`fair_rates`].
pub(super) fn least_use(
    network: &Network,
    rates: &[f64],
    constraint: usize,
) -> Result<f64, FlowError> {
    if filling::applies(network) {
        let used = network.users.iter().zip(rates);
        return Ok(used.map(|(user, rate)| user.routes[0].takes(constraint) * rate).sum());
    }
    let columns = columns(network);
    let takes: Vec<f64> =
        columns.iter().map(|(u, r)| network.users[*u].routes[*r].takes(constraint)).collect();
    if takes.iter().all(|per_unit| *per_unit == 0.0) {
        return Ok(0.0);
    }
    let mut rows = capacity_rows(network, &columns, 0);
    for (user, rate) in rates.iter().enumerate() {
        rows.push(rate_row(&columns, user, 0.0, Relation::AtLeast, rate * SETTLED, 0));
    }
    let objective = takes.iter().map(|per_unit| -per_unit).collect();
    Ok(-Programme { objective, rows }.solve()?.value)
}

/// The level up to which all who are free can rise together.
fn common_level(network: &Network, fixed: &[Option<f64>]) -> Result<f64, FlowError> {
    let columns = columns(network);
    let mut rows = capacity_rows(network, &columns, 1);
    for (user, rate) in fixed.iter().enumerate() {
        rows.push(match rate {
            Some(rate) => rate_row(&columns, user, 0.0, Relation::AtLeast, rate * SETTLED, 1),
            None => rate_row(&columns, user, -1.0, Relation::AtLeast, 0.0, 1),
        });
    }
    let mut objective = vec![0.0; columns.len() + 1];
    objective[columns.len()] = 1.0;
    match (Programme { objective, rows }).solve() {
        Ok(optimum) => Ok(optimum.value),
        Err(ProgrammeError::Unbounded) => {
            let free = network.users.iter().zip(fixed).find(|(_, rate)| rate.is_none());
            Err(FlowError::Unlimited(free.map(|(user, _)| user.name.clone()).unwrap_or_default()))
        }
        Err(error) => Err(error.into()),
    }
}

/// The most that one user gets while the others who are free have the level.
fn most(
    network: &Network,
    fixed: &[Option<f64>],
    chosen: usize,
    level: f64,
) -> Result<f64, FlowError> {
    let columns = columns(network);
    let mut rows = capacity_rows(network, &columns, 0);
    for (user, rate) in fixed.iter().enumerate() {
        let rate = rate.unwrap_or(level) * SETTLED;
        rows.push(rate_row(&columns, user, 0.0, Relation::AtLeast, rate, 0));
    }
    let objective = columns.iter().map(|(u, _)| f64::from(u8::from(*u == chosen))).collect();
    match (Programme { objective, rows }).solve() {
        Ok(optimum) => Ok(optimum.value),
        Err(ProgrammeError::Unbounded) => {
            Err(FlowError::Unlimited(network.users[chosen].name.clone()))
        }
        Err(error) => Err(error.into()),
    }
}

/// One unknown for each user's route.
fn columns(network: &Network) -> Vec<(usize, usize)> {
    let routes = |(u, user): (usize, &User)| (0..user.routes.len()).map(move |r| (u, r));
    network.users.iter().enumerate().flat_map(routes).collect()
}

/// What is limited, then what is wanted, with so many unknowns more behind the routes.
fn capacity_rows(
    network: &Network,
    columns: &[(usize, usize)],
    more: usize,
) -> Vec<LinearCondition> {
    let limited = network.constraints.iter().enumerate().filter_map(|(index, constraint)| {
        let mut coefficients: Vec<f64> =
            columns.iter().map(|(u, r)| network.users[*u].routes[*r].takes(index)).collect();
        if coefficients.iter().all(|takes| *takes == 0.0) {
            return None;
        }
        coefficients.resize(columns.len() + more, 0.0);
        Some(LinearCondition {
            coefficients,
            relation: Relation::AtMost,
            bound: constraint.capacity,
        })
    });
    let wanted = network.users.iter().enumerate().filter_map(|(user, of)| {
        Some(rate_row(columns, user, 0.0, Relation::AtMost, of.wanted?, more))
    });
    limited.chain(wanted).collect()
}

/// A user's rate, and `level` times the unknown behind the routes, against a bound.
fn rate_row(
    columns: &[(usize, usize)],
    user: usize,
    level: f64,
    relation: Relation,
    bound: f64,
    more: usize,
) -> LinearCondition {
    let mut coefficients: Vec<f64> =
        columns.iter().map(|(u, _)| f64::from(u8::from(*u == user))).collect();
    coefficients.resize(columns.len() + more, level);
    LinearCondition { coefficients, relation, bound }
}

fn check(network: &Network) -> Result<(), FlowError> {
    let positive = |what, of: &str, value: f64| {
        if value > 0.0 && value.is_finite() {
            Ok(())
        } else {
            Err(FlowError::NotPositive { what, of: of.to_string(), value })
        }
    };
    for constraint in &network.constraints {
        positive("the capacity", &constraint.label, constraint.capacity)?;
    }
    for user in &network.users {
        if user.routes.is_empty() {
            return Err(FlowError::NoRoute(user.name.clone()));
        }
        if let Some(wanted) = user.wanted {
            positive("the wish", &user.name, wanted)?;
        }
        for (index, per_unit) in user.routes.iter().flat_map(|route| &route.usage) {
            positive("a usage", &user.name, *per_unit)?;
            if *index >= network.constraints.len() {
                return Err(FlowError::NoConstraint { user: user.name.clone(), index: *index });
            }
        }
    }
    Ok(())
}
