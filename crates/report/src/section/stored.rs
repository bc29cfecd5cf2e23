//! The list of stored runs: when, where, what was asked, and what came out.

use jiff::Timestamp;
use narrows_model::{Grade, Run};
use serde::{Deserialize, Serialize};

use crate::document::{At, Block, Column, Document, Inline, Remarks, Row, Section, Table};
use crate::words;

/// A stored run in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRun {
    /// Its id; of a file that can't be read, its name.
    pub id: String,
    /// RFC 3339, UTC; empty where it is not known.
    pub started_at: String,
    /// The machine's name.
    pub machine: Option<String>,
    /// What was typed behind `narrows`.
    pub command: String,
    /// Layers that were asked for, by their words.
    pub layers: Vec<String>,
    /// Whether every planned step ran.
    pub completed: bool,
    /// What came out, a sentence each.
    pub results: Vec<String>,
    /// Why it can't be read.
    pub unreadable: Option<String>,
}

impl StoredRun {
    /// Of a run.
    pub fn of(run: &Run) -> Self {
        StoredRun {
            id: run.id.clone(),
            started_at: run.started_at.clone(),
            machine: run.platform().and_then(|platform| platform.hostname.clone()),
            command: run.command.iter().skip(1).cloned().collect::<Vec<_>>().join(" "),
            layers: run.plan.layers.iter().map(|layer| layer.word().to_string()).collect(),
            completed: run.completed,
            results: results(run),
            unreadable: None,
        }
    }

    /// Of a file that is none, or of another version.
    pub fn unreadable(file: impl Into<String>, reason: impl Into<String>) -> Self {
        StoredRun {
            id: file.into(),
            started_at: String::new(),
            machine: None,
            command: String::new(),
            layers: Vec::new(),
            completed: false,
            results: Vec::new(),
            unreadable: Some(reason.into()),
        }
    }

    fn when(&self) -> String {
        let started: Result<Timestamp, _> = self.started_at.parse();
        started.map_or_else(
            |_| self.started_at.clone(),
            |time| time.strftime("%Y-%m-%d %H:%M").to_string(),
        )
    }
}

/// `update: commit wait, LIKELY`; where nothing was judged, what was searched for, or how much was measured.
fn results(run: &Run) -> Vec<String> {
    let verdicts = run.verdicts.iter().map(|verdict| {
        let workload = words::workload_plural(&verdict.workload, verdict.operating_point.workers);
        let grade = words::grade(verdict.grade);
        match verdict.grade {
            Grade::Undecided => format!("{workload}: {grade}"),
            _ => format!("{workload}: {}, {grade}", verdict.narrow.words()),
        }
    });
    let found = run.calibrations.iter().map(|calibration| calibration.sentence.clone());
    let results: Vec<String> = verdicts.chain(found).collect();
    if results.is_empty() {
        vec![words::counted(run.measurements.len(), "measurement")]
    } else {
        results
    }
}

/// Tags with the ids of their runs.
pub fn tags(tags: &[(String, Vec<String>)]) -> Document {
    let mut table = Table::new(vec![
        Column::name("tag", 2),
        Column::figure("runs", 40),
        Column::words("ids", At::Wrapped(44, usize::MAX)),
    ]);
    let row = |(tag, ids): &(String, Vec<String>)| {
        let cells = [tag.clone(), ids.len().to_string(), ids.join(", ")];
        Row::Cells(cells.map(Into::into).to_vec(), Vec::new())
    };
    table.rows = tags.iter().map(row).collect();
    let blocks = match tags {
        [] => vec![Block::paragraph("none; `narrows tag TAG RUN...` makes one")],
        _ => vec![Block::Table(table)],
    };
    let section = Section::new("tags", "Tags").with(blocks);
    let by_name: std::collections::BTreeMap<&String, &Vec<String>> =
        tags.iter().map(|(tag, ids)| (tag, ids)).collect();
    Document::of([section]).headed("Tags", "of stored runs").holding(&by_name)
}

/// The newest ones, and how many more there are.
pub fn stored_runs(runs: &[StoredRun], more: usize) -> Document {
    let columns = vec![
        Column::name("run", 2),
        Column::words("started, UTC", At::Left(12)),
        Column::words("machine", At::Left(30)),
    ];
    let mut table = Table::new(columns).remarked("command, result", Remarks::Below(12));
    for run in runs {
        let command = Some(run.command.as_str()).filter(|command| !command.is_empty());
        let state = match &run.unreadable {
            Some(reason) => Some(format!("cannot be read: {reason}")),
            None => (!run.completed).then(|| "INTERRUPTED, partial".to_string()),
        };
        let remarks = command.into_iter().chain(state.as_deref());
        let remarks = remarks.chain(run.results.iter().map(String::as_str)).map(Inline::from);
        let machine = run.machine.as_deref().unwrap_or("-");
        let cells = [run.id.clone(), run.when(), machine.to_string()];
        table.rows.push(Row::Cells(cells.map(Into::into).into(), remarks.collect()));
    }
    let mut blocks = match runs {
        [] => vec![Block::paragraph("none yet; `narrows run` makes one")],
        _ => vec![Block::Table(table)],
    };
    if more > 0 {
        blocks.push(Block::paragraph(format!("and {more} older: narrows list --all")));
    }
    let section = Section::new("runs", "Stored runs, the newest first").with(blocks);
    Document::of([section]).headed("Stored runs", "the newest first").holding(runs)
}
