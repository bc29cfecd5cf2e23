//! What came out, kept beside the suite, so that the page can be made of both at any time.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::seen::Seen;
use super::suite::Plant;
use crate::stored;

/// All that was measured, with where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Results {
    /// In words.
    pub machine: String,
    /// Of PostgreSQL.
    pub server: String,
    /// How long each look took, s.
    pub for_s: u32,
    pub seen: Vec<Seen>,
}

impl Results {
    /// What is stored; nothing where there is no file.
    pub(super) fn read() -> Result<Results> {
        stored::read("plants")
    }

    pub(super) fn of(&self, plant: &Plant) -> Option<&Seen> {
        self.seen.iter().find(|seen| seen.name == plant.name)
    }

    /// Takes a result in the place of the older one, in the suite's order, and writes all.
    pub(super) fn keep(&mut self, seen: Seen, suite: &[Plant]) -> Result<()> {
        self.take(seen, suite);
        stored::write("plants", self)
    }

    fn take(&mut self, seen: Seen, suite: &[Plant]) {
        self.seen.retain(|other| other.name != seen.name);
        self.seen.push(seen);
        let place = |seen: &Seen| suite.iter().position(|plant| plant.name == seen.name);
        self.seen.retain(|seen| place(seen).is_some());
        self.seen.sort_by_key(place);
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Grade, Narrow};

    use super::super::seen::tests::seen;
    use super::super::suite;
    use super::*;

    #[test]
    fn a_newer_result_replaces_the_older_one_in_its_place() {
        let suite = suite::read().unwrap();
        let mut results = Results::default();
        for (at, phrase) in [(2, "c"), (0, "a"), (2, "d")] {
            results.take(seen(&suite[at], Narrow::Cpu, Grade::Likely, phrase), &suite);
        }
        let phrases: Vec<&str> = results.seen.iter().map(|seen| seen.phrase.as_str()).collect();
        assert_eq!(phrases, ["a", "d"]);
        let text = serde_json::to_string(&results).unwrap();
        assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), results);
    }
}
