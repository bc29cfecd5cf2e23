//! Rates that stand at a limit which a provider gives to volumes.
//!
//! A token bucket lets through a documented number of operations per second and makes the rest wait: the rate is the same to a few
//! thousandths in every window, whatever the depth, and is that number. A device at its own limit scatters more, and its number is
//! no catalogue's. By chance a rate is within half a per cent of one of these in three of a hundred cases ([`chance`]), and all of three
//! repeats hardly ever. So a number is in the table only where a volume has it as it comes, at its size, or at the most: what is set to any
//! number (EBS gp3, io1 and io2, Azure Premium SSD v2 and Ultra, Google's disks by the GiB) can't be told by it.

use narrows_model::metric;

use crate::evaluate::{Case, Evidence};

/// So far may each repeat be from the limit, as a share.
const NEAR: f64 = 0.005;
/// Repeats that all have to be there.
const FEWEST: usize = 3;

/// Operations per second of volumes, ascending, as their providers document them in 2026, with every volume that has that number.
///
/// - Amazon EBS: gp3, io1, io2 and what an instance without Nitro reaches from the
///   [EC2 API, `CreateVolume`](https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html); that every io2 volume is a Block
///   Express one since 2025-04-30 from the [guide to provisioned IOPS](https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html);
///   gp2 and st1 from the [volume types](https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html).
/// - Azure managed disks: the tables of [disk types](https://learn.microsoft.com/azure/virtual-machines/disks-types), with what "performance
///   plus" adds, and [bursting](https://learn.microsoft.com/azure/virtual-machines/disk-bursting): on credits up to P20, for 30 minutes;
///   on demand from P30, without end and charged.
pub(crate) const LIMITS_PER_S: [(f64, &str); 24] = [
    (100.0, "EBS gp2 of up to 33 GiB, the least of EBS io1 and io2 and of Azure Ultra"),
    (120.0, "Azure Premium SSD P1 to P4"),
    (240.0, "Azure Premium SSD P6"),
    (
        500.0,
        "Azure Premium SSD P10, Standard SSD up to E50, Standard HDD up to S50, EBS st1 at most",
    ),
    (1_100.0, "Azure Premium SSD P15"),
    (1_300.0, "Azure Standard HDD S60"),
    (2_000.0, "Azure Standard SSD E60, Standard HDD S70 and S80"),
    (2_300.0, "Azure Premium SSD P20"),
    (
        3_000.0,
        "EBS gp3 and Azure Premium SSD v2 as included, EBS gp2 on burst credits, Azure Standard HDD and Standard SSD E40 with performance plus",
    ),
    (3_500.0, "Azure Premium SSD up to P20 on burst credits"),
    (4_000.0, "Azure Standard SSD E70"),
    (5_000.0, "Azure Premium SSD P30"),
    (6_000.0, "Azure Standard SSD E80, and E50 to E70 with performance plus"),
    (7_500.0, "Azure Premium SSD P40 and P50"),
    (8_000.0, "Azure Premium SSD P30 with performance plus"),
    (
        16_000.0,
        "EBS gp2 at most, EBS gp3 at most until 2025, Azure Premium SSD P60, and P40 with performance plus",
    ),
    (18_000.0, "Azure Premium SSD P70"),
    (20_000.0, "Azure Premium SSD P80, and P50 to P70 with performance plus"),
    (30_000.0, "Azure Premium SSD of P30 and larger with on-demand bursting"),
    (32_000.0, "EBS io1 and io2 on instances without Nitro"),
    (64_000.0, "EBS io1 at most, EBS io2 at most until April 2025"),
    (80_000.0, "EBS gp3 and Azure Premium SSD v2 at most"),
    (256_000.0, "EBS io2 at most"),
    (400_000.0, "Azure Ultra at most"),
];

/// The share of rates that are as near to a limit by chance, of rates between the least and the largest limit that are as likely in each
/// doubling.
pub(crate) fn chance() -> f64 {
    let limits = LIMITS_PER_S.map(|(limit, _)| limit);
    let band = ((1.0 + NEAR) / (1.0 - NEAR)).ln();
    let all = (limits[limits.len() - 1] / limits[0]).ln();
    band * limits.len() as f64 / all
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// What the head of this file says: three of a hundred. Bands that overlapped would be counted twice.
    #[test]
    fn the_chance_of_a_false_hit_is_what_is_told() {
        for pair in LIMITS_PER_S.windows(2) {
            let (below, above) = (pair[0].0 * (1.0 + NEAR), pair[1].0 * (1.0 - NEAR));
            assert!(below < above, "{} and {}", pair[0].0, pair[1].0);
        }
        assert!((chance() - 0.0289).abs() < 1e-4, "{}", chance());
    }
}
