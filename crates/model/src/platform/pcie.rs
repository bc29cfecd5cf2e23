//! PCIe links.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One PCIe link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PcieLink {
    /// Address of the end nearer to the device.
    pub address: String,
    /// Speed now, GT/s.
    pub current_gts: Option<f64>,
    /// Lanes now.
    pub current_width: Option<u32>,
    /// Speed this end could do, GT/s.
    pub max_gts: Option<f64>,
    /// Lanes this end could do.
    pub max_width: Option<u32>,
    /// Whether it is in flit mode, by bit 10 of its register Link Status 2; asked where this end supports 32 GT/s or more, and absent
    /// where that can't be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flit_mode: Option<bool>,
}

impl PcieLink {
    /// Bytes that the link carries each way in a second now, after its encoding and before packet headers; `None` where
    /// speed or width aren't known, or nothing about that speed is.
    pub fn bytes_per_s(&self) -> Option<f64> {
        let lane = lane_bytes_per_s(self.current_gts?, self.flit_mode == Some(true))?;
        Some(lane * f64::from(self.current_width?))
    }

    /// The same at the most that this end could do, in the mode that the link is in.
    pub fn max_bytes_per_s(&self) -> Option<f64> {
        let lane = lane_bytes_per_s(self.max_gts?, self.flit_mode == Some(true))?;
        Some(lane * f64::from(self.max_width?))
    }

    /// Whether its speed leaves open that it is in flit mode: two ends that both know flits use them at every speed (PCI Express Base
    /// Specification 6.0). They came with 64 GT/s, at which nothing else exists; no function is known that has them and is slower than
    /// 32.
    pub fn may_be_in_flits(&self) -> bool {
        let most = self.max_gts.into_iter().chain(self.current_gts).reduce(f64::max);
        most.is_some_and(|gts| gts >= FLITS_FROM_GTS)
            && self.current_gts.is_none_or(|gts| gts < 64.0)
    }

    /// The fastest and widest that both ends could do, this one and `port`; where one end doesn't say, the other's word.
    pub fn most_with(&self, port: Option<&PcieLink>) -> (Option<f64>, Option<u32>) {
        let gts = [self.max_gts, port.and_then(|port| port.max_gts)];
        let width = [self.max_width, port.and_then(|port| port.max_width)];
        (gts.into_iter().flatten().reduce(f64::min), width.into_iter().flatten().min())
    }
}

impl PcieLink {
    /// A speed as the kernel writes it: `8 GT/s`, `8.0 GT/s PCIe`; `Unknown` and its relatives are unknown.
    pub fn parse_gts(text: &str) -> Option<f64> {
        let (number, rest) = text.trim().split_once(' ')?;
        let speed: f64 = number.parse().ok()?;
        (rest.starts_with("GT/s") && speed > 0.0 && speed.is_finite()).then_some(speed)
    }

    /// Lanes as the kernel writes them: 0 is no link, 255 an answer that it could not read.
    pub fn parse_width(text: &str) -> Option<u32> {
        text.trim().parse().ok().filter(|lanes| (1..=32).contains(lanes))
    }
}

/// A PCIe link as it ran while it was loaded, beside what it did at discovery and what both its ends could.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LoadedLink {
    /// Address of the end nearer to the device.
    pub address: String,
    /// Address of the port at its other end.
    pub port: String,
    /// Speed under load, GT/s.
    pub gts: Option<f64>,
    /// Lanes under load.
    pub width: Option<u32>,
    /// Speed at discovery, GT/s.
    pub idle_gts: Option<f64>,
    /// Lanes at discovery.
    pub idle_width: Option<u32>,
    /// Speed that both ends could do, GT/s.
    pub most_gts: Option<f64>,
    /// Lanes that both ends could do.
    pub most_width: Option<u32>,
}

impl LoadedLink {
    /// Whether it ran below what both ends could do.
    pub fn is_below(&self) -> bool {
        less(self.gts, self.most_gts) || less(self.width, self.most_width)
    }

    /// Whether it was slower or narrower at discovery than under load.
    pub fn came_up(&self) -> bool {
        less(self.idle_gts, self.gts) || less(self.idle_width, self.width)
    }

    /// Whether it is as it was, at its best: nothing to tell.
    pub fn is_plain(&self) -> bool {
        !self.is_below() && !self.came_up()
    }

    /// Bytes each way in a second under load, after the encoding and before packet headers; below 64 GT/s as without flits, which take
    /// the same share of both speeds.
    pub fn bytes_per_s(&self) -> Option<f64> {
        Some(lane_bytes_per_s(self.gts?, false)? * f64::from(self.width?))
    }

    /// The same at the most that both ends could do.
    pub fn most_bytes_per_s(&self) -> Option<f64> {
        Some(lane_bytes_per_s(self.most_gts?, false)? * f64::from(self.most_width?))
    }
}

