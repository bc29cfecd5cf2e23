//! Whether two programs that measured the same thing say the same.

use narrows_stats::{RatioEstimate, median, paired_ratio};

use super::contender::printed;

/// Means of the same thing as several programs measured them, ns, one a round.
pub(crate) struct MeanTimes {
    /// Who.
    pub who: String,
    /// Round by round.
    pub mean_ns: Vec<f64>,
}

impl MeanTimes {
    pub(crate) fn new(who: impl Into<String>) -> Self {
        MeanTimes { who: who.into(), mean_ns: Vec::new() }
    }
}

/// A table with the first one as the measure of the others.
pub(crate) fn table(caption: &str, what: &str, all: &[MeanTimes]) -> String {
    let mut text = format!("{caption}\n\n| | {what} | of ours |\n| --- | ---: | ---: |\n");
    for (place, said) in all.iter().enumerate() {
        let of_ours = match place {
            0 => "1".to_string(),
            _ => paired_ratio(&said.mean_ns, &all[0].mean_ns)
                .map_or("-".to_string(), |ratio| printed(&ratio)),
        };
        let value = median(&said.mean_ns)
            .map_or("-".to_string(), |ns| format!("{} µs", super::log::micros(ns)));
        text += &format!("| {} | {value} | {of_ours} |\n", said.who);
    }
    text + "\n"
}

/// A line that says whether theirs and ours agree: whether 1 lies in the interval of their ratio, and how wide that is.
pub(crate) fn line(theirs: &MeanTimes, ours: &MeanTimes) -> String {
    let outcome = match paired_ratio(&theirs.mean_ns, &ours.mean_ns) {
        Some(ratio) => format!("{}: {}", printed(&ratio), outcome(&ratio)),
        None => "not measured".to_string(),
    };
    format!("- {} beside {}: {outcome}.\n", theirs.who, ours.who)
}

fn outcome(ratio: &RatioEstimate) -> &'static str {
    match ratio.interval_95 {
        Some(interval) if interval.low <= 1.0 && 1.0 <= interval.high => "**agree**",
        Some(_) => "**apart**",
        None => "too few rounds to tell",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(who: &str, mean_ns: [f64; 3]) -> MeanTimes {
        MeanTimes { who: who.into(), mean_ns: mean_ns.into() }
    }

    #[test]
    fn those_agree_whose_ratio_may_be_one() {
        let ours = said("ours", [100e3, 200e3, 300e3]);
        // Both drift alike; what is left scatters around the same value.
        let same = line(&said("theirs", [101e3, 197e3, 302e3]), &ours);
        assert!(same.starts_with("- theirs beside ours: × 1.00") && same.contains("**agree**"));
        assert!(line(&said("theirs", [130e3, 261e3, 388e3]), &ours).contains("**apart**"));
        assert!(line(&MeanTimes::new("nobody"), &ours).contains("not measured"));
    }

    #[test]
    fn a_table_has_the_medians_and_the_ratios_to_the_first() {
        let text = table("Of a write:", "mean", &[said("a", [1e5; 3]), said("b", [2e5; 3])]);
        assert!(text.contains("| a | 100.0 µs | 1 |\n| b | 200.0 µs | × 2.00 (2.00 to 2.00) |\n"));
    }
}
