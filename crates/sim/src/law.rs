//! How long something takes: distributions of service times.

use narrows_engine::Rng;

/// A distribution of durations, given by its mean in ns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Always the same.
    Constant(f64),
    /// Without memory: the law of the closed forms.
    Exponential(f64),
    /// Sum of that many exponential phases; four give the moderate spread of real processor bursts.
    Erlang(u32, f64),
    /// Two kinds, both without memory: the share of the second kind, mean of the first, mean of the second, ns.
    Mixed(f64, f64, f64),
}

impl Law {
    /// The mean, ns.
    pub fn mean_ns(self) -> f64 {
        match self {
            Law::Constant(mean) | Law::Exponential(mean) | Law::Erlang(_, mean) => mean,
            Law::Mixed(share, first, second) => first + share * (second - first),
        }
    }

    /// The same law with its mean multiplied.
    pub fn scaled(self, factor: f64) -> Law {
        match self {
            Law::Constant(mean) => Law::Constant(mean * factor),
            Law::Exponential(mean) => Law::Exponential(mean * factor),
            Law::Erlang(phases, mean) => Law::Erlang(phases, mean * factor),
            Law::Mixed(share, first, second) => Law::Mixed(share, first * factor, second * factor),
        }
    }

    /// One duration, ns.
    pub fn draw_ns(self, rng: &mut Rng) -> f64 {
        match self {
            Law::Constant(mean) => mean,
            Law::Exponential(mean) => rng.exponential(mean),
            Law::Erlang(phases, mean) => {
                let phases = phases.max(1);
                (0..phases).map(|_| rng.exponential(mean / f64::from(phases))).sum()
            }
            Law::Mixed(share, first, second) => {
                let mean = if rng.unit_f64() <= share { second } else { first };
                rng.exponential(mean)
            }
        }
    }
}

/// A factor around 1 with that relative standard deviation (log-normal, by the sum of twelve uniforms).
pub(crate) fn scatter(rng: &mut Rng, relative: f64) -> f64 {
    let normal = (0..12).map(|_| rng.unit_f64()).sum::<f64>() - 6.0;
    (normal * relative).exp()
}
