//! Whether what was acknowledged as durable survives a loss of power, in three words, with what speaks for each.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Role;

/// What is known about durability. Only a cut of the power shows or refutes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DurabilityWord {
    /// A cut was survived: every acknowledged record that was looked for was there.
    Shown,
    /// No cut was tried, or it told nothing. Whatever flags and speed say ends here.
    NotShown,
    /// After a cut, acknowledged records were missing or torn.
    Refuted,
}

impl DurabilityWord {
    /// The words of the screen.
    pub fn words(self) -> &'static str {
        match self {
            DurabilityWord::Shown => "shown",
            DurabilityWord::NotShown => "not proven",
            DurabilityWord::Refuted => "refuted",
        }
    }
}

/// Which way a piece of evidence points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Leaning {
    /// As it would be where flushes reach the medium.
    For,
    /// Something on the way keeps flushes from the medium, or may.
    Against,
    /// Tells nothing, or hides the rest of the way.
    Open,
}

/// One thing known about the way to the medium.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DurabilityEvidence {
    /// What it is about: `file system`, `nvme0n1`, `hypervisor`, `flush cost`, `power cut`.
    pub about: String,
    /// Which way it points.
    pub leaning: Leaning,
    /// One sentence with its figures.
    pub sentence: String,
}

/// What is known about the durability of one role's path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Durability {
    /// The role.
    pub role: Role,
    /// The word.
    pub word: DurabilityWord,
    /// Why that word, in one sentence.
    pub sentence: String,
    /// What is known, from the file system down.
    pub evidence: Vec<DurabilityEvidence>,
}

/// How a crash test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CrashTestOutcome {
    /// Every acknowledged record that could be looked for was there after a cut.
    Shown,
    /// Acknowledged records were missing or torn.
    Refuted,
    /// No cut was seen, or too few records were acknowledged before it.
    Inconclusive,
}

/// An acknowledged record that was not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LostRecord {
    /// Its stream.
    pub stream: u32,
    /// Its number in the stream, from 1.
    pub number: u64,
    /// What was found in its place.
    pub found: String,
}

/// The result of a crash test, as `narrows log crashtest check` states it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CrashTest {
    /// Id of the crash test, in every record of it.
    pub id: String,
    /// File, device or table that was written.
    pub target: String,
    /// How each record was made durable.
    pub method: String,
    /// Whether that asks for a flush at all; without one losses are as they must be.
    pub flushes: bool,
    /// How it ended.
    pub outcome: CrashTestOutcome,
    /// What it rests on, one sentence each.
    pub sentences: Vec<String>,
    /// Records that the second host had as acknowledged.
    pub acknowledged: u64,
    /// Those that could be looked for; in a ring the older ones were overwritten as planned.
    pub checked: u64,
    /// Acknowledged records of which nothing was there, or something older.
    pub missing: u64,
    /// Acknowledged records of which a part was there.
    pub torn: u64,
    /// The first of the missing and torn ones.
    pub lost: Vec<LostRecord>,
    /// What shows that the power was cut; absent where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
    /// What the user says was cut; absent where a boot of the machine shows it, and in tests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
    /// Name of the machine that wrote; absent in tests of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Digest of its machine id, as in the inventory; absent where it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Boot in which that machine was when the records were looked for; absent where another machine did that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Mount point of the file's file system on it; absent for devices and databases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mount_point: Option<String>,
}
