//! Oracle's numbers, in Oracle's form: what `DBMS_RESOURCE_MANAGER.CALIBRATE_IO` would have stored.
//!
//! The procedure reads single blocks at random, raises the number of outstanding reads until their mean latency would pass
//! `max_latency`, and keeps the rate (`max_iops`) and the mean latency (`actual_latency`, whole milliseconds). Then it
//! reads 1 MB at random (`max_mbps`), once with a single process (`max_pmbps`). Columns of
//! `DBA_RSRC_IO_CALIBRATE`: MAX_IOPS, MAX_MBPS, MAX_PMBPS, LATENCY, NUM_PHYSICAL_DISKS.
//!
//! Not an answer we stand behind: a mean hides its tail, a closed loop hides its queue, and on flash the latency is 0.
//! It stands beside ours so that the two can be compared. Assumed, because Oracle does not say: whole
//! milliseconds are rounded down (0 is what flash is reported with), and a MB is 2²⁰ bytes, as its reads are.

use narrows_model::OracleNumbers;

/// What `max_latency` is when nobody says, ms.
pub const DEFAULT_MAX_LATENCY_MS: u32 = 20;
const MIB: f64 = 1024.0 * 1024.0;

/// One depth of a closed loop of random single-block reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthPoint {
    /// Reads per second.
    pub rate_per_s: f64,
    /// Mean latency, ns.
    pub mean_ns: f64,
}

/// From a ramp by depth (in order of depth), and bytes per second of 1 MiB random reads, by all and by one process.
///
/// The ramp ends before the first depth whose mean latency passes `max_latency_ms`; `max_iops` is the largest rate
/// up to there. `None` when the ramp is empty or its first depth already passes, as Oracle then has no result.
pub fn derive(
    ramp: &[DepthPoint],
    large_bytes_per_s: f64,
    one_process_bytes_per_s: Option<f64>,
    max_latency_ms: u32,
) -> Option<OracleNumbers> {
    let within = ramp.iter().take_while(|p| p.mean_ns <= f64::from(max_latency_ms) * 1e6);
    let best = within.max_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s))?;
    Some(OracleNumbers {
        max_iops: best.rate_per_s as u64,
        max_mbps: (large_bytes_per_s / MIB) as u64,
        max_pmbps: one_process_bytes_per_s.map(|rate| (rate / MIB) as u64),
        latency_ms: (best.mean_ns / 1e6) as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(points: &[(f64, f64)]) -> Vec<DepthPoint> {
        let point = |&(rate_per_s, ms): &(f64, f64)| DepthPoint { rate_per_s, mean_ns: ms * 1e6 };
        points.iter().map(point).collect()
    }

    #[test]
    fn the_ramp_ends_before_the_latency_passes() {
        // A disk: more depth, more latency. What comes back under the limit later does not count.
        let ramp = ramp(&[(120.0, 8.3), (210.0, 9.5), (300.0, 19.9), (350.0, 22.9), (500.0, 15.0)]);
        let row = derive(&ramp, 157.9 * MIB, Some(80.2 * MIB), 20).unwrap();
        assert_eq!(
            row,
            OracleNumbers { max_iops: 300, max_mbps: 157, max_pmbps: Some(80), latency_ms: 19 }
        );
    }

    #[test]
    fn flash_has_a_latency_of_zero_as_oracle_prints_it() {
        let ramp = ramp(&[(10_000.0, 0.1), (320_000.0, 0.2), (640_000.0, 0.8), (650_000.0, 1.6)]);
        let row = derive(&ramp[..3], 7e9, None, 20).unwrap();
        assert_eq!((row.max_iops, row.latency_ms, row.max_pmbps), (640_000, 0, None));
    }

    #[test]
    fn a_device_slower_than_the_limit_has_no_row() {
        assert_eq!(derive(&ramp(&[(30.0, 33.0)]), 1e8, None, 20), None);
        assert_eq!(derive(&[], 1e8, None, 20), None);
    }
}
