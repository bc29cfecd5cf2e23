//! What a window gave, and the table.

use narrows_stats::paired_ratio;

use crate::peers::contender::{figure, printed};

/// One window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// Median latency, µs; `None` where the program doesn't tell.
    pub(super) p50_us: Option<f64>,
    pub(super) rate_per_s: f64,
    /// CPU time per operation, µs.
    pub(super) host_us: f64,
    pub(super) target_us: f64,
}

/// All windows of a contender, one per round.
#[derive(Debug, Default)]
pub(super) struct Samples {
    name: String,
    pub(super) p50_us: Vec<f64>,
    pub(super) rate_per_s: Vec<f64>,
    host_us: Vec<f64>,
    target_us: Vec<f64>,
}

impl Samples {
    pub(super) fn new(name: String) -> Samples {
        Samples { name, ..Samples::default() }
    }

    pub(super) fn add(&mut self, sample: Sample) {
        self.p50_us.extend(sample.p50_us);
        self.rate_per_s.push(sample.rate_per_s);
        self.host_us.push(sample.host_us);
        self.target_us.push(sample.target_us);
    }
}

/// The contenders beside the first; who measured nothing is left out.
pub(super) fn table(title: &str, contenders: &[Samples]) -> String {
    let ours = &contenders[0];
    let mut text = format!(
        "{title}:\n\n| | p50 | operations | of ours | CPU of the host | CPU of the target |\n| --- | ---: | ---: | ---: | ---: | ---: |\n"
    );
    for (place, one) in contenders.iter().enumerate() {
        if one.rate_per_s.is_empty() {
            continue;
        }
        let of_ours = match place {
            0 => "1".to_string(),
            _ => paired_ratio(&one.rate_per_s, &ours.rate_per_s)
                .map_or("-".to_string(), |ratio| printed(&ratio)),
        };
        let micros = |samples: &[f64]| figure(samples, |us| format!("{us:.2} µs"));
        let rate = figure(&one.rate_per_s, |rate| {
            let (number, prefix) = narrows_units::si(rate);
            format!("{number} {prefix}/s")
        });
        text += &format!(
            "| {} | {} | {rate} | {of_ours} | {} | {} |\n",
            one.name,
            micros(&one.p50_us),
            micros(&one.host_us),
            micros(&one.target_us),
        );
    }
    text + "\n"
}
