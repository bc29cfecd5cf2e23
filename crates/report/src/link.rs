//! A PCIe link in words: what it does now, and whether that is less than it could.

use narrows_model::PcieLink;

/// A link as text and pictures tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkWords {
    /// `8 GT/s x4`; `16 GT/s x4, its most` where it is known that it can do no more.
    pub now: String,
    /// `BELOW the 16 GT/s x4 of both ends`, `LIMITED by the slot: the device could 16 GT/s x4`.
    pub mark: Option<String>,
}

/// Of the link between `end` and the port above it; `None` where neither speed nor width is known.
pub(crate) fn words(end: &PcieLink, port: Option<&PcieLink>) -> Option<LinkWords> {
    let now = speed(end.current_gts, end.current_width)?;
    let (gts, width) = end.most_with(port);
    let below =
        less(end.current_gts, gts) || less(end.current_width.map(f64::from), width.map(f64::from));
    if below {
        let most = speed(gts, width)?;
        let whose = match port.filter(|port| port.max_gts.is_some() || port.max_width.is_some()) {
            Some(_) => format!("the {most} of both ends"),
            None => format!("its maximum, {most}"),
        };
        return Some(LinkWords { now, mark: Some(format!("BELOW {whose}")) });
    }
    if less(port.and_then(PcieLink::max_bytes_per_s), end.max_bytes_per_s()) {
        let most = speed(end.max_gts, end.max_width)?;
        let mark = Some(format!("LIMITED by the slot: the device supports {most}"));
        return Some(LinkWords { now, mark });
    }
    let is_most = gts.is_some() && end.current_gts == gts && end.current_width == width;
    let now = if is_most { format!("{now}, its maximum") } else { now };
    Some(LinkWords { now, mark: None })
}

fn less(one: Option<f64>, other: Option<f64>) -> bool {
    matches!((one, other), (Some(one), Some(other)) if one < other)
}

fn speed(gts: Option<f64>, width: Option<u32>) -> Option<String> {
    match (gts, width) {
        (Some(gts), Some(width)) => Some(format!("{gts} GT/s x{width}")),
        (Some(gts), None) => Some(format!("{gts} GT/s")),
        (None, Some(width)) => Some(format!("x{width}")),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(now: (f64, u32), most: Option<(f64, u32)>) -> PcieLink {
        PcieLink {
            address: String::new(),
            current_gts: Some(now.0),
            current_width: Some(now.1),
            max_gts: most.map(|most| most.0),
            max_width: most.map(|most| most.1),
            flit_mode: None,
        }
    }

    #[test]
    fn a_link_says_whether_it_could_do_more_and_who_keeps_it_from_that() {
        let said = |now, end, port: Option<(f64, u32)>| {
            let port = port.map(|most| runs(now, Some(most)));
            let words = words(&runs(now, end), port.as_ref()).unwrap();
            format!("{} | {}", words.now, words.mark.unwrap_or_default())
        };
        let (slow, fast) = ((8.0, 4), (16.0, 4));
        for (now, end, port, wanted) in [
            (slow, Some(fast), Some(fast), "8 GT/s x4 | BELOW the 16 GT/s x4 of both ends"),
            (
                (16.0, 2),
                Some(fast),
                Some((32.0, 16)),
                "16 GT/s x2 | BELOW the 16 GT/s x4 of both ends",
            ),
            (slow, Some(fast), None, "8 GT/s x4 | BELOW its maximum, 16 GT/s x4"),
            (
                slow,
                Some(fast),
                Some(slow),
                "8 GT/s x4 | LIMITED by the slot: the device supports 16 GT/s x4",
            ),
            (fast, Some(fast), Some((32.0, 16)), "16 GT/s x4, its maximum | "),
            (fast, None, None, "16 GT/s x4 | "),
        ] {
            assert_eq!(said(now, end, port), wanted);
        }
        let unknown = PcieLink { current_gts: None, current_width: None, ..runs(slow, Some(fast)) };
        assert_eq!(words(&unknown, None), None);
    }
}
