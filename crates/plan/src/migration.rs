//! A run's demands set on platforms, all together.

use serde::Serialize;

use crate::demand::Demand;
use crate::fit::Fit;

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
    pub fn platforms(&self) -> Vec<(&str, &[Fit])> {
        let all = self.fits.chunks(self.demands.len().max(1));
        all.filter_map(|fits| Some((fits.first()?.platform.as_str(), fits))).collect()
    }
}
