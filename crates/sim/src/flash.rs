//! Media whose write rate has a history: for the rounds of steady state.
//!
//! A law gives the rate at which the medium takes writes from what was written so far and from the time; noise on top
//! resembles itself from second to second, as that of drives does. The laws are pictures of one habit each, not models
//! of products.

use narrows_engine::Rng;
use narrows_engine::steady_state::Round;

/// How the rate of writes goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Habit {
    /// Always the same.
    Honest,
    /// Fast for so many bytes (SLC cache), then slower by that factor.
    Cliff {
        /// Bytes at full speed.
        bytes: u64,
        /// How many times slower then.
        slower: f64,
    },
    /// A fresh drive: falls from fast to slower by that factor as its spare blocks are used up, one capacity being
    /// three times the constant of the fall.
    Fresh {
        /// How many times slower in the end.
        slower: f64,
    },
    /// A token bucket: so many bytes at once, then a trickle of that share of the full rate.
    Credits {
        /// Bytes of a full bucket.
        bytes: u64,
        /// Inflow over the full rate.
        refill: f64,
    },
    /// A cache that confirms before it has written: that many bytes of memory, drained at that share of the full rate.
    Liar {
        /// Bytes of its memory.
        bytes: u64,
        /// Drain over the full rate.
        drain: f64,
    },
    /// Slower by that share of the first rate with every hour.
    Drift {
        /// Share per hour.
        per_hour: f64,
    },
    /// Garbage collection: slower by that share for half of every period.
    Waves {
        /// Seconds from one wave to the next.
        period_s: f64,
        /// Share lost in it.
        depth: f64,
    },
}

/// A medium under a stream of writes.
#[derive(Debug, Clone)]
pub struct Flash {
    /// Bytes it holds.
    pub capacity_bytes: u64,
    full_per_s: f64,
    habit: Habit,
    noise: f64,
    rng: Rng,
    level: f64,
    now_s: f64,
    written_bytes: f64,
    /// Bytes of bucket or memory in use.
    used_bytes: f64,
}

impl Flash {
    /// A medium that takes `full_per_s` bytes per second at best, with seconds that scatter by `noise` around it.
    pub fn new(capacity_bytes: u64, full_per_s: f64, habit: Habit, noise: f64, seed: u64) -> Self {
        Flash {
            capacity_bytes,
            full_per_s,
            habit,
            noise,
            rng: Rng::new(seed),
            level: 0.0,
            now_s: 0.0,
            written_bytes: 0.0,
            used_bytes: 0.0,
        }
    }

    /// Bytes per second without noise, now.
    fn law_per_s(&self) -> f64 {
        let full = self.full_per_s;
        match self.habit {
            Habit::Honest => full,
            Habit::Cliff { bytes, slower } if self.written_bytes >= bytes as f64 => full / slower,
            Habit::Cliff { .. } => full,
            Habit::Fresh { slower } => {
                let spare = (-3.0 * self.written_bytes / self.capacity_bytes as f64).exp();
                full * (1.0 / slower + (1.0 - 1.0 / slower) * spare)
            }
            Habit::Credits { bytes, refill: inflow } | Habit::Liar { bytes, drain: inflow } => {
                let left = (bytes as f64 - self.used_bytes).max(0.0);
                full.min(inflow * full + left)
            }
            Habit::Drift { per_hour } => full * (1.0 - per_hour * self.now_s / 3600.0).max(0.01),
            Habit::Waves { period_s, depth } => {
                let low = (self.now_s / period_s).fract() < 0.5;
                if low { full * (1.0 - depth) } else { full }
            }
        }
    }

    /// Writes for so many seconds, one by one.
    pub fn round(&mut self, seconds: u32) -> Round {
        let mut series = Vec::with_capacity(seconds as usize);
        for _ in 0..seconds {
            // AR(1), correlation 0.7, standard deviation 1; the normal by the sum of twelve uniforms.
            let normal = (0..12).map(|_| self.rng.unit_f64()).sum::<f64>() - 6.0;
            self.level = 0.7 * self.level + 0.51f64.sqrt() * normal;
            let rate = self.law_per_s() * (1.0 + self.noise * self.level).max(0.05);
            if let Habit::Credits { refill: inflow, .. } | Habit::Liar { drain: inflow, .. } =
                self.habit
            {
                self.used_bytes = (self.used_bytes + rate - inflow * self.full_per_s).max(0.0);
            }
            self.written_bytes += rate;
            self.now_s += 1.0;
            series.push(rate);
        }
        let written: f64 = series.iter().sum();
        Round {
            value: written / f64::from(seconds.max(1)),
            written_bytes: Some(written as u64),
            series,
        }
    }

    /// Writes in large sequential requests until so many bytes are written: preconditioning.
    pub fn write(&mut self, bytes: u64) {
        let until = self.written_bytes + bytes as f64;
        while self.written_bytes < until {
            self.round(10);
        }
    }

    /// The rate that lasts: mean over that many seconds from now on, in a copy.
    pub fn lasting_per_s(&self, seconds: u32) -> f64 {
        self.clone().round(seconds).value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(habit: Habit) -> Vec<f64> {
        let mut flash = Flash::new(100_000, 1_000.0, habit, 0.0, 1);
        (0..10).map(|_| flash.round(60).value).collect()
    }

    #[test]
    fn each_habit_is_what_its_name_says() {
        assert!(rates(Habit::Honest).iter().all(|r| *r == 1000.0));
        let cliff = rates(Habit::Cliff { bytes: 120_000, slower: 4.0 });
        assert_eq!((cliff[1], cliff[2], cliff[9]), (1000.0, 250.0, 250.0));
        let fresh = rates(Habit::Fresh { slower: 5.0 });
        assert!(fresh.windows(2).all(|pair| pair[1] < pair[0]) && fresh[9] < 260.0);
        let credits = rates(Habit::Credits { bytes: 30_000, refill: 0.2 });
        assert_eq!((credits[0] > 500.0, (credits[9] - 200.0).abs() < 1.0), (true, true));
        let drift = rates(Habit::Drift { per_hour: 0.6 });
        assert!((drift[9] / drift[0] - 0.909).abs() < 0.01, "{drift:?}");
        let waves = rates(Habit::Waves { period_s: 90.0, depth: 0.4 });
        assert!(waves.iter().any(|r| *r != waves[0]));
    }
}
