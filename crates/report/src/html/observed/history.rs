//! The active-session history: how many sessions were doing what, over time, stacked.

use narrows_model::Observation;
use narrows_units::significant;

use super::super::escape::text;
use super::super::fills::{of_state, swatch};
use super::super::over_time::{self, STACK};
use super::super::table;
use crate::live::spread;
use crate::observed::{Found, found};
use crate::print::percent;

/// Picture and table; empty where nothing was found.
pub(super) fn body(seen: &Observation) -> String {
    let found = found(seen);
    if found.is_empty() {
        return String::new();
    }
    let figure = match over_time::pictures(&seen.activity.history, seen.interval_ns, cpus(seen)) {
        Some(pictures) => over_time::figure(&pictures),
        None => "<p class=\"soft\">No picture: the look was too short to have a history.</p>"
            .to_string(),
    };
    figure + &legend(&found)
}

/// What each fill means, with its figures.
fn legend(found: &[Found]) -> String {
    let at_work: f64 = found.iter().filter(|f| f.state.is_at_work()).map(|f| f.sessions).sum();
    let row = |f: &Found| {
        let share = if f.state.is_at_work() && at_work > 0.0 {
            percent(f.sessions / at_work)
        } else {
            "-".to_string()
        };
        let events: Vec<String> =
            f.events.iter().map(|(name, n)| format!("{name} {}", significant(*n, 2))).collect();
        vec![
            swatch(of_state(f.state)).to_string(),
            text(f.state.words()),
            text(&significant(f.sessions, 3)),
            text(&spread(f.interval.as_ref(), Some(f.sessions))),
            text(&share),
            text(&events.join(", ")),
        ]
    };
    let in_order = STACK.iter().rev().filter_map(|state| found.iter().find(|f| f.state == *state));
    let rows: Vec<Vec<String>> = in_order.map(row).collect();
    table(&["", "what they did", "sessions>", "±95 %>", "of those at work>", "waiting for"], &rows)
}

/// CPUs that the server may use.
fn cpus(seen: &Observation) -> Option<f64> {
    let processes = seen.processes.as_ref()?;
    let cpus = processes.quota_cpus.unwrap_or(f64::INFINITY).min(processes.allowed_cpus);
    (cpus > 0.0 && cpus.is_finite()).then_some(cpus)
}
