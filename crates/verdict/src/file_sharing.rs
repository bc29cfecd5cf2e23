//! Do several writers to one file wait for each other, as where a lock of the file (its inode's) lets one direct write in at a time?
//!
//! Windows of writers on one file and windows of as many on a file each come in pairs, so that what drifts meets both. A lock shows where
//! writers together reach clearly less than apart.

use narrows_model::{FileSharing, FileSharingOutcome, Measurement, Run, Validity, metric};
use narrows_stats::paired_ratio;

/// The measurements of writers to one file, and of writers to a file each.
const TOGETHER: &str = "block.writers.together";
const APART: &str = "block.writers.apart";
/// Below this share of the rate apart, the file is what holds the writers up.
const CONCURRENT_FROM: f64 = 0.9;

/// What follows from them; `None` where they weren't measured, or are invalid.
pub fn file_sharing(run: &Run) -> Option<FileSharing> {
    let valid = |id| run.measurement(id).filter(|m| m.validity != Validity::Invalid);
    let (together, apart) = (valid(TOGETHER)?, valid(APART)?);
    let ratio = paired_ratio(rates(together), rates(apart));
    let interval_95 = ratio.as_ref().and_then(|ratio| ratio.interval_95);
    let outcome = match &interval_95 {
        Some(range) if range.high < CONCURRENT_FROM => FileSharingOutcome::HeldUp,
        Some(range) if range.low >= CONCURRENT_FROM => FileSharingOutcome::Concurrent,
        _ => FileSharingOutcome::Open,
    };
    Some(FileSharing {
        writers: together.number(narrows_model::condition::WRITERS).unwrap_or_default() as u32,
        outcome,
        share: ratio.map(|ratio| ratio.value),
        interval_95,
        direct_refused: together.text(narrows_model::condition::DIRECT_REFUSED).map(str::to_string),
    })
}

fn rates(measurement: &Measurement) -> &[f64] {
    measurement.metric(metric::THROUGHPUT).map_or(&[], |rate| &rate.samples)
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, MetricValue, Plan, Platform};

    use super::*;

    const MANY: [f64; 6] = [1000.0, 1010.0, 990.0, 1005.0, 995.0, 1000.0];

    fn run(together: &[f64]) -> Run {
        let mut run = Run::blank(Plan::default(), Platform::default());
        run.measurements = [(TOGETHER, together), (APART, MANY.as_slice())]
            .map(|(id, samples)| {
                let mut m = Measurement::new(id, Layer::Block);
                let rate = MetricValue::new(metric::THROUGHPUT, samples[0], None, samples.to_vec());
                m.metrics = vec![rate];
                m.workload.insert(narrows_model::condition::WRITERS, 4);
                m
            })
            .to_vec();
        run
    }

    fn outcome(together: &[f64]) -> FileSharingOutcome {
        file_sharing(&run(together)).unwrap().outcome
    }

    #[test]
    fn a_lock_is_told_from_none_and_from_noise() {
        let scaled = |by: f64| MANY.map(|rate| rate * by);
        assert_eq!(outcome(&scaled(0.3)), FileSharingOutcome::HeldUp);
        assert_eq!(outcome(&scaled(1.0)), FileSharingOutcome::Concurrent);
        let noise = [300.0, 1500.0, 700.0, 1200.0, 400.0, 1400.0];
        assert_eq!(outcome(&noise), FileSharingOutcome::Open);
        assert_eq!(outcome(&noise[..5]), FileSharingOutcome::Open, "not in pairs");
    }

    #[test]
    fn what_is_invalid_or_was_not_measured_decides_nothing() {
        let mut invalid = run(&MANY);
        invalid.measurements[1].validity = Validity::Invalid;
        assert_eq!(file_sharing(&invalid), None);
        assert_eq!(file_sharing(&Run::blank(Plan::default(), Platform::default())), None);
    }
}
