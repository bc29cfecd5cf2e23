//! What writes do to reads: the percentile of a read's latency by rate, in each company.
//!
//! Made from the measurements whose workload names their `company`. A difference is said only where the windows of the one all
//! lie above those of the other, and the largest of the grid is larger than chance makes it ([`largest_above_base_p`]); of a queue that
//! grows no latency is said.

use narrows_model::{Measurement, Run, Validity, condition, family, metric};
use narrows_stats::{largest_above_base_p, median};

use crate::notes::{NoteMark, Notes};
use crate::print::{rate, time};
use crate::words::counted;

/// The layer's name for reads with nothing beside them.
const ALONE: &str = "alone";
/// A difference that chance makes in no more than that part of grids without one is named.
const CHANCE: f64 = 0.05;
/// Ends the id of what ran beside the reads.
const BESIDE: &str = ".beside";

/// One rate of reads in one company.
#[derive(Debug, Clone, PartialEq)]
pub struct InterferenceCell {
    /// Reads asked for per second.
    pub asked_per_s: f64,
    /// p99 of the reads from when they were due: median of the windows, ns. `None` where the queue grew or the figure is
    /// invalid.
    pub p99_ns: Option<f64>,
    /// Lowest and highest of the windows, ns.
    pub range_ns: Option<(f64, f64)>,
    /// p99 of each window, also where the queue grew, ns; empty where the figure is invalid.
    pub windows_ns: Vec<f64>,
    /// p99 of what ran beside them, ns; of a log that of making a write durable.
    pub beside_p99_ns: Option<f64>,
    /// Whether reads came faster than they were done.
    pub grows: bool,
    /// Whether the writes beside them did.
    pub beside_grows: bool,
    /// The worst of the cell's measurements.
    pub validity: Validity,
}

/// Reads at all rates in one company.
#[derive(Debug, Clone, PartialEq)]
pub struct InterferenceRow {
    /// `random 8 KiB writes, 2.30k/s`; `nothing`.
    pub beside: String,
    /// Whether nothing ran beside them.
    pub alone: bool,
    /// By rate.
    pub cells: Vec<InterferenceCell>,
}

/// The grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Interference {
    /// `8 KiB random reads`.
    pub what: String,
    /// The largest difference, in one sentence.
    pub sentence: String,
    /// Alone first.
    pub rows: Vec<InterferenceRow>,
    /// How it was obtained.
    pub method: String,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
}

/// Whether a measurement is a part of the grid.
pub(crate) fn in_grid(m: &Measurement) -> bool {
    family::BLOCK_INTERFERENCE.has(&m.id)
        && (m.workload.contains(condition::COMPANY) || m.id.ends_with(".together"))
}

/// The grid of the run; `None` where it has none.
pub(crate) fn interference(run: &Run, notes: &mut Notes) -> Option<Interference> {
    let grid: Vec<&Measurement> = run.measurements.iter().filter(|m| in_grid(m)).collect();
    let mut rows: Vec<(&str, InterferenceRow)> = Vec::new();
    for m in grid.iter().filter(|m| m.text(condition::COMPANY).is_some() && !m.id.ends_with(BESIDE))
    {
        let company = m.text(condition::COMPANY)?;
        let Some(cell) = cell(run, m) else { continue };
        match rows.iter_mut().find(|(word, _)| *word == company) {
            Some((_, row)) => row.cells.push(cell),
            None => {
                let beside = m.text(condition::BESIDE).unwrap_or(company).to_string();
                let row = InterferenceRow { beside, alone: company == ALONE, cells: vec![cell] };
                rows.push((company, row));
            }
        }
    }
    let mut rows: Vec<InterferenceRow> = rows.into_iter().map(|(_, row)| row).collect();
    rows.sort_by_key(|row| !row.alone);
    for row in &mut rows {
        row.cells.sort_by(|a, b| a.asked_per_s.total_cmp(&b.asked_per_s));
    }
    let first = grid.first()?;
    let ids: Vec<&str> = grid.iter().map(|m| m.id.as_str()).collect();
    let size = first.number(condition::BLOCK_BYTES).unwrap_or(0.0) as u64;
    Some(Interference {
        what: format!("{} random reads", narrows_units::Bytes(size).iec()),
        sentence: sentence(&rows),
        rows,
        method: method(first),
        notes: notes.marks(run, &ids),
    })
}

