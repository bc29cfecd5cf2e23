//! Demands on platforms: what every output says, in words.

use narrows_units::{Nanos, OpsPerSecond, Ratio, si, significant};
use serde::Serialize;

use super::rows::{binds, widening};
use crate::demand::{Amount, Asked, Demand};
use crate::fit::Fit;
use crate::sessions::AtSessions;

/// A run's demands set on platforms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Migration {
    /// Where the demands come from: the run, its machine, its server.
    pub from: String,
    /// Measurements that gave no demand, and why.
    pub refused: Vec<String>,
    /// What bears on all of them.
    pub remarks: Vec<String>,
    /// The demands.
    pub demands: Vec<Demand>,
    /// Each of them on each platform, by platform.
    pub fits: Vec<Fit>,
}

impl Migration {
    /// The platforms in their order, each with its fits.
    pub(super) fn platforms(&self) -> Vec<(&str, &[Fit])> {
        let all = self.fits.chunks(self.demands.len().max(1));
        all.filter_map(|fits| Some((fits.first()?.platform.as_str(), fits))).collect()
    }
}

/// Everything, as one JSON object; keys end in their units.
pub fn fits_json(migration: &Migration) -> String {
    // Plain structures of numbers and text always have a JSON form.
    let document = serde_json::to_string_pretty(migration).unwrap_or_default() + "\n";
    narrows_units::shown_json(&document).into_owned()
}

/// Said under every answer.
pub(super) const METHOD: [&str; 2] = [
    "sessions: as many as were measured there, each with the parts of its time; at most: by flow alone, whatever the sessions.",
    "± is the demand's doubt (95 %) with the range of described times; × is over the measured rate.",
];

/// Headings of a demand's row.
pub(super) const DEMAND_HEADS: [&str; 9] =
    ["one operation", "rate", "±95%", "sessions", "CPU", "reads", "writes", "flushes", "log"];

/// A demand's row: unknown is `-`, and never zero.
pub(super) fn demand_row(demand: &Demand) -> [String; 9] {
    let unknown = || "-".to_string();
    let count = |asked: Option<Asked>| asked.map_or_else(unknown, |a| few(a.per_op.value));
    let log = demand.log.as_ref();
    [
        marked(demand.suspect.is_some(), &demand.name),
        OpsPerSecond(demand.rate_per_s.value).to_string(),
        demand.rate_per_s.relative().map_or_else(unknown, |doubt| Ratio(doubt).to_string()),
        demand.sessions.map_or_else(unknown, few),
        demand.cpu_ns.map_or_else(unknown, |ns| Nanos(ns.value.round() as u64).to_string()),
        count(demand.reads),
        count(demand.writes),
        log.and_then(|log| log.flushes).map_or_else(unknown, |flushes| few(flushes.value)),
        log.map_or_else(unknown, |log| bytes(log.bytes.value)),
    ]
}

/// `? update`: something speaks against its measurement.
pub(super) fn marked(suspect: bool, name: &str) -> String {
    if suspect { format!("? {name}") } else { name.to_string() }
}

/// `412 k/s ±5.5 %  6.4 ×`
pub(super) fn rate(rate: Option<Amount>, times: Option<Amount>) -> String {
    let Some(rate) = rate else { return "-".to_string() };
    let doubt = rate.relative().map_or(String::new(), |doubt| format!(" ±{}", Ratio(doubt)));
    let times = times.map_or(String::new(), |times| format!("  {} ×", significant(times.value, 2)));
    format!("{}{doubt}{times}", OpsPerSecond(rate.value))
}

/// Sessions at work at an observed server's rate: `7.6 sessions ±5.0 %`.
pub(super) fn at_work(fit: &Fit) -> String {
    let sessions = fit.at_rate.as_ref().and_then(|at| at.sessions);
    sessions.map_or("-".to_string(), |sessions| {
        let doubt = sessions.relative().map_or(String::new(), |by| format!(" ±{}", Ratio(by)));
        format!("{} sessions{doubt}", significant(sessions.value, 3))
    })
}

/// Share of the time in which an observed server's log would be flushed.
pub(super) fn log_busy(fit: &Fit) -> String {
    let busy = fit.at_rate.as_ref().and_then(|at| at.log_busy);
    busy.map_or("-".to_string(), |busy| Ratio(busy).to_string())
}

/// What holds as many sessions.
pub(super) fn holds(at: &AtSessions) -> String {
    let busy = at.cpu_busy.map_or(String::new(), |busy| format!("; CPU {} busy", Ratio(busy)));
    format!("{}{busy}", at.holds)
}

/// The parts of an operation's time: there → here.
pub(super) fn terms(fit: &Fit) -> String {
    let time = |ns: f64| Nanos(ns.round() as u64).to_string();
    let word = |term: &crate::sessions::Term| {
        if (term.here_ns.value - term.measured_ns).abs() < 0.005 * term.measured_ns {
            format!("{} {}", term.name, time(term.here_ns.value))
        } else {
            format!("{} {} (was {})", term.name, time(term.here_ns.value), time(term.measured_ns))
        }
    };
    fit.terms().iter().map(word).collect::<Vec<_>>().join(" + ")
}

/// What would give as many sessions more.
pub(super) fn gains(at: &AtSessions) -> String {
    let word = |gain: &crate::sessions::Gain| format!("{} +{}", gain.change, Ratio(gain.gain));
    at.widen.iter().take(3).map(word).collect::<Vec<_>>().join("; ")
}

/// What binds at the ceiling.
pub(super) fn binding(fit: &Fit) -> String {
    fit.binding.iter().map(binds).collect::<Vec<_>>().join("; ")
}

/// What to widen first at the ceiling.
pub(super) fn widen(fit: &Fit) -> Option<String> {
    fit.widen.first().map(widening)
}

/// Sentences of several fits, each once.
pub(super) fn once<'a>(
    fits: &'a [Fit],
    of: impl Fn(&'a Fit) -> &'a Vec<String>,
) -> Vec<&'a String> {
    let mut all: Vec<&String> = Vec::new();
    for sentence in fits.iter().flat_map(of) {
        if !all.contains(&sentence) {
            all.push(sentence);
        }
    }
    all
}

pub(super) fn few(value: f64) -> String {
    if value.fract() == 0.0 && value < 1e6 {
        format!("{value:.0}")
    } else if value < 0.001 {
        "<0.001".to_string()
    } else {
        significant(value, 3)
    }
}

fn bytes(value: f64) -> String {
    let (number, prefix) = si(value);
    format!("{number} {prefix}B")
}
