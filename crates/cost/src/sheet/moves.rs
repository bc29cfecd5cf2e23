//! How far given figures move a line: within their own ranges, and by a tenth.

use serde::Serialize;

use super::{Basis, Expr, Origin, Rounding, Sheet};

/// What one given figure does to a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// The figure's key.
    pub key: String,
    /// Its name.
    pub title: String,
    /// The line's change, as a share of it, when the figure is a tenth larger; as if licences came in parts.
    pub by_a_tenth: f64,
    /// The line's values at the ends of the figure's own range; absent for one that is taken as exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_range: Option<[f64; 2]>,
}

/// How far the ranges of given figures move a line.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Interval {
    /// Its lower and upper end; absent where no range moves it.
    pub ends: Option<[f64; 2]>,
    /// At an end of a range it has no value.
    pub unbounded: bool,
}

/// What ranges did to a line so far.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    down: f64,
    up: f64,
    /// The lowest value that one of them alone makes of it.
    lowest: f64,
    any: bool,
    unbounded: bool,
}

impl Sheet {
    /// For each line, how low and high the ranges of the figures that it rests on make it.
    pub(super) fn intervals(&self, values: &[Option<f64>]) -> Vec<Interval> {
        let mut all = vec![Moved { lowest: f64::INFINITY, ..Moved::default() }; self.lines.len()];
        for (at, line) in self.lines.iter().enumerate() {
            let Origin::Given(given) = &line.origin else { continue };
            let Some(range) = given.value.filter(|range| !range.is_exact()) else { continue };
            let ends =
                [range.low, range.high].map(|end| self.values(Some((at, end)), Rounding::Up));
            for (line, moved) in all.iter_mut().enumerate() {
                let Some(value) = values[line] else { continue };
                let (Some(a), Some(b)) = (ends[0][line], ends[1][line]) else {
                    moved.unbounded = true;
                    continue;
                };
                if a == value && b == value {
                    continue;
                }
                moved.any = true;
                moved.lowest = moved.lowest.min(a).min(b);
                moved.down += (a.min(b) - value).min(0.0).powi(2);
                moved.up += (a.max(b) - value).max(0.0).powi(2);
            }
        }
        let with = all.into_iter().zip(values);
        with.map(|(moved, value)| {
            let ends = value.filter(|_| moved.any).map(|value| {
                // What no single range makes negative, all of them don't.
                let least =
                    if moved.lowest >= 0.0 && value >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
                [(value - moved.down.sqrt()).max(least), value + moved.up.sqrt()]
            });
            Interval { ends, unbounded: moved.unbounded && value.is_some() }
        })
        .collect()
    }

    /// The given figures that move a line, the one that moves it most first; rules are no figures that anybody chooses.
    pub fn moves(&self, line: &Expr) -> Vec<Move> {
        let Expr::Line(at) = line else { return Vec::new() };
        let of = |moved| self.values(moved, Rounding::None)[*at];
        let Some(value) = of(None).filter(|value| *value != 0.0) else { return Vec::new() };
        let mut moves: Vec<Move> = self
            .roots(*at)
            .into_iter()
            .filter_map(|root| {
                let Origin::Given(given) = &self.lines[root].origin else { return None };
                let range = given.value.filter(|_| given.basis != Basis::Rule)?;
                let to = |end: f64| self.values(Some((root, end)), Rounding::Up)[*at];
                let within = [to(range.low), to(range.high)];
                Some(Move {
                    key: self.lines[root].key.clone(),
                    title: self.lines[root].title.clone(),
                    by_a_tenth: of(Some((root, range.value * 1.1)))? / value - 1.0,
                    within_range: match within {
                        [Some(low), Some(high)] if low != high => Some([low, high]),
                        _ => None,
                    },
                })
            })
            .filter(|one| one.by_a_tenth != 0.0 || one.within_range.is_some())
            .collect();
        let weight = |one: &Move| {
            let range = one.within_range.map_or(0.0, |[low, high]| ((high - low) / value).abs());
            one.by_a_tenth.abs().max(range / 2.0)
        };
        moves.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        moves
    }
}
