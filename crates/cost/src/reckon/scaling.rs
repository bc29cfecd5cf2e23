//! Throughput of several servers by measured points: no point is invented, and a curve is fitted only where there are enough.

use narrows_plan::PlanError;
use narrows_stats::{SweepPoint, usl};
use toml::Spanned;

use super::work::Work;
use super::{From, Reckoning};
use crate::entry::ScalingEntry;
use crate::sheet::{Basis, Group, Range};

/// More servers than any cluster of one database has.
const SERVERS_MAX: f64 = 1000.0;

pub(super) fn add(
    r: &mut Reckoning<'_>,
    entry: Option<&Spanned<ScalingEntry>>,
) -> Result<Option<Work>, PlanError> {
    let Some(spanned) = entry else { return Ok(None) };
    let entry = spanned.get_ref();
    let what = "cost.scaling";
    let name = r.reader.prose("cost.scaling: name", &entry.name)?;
    let (per, seconds) = match entry.per.as_ref().map_or("s", |per| per.get_ref().trim()) {
        "s" => ("s", 1.0),
        "min" => ("min", 60.0),
        "h" => ("h", 3600.0),
        other => {
            let why = format!("`{other}` is no unit of time here");
            return Err(r.reader.source.error(
                &spanned.span(),
                what,
                why,
                "per = \"s\", \"min\" or \"h\"",
            ));
        }
    };
    let unit = format!("{name}/{per}");
    let from = r.sourced(what, spanned.span(), &entry.source)?;
    let points = points(r, entry)?;
    let servers = r.reader.within("cost.scaling: servers", &entry.servers, 1.0..=SERVERS_MAX)?;
    let Some(servers) =
        servers.filter(|servers| servers.is_exact() && servers.value.fract() == 0.0)
    else {
        let hint = "servers = 2: how many the option has";
        return Err(r.reader.source.error(
            &entry.servers.span(),
            what,
            "needs a whole number of servers",
            hint,
        ));
    };
    let (rate, law) = rate(r, entry, &points, servers.value)?;
    let from = match law {
        Some(law) => From { source: format!("{law}; points: {}", from.source), ..from },
        None => From { basis: Basis::Described, ..from },
    };
    let at = |key: &'static str| (Group::Work, key);
    let title = format!("throughput of all servers, {name}");
    let rate = r.given(at("scaling.rate"), &title, &unit, Some(rate), &from);
    r.sheet.shown(&rate);
    let left: Vec<f64> = points
        .iter()
        .filter(|point| point[0] == servers.value - 1.0)
        .map(|point| point[1])
        .collect();
    if !left.is_empty() {
        let mean = left.iter().sum::<f64>() / left.len() as f64;
        let title = format!("throughput with a server gone, {name}");
        let left = r.given(at("scaling.left"), &title, &unit, Some(Range::exact(mean)), &from);
        r.sheet.shown(&left);
    }
    let one = points.iter().filter(|point| point[0] == 1.0).map(|point| point[1]);
    let ones: Vec<f64> = one.collect();
    if !ones.is_empty() && servers.value > 1.0 {
        let mean = ones.iter().sum::<f64>() / ones.len() as f64;
        let title = format!("throughput of one server, {name}");
        let one = r.given(at("scaling.one"), &title, &unit, Some(Range::exact(mean)), &from);
        let title = "throughput over that of as many single servers";
        let efficiency = rate.clone() / (one * servers.value);
        r.sheet.headline(at("scaling.efficiency"), title, "", efficiency);
    }
    Ok(Some(Work { name, unit, rate, seconds, cpu_s: None }))
}

fn points(r: &Reckoning<'_>, entry: &ScalingEntry) -> Result<Vec<[f64; 2]>, PlanError> {
    let points = entry.points.get_ref();
    let whole = |n: f64| (1.0..=SERVERS_MAX).contains(&n) && n.fract() == 0.0;
    let right = |point: &[f64; 2]| whole(point[0]) && point[1].is_finite() && point[1] > 0.0;
    if points.is_empty() || points.len() > 1000 || !points.iter().all(right) {
        let why = "a point is a whole number of servers and the rate that was measured with them";
        let hint = "points = [[1, 32264.0], [2, 22169.0]]";
        return Err(r.reader.source.error(&entry.points.span(), "cost.scaling: points", why, hint));
    }
    Ok(points.clone())
}

/// The rate of so many servers: as measured with as many, else by the law that all points follow.
fn rate(
    r: &Reckoning<'_>,
    entry: &ScalingEntry,
    points: &[[f64; 2]],
    servers: f64,
) -> Result<(Range, Option<String>), PlanError> {
    let same: Vec<f64> =
        points.iter().filter(|point| point[0] == servers).map(|point| point[1]).collect();
    if !same.is_empty() {
        let mean = same.iter().sum::<f64>() / same.len() as f64;
        let low = same.iter().copied().fold(f64::INFINITY, f64::min);
        let high = same.iter().copied().fold(0.0, f64::max);
        return Ok((Range { value: mean, low, high }, None));
    }
    let windows: Vec<SweepPoint> = points
        .iter()
        .map(|point| SweepPoint { sessions: point[0] as u32, rate_per_s: point[1] })
        .collect();
    let refuse = |why: String| {
        let hint = "measure with as many servers, or give points of six or more numbers of servers, of half as many at least";
        Err(r.reader.source.error(&entry.points.span(), "cost.scaling", why, hint))
    };
    let law = match usl(&windows) {
        Ok(law) => law,
        Err(no) => {
            // The law's own words speak of sessions; here they are servers.
            let no = no.to_string().replace("sessions", "servers").replace("session", "server");
            return refuse(format!(
                "nothing was measured with {servers} servers, and no law of scaling follows: {no}"
            ));
        }
    };
    match law.rate_per_s(servers as u32) {
        Some(rate) => {
            let (low, high) = rate.interval_95;
            let words = format!(
                "universal scalability law, contention {:.3}, coherency {:.5}",
                law.contention.value, law.coherency.value
            );
            Ok((Range { value: rate.value, low: low.max(0.0), high }, Some(words)))
        }
        None => refuse(format!(
            "{servers} servers are more than twice as many as were measured, {}",
            law.largest
        )),
    }
}
