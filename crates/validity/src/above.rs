//! Was more measured than can have passed? What exceeds a physical limit came from nearer, or the limit is another part's.

use narrows_model::{LimitBasis, LimitShare, Measurement};
use narrows_units::Ratio;

/// A signal rate is exact, but for clocks and the edges of a window.
const OVER_RAW: f64 = 1.02;
/// A limit of the protocol assumes sizes of packets that may be larger (256 bytes on PCIe: 512 give 4 % more, framing without a header
/// for each packet 3 %).
const OVER_PROTOCOL: f64 = 1.10;
/// What ids of limits begin with that nothing exceeds.
const PHYSICAL: [&str; 5] = ["pcie:", "sata:", "sas:", "fc:", "dram:"];
const NETWORK: &str = "network:";

/// The limit that was exceeded most, in a sentence.
pub(crate) fn evidence(m: &Measurement, network: bool) -> Option<String> {
    let applies = |limit: &&LimitShare| match network {
        true => limit.id.starts_with(NETWORK),
        false => PHYSICAL.iter().any(|family| limit.id.starts_with(family)),
    };
    let exceeds = |limit: &&LimitShare| {
        let most = match limit.basis {
            LimitBasis::Raw => OVER_RAW,
            LimitBasis::Protocol => OVER_PROTOCOL,
            _ => return false,
        };
        limit.share.is_finite() && limit.share > most
    };
    let all = m.limits.iter().filter(applies).filter(exceeds);
    let worst = all.max_by(|one, other| one.share.total_cmp(&other.share))?;
    Some(format!("{} of what {} carries ({})", Ratio(worst.share), worst.id, worst.source))
}