fn cell(run: &Run, m: &Measurement) -> Option<InterferenceCell> {
    let asked_per_s = m.value(metric::ASKED_RATE)?;
    let plain = m.id.replace(".beyond.", ".");
    let beside = run.measurements.iter().find(|other| {
        let id = other.id.replace(".beyond.", ".");
        id.strip_suffix(BESIDE).is_some_and(|rest| rest == plain)
    });
    let together = run.measurement(&format!("{plain}.together"));
    let all = [Some(m), beside, together];
    let validity = all.into_iter().flatten().map(|m| m.validity).max().unwrap_or_default();
    let grew = |m: &Measurement| m.id.contains(".beyond.");
    let grows = grew(m);
    let said = !grows && validity != Validity::Invalid;
    let p99 = m.metric(metric::LATENCY_P99).filter(|_| said);
    let ends = p99.filter(|p99| !p99.samples.is_empty()).map(|p99| {
        let all = || p99.samples.iter().copied();
        (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max))
    });
    let beside_p99_ns = beside
        .filter(|m| said && !grew(m))
        .and_then(|m| m.value(metric::SYNC_LATENCY_P99).or(m.value(metric::LATENCY_P99)));
    Some(InterferenceCell {
        asked_per_s,
        p99_ns: p99.and_then(|p99| median(&p99.samples)).filter(|ns| ns.is_finite() && *ns > 0.0),
        range_ns: ends,
        windows_ns: m
            .metric(metric::LATENCY_P99)
            .filter(|_| validity != Validity::Invalid)
            .map_or_else(Vec::new, |p99| p99.samples.clone()),
        beside_p99_ns,
        grows,
        beside_grows: beside.is_some_and(grew),
        validity,
    })
}

/// The largest difference that all windows show, or where reads can't be kept at all; suspect cells carry their mark.
fn sentence(rows: &[InterferenceRow]) -> String {
    let Some(alone) = rows.iter().find(|row| row.alone) else {
        return "reads alone were not measured, so there is nothing to compare with".to_string();
    };
    let mut worst: Option<(f64, &InterferenceRow, &InterferenceCell, &InterferenceCell)> = None;
    let mut lost = None;
    for row in rows.iter().filter(|row| !row.alone) {
        for (cell, own) in row.cells.iter().zip(&alone.cells) {
            if cell.grows && !own.grows && lies_above(&cell.windows_ns, &own.windows_ns) {
                lost = lost.or(Some((row, cell)));
            }
            if cell.grows || !lies_above(&cell.windows_ns, &own.windows_ns) {
                continue;
            }
            let (Some(beside_ns), Some(alone_ns)) = (cell.p99_ns, own.p99_ns) else { continue };
            let ratio = beside_ns / alone_ns;
            if worst.is_none_or(|(most, ..)| ratio > most) {
                worst = Some((ratio, row, cell, own));
            }
        }
    }
    if worst.is_none() && lost.is_none() {
        return "no rate of reads at which all windows beside writes were slower than all alone"
            .to_string();
    }
    let chance = largest_above_base_p(&columns(rows));
    if chance.is_none_or(|chance| chance > CHANCE) {
        return by_chance(chance);
    }
    let mut parts = Vec::new();
    parts.extend(worst.map(|(ratio, row, cell, own)| {
        format!(
            "at {} p99 of reads is {} alone and {} beside {}: × {ratio:.1}",
            rate(cell.asked_per_s),
            own.text(),
            cell.text(),
            row.beside
        )
    }));
    parts.extend(lost.map(|(row, cell)| {
        format!("{} of reads cannot be kept beside {}", rate(cell.asked_per_s), row.beside)
    }));
    parts.join("; ")
}

