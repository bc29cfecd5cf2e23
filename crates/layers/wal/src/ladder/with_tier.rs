//! The durable write of the log's folder once more where a log tier is in front: by one writer, and by several at once.
//!
//! The rungs are the same in both folders: the same calls, sizes and files, in the same repeats. The device's bare flush is none of them: a
//! tier that acknowledges durably reports no volatile write cache, so a flush of its device is sent nowhere, and beside a real one it
//! would look as fast as a system call.
//!
//! What a tier was given is moved to its backing afterwards, which may be the device of the log's own folder. So its rungs come last in each
//! turn, and a pause follows ([`settle`]).

use std::path::Path;
use std::time::Duration;

use narrows_engine::{Context, Stopped};
use narrows_model::{Measurement, Metric, MetricValue, condition, metric};

use super::durable::DurableWrites;
use super::rung::{LadderRung, LadderTier};
use super::write_variant::WriteVariant;
use crate::page::Pages;
use crate::segment::Segment;
use crate::{LogError, SEGMENT_BYTES, most_bytes};

/// Writers at once where there are several.
const WRITERS: u32 = 4;
/// The file of each of them.
const WRITER_BYTES: u64 = SEGMENT_BYTES / 4;
/// A pause after its rungs, in windows.
const SETTLE_WINDOWS: u32 = 4;

/// Files in both folders.
#[derive(Debug)]
pub struct TierSegments {
    one: Segment,
    several: Vec<Segment>,
    without: Vec<Segment>,
}

impl TierSegments {
    /// Writes them: the log's segment again, and a smaller one for each of several writers in both folders.
    ///
    /// # Errors
    /// As of any segment.
    pub fn create(ctx: &Context, log: &Path, tier: &Path) -> Result<TierSegments, LogError> {
        let writers = |dir: &Path| -> Result<Vec<Segment>, LogError> {
            let one = |number: u32| {
                let (name, seed) = (format!("log-writer-{number}"), ctx.seed ^ u64::from(number));
                Segment::create(dir, &name, WRITER_BYTES, seed, ctx.stop)
            };
            (1..=WRITERS).map(one).collect()
        };
        Ok(TierSegments {
            one: Segment::create(tier, "log-segment", SEGMENT_BYTES, ctx.seed, ctx.stop)?,
            several: writers(tier)?,
            without: writers(log)?,
        })
    }

    /// The rungs: several writers in the log's folder, and both in the tier's.
    ///
    /// # Errors
    /// A write that fails.
    pub fn rungs<'a>(
        &self,
        log: &Path,
        tier: LadderTier<'a>,
        pages: &'a Pages,
    ) -> Result<Vec<LadderRung<'a>>, LogError> {
        let (base, several) = (WriteVariant::POSTGRES.name(), several_name());
        let mut all = vec![rung(&self.without, log, pages, several.clone())?];
        let one = std::slice::from_ref(&self.one);
        for (segments, without) in [(one, base), (&self.several[..], several)] {
            let mut rung = rung(segments, tier.folder, pages, tier_name(&without))?;
            (rung.tier, rung.without_tier) = (Some(tier), Some(without));
            all.push(rung);
        }
        Ok(all)
    }
}

fn several_name() -> String {
    format!("{}.writers_{WRITERS}", WriteVariant::POSTGRES.name())
}

fn tier_name(without: &str) -> String {
    format!("{without}.tier")
}

/// A writer for each of these segments; the first is the one that is timed.
fn rung<'a>(
    segments: &[Segment],
    dir: &Path,
    pages: &'a Pages,
    name: String,
) -> Result<LadderRung<'a>, LogError> {
    let open = |segment: &Segment| {
        DurableWrites::open(WriteVariant::POSTGRES, segment, dir, pages, None)
            .map_err(|reason| LogError::of("writing to", segment.path(), segment.bytes(), reason))
    };
    let mut writers: Vec<DurableWrites<'a>> =
        segments.iter().map(open).collect::<Result<_, _>>()?;
    let others = writers.split_off(1);
    let first = writers.remove(0).called(name).among(segments.len() as u32);
    Ok(LadderRung { others, ..LadderRung::of(Box::new(first)) })
}

/// After the tier's windows: what it has still to move to its backing is in no other step's window, as far as it is done by then.
///
/// # Errors
/// A stop.
pub fn settle(ctx: &Context) -> Result<(), Stopped> {
    ctx.stop.sleep(settle_length(ctx))
}

fn settle_length(ctx: &Context) -> Duration {
    ctx.window * SETTLE_WINDOWS
}

