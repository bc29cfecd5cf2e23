//! Wanted and found, fact by fact.

use std::fmt;

use super::facts::{Fact, Facts};

/// A fact on which the two sides differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub fact: String,
    /// `None`: nothing of the kind was configured.
    pub configured: Option<Fact>,
    /// `None`: nothing of the kind was found.
    pub found: Option<Fact>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |fact: &Option<Fact>| {
            fact.as_ref().map_or("nothing of the kind".to_string(), Fact::to_string)
        };
        let (configured, found) = (side(&self.configured), side(&self.found));
        write!(f, "{}: configured {configured}; found {found}", self.fact)
    }
}

/// All differences, by the facts' names; none where everything that was wanted was found, and nothing else.
pub fn differences(wanted: &Facts, found: &Facts) -> Vec<Difference> {
    let mut names: Vec<&String> = wanted.keys().chain(found.keys()).collect();
    names.sort();
    names.dedup();
    let differ = |name: &&String| match (wanted.get(*name), found.get(*name)) {
        (Some(wanted), Some(found)) => !wanted.admits(found),
        _ => true,
    };
    let difference = |name: &String| Difference {
        fact: name.clone(),
        configured: wanted.get(name).cloned(),
        found: found.get(name).cloned(),
    };
    names.into_iter().filter(differ).map(difference).collect()
}
