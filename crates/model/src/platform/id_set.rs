//! A set of small numbers, written the kernel's way: `0-3,8`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Ids of CPUs or nodes, ascending and without repeats; in JSON a text such as `0-3,8`, so that a machine of a
/// thousand CPUs takes a line where a list of numbers would take a page.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct IdSet(Vec<u32>);

impl IdSet {
    /// Ids are below this. The kernel's own limits are 8192 CPUs and 1024 nodes; a larger number is an error in the
    /// text, and a range up to it would fill the memory.
    pub const END: u32 = 1 << 16;

    /// The ids, ascending.
    pub fn ids(&self) -> &[u32] {
        &self.0
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `id` is one of them.
    pub fn contains(&self, id: u32) -> bool {
        self.0.binary_search(&id).is_ok()
    }

    /// Whether all of them are in `other`.
    pub fn is_subset(&self, other: &IdSet) -> bool {
        self.0.iter().all(|id| other.contains(*id))
    }

    /// Whether some are in both.
    pub fn intersects(&self, other: &IdSet) -> bool {
        self.0.iter().any(|id| other.contains(*id))
    }
}

impl FromIterator<u32> for IdSet {
    fn from_iter<T: IntoIterator<Item = u32>>(ids: T) -> Self {
        let mut ids: Vec<u32> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        IdSet(ids)
    }
}

impl From<&[u32]> for IdSet {
    fn from(ids: &[u32]) -> Self {
        ids.iter().copied().collect()
    }
}

impl fmt::Display for IdSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|a, b| a + 1 == *b);
        for (index, run) in runs.enumerate() {
            let comma = if index == 0 { "" } else { "," };
            match run {
                [only] => write!(f, "{comma}{only}")?,
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

/// Why a text is no set of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdSetError {
    /// The part that is no id and no range.
    pub part: String,
}

impl fmt::Display for IdSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no id below {} and no range such as 0-3", self.part, IdSet::END)
    }
}

impl std::error::Error for IdSetError {}

impl FromStr for IdSet {
    type Err = IdSetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut ids = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (first.parse::<u32>(), last.parse::<u32>()) {
                // A text that names more ids than there are repeats itself, and may do so until the memory is full.
                (Ok(first), Ok(last))
                    if first <= last && last < IdSet::END && ids.len() <= IdSet::END as usize =>
                {
                    ids.extend(first..=last);
                }
                _ => return Err(IdSetError { part: part.to_string() }),
            }
        }
        Ok(ids.into_iter().collect())
    }
}

impl Serialize for IdSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for IdSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for IdSet {
    fn schema_name() -> Cow<'static, str> {
        "IdSet".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^([0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*)?$",
            "description": "Ids of CPUs or nodes as the kernel writes them: `0-3,8`.",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_repeats_itself_is_refused_before_it_fills_the_memory() {
        let all = format!("0-{}", IdSet::END - 1);
        assert!(all.parse::<IdSet>().is_ok());
        let error = vec![all.as_str(); 10_000].join(",").parse::<IdSet>().unwrap_err();
        assert_eq!(error.part, all);
    }

    #[test]
    fn written_as_read() {
        for text in ["", "0", "0-3,8", "1,3,5", "0-255"] {
            let set: IdSet = text.parse().unwrap();
            assert_eq!(set.to_string(), text);
            assert_eq!(serde_json::to_value(&set).unwrap(), text);
            assert_eq!(serde_json::from_value::<IdSet>(text.into()).unwrap(), set);
        }
        let set: IdSet = [8, 1, 0, 2, 1].into_iter().collect();
        assert_eq!((set.to_string().as_str(), set.len()), ("0-2,8", 4));
    }

    #[test]
    fn what_is_no_set_is_refused() {
        for text in ["x", "3-1", "0-", "-1", "0,,1", "0-4294967295", "65536", " 1"] {
            let error = text.parse::<IdSet>().unwrap_err();
            assert!(error.to_string().contains(&error.part), "{text}");
        }
    }

    #[test]
    fn sets_within_and_across() {
        let set = |text: &str| text.parse::<IdSet>().unwrap();
        assert!(set("1-2").is_subset(&set("0-3")) && !set("1,9").is_subset(&set("0-3")));
        assert!(set("1,9").intersects(&set("0-3")) && !set("").intersects(&set("0-3")));
        assert!(set("4-6").contains(5) && !set("4-6").contains(7));
    }
}