/// What the rungs take besides the others' and write, in each repeat and state.
#[derive(Debug, Clone, Copy)]
pub struct PlannedRungs {
    /// How many there are.
    pub rungs: u64,
    /// Pauses, seconds.
    pub pauses_s: f64,
    /// Most bytes that their windows write.
    pub window_bytes: u64,
    /// Their files.
    pub file_bytes: u64,
}

/// For a plan: one writer with the tier, and several with it and without.
pub fn planned(ctx: &Context) -> PlannedRungs {
    let writers = u64::from(WRITERS);
    PlannedRungs {
        rungs: 3,
        pauses_s: settle_length(ctx).as_secs_f64(),
        window_bytes: (1 + 2 * writers) * most_bytes(ctx),
        file_bytes: SEGMENT_BYTES + 2 * writers * WRITER_BYTES,
    }
}

/// Which figure of both gives which ratio.
const RATIOS: [(Metric, Metric); 2] = [
    (metric::LATENCY_P50, metric::TIER_SPEEDUP_P50),
    (metric::LATENCY_MEAN, metric::TIER_SPEEDUP_MEAN),
];

/// Adds to each step with a tier how many times as fast it was as the same step without, repeat by repeat in the same state.
pub fn compare(measurements: &mut [Measurement]) {
    for at in 0..measurements.len() {
        let Some(without) = measurements[at].text(condition::WITHOUT_TIER) else { continue };
        let Some(without) = measurements.iter().find(|m| m.id.as_str() == without) else {
            continue;
        };
        let ratios: Vec<MetricValue> = RATIOS
            .iter()
            .filter_map(|(of, ratio)| {
                let (without, with) = (without.metric(*of)?, measurements[at].metric(*of)?);
                ratio_of(*ratio, &without.samples, &with.samples)
            })
            .collect();
        measurements[at].metrics.extend(ratios);
    }
}

/// Repeat by repeat; `None` where one of them lacks a repeat.
fn ratio_of(name: Metric, without: &[f64], with: &[f64]) -> Option<MetricValue> {
    let ratio = narrows_stats::paired_ratio(without, with)?;
    let samples: Vec<f64> = without.iter().zip(with).map(|(off, on)| off / on).collect();
    Some(MetricValue::new(name, ratio.value, ratio.interval_95, samples))
}

#[cfg(test)]
mod tests {
    use narrows_model::Layer;

    use super::*;

    fn step(id: &str, p50: &[f64], without: Option<&str>) -> Measurement {
        let mut m = Measurement::new(id, Layer::Log);
        let median = narrows_stats::median(p50).unwrap();
        m.metrics.push(MetricValue::new(metric::LATENCY_P50, median, None, p50.to_vec()));
        if let Some(without) = without {
            m.conditions.insert(condition::WITHOUT_TIER, without);
        }
        m
    }

    #[test]
    fn a_drift_that_meets_both_is_in_no_ratio() {
        let off = [100.0, 150.0, 200.0, 250.0, 280.0, 300.0];
        let on = off.map(|ns| ns / 8.0);
        let (without, with) = ("log.ladder.write.alone", "log.ladder.write.tier.alone");
        let mut all = [
            step(without, &off, None),
            step(with, &on, Some(without)),
            step("log.ladder.write.tier.beside", &on, Some("log.ladder.write.beside")),
        ];
        compare(&mut all);
        let ratio = all[1].metric(metric::TIER_SPEEDUP_P50).unwrap();
        assert_eq!(ratio.samples, [8.0; 6]);
        let ends = ratio.interval_95.as_ref().map(|i| [i.low, ratio.value, i.high]).unwrap();
        assert!(ends.iter().all(|end| (end / 8.0 - 1.0).abs() < 1e-9), "{ends:?}");
        assert!(all[1].metric(metric::TIER_SPEEDUP_MEAN).is_none(), "no mean was measured");
        assert!(all[0].metric(metric::TIER_SPEEDUP_P50).is_none());
        assert!(all[2].metric(metric::TIER_SPEEDUP_P50).is_none(), "nothing to compare it with");
    }

    #[test]
    fn repeats_that_do_not_pair_give_no_ratio() {
        let name = metric::TIER_SPEEDUP_P50;
        assert!(ratio_of(name, &[1.0, 2.0], &[1.0]).is_none());
        assert!(ratio_of(name, &[1.0], &[0.0]).is_none());
        assert!(ratio_of(name, &[], &[]).is_none());
    }
}
