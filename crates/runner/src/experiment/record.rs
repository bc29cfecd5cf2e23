//! What an experiment is, and how far it has come: `$XDG_DATA_HOME/narrows/ab/NAME.json`, written whole after every step.

use std::fs::File;
use std::path::PathBuf;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::turns::{AbSide, PILOT};
use crate::failure::Failure;
use crate::store;

/// Bytes.
const LONGEST: u64 = 16 << 20;

/// How one side is made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideSetup {
    /// A shell command that sets its state.
    pub command: Option<String>,
    /// Options of narrows that only its runs get.
    pub options: Vec<String>,
}

/// What the experiment is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The one that is compared with.
    pub a: SideSetup,
    /// The other.
    pub b: SideSetup,
    /// A shell command that puts the state back.
    pub restore: Option<String>,
    /// A shell command after each run.
    #[serde(default)]
    pub after: Option<String>,
    /// A folder of which each run gets a clone of its own.
    #[serde(default)]
    pub clone: Option<PathBuf>,
    /// The command of narrows that measures: `db update --quick`.
    pub measurement: Vec<String>,
    /// Who begins.
    pub seed: u64,
}

/// When there are enough pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// So many, whatever they show.
    pub pairs: Option<u32>,
    /// The smallest difference to be found, as a share.
    pub find: f64,
    /// Time for all of it, s.
    pub within_s: f64,
    /// Beginnings of the measurements that decide; empty: the database's, or all.
    pub measure: Vec<String>,
}

/// A run that was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Whose.
    pub side: AbSide,
    /// Its id.
    pub run: String,
    /// What it took, with its state and its clone, s.
    pub s: f64,
}

/// An experiment and how far it has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// What it is.
    pub setup: Setup,
    /// When it has enough.
    pub goal: Goal,
    /// How many pairs there will be, once it is decided.
    pub pairs: Option<u32>,
    /// What was made.
    pub steps: Vec<Step>,
    /// Pairs that there were at each result so far; `None` in records of before they were kept.
    #[serde(default)]
    pub looks: Option<Vec<u32>>,
}

impl Setup {
    /// Of that side.
    pub fn of(&self, side: AbSide) -> &SideSetup {
        match side {
            AbSide::A => &self.a,
            AbSide::B => &self.b,
        }
    }
}

impl Experiment {
    /// How many pairs are made.
    pub(super) fn made_pairs(&self) -> u32 {
        self.steps.len() as u32 / 2
    }

    /// Whether all of its pairs are made.
    pub(super) fn is_whole(&self) -> bool {
        self.pairs.is_some_and(|pairs| self.made_pairs() >= pairs)
    }

    /// The runs of that side, pair by pair: a pair that was stopped half-way is none.
    pub(super) fn runs(&self, side: AbSide) -> impl Iterator<Item = &str> {
        let in_pairs = self.steps.iter().take(2 * self.made_pairs() as usize);
        in_pairs.filter(move |step| step.side == side).map(|step| step.run.as_str())
    }

    /// The number that its next result has, if there are more pairs by then.
    pub(super) fn next_look(&self) -> u32 {
        self.looks.as_ref().map_or(0, Vec::len) as u32 + 1
    }

    /// What is measured on that side, as it would be typed behind `narrows`.
    pub fn typed(&self, side: AbSide) -> String {
        let words = self.setup.measurement.iter().chain(&self.setup.of(side).options);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// The number of the result by all pairs that there are: who sees the same ones again has not looked again.
    pub(super) fn look(&mut self) -> u32 {
        let pairs = self.made_pairs();
        let looks = self.looks.get_or_insert_default();
        if looks.last() != Some(&pairs) {
            looks.push(pairs);
        }
        looks.len() as u32
    }

    /// `ab pg17: narrows db update in turns, 4 runs made`.
    pub(super) fn sentence(&self) -> String {
        let made = match self.steps.len() {
            0 => String::new(),
            1 => ", 1 run is made already".to_string(),
            n => format!(", {n} runs are made already"),
        };
        let pairs = match self.pairs.or(self.goal.pairs) {
            Some(pairs) => format!("{pairs} pairs"),
            None => format!("{PILOT} pairs as a pilot first"),
        };
        let words = self.setup.measurement.join(" ");
        format!("ab {}: narrows {words}, {pairs}{made}", self.name)
    }

    /// Keeps it.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn save(&self) -> Result<()> {
        let path = path(&self.name)?;
        if let Some(folder) = path.parent() {
            store::make_folder(folder)?;
        }
        let text = serde_json::to_string_pretty(self).expect("texts and numbers") + "\n";
        store::write_whole(&path, &text)
    }
}

