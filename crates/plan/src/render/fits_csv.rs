//! Demands on platforms as CSV: one row for each.

use narrows_units::shown_cell;

use super::fits::Migration;
use crate::demand::Amount;

/// Units stand in the column's names; an empty cell is unknown.
pub fn fits_csv(migration: &Migration) -> String {
    let mut out = String::from(
        "demand,suspect,platform,verdict,measured_per_s,measured_half_95_per_s,sessions,sessions_per_s,\
         sessions_half_95_per_s,sessions_times,held_by,cpu_busy,sessions_at_work,log_busy,ceiling_per_s,ceiling_half_95_per_s,ceiling_times,log_only,\
         binding,widen_first\n",
    );
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let value = |amount: Option<Amount>| number(amount.map(|amount| amount.value));
    let half = |amount: Option<Amount>| number(amount.and_then(|amount| amount.half));
    for fit in &migration.fits {
        let at = fit.at_sessions.as_ref();
        let rate = at.map(|at| at.rate_per_s);
        let binding: Vec<&str> = fit.binding.iter().map(|b| b.component.as_str()).collect();
        let first = fit.widen.first().map(|widen| widen.components.join("; "));
        let cells = [
            shown_cell(&fit.demand),
            fit.suspect.to_string(),
            shown_cell(&fit.platform),
            fit.verdict.words().to_string(),
            value(Some(fit.measured_per_s)),
            half(Some(fit.measured_per_s)),
            number(at.map(|at| at.sessions)),
            value(rate),
            half(rate),
            value(fit.sessions_times()),
            shown_cell(at.map_or("", |at| &at.holds)),
            number(at.and_then(|at| at.cpu_busy)),
            value(fit.at_rate.as_ref().and_then(|at| at.sessions)),
            number(fit.at_rate.as_ref().and_then(|at| at.log_busy)),
            value(fit.ceiling_per_s),
            half(fit.ceiling_per_s),
            value(fit.ceiling_times().filter(|_| !fit.log_only)),
            fit.log_only.to_string(),
            shown_cell(&binding.join("; ")),
            shown_cell(&first.unwrap_or_default()),
        ];
        out += &cells.join(",");
        out.push('\n');
    }
    out
}
