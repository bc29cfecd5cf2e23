//! The steps from the device's flush to the database's commit.

use narrows_model::{Measurement, Metric, Run, Validity, condition, family, metric};
use narrows_units::significant;

use crate::notes::{NoteMark, Notes};
use crate::print::{half_width, percent, size, time};

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRow {
    /// Its name in the ids: `write.fdatasync.overwrite.8k`.
    pub step: String,
    /// In words.
    pub name: String,
    /// Whether it is one of those that stand on each other, up to the database's commit; the others are other ways to write.
    pub in_chain: bool,
    /// Alone, and beside a load on the data files; absent where it was not measured.
    pub alone: Option<StepFigures>,
    /// Beside the load.
    pub beside: Option<StepFigures>,
    /// Of a step with a log tier in front: what it is against the same one without.
    pub tier: Option<TierGain>,
    /// How it was made durable, and how sure the increment is.
    pub remark: String,
    /// Footnotes of both.
    pub notes: Vec<NoteMark>,
}

/// A durable write with a log tier in front, alone, against the same one without.
#[derive(Debug, Clone, PartialEq)]
pub struct TierGain {
    /// The folder that was asked about.
    pub folder: String,
    /// Its time without the tier over that with it, repeat by repeat.
    pub speedup: f64,
    /// The 95 % interval of that; absent with fewer than three repeats.
    pub speedup_range: Option<(f64, f64)>,
}

impl TierGain {
    /// `× 9.10 faster (8.80 to 9.40)`.
    pub fn words(&self) -> String {
        let three = |value: f64| significant(value, 3);
        let factor = format!("× {}", three(self.speedup));
        let Some((low, high)) = self.speedup_range else {
            return format!("{factor} as fast");
        };
        let range = format!("({} to {})", three(low), three(high));
        match (low > 1.0, high < 1.0) {
            (true, _) => format!("{factor} faster {range}"),
            (_, true) => format!("{factor} as fast {range}: slower"),
            _ => format!("{factor} as fast {range}: no difference shown"),
        }
    }
}

/// Times of one step in one state, ns.
#[derive(Debug, Clone, PartialEq)]
pub struct StepFigures {
    /// Whether they may be trusted.
    pub validity: Validity,
    /// Median, and what it adds to the step below.
    pub p50_ns: Option<f64>,
    /// See there.
    pub added_p50_ns: Option<f64>,
    /// 99 %.
    pub p99_ns: Option<f64>,
    /// And what that adds.
    pub added_p99_ns: Option<f64>,
    /// 99.9 % of all repeats together.
    pub p999_ns: Option<f64>,
    /// And what that adds.
    pub added_p999_ns: Option<f64>,
    /// The 95 % interval of the median, and of what that adds; absent with fewer than six repeats.
    pub p50_range_ns: Option<(f64, f64)>,
    /// See there.
    pub added_p50_range_ns: Option<(f64, f64)>,
    /// The same of what p99 adds.
    pub added_p99_range_ns: Option<(f64, f64)>,
    /// p99 of each repeat, where all have one.
    pub p99_samples_ns: Vec<f64>,
}

/// All steps: those that others stand on and what stands on them in the order of height, then the other ways to write. A step with a
/// log tier in front follows the same one without.
pub(crate) fn rows(run: &Run, notes: &mut Notes) -> Vec<StepRow> {
    let mut names: Vec<&str> = Vec::new();
    for m in &run.measurements {
        if let Some((name, _)) = parts(m)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    let below = |name: &str| {
        let m = find(run, name, "alone").or(find(run, name, "beside"))?;
        m.text(condition::STANDS_ON).and_then(|id| family::LOG_LADDER.rest(id)?.rsplit_once('.'))
    };
    // From the top down: whoever is stood on by the database, else by the log writer.
    let top = ["commit_remote_flush", "commit_remote_write", "commit", "leader"];
    let mut chain: Vec<&str> = Vec::new();
    let mut at = top.into_iter().find(|name| names.contains(name));
    while let Some(name) = at {
        chain.insert(0, name);
        at = below(name).map(|(name, _)| name).filter(|name| !chain.contains(name));
    }
    let without = |name: &str| {
        let m = find(run, name, "alone").or(find(run, name, "beside"))?;
        m.text(condition::WITHOUT_TIER).and_then(|id| family::LOG_LADDER.rest(id)?.rsplit_once('.'))
    };
    let with: Vec<(&str, &str)> =
        names.iter().filter_map(|name| Some((without(name)?.0, *name))).collect();
    let is_with = |name: &&str| with.iter().any(|(_, with)| with == name);
    let rest = names.iter().copied().filter(|name| !chain.contains(name) && !is_with(name));
    let chained = chain.iter().map(|name| (*name, true)).chain(rest.map(|name| (name, false)));
    let mut rows = Vec::new();
    for (name, in_chain) in chained {
        rows.push(row(run, name, in_chain, notes));
        let its = with.iter().filter(|(without, _)| *without == name);
        rows.extend(its.map(|(_, with)| row(run, with, false, notes)));
    }
    rows
}

fn parts(m: &Measurement) -> Option<(&str, &str)> {
    family::LOG_LADDER.rest(&m.id)?.rsplit_once('.')
}

fn find<'a>(run: &'a Run, name: &str, state: &str) -> Option<&'a Measurement> {
    run.measurement(&format!("log.ladder.{name}.{state}"))
}

