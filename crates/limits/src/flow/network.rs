//! Users, the routes that their work may take, and what each route takes of what is limited.

/// What a constraint counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counts {
    /// Bytes per second.
    Bytes,
    /// Bytes on a serial link's wires per second, headers included.
    Wire,
    /// Operations per second.
    Operations,
    /// Requests in flight: the rate times the time that each takes (Little's law).
    InFlight,
    /// Processor seconds per second.
    Cpu,
}

/// One limit of one component.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Index of the component whose limit it is; a component has several (each direction, bytes and operations).
    pub component: usize,
    /// What it counts.
    pub counts: Counts,
    /// What it says of itself, with the arithmetic: `8 × PCIe 5.0 x4, to the host`.
    pub label: String,
    /// The most there is of it; positive and finite.
    pub capacity: f64,
}

/// One way for a unit of work, as pairs of a constraint's index and what the unit takes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Route {
    /// What one unit takes; a constraint that stands twice is crossed twice.
    pub usage: Vec<(usize, f64)>,
}

impl Route {
    /// One more crossing of a constraint.
    pub fn cross(&mut self, constraint: usize, per_unit: f64) {
        self.usage.push((constraint, per_unit));
    }

    /// What a unit takes of one constraint, all crossings together.
    pub fn takes(&self, constraint: usize) -> f64 {
        self.usage.iter().filter(|(of, _)| *of == constraint).map(|(_, per_unit)| per_unit).sum()
    }
}

/// Who works, in units per second.
#[derive(Debug, Clone, PartialEq)]
pub struct User {
    /// Its name.
    pub name: String,
    /// Ways its work may take; it is divided among them as suits best.
    pub routes: Vec<Route>,
    /// The most that it wants; `None` for all it can get.
    pub wanted: Option<f64>,
}

/// Everything that shares.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Network {
    /// Names of components.
    pub components: Vec<String>,
    /// Their limits.
    pub constraints: Vec<Constraint>,
    /// Who shares them.
    pub users: Vec<User>,
}

impl Network {
    /// The same with every limit of one component multiplied.
    pub(super) fn widened(&self, component: usize, factor: f64) -> Network {
        let mut wider = self.clone();
        for constraint in wider.constraints.iter_mut().filter(|c| c.component == component) {
            constraint.capacity *= factor;
        }
        wider
    }

    /// The same without the limits of these components.
    pub fn without(&self, components: &[usize]) -> Network {
        let mut free = self.clone();
        let lifted = |index: usize| {
            self.constraints.get(index).is_some_and(|c| components.contains(&c.component))
        };
        for route in free.users.iter_mut().flat_map(|user| &mut user.routes) {
            route.usage.retain(|(constraint, _)| !lifted(*constraint));
        }
        free
    }
}
