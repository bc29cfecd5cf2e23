//! PCIe links as they ran while they were loaded.
//!
//! An idle link may have lowered its speed to save power, so what is seen before a run says little. Read again in a window,
//! a link below what both its ends could do is what the figures of that window went through.

use narrows_model::{FindingPlace, LimitBasis, LoadedLink, Measurement, Platform, Unit};
use narrows_units::{BytesPerSecond, Ratio};

use crate::evaluate::{Case, Evidence};
use crate::structure::links;

/// Links below what both ends could do, under load.
pub(crate) fn below(case: &Case<'_>) -> Option<Evidence> {
    let below = case.measurement.links_under_load().into_iter().filter(LoadedLink::is_below);
    let places = below.map(|link| {
        let was = if link.came_up() { format!(", {} at idle", idle(&link)) } else { String::new() };
        let cost = cost(&link, case.measurement).map_or(String::new(), |cost| format!("; {cost}"));
        place(case, &link, format!("{}{was}{cost}", lacks(&link)))
    });
    Evidence::of(places.collect())
}

/// Links that were slower at idle and came up.
pub(crate) fn came_up(case: &Case<'_>) -> Option<Evidence> {
    let up = case
        .measurement
        .links_under_load()
        .into_iter()
        .filter(|link| link.came_up() && !link.is_below());
    let places = up.map(|link| {
        let now = links::speed(link.gts, link.width);
        place(case, &link, format!("{} at idle, {now} under load", idle(&link)))
    });
    Evidence::of(places.collect())
}

fn idle(link: &LoadedLink) -> String {
    links::speed(link.idle_gts, link.idle_width)
}

/// `x2 of x4, 8 of 16 GT/s`.
fn lacks(link: &LoadedLink) -> String {
    let width = link.width.zip(link.most_width).map(|(now, most)| match now < most {
        true => format!("x{now} of x{most}"),
        false => format!("x{now}"),
    });
    let gts = link.gts.zip(link.most_gts).map(|(now, most)| match now < most {
        true => format!("{now} of {most} GT/s"),
        false => format!("{now} GT/s"),
    });
    [width, gts].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What the link carries of what it could, and the ceiling of the whole path as it then was.
fn cost(link: &LoadedLink, measurement: &Measurement) -> Option<String> {
    let (now, most) = (link.bytes_per_s()?, link.most_bytes_per_s()?);
    let mut text = format!(
        "it carries {} of {}, {} of it",
        BytesPerSecond(now),
        BytesPerSecond(most),
        Ratio(now / most)
    );
    let ceiling = measurement.limits.iter().find(|limit| {
        limit.id.starts_with("pcie:")
            && limit.basis == LimitBasis::Protocol
            && limit.unit == Unit::BytesPerS
    });
    if let Some(limit) = ceiling {
        let (value, share) = (BytesPerSecond(limit.value), Ratio(limit.share));
        text +=
            &format!("; after headers the path's links pass {value}, of which this used {share}");
    }
    Some(text)
}

fn place(case: &Case<'_>, link: &LoadedLink, shown: String) -> FindingPlace {
    let function = |platform: &Platform| {
        let function = platform.devices.pci_at(&link.address)?;
        Some((links::parts(&platform.devices, function), links::name(&platform.devices, function)))
    };
    let known = case.platform().and_then(function);
    let (parts, name) = known.unwrap_or_else(|| (vec![link.address.clone()], link.address.clone()));
    FindingPlace { parts, evidence: format!("{name}: {shown}") }
}