fn path(name: &str) -> Result<PathBuf> {
    crate::tags::check(name)?;
    // Its runs get tags that are longer.
    crate::tags::check(&format!("{name}-{}", AbSide::A.word()))?;
    let runs = store::folder()?;
    Ok(runs.parent().unwrap_or(&runs).join("ab").join(format!("{name}.json")))
}

/// Held for as long as this process works on the experiment: two of them would make each other's runs.
///
/// # Errors
/// Another process works on it, or the folder can't be written to.
pub(super) fn lock(name: &str) -> Result<File> {
    let path = path(name)?;
    let lock = store::lock_file(path.parent().unwrap_or(&path), name)?;
    lock.try_lock().map_err(|_| {
        Failure::hinted(
            format!("another process is making runs of {name}"),
            "wait for its end, or use another name",
        )
    })?;
    Ok(lock)
}

/// What is kept under that name.
///
/// # Errors
/// Nothing is, or it can't be read.
pub fn stored_experiment(name: &str) -> Result<Experiment> {
    let path = path(name)?;
    let refused = |why: String, hint: &str| {
        Failure::hinted(format!("{}: {why}", path.display()), hint.to_string())
    };
    let bytes = narrows_files::read(&path, LONGEST).map_err(|error| {
        refused(
            error.to_string(),
            "name what is to be measured behind --: narrows ab NAME … -- db update",
        )
    })?;
    let mut stored: Experiment = serde_json::from_slice(&bytes).map_err(|error| {
        refused(error.to_string(), "the record is damaged: remove it, and begin again")
    })?;
    if stored.looks.is_none() && stored.is_whole() {
        // Its result was seen.
        stored.look();
    }
    Ok(stored)
}

/// The experiment as far as it has come, or the one that is asked for, new.
///
/// # Errors
/// One of that name is another experiment, or its record can't be read or written.
pub(super) fn begun(asked: Experiment) -> Result<Experiment> {
    let path = path(&asked.name)?;
    if !path.exists() {
        asked.save()?;
        return Ok(asked);
    }
    let before = stored_experiment(&asked.name)?;
    // Who begins was drawn once, and how long it may take may change.
    let Setup { seed, after, .. } = before.setup.clone();
    let asked_after = asked.setup.after.clone();
    let same = Setup { seed, after: after.clone(), ..asked.setup } == before.setup;
    if !same {
        return Err(Failure::hinted(
            format!("{} is another experiment: narrows {}", asked.name, before.typed(AbSide::A)),
            format!("use another name, or remove {} to begin again", path.display()),
        ));
    }
    let pairs = if asked.goal == before.goal { before.pairs } else { None };
    // What follows each run may be found to be missing later.
    let setup = Setup { after: asked_after.or(after), ..before.setup };
    Ok(Experiment { goal: asked.goal, pairs, setup, ..before })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_pairs_seen_again_are_one_look() {
        let step = |side| Step { side, run: "1f3a".to_string(), s: 1.0 };
        let pairs = |n: usize| (0..n).flat_map(|_| [step(AbSide::A), step(AbSide::B)]);
        let measurement = vec!["run".to_string()];
        let side = SideSetup::default();
        let mut experiment = Experiment {
            name: "x".to_string(),
            setup: Setup {
                a: side.clone(),
                b: side,
                restore: None,
                after: None,
                clone: None,
                measurement,
                seed: 0,
            },
            goal: Goal { pairs: None, find: 0.05, within_s: 60.0, measure: Vec::new() },
            pairs: Some(3),
            steps: pairs(3).collect(),
            looks: None,
        };
        assert_eq!((experiment.look(), experiment.look()), (1, 1));
        experiment.steps.extend(pairs(2));
        assert_eq!((experiment.look(), experiment.look()), (2, 2));
        assert_eq!(experiment.looks, Some(vec![3, 5]));
    }
}