fn row(run: &Run, name: &str, in_chain: bool, notes: &mut Notes) -> StepRow {
    let (alone, beside) = (find(run, name, "alone"), find(run, name, "beside"));
    let ids: Vec<&str> = [alone, beside].iter().flatten().map(|m| m.id.as_str()).collect();
    let tier = alone.and_then(|m| tier_gain(run, m));
    let gain = tier.as_ref().map(TierGain::words);
    let remarks = gain.into_iter().chain(alone.map(remark)).filter(|text| !text.is_empty());
    StepRow {
        step: name.to_string(),
        name: words(name, alone.or(beside)),
        in_chain,
        alone: alone.map(figures),
        beside: beside.map(figures),
        remark: remarks.collect::<Vec<String>>().join("; "),
        tier,
        notes: notes.marks(run, &ids),
    }
}

/// `None` where the step has no tier, or one of both is invalid.
fn tier_gain(run: &Run, m: &Measurement) -> Option<TierGain> {
    let without = run.measurement(m.text(condition::WITHOUT_TIER)?)?;
    if [m, without].iter().any(|m| m.validity == Validity::Invalid) {
        return None;
    }
    let ratio =
        m.metric(metric::TIER_SPEEDUP_P50).or_else(|| m.metric(metric::TIER_SPEEDUP_MEAN))?;
    Some(TierGain {
        folder: m.text(condition::FOLDER).unwrap_or_default().to_string(),
        speedup: ratio.value,
        speedup_range: ratio.interval_95.as_ref().map(|interval| (interval.low, interval.high)),
    })
}

fn figures(m: &Measurement) -> StepFigures {
    // An invalid figure is not printed at all: what is printed gets quoted.
    let known = |name: Metric| m.metric(name).filter(|_| m.validity != Validity::Invalid);
    let value = |name: Metric| known(name).map(|metric| metric.value);
    let range = |name: Metric| {
        known(name)?.interval_95.as_ref().map(|interval| (interval.low, interval.high))
    };
    StepFigures {
        validity: m.validity,
        p50_ns: value(metric::LATENCY_P50),
        added_p50_ns: value(metric::ADDED_P50),
        p99_ns: value(metric::LATENCY_P99).or(value(metric::LATENCY_P99_ALL)),
        added_p99_ns: value(metric::ADDED_P99),
        p999_ns: value(metric::LATENCY_P999_ALL),
        added_p999_ns: value(metric::ADDED_P999),
        p50_range_ns: range(metric::LATENCY_P50),
        added_p50_range_ns: range(metric::ADDED_P50),
        added_p99_range_ns: range(metric::ADDED_P99),
        p99_samples_ns: known(metric::LATENCY_P99).map(|m| m.samples.clone()).unwrap_or_default(),
    }
}

fn words(name: &str, m: Option<&Measurement>) -> String {
    if let Some(words) = m.and_then(tier_words) {
        return words;
    }
    match name {
        "flush" => "the device's idle flush".to_string(),
        "leader" => "WAL writer, one session leads".to_string(),
        "post_wait" => "WAL writer, posted and waited for".to_string(),
        "commit" => "the database's commit".to_string(),
        "commit_async" => "its commit without a flush".to_string(),
        "commit_remote_write" => "with the standby's write".to_string(),
        "commit_remote_flush" => "with the standby's flush".to_string(),
        _ => {
            let text = |key| m.and_then(|m| m.text(key)).unwrap_or("?");
            let bytes = m.and_then(|m| m.number(condition::BLOCK_BYTES)).unwrap_or(0.0);
            let method = text(condition::SYNC_METHOD).replace('_', " ");
            format!("{} {method}, {}", size(bytes), text(condition::LAYOUT))
        }
    }
}

