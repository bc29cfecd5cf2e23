//! One program's samples over the rounds, and the table that sets them side by side.

use narrows_stats::{RatioEstimate, median, paired_ratio};

use super::pooled::pooled_ratio;

/// What one window cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub rate_per_s: f64,
    pub cpu_per_op_ns: f64,
    /// Of it, outside of the kernel.
    pub user_per_op_ns: f64,
}

/// One contender's samples, one a round: rate, CPU time per operation, and the part of that outside of the kernel.
#[derive(Debug, Default, Clone)]
pub(crate) struct Contender {
    pub name: String,
    pub rate_per_s: Vec<f64>,
    pub cpu_per_op_ns: Vec<f64>,
    pub user_per_op_ns: Vec<f64>,
}

impl Contender {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Contender { name: name.into(), ..Contender::default() }
    }

    pub(crate) fn add(&mut self, rate_per_s: f64, cpu_per_op_ns: f64) {
        self.rate_per_s.push(rate_per_s);
        self.cpu_per_op_ns.push(cpu_per_op_ns);
    }

    pub(crate) fn add_pair(&mut self, (rate_per_s, cpu_per_op_ns): (f64, f64)) {
        self.add(rate_per_s, cpu_per_op_ns);
    }

    pub(crate) fn add_cost(&mut self, cost: Cost) {
        self.add(cost.rate_per_s, cost.cpu_per_op_ns);
        self.user_per_op_ns.push(cost.user_per_op_ns);
    }
}

/// A table with the first contender as the measure of the others.
pub(crate) fn table(caption: &str, unit: &str, contenders: &[Contender]) -> String {
    let ours = &contenders[0];
    let user = !ours.user_per_op_ns.is_empty();
    let (title, rule) =
        if user { (" outside of the kernel | of ours |", " ---: | ---: |") } else { ("", "") };
    let mut text = format!(
        "{caption}\n\n| | {unit} | of ours | CPU per operation | of ours |{title}\n| --- | ---: | ---: | ---: | ---: |{rule}\n"
    );
    for (place, contender) in contenders.iter().enumerate() {
        let of_ours = |theirs: &[f64], ours: &[f64]| match place {
            0 => "1".into(),
            _ => relation(theirs, ours),
        };
        text += &format!(
            "| {} | {} | {} | {} | {} |",
            contender.name,
            figure(&contender.rate_per_s, |rate| {
                let (number, prefix) = narrows_units::si(rate);
                format!("{number} {prefix}/s")
            }),
            of_ours(&contender.rate_per_s, &ours.rate_per_s),
            figure(&contender.cpu_per_op_ns, micros),
            of_ours(&contender.cpu_per_op_ns, &ours.cpu_per_op_ns),
        );
        if user {
            text += &format!(
                " {} | {} |",
                figure(&contender.user_per_op_ns, |ns| format!("{ns:.0} ns")),
                match place {
                    0 => "1".into(),
                    _ => pooled_ratio(&contender.user_per_op_ns, &ours.user_per_op_ns)
                        .map_or("-".into(), |ratio| printed(&ratio)),
                },
            );
        }
        text += "\n";
    }
    text + "\n"
}

/// Nanoseconds as microseconds, with a digit more where there is less than one.
fn micros(ns: f64) -> String {
    if ns < 1e3 { format!("{:.3} µs", ns / 1e3) } else { format!("{:.2} µs", ns / 1e3) }
}

/// The median, or a dash where nothing was measured.
pub(crate) fn figure(samples: &[f64], print: impl Fn(f64) -> String) -> String {
    median(samples).map_or("-".into(), print)
}

/// Theirs over ours, round by round.
fn relation(theirs: &[f64], ours: &[f64]) -> String {
    paired_ratio(theirs, ours).map_or("-".into(), |ratio| printed(&ratio))
}

/// `× 1.05 (1.02 to 1.08)`.
pub(crate) fn printed(ratio: &RatioEstimate) -> String {
    let interval = ratio.interval_95.map_or(String::new(), |interval| {
        format!(" ({:.2} to {:.2})", interval.low, interval.high)
    });
    format!("× {:.2}{interval}", ratio.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_set_against_ours_of_the_same_round() {
        let (mut ours, mut theirs) = (Contender::new("ours"), Contender::new("theirs"));
        // Both double from round to round, as on a machine that slows down: the ratio doesn't move.
        for round in [1.0, 2.0, 4.0] {
            ours.add(100.0 * round, 1000.0 / round);
            theirs.add(50.0 * round, 3000.0 / round);
        }
        let text = table("Caption:", "reads", &[ours, theirs]);
        let row = text.trim_end().lines().last().unwrap_or_default();
        assert_eq!(
            row,
            "| theirs | 100 /s | × 0.50 (0.50 to 0.50) | 1.50 µs | × 3.00 (3.00 to 3.00) |"
        );
        assert!(!text.contains("outside of the kernel"));
    }
}
