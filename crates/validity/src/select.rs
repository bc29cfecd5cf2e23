//! Which measurements a rule takes.

use narrows_model::{Key, Layer, Measurement, Metric, Role};
use serde_json::Value;

use crate::evaluate::{Case, has};
use crate::path::{self, PathFact};
use crate::quantity::Quantity;

/// A choice of measurements. Empty lists choose everything.
#[derive(Debug, Clone, Copy)]
pub struct Select {
    /// Layers.
    pub layers: &'static [Layer],
    /// Patterns of ids, in which `*` stands for any text.
    pub ids: &'static [&'static str],
    /// Patterns of ids that are left out.
    pub except: &'static [&'static str],
    /// What must hold besides.
    pub needs: &'static [Need],
}

/// A further requirement.
#[derive(Debug, Clone, Copy)]
pub enum Need {
    /// A text or boolean of workload or conditions is one of these.
    Says(Key<Value>, &'static [&'static str]),
    /// A text or boolean under one of these keys is one of the words beside it.
    SaysEither(&'static [(Key<Value>, &'static [&'static str])]),
    /// It is none of these, or absent.
    SaysNot(Key<Value>, &'static [&'static str]),
    /// Workload and conditions don't have this key.
    Without(Key<Value>),
    /// The measurement hasn't this metric.
    Lacks(Metric),
    /// The figure is known and at least this.
    AtLeast(Quantity, f64),
    /// Both figures are known and the first is less than the second.
    Less(Quantity, Quantity),
    /// The run is (or is not) a quick run.
    Quick(bool),
    /// The run was planned with so many repeats or more.
    Planned(u32),
    /// The path under the measurement's role is known and has this property.
    Path(PathFact),
    /// The path under the measurement's role is unknown or hasn't this property.
    PathNot(PathFact),
    /// The path under that role of the measurement's host is like that.
    PathUnder(Role, PathFact),
}

impl Select {
    /// Everything.
    pub const ALL: Select = Select { layers: &[], ids: &[], except: &[], needs: &[] };

    /// Measurements of these layers.
    pub const fn layers(layers: &'static [Layer]) -> Select {
        Select { layers, ..Select::ALL }
    }

    /// Measurements whose id fits one of these patterns.
    pub const fn ids(ids: &'static [&'static str]) -> Select {
        Select { ids, ..Select::ALL }
    }

    /// Without those whose id fits one of these patterns.
    pub const fn except(self, except: &'static [&'static str]) -> Select {
        Select { except, ..self }
    }

    /// Only where all of these hold.
    pub const fn needs(self, needs: &'static [Need]) -> Select {
        Select { needs, ..self }
    }

    pub(crate) fn takes(&self, case: &Case<'_>) -> bool {
        let m = case.measurement;
        (self.layers.is_empty() || self.layers.contains(&m.layer))
            && (self.ids.is_empty() || self.ids.iter().any(|pattern| fits(pattern, &m.id)))
            && !self.except.iter().any(|pattern| fits(pattern, &m.id))
            && self.needs.iter().all(|need| need.holds(case))
    }
}

impl Need {
    pub(crate) fn holds(&self, case: &Case<'_>) -> bool {
        let m = case.measurement;
        match *self {
            Need::Says(key, any_of) => says(m, key).is_some_and(|t| any_of.contains(&t.as_str())),
            Need::SaysEither(choices) => choices.iter().any(|(key, any_of)| {
                says(m, *key).is_some_and(|text| any_of.contains(&text.as_str()))
            }),
            Need::SaysNot(key, none_of) => {
                !says(m, key).is_some_and(|t| none_of.contains(&t.as_str()))
            }
            Need::Without(key) => m.get(key).is_none(),
            Need::Lacks(metric) => !has(m, metric),
            Need::AtLeast(quantity, bound) => {
                quantity.resolve(case).is_some_and(|figure| figure.median() >= bound)
            }
            Need::Less(small, large) => small
                .resolve(case)
                .zip(large.resolve(case))
                .is_some_and(|(small, large)| small.median() < large.median()),
            Need::Quick(quick) => case.run.plan.quick == quick,
            Need::Planned(least) => case.run.plan.repeats >= least,
            Need::Path(fact) => path::of(case).is_some_and(|p| fact.holds(p)),
            Need::PathUnder(role, fact) => path::under(case, role).is_some_and(|p| fact.holds(p)),
            Need::PathNot(fact) => !path::of(case).is_some_and(|p| fact.holds(p)),
        }
    }
}

/// The text or boolean under a key.
pub(crate) fn says(m: &Measurement, key: Key<Value>) -> Option<String> {
    match m.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Whether `text` fits `pattern`, in which each `*` stands for any text, also none.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(fits("block.read.*", "block.read.random.8k.d1"));
        assert!(fits("database.*.open", "database.update.open"));
        assert!(fits("*", ""));
        assert!(fits("a*a", "aba"));
        assert!(!fits("a*a", "a"), "the star's two sides must not share a letter");
        assert!(!fits("database.update", "database.update.alone"));
        assert!(!fits("database.*.open", "database.update.alone"));
        assert!(!fits("*.open", "open"));
    }
}
