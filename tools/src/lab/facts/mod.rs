//! What is compared: facts by name, once as the description wants them, once as narrows found them.
//!
//! Both sides name everything of a kind that is there, so that something found and not configured is a difference too. Not
//! compared is what nobody configured: caches, the processor's name, addresses on PCI, interrupts, free space.

mod cpus;
mod disks;
mod laid;
mod memory;
mod nodes;
mod pci;
mod rules;

use std::collections::BTreeMap;
use std::fmt;

use narrows_model::{IdSet, Platform};

use super::guest::Guest;

pub use laid::{found as found_laid, wanted as wanted_laid};
pub use rules::{found as found_rules, told as told_rules, wanted as wanted_rules};

/// Facts by name.
pub type Facts = BTreeMap<String, Fact>;

/// One side's word on one fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// To be found exactly.
    Is(String),
    /// Bytes of memory; the kernel keeps some for itself.
    Bytes { least: u64, most: u64 },
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Is(text) => f.write_str(text),
            Fact::Bytes { least, most } if least == most => write!(f, "{}", mib(*most)),
            Fact::Bytes { least, most } => write!(f, "{} to {}", mib(*least), mib(*most)),
        }
    }
}

impl Fact {
    /// Whether what was found is what was wanted.
    pub fn admits(&self, found: &Fact) -> bool {
        match (self, found) {
            (Fact::Bytes { least, most }, Fact::Bytes { least: low, most: high }) => {
                least <= low && high <= most
            }
            (wanted, found) => wanted == found,
        }
    }
}

/// What must be found.
pub fn wanted(guest: &Guest) -> Facts {
    let mut facts = Facts::new();
    for part in [cpus::wanted, nodes::wanted, memory::wanted, pci::wanted, disks::wanted] {
        facts.extend(part(guest));
    }
    facts.extend(rules::wanted(&guest.rules));
    facts
}

/// What was found.
pub fn found(platform: &Platform) -> Facts {
    let mut facts = Facts::new();
    for part in [cpus::found, nodes::found, memory::found, pci::found, disks::found] {
        facts.extend(part(platform));
    }
    facts.extend(rules::found(platform));
    facts
}

fn is(text: impl Into<String>) -> Fact {
    Fact::Is(text.into())
}

fn or_none(text: impl Into<String>) -> Fact {
    let text = text.into();
    is(if text.is_empty() { "none".to_string() } else { text })
}

fn optional(value: Option<impl fmt::Display>) -> String {
    value.map_or("not known".to_string(), |value| value.to_string())
}

/// In order, with what occurs often counted no less.
fn sorted(mut texts: Vec<String>) -> Fact {
    texts.sort();
    or_none(texts.join("; "))
}

fn sets(sets: impl Iterator<Item = IdSet>) -> Fact {
    let mut sets: Vec<IdSet> = sets.filter(|set| !set.is_empty()).collect();
    sets.sort();
    or_none(sets.iter().map(IdSet::to_string).collect::<Vec<_>>().join("; "))
}

/// Disks are told apart by their sizes.
fn mib(bytes: u64) -> String {
    let whole = bytes >> 20;
    if whole << 20 == bytes {
        format!("{whole} MiB")
    } else {
        format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
    }
}

fn disk(bytes: Option<u64>) -> String {
    bytes.map_or("a disk of no size".to_string(), |bytes| format!("disk of {}", mib(bytes)))
}

fn disk_mib(size: u32) -> String {
    disk(Some(u64::from(size) << 20))
}
