//! What a guest answered: read from its folder, and judged by its description.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use narrows_model::{Platform, Run};
use serde_json::Value;

use super::compare::{Difference, differences};
use super::facts::{self, Fact, Facts};
use super::guest::Guest;

/// How a guest's answers stand to its description.
pub struct Judged {
    /// Facts that were compared.
    pub compared: usize,
    pub differences: Vec<Difference>,
}

/// Compares all answers of the guest in `work`: of the running machine, of the same bound to a node, the text, and the
/// machine as its capture shows it outside.
pub fn judge(guest: &Guest, work: &Path, narrows: &Path) -> Result<Judged> {
    let live: Value = json(&work.join("found.json"))?;
    let platform: Platform = serde_json::from_value(live.clone()).context("found.json")?;
    let wanted = facts::wanted(guest);
    let found = facts::found(&platform);
    let mut judged = Judged { compared: wanted.len(), differences: differences(&wanted, &found) };
    let text = fs::read_to_string(work.join("found.txt")).context("found.txt")?;
    judged.add("the text", &ids(&facts::wanted_rules(&guest.rules)), &told(&text));
    let captured = outside(narrows, &work.join("found.capture"))?;
    judged.add("the capture, outside", &lasting(&live), &lasting(&captured));
    if guest.pool.is_some() {
        let run = |name: &str| -> Result<Run> {
            let text = fs::read(work.join(name)).with_context(|| format!("reading {name}"))?;
            serde_json::from_slice(&text).with_context(|| name.to_string())
        };
        let found = facts::found_laid(&run("placed.json")?, &run("matrix.json")?);
        judged.add("memory", &facts::wanted_laid(guest), &found);
    }
    if let Some(bound) = &guest.bound {
        let then: Platform = serde_json::from_value(json(&work.join("bound.json"))?)?;
        let only = Fact::Is(guest.cpus_of(bound.node).to_string());
        let mut wanted = facts::wanted_rules(&bound.rules);
        wanted.insert(ALLOWED.into(), only);
        let mut found = facts::found_rules(&then);
        found.extend(facts::found(&then).remove_entry(ALLOWED));
        judged.add(&format!("bound to node {}", bound.node), &wanted, &found);
    }
    Ok(judged)
}

/// What the command says of a capture here.
fn outside(narrows: &Path, capture: &Path) -> Result<Value> {
    let mut command = Command::new(narrows);
    command.arg("platform").arg(capture).args(["--format", "json"]);
    let output = command.output().with_context(|| format!("running {}", narrows.display()))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "narrows platform {}: {errors}", capture.display());
    serde_json::from_slice(&output.stdout).context("what narrows platform FILE says")
}

const ALLOWED: &str = "CPUs that may be used";

impl Judged {
    fn add(&mut self, place: &str, wanted: &Facts, found: &Facts) {
        self.compared += wanted.len();
        let differ = differences(wanted, found).into_iter();
        self.differences
            .extend(differ.map(|one| Difference { fact: format!("{place}: {}", one.fact), ..one }));
    }
}

/// What doesn't change between two questions and names nobody: the whole answer less some keys, flattened.
fn lasting(answer: &Value) -> Facts {
    /// Names and ids, which a capture replaces; and what is counted.
    const CHANGES: [&str; 12] = [
        "hostname",
        "machine",
        "boot_id",
        "captured",
        "load_1m",
        "free_bytes",
        "available_bytes",
        "memory_used_bytes",
        "total",
        "interrupts",
        "state",
        "action",
    ];
    let mut facts = Facts::new();
    flatten(answer, String::new(), &CHANGES, &mut facts);
    facts
}

fn flatten(value: &Value, path: String, leave_out: &[&str], into: &mut Facts) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !leave_out.contains(&&***name)) {
                flatten(value, format!("{path}/{name}"), leave_out, into);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                flatten(item, format!("{path}/{index}"), leave_out, into);
            }
        }
        value => {
            into.insert(path, Fact::Is(value.to_string()));
        }
    }
}

fn ids(rules: &Facts) -> Facts {
    rules.keys().map(|rule| (rule.clone(), Fact::Is("is named".into()))).collect()
}

fn told(text: &str) -> Facts {
    let ids: BTreeSet<&str> = facts::told_rules(text);
    ids.into_iter().map(|id| (format!("rule {id}"), Fact::Is("is named".into()))).collect()
}

fn json(path: &Path) -> Result<Value> {
    let text = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}
