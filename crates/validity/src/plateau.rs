//! Rates that stand at a limit which a provider gives to volumes.
//!
//! A token bucket lets through a documented number of operations per second and makes the rest wait: the rate is the same to a few
//! thousandths in every window, whatever the depth, and is that number. A device at its own limit scatters more, and its number is
//! no catalogue's. By chance a rate is within half a per cent of one of these in three of a hundred cases, and all of three repeats hardly
//! ever.

use narrows_model::metric;

use crate::evaluate::{Case, Evidence};

/// So far may each repeat be from the limit, as a share.
const NEAR: f64 = 0.005;
/// Repeats that all have to be there.
const FEWEST: usize = 3;

/// Operations per second of volumes, from their providers' documentation as of 2025: Amazon EBS (gp2 100 to 16,000 by size, gp3 3,000
/// included and 16,000, io1 and io2 64,000, io2 Block Express 256,000); Azure managed disks (Premium SSD P1 to P80, their bursts of
/// 3,500 and 30,000, Standard SSD and HDD 500 to 6,000).
pub(crate) const LIMITS_PER_S: [(f64, &str); 18] = [
    (100.0, "EBS gp2 at its smallest"),
    (120.0, "Azure Premium SSD P1 to P4"),
    (240.0, "Azure Premium SSD P6"),
    (500.0, "Azure Premium SSD P10, Standard SSD and HDD"),
    (1_100.0, "Azure Premium SSD P15"),
    (2_000.0, "Azure Standard SSD E60"),
    (2_300.0, "Azure Premium SSD P20"),
    (3_000.0, "EBS gp3 as included, EBS gp2 on burst credits"),
    (3_500.0, "Azure Premium SSD on burst credits"),
    (5_000.0, "Azure Premium SSD P30"),
    (6_000.0, "Azure Standard SSD E80"),
    (7_500.0, "Azure Premium SSD P40 and P50"),
    (16_000.0, "EBS gp2 and gp3 at most, Azure Premium SSD P60"),
    (18_000.0, "Azure Premium SSD P70"),
    (20_000.0, "Azure Premium SSD P80"),
    (30_000.0, "Azure Premium SSD on burst credits, large sizes"),
    (64_000.0, "EBS io1 and io2 at most"),
    (256_000.0, "EBS io2 Block Express at most"),
];

/// The limit at which all repeats stand.
pub(crate) fn evidence(case: &Case<'_>) -> Option<Evidence> {
    let rates = &case.measurement.metric(metric::THROUGHPUT)?.samples;
    if rates.len() < FEWEST {
        return None;
    }
    let at = |limit: f64| rates.iter().all(|rate| (rate / limit - 1.0).abs() <= NEAR);
    let (limit, whose) = LIMITS_PER_S.iter().find(|(limit, _)| at(*limit))?;
    let low = rates.iter().copied().reduce(f64::min)?;
    let high = rates.iter().copied().reduce(f64::max)?;
    Some(Evidence::new(format!(
        "throughput {low:.0} to {high:.0}/s over {} repeats; {limit:.0}/s is {whose}",
        rates.len()
    )))
}
