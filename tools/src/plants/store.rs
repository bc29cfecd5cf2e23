//! What came out, kept beside the suite, so that the page can be made of both at any time.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};

use super::look::PlantLook;
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
    /// In the suite's order; of one plant the latest last.
    pub seen: Vec<PlantLook>,
    /// The major version of a PostgreSQL other than the machine's own; its results have a file of their own.
    #[serde(skip)]
    pub version: Option<u32>,
}

const SUITE: &str = "plants";
/// What the names of files of other versions begin with.
const OF_VERSION: &str = "results-";

impl Results {
    /// What is stored of the machine's own PostgreSQL, or of another major version; nothing where there is no file.
    pub(super) fn read(version: Option<u32>) -> Result<Results> {
        let results: Results = stored::read_file(&path(version))?;
        Ok(Results { version, ..results })
    }

    /// What is stored of other major versions.
    pub(super) fn of_versions() -> Result<BTreeMap<u32, Results>> {
        let folder = stored::folder(SUITE);
        let mut all = BTreeMap::new();
        for entry in folder.read_dir().with_context(|| format!("reading {}", folder.display()))? {
            let name = entry?.file_name();
            let name = name.to_string_lossy();
            let version = name.strip_prefix(OF_VERSION).and_then(|rest| rest.strip_suffix(".json"));
            if let Some(version) = version.and_then(|version| version.parse().ok()) {
                all.insert(version, Results::read(Some(version))?);
            }
        }
        Ok(all)
    }

    /// All looks at that plant, the latest last.
    pub(super) fn looks<'r>(
        &'r self,
        plant: &Plant,
    ) -> impl DoubleEndedIterator<Item = &'r PlantLook> {
        self.seen.iter().filter(move |seen| seen.name == plant.name)
    }

    /// The latest look at that plant.
    pub(super) fn of(&self, plant: &Plant) -> Option<&PlantLook> {
        self.looks(plant).next_back()
    }

    /// Forgets the looks at that plant, and those at plants that the suite has no more.
    pub(super) fn forget(&mut self, plant: &Plant, suite: &[Plant]) {
        self.seen.retain(|seen| {
            seen.name != plant.name && suite.iter().any(|plant| plant.name == seen.name)
        });
    }

    /// Takes a look to those there are, in the suite's order, and writes all.
    pub(super) fn keep(&mut self, seen: PlantLook, suite: &[Plant]) -> Result<()> {
        self.take(seen, suite);
        stored::write_file(&path(self.version), self)
    }

    fn take(&mut self, seen: PlantLook, suite: &[Plant]) {
        self.seen.push(seen);
        self.seen.sort_by_key(|seen| suite.iter().position(|plant| plant.name == seen.name));
    }
}

fn path(version: Option<u32>) -> PathBuf {
    let name = match version {
        Some(version) => format!("{OF_VERSION}{version}.json"),
        None => "results.json".to_string(),
    };
    stored::folder(SUITE).join(name)
}

#[cfg(test)]
mod tests {
    use narrows_model::{Bottleneck, Grade};

    use super::super::look::tests::seen;
    use super::super::suite;
    use super::*;

    #[test]
    fn looks_add_up_in_the_suites_order_until_they_are_forgotten() {
        let suite = suite::read().unwrap();
        let mut results = Results::default();
        for (at, phrase) in [(2, "c"), (0, "a"), (2, "d")] {
            results.take(seen(&suite[at], Bottleneck::Cpu, Grade::Likely, phrase), &suite);
        }
        let phrases = |results: &Results| -> Vec<String> {
            results.seen.iter().map(|seen| seen.phrase.clone()).collect()
        };
        assert_eq!(phrases(&results), ["a", "c", "d"]);
        assert_eq!(results.of(&suite[2]).unwrap().phrase, "d");
        results.forget(&suite[2], &suite);
        assert_eq!(phrases(&results), ["a"]);
        results.forget(&suite[1], &suite[1..]);
        assert_eq!(results.seen, []);
    }

    #[test]
    fn what_is_stored_is_read_as_it_was() {
        let suite = suite::read().unwrap();
        let look = seen(&suite[0], Bottleneck::Cpu, Grade::Likely, "CPU");
        let results = Results { seen: vec![look], ..Results::default() };
        let text = serde_json::to_string(&results).unwrap();
        assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), results);
    }
}