fn by_chance(chance: Option<f64>) -> String {
    match chance {
        Some(chance) => format!(
            "no difference that is larger than chance: in {:.0} of 100 grids without one, some rate shows as large a one. More rounds or longer windows (--minutes) tell more",
            (chance * 100.0).ceil()
        ),
        None => "no difference was tested: a cell has too few windows with a p99".to_string(),
    }
}

/// Whether there are windows of both, and all of the one lie above all of the other.
fn lies_above(cell: &[f64], own: &[f64]) -> bool {
    let lowest = cell.iter().copied().reduce(f64::min);
    let highest = own.iter().copied().reduce(f64::max);
    lowest.zip(highest).is_some_and(|(lowest, highest)| lowest > highest)
}

/// By rate of reads, alone first, the windows of all companies that have as many; a rate at which reads alone have none is left out.
fn columns(rows: &[InterferenceRow]) -> Vec<Vec<Vec<f64>>> {
    let alone = rows.iter().filter(|row| row.alone);
    let rows: Vec<&InterferenceRow> = alone.chain(rows.iter().filter(|row| !row.alone)).collect();
    let most = rows.first().map_or(0, |row| row.cells.len());
    (0..most)
        .filter_map(|at| {
            let windows = |row: &&InterferenceRow| row.cells.get(at).map(|c| c.windows_ns.clone());
            let own = windows(rows.first()?).filter(|own| !own.is_empty())?;
            let like_own = |row: &Vec<f64>| row.len() == own.len();
            Some(rows.iter().filter_map(windows).filter(like_own).collect())
        })
        .collect()
}

fn method(m: &Measurement) -> String {
    let mut text = format!(
        "open loops in one window; latency from the scheduled start of each read; {} per cell, cells in a new random order in each round",
        counted(m.repeats as usize, "window")
    );
    if let Some(way) = m.text(condition::METHOD) {
        text += &format!("; {way}");
    }
    text
}

impl InterferenceCell {
    /// `1.20 ms`, `grows`, `invalid`, `-`; a question mark behind what is suspect.
    pub(crate) fn text(&self) -> String {
        let mark = if self.validity == Validity::Suspect { " ?" } else { "" };
        match (self.validity, self.grows, self.p99_ns) {
            (Validity::Invalid, ..) => "invalid".to_string(),
            (_, true, _) => format!("grows{mark}"),
            (_, _, Some(ns)) => format!("{}{mark}", time(ns)),
            _ => "-".to_string(),
        }
    }

    /// The same of what ran beside the reads.
    pub(crate) fn beside_text(&self) -> String {
        match (self.validity, self.beside_grows, self.beside_p99_ns) {
            (Validity::Invalid, ..) => "invalid".to_string(),
            (_, true, _) => "grows".to_string(),
            (_, _, Some(ns)) => time(ns),
            _ => "-".to_string(),
        }
    }
}

impl Interference {
    /// Rates of the columns.
    pub(crate) fn columns(&self) -> Vec<f64> {
        let longest = self.rows.iter().max_by_key(|row| row.cells.len());
        longest
            .map(|row| row.cells.iter().map(|cell| cell.asked_per_s).collect())
            .unwrap_or_default()
    }

    /// Name and cells of each line: the reads of all companies, then the writes beside them.
    pub(crate) fn lines(&self) -> Vec<(String, Vec<String>)> {
        let name = |row: &InterferenceRow| match row.alone {
            true => "reads alone".to_string(),
            false => format!("with {}", row.beside),
        };
        let reads = self
            .rows
            .iter()
            .map(|row| (name(row), row.cells.iter().map(InterferenceCell::text).collect()));
        let beside = self.rows.iter().filter(|row| !row.alone).map(|row| {
            let cells = row.cells.iter().map(InterferenceCell::beside_text).collect();
            (row.beside.clone(), cells)
        });
        reads.chain(beside).collect()
    }
}
