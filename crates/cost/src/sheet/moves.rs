//! How far given figures move a line: within their own ranges, and by a tenth.

use serde::Serialize;

use super::{Expr, Origin, Sheet};

/// What one given figure does to a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Move {
    /// The figure's key.
    pub key: String,
    /// Its name.
    pub title: String,
    /// The line's change, as a share of it, when the figure is a tenth larger.
    pub by_a_tenth: f64,
    /// The line's values at the ends of the figure's own range; absent for one that is taken as exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_range: Option<[f64; 2]>,
}

impl Sheet {
    /// For each line, how low and high the ranges of the figures that it rests on make it.
    pub(super) fn intervals(&self, values: &[Option<f64>]) -> Vec<Option<[f64; 2]>> {
        let mut squares: Vec<Option<[f64; 2]>> = vec![None; self.lines.len()];
        for (at, line) in self.lines.iter().enumerate() {
            let Origin::Given(given) = &line.origin else { continue };
            let Some(range) = given.value.filter(|range| !range.is_exact()) else { continue };
            let ends = [range.low, range.high].map(|end| self.values(Some((at, end))));
            for (line, square) in squares.iter_mut().enumerate() {
                let Some(value) = values[line] else { continue };
                let [a, b] = [&ends[0], &ends[1]].map(|end| end[line].map_or(0.0, |v| v - value));
                if (a, b) == (0.0, 0.0) {
                    continue;
                }
                let [down, up] = square.get_or_insert([0.0, 0.0]);
                *down += a.min(b).min(0.0).powi(2);
                *up += a.max(b).max(0.0).powi(2);
            }
        }
        let with = squares.into_iter().zip(values);
        with.map(|(square, value)| {
            let ([down, up], value) = (square?, (*value)?);
            Some([value - down.sqrt(), value + up.sqrt()])
        })
        .collect()
    }

    /// The given figures that move a line, the one that moves it most first.
    pub fn moves(&self, line: &Expr) -> Vec<Move> {
        let Expr::Line(at) = line else { return Vec::new() };
        let Some(value) = self.value(line).filter(|value| *value != 0.0) else {
            return Vec::new();
        };
        let mut moves: Vec<Move> = self
            .roots(*at)
            .into_iter()
            .filter_map(|root| {
                let Origin::Given(given) = &self.lines[root].origin else { return None };
                let range = given.value?;
                let to = |end: f64| self.values(Some((root, end)))[*at];
                let within = [to(range.low), to(range.high)];
                Some(Move {
                    key: self.lines[root].key.clone(),
                    title: self.lines[root].title.clone(),
                    by_a_tenth: to(range.value * 1.1)? / value - 1.0,
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