fn less<T: PartialOrd>(one: Option<T>, other: Option<T>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one < other)
}

/// The slowest that an end which knows flits could be, GT/s.
const FLITS_FROM_GTS: f64 = 32.0;

/// Of one lane (PCI Express Base Specification 6.0): 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, and at 64 GT/s flits of 256 bytes, 236
/// of them for packets. In flit mode the slower speeds carry such flits within their encoding. `None` above: how much of a flit PCI Express
/// 7.0 leaves for packets at 128 GT/s isn't published.
fn lane_bytes_per_s(gts: f64, flit_mode: bool) -> Option<f64> {
    const FLITS: f64 = 236.0 / 256.0;
    let flits = if flit_mode { FLITS } else { 1.0 };
    let left = match gts {
        ..=5.0 => 8.0 / 10.0 * flits,
        ..=32.0 => 128.0 / 130.0 * flits,
        ..=64.0 => FLITS,
        _ => return None,
    };
    Some(gts * 1e9 / 8.0 * left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_each_encoding() {
        let link = |gts, width| PcieLink {
            address: String::new(),
            current_gts: Some(gts),
            current_width: Some(width),
            max_gts: None,
            max_width: Some(width),
            flit_mode: None,
        };
        let gigabytes =
            |gts, width| link(gts, width).bytes_per_s().map(|b| (b / 1e7).round() / 100.0);
        assert_eq!(gigabytes(2.5, 1), Some(0.25));
        assert_eq!(gigabytes(8.0, 4), Some(3.94));
        assert_eq!(gigabytes(16.0, 16), Some(31.51));
        assert_eq!(gigabytes(32.0, 4), Some(15.75));
        assert_eq!(gigabytes(64.0, 16), Some(118.0));
        assert_eq!(gigabytes(128.0, 16), None, "what is left of a flit isn't published");
        assert_eq!(link(8.0, 4).max_bytes_per_s(), None);
    }

    #[test]
    fn flits_take_their_share_of_slower_links_too_and_no_second_one_of_fast_ones() {
        let link = |gts, flit_mode| PcieLink {
            address: String::new(),
            current_gts: Some(gts),
            current_width: Some(1),
            max_gts: Some(64.0),
            max_width: Some(1),
            flit_mode,
        };
        let share = |gts: f64, mode| link(gts, mode).bytes_per_s().unwrap() / (gts * 1e9 / 8.0);
        let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
        assert!(close(share(32.0, Some(true)), 128.0 / 130.0 * 236.0 / 256.0));
        assert!(close(share(2.5, Some(true)), 0.8 * 236.0 / 256.0));
        assert!(
            close(share(32.0, Some(false)), 128.0 / 130.0)
                && close(share(32.0, None), 128.0 / 130.0)
        );
        assert!(close(share(64.0, Some(true)), share(64.0, None)));
        assert!(link(32.0, None).may_be_in_flits() && !link(64.0, None).may_be_in_flits());
        let old = PcieLink { max_gts: Some(16.0), ..link(16.0, None) };
        assert!(!old.may_be_in_flits());
    }

    #[test]
    fn speeds_and_widths_of_all_kernels() {
        for (text, wanted) in [
            ("8 GT/s", Some(8.0)),
            ("2.5 GT/s PCIe\n", Some(2.5)),
            ("32.0 GT/s PCIe", Some(32.0)),
            ("Unknown", None),
            ("Unknown speed", None),
            ("0 GT/s", None),
            ("inf GT/s", None),
            ("nan GT/s", None),
        ] {
            assert_eq!(PcieLink::parse_gts(text), wanted, "{text}");
        }
        for (text, wanted) in [("4\n", Some(4)), ("0", None), ("255", None), ("", None)] {
            assert_eq!(PcieLink::parse_width(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_link_under_load_is_told_from_one_that_rested() {
        let link = |idle: (f64, u32), now: (f64, u32)| LoadedLink {
            address: String::new(),
            port: String::new(),
            gts: Some(now.0),
            width: Some(now.1),
            idle_gts: Some(idle.0),
            idle_width: Some(idle.1),
            most_gts: Some(16.0),
            most_width: Some(4),
        };
        let is = |link: LoadedLink| (link.is_below(), link.came_up(), link.is_plain());
        assert_eq!(is(link((16.0, 4), (16.0, 4))), (false, false, true));
        assert_eq!(is(link((2.5, 4), (16.0, 4))), (false, true, false));
        assert_eq!(is(link((2.5, 4), (8.0, 4))), (true, true, false));
        assert_eq!(is(link((16.0, 4), (16.0, 2))), (true, false, false));
        let unread = LoadedLink { gts: None, width: None, ..link((2.5, 4), (0.0, 0)) };
        assert_eq!(is(unread), (false, false, true));
    }
}