/// Of a step that is there because of a log tier.
fn tier_words(m: &Measurement) -> Option<String> {
    let tier = m.text(condition::WITHOUT_TIER).is_some();
    let writers = m.number(condition::THREADS).filter(|writers| *writers > 1.0);
    match (writers, tier) {
        (None, false) => None,
        (None, true) => Some("the same flush with the tier".to_string()),
        (Some(writers), false) => Some(format!("{writers} writers at once")),
        (Some(writers), true) => Some(format!("{writers} writers at once, with the tier")),
    }
}

fn remark(m: &Measurement) -> String {
    let mut parts = Vec::new();
    if m.validity == Validity::Invalid {
        return String::new();
    }
    if let Some(added) = m.metric(metric::ADDED_P50)
        && let Some(interval) = added.interval_95.as_ref()
    {
        let (low, high) = (signed(interval.low), signed(interval.high));
        parts.push(format!("adds {low} to {high} at p50 (95 %)"));
    } else if let Some(p50) = m.metric(metric::LATENCY_P50)
        && let Some(share) = half_width(p50.interval_95.as_ref())
    {
        parts.push(format!("p50 ± {}", percent(share)));
    } else if m.value(metric::LATENCY_P50).is_none()
        && let (Some(mean), Some(of)) = (m.value(metric::LATENCY_MEAN), m.value(metric::OPERATIONS))
    {
        parts.push(format!("mean {}: {of:.0} per window are too few for percentiles", time(mean)));
    }
    let by = m.text(condition::DURABLE_BY).filter(|_| m.id.contains(".write."));
    match by {
        Some("flush") => parts.push("durable by a flush of the device".to_string()),
        Some("fua") => parts.push("durable by the write itself (FUA)".to_string()),
        Some("unknown") | None => {}
        // Nothing made it so.
        Some(other) => parts.push(other.strip_prefix("nothing: ").unwrap_or(other).to_string()),
    }
    parts.join("; ")
}

/// `+12.0 µs`, `-3.10 µs`.
pub(crate) fn signed(ns: f64) -> String {
    let sign = if ns < 0.0 { "-" } else { "+" };
    format!("{sign}{}", time(ns.abs()))
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, MetricValue};

    use super::*;

    #[test]
    fn durable_by_is_said_only_of_what_made_it_so() {
        let mut m = Measurement::new("log.ladder.write.dsync.overwrite.8k.alone", Layer::Log);
        let mut said = |by: &str| {
            m.conditions.insert(narrows_model::condition::DURABLE_BY, by);
            remark(&m)
        };
        assert_eq!(said("fua"), "durable by the write itself (FUA)");
        let nothing = "nothing: the kernel treats the device as one without a volatile cache";
        assert_eq!(said(nothing), "the kernel treats the device as one without a volatile cache");
        assert_eq!(said("no flush was counted"), "no flush was counted");
        assert_eq!(said("unknown"), "");
    }

    #[test]
    fn what_is_too_slow_for_percentiles_has_its_mean() {
        let mut m = Measurement::new("log.ladder.commit.alone", Layer::Log);
        let of = |name: Metric, value| MetricValue::new(name, value, None, vec![value]);
        m.metrics.push(of(metric::LATENCY_MEAN, 8.76e6));
        m.metrics.push(of(metric::OPERATIONS, 13.0));
        assert_eq!(remark(&m), "mean 8.76 ms: 13 per window are too few for percentiles");
        m.metrics.push(of(metric::LATENCY_P50, 8.0e6));
        assert_eq!(remark(&m), "");
    }

    #[test]
    fn a_gain_is_claimed_only_where_the_interval_shows_it() {
        let words = |speedup, speedup_range| {
            TierGain { folder: "/on".to_string(), speedup, speedup_range }.words()
        };
        assert_eq!(words(9.1, Some((8.8, 9.4))), "× 9.10 faster (8.80 to 9.40)");
        assert_eq!(
            words(1.1, Some((0.9, 1.3))),
            "× 1.10 as fast (0.900 to 1.30): no difference shown"
        );
        assert_eq!(words(0.5, Some((0.4, 0.6))), "× 0.500 as fast (0.400 to 0.600): slower");
        assert_eq!(words(9.1, None), "× 9.10 as fast");
    }

    #[test]
    fn increments_have_a_sign() {
        assert_eq!(signed(12_000.0), "+12.0 µs");
        assert_eq!(signed(-3_100.0), "-3.10 µs");
    }
}
