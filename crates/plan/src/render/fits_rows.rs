//! Demands on platforms as rows of words, for pages.

use super::fits::{Migration, binding, demand_row, gains, holds, marked, rate, widen};

/// One demand on one platform, in words; what isn't known is `-` or empty.
#[derive(Debug, Clone, PartialEq)]
pub struct FitRow {
    /// The platform.
    pub platform: String,
    /// The demand, marked where something speaks against its measurement.
    pub demand: String,
    /// Whether it fits.
    pub verdict: &'static str,
    /// The rate with as many sessions, and over the measured one.
    pub at_sessions: String,
    /// The rate at most.
    pub at_most: String,
    /// What holds as many sessions, and what would give more.
    pub holds: String,
    /// What binds at most, and what to widen first.
    pub binds: String,
}

/// All answers, by platform.
pub fn fits_rows(migration: &Migration) -> Vec<FitRow> {
    let row = |fit: &crate::fit::Fit| {
        let at = fit.at_sessions.as_ref();
        let holds = at.map(|at| {
            let gains = Some(gains(at)).filter(|gains| !gains.is_empty());
            holds(at) + &gains.map(|gains| format!("; would give: {gains}")).unwrap_or_default()
        });
        let widen = widen(fit).map(|widen| format!("; widen first: {widen}"));
        FitRow {
            platform: fit.platform.clone(),
            demand: marked(fit.suspect, &fit.demand),
            verdict: fit.verdict.words(),
            at_sessions: rate(at.map(|at| at.rate_per_s), fit.sessions_times()),
            at_most: rate(fit.ceiling_per_s, fit.ceiling_times()),
            holds: holds.unwrap_or_default(),
            binds: binding(fit) + &widen.unwrap_or_default(),
        }
    };
    migration.fits.iter().map(row).collect()
}

/// The demands themselves, below their headings.
pub fn demand_rows(migration: &Migration) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let rows = migration.demands.iter().map(|demand| demand_row(demand).to_vec()).collect();
    (super::fits::DEMAND_HEADS.to_vec(), rows)
}
