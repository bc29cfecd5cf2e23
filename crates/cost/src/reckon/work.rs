//! What a server does, and that for each of its parts and for money: published results are compared by the same lines.

use narrows_plan::PlanError;
use toml::Spanned;

use super::Reckoning;
use super::server::Server;
use crate::entry::WorkEntry;
use crate::sheet::{Expr, Group, Range};

/// A rate and what is counted.
#[derive(Debug, Clone)]
pub(super) struct Work {
    pub name: String,
    /// `orders/min`.
    pub unit: String,
    /// In its unit.
    pub rate: Expr,
    /// Seconds of its unit of time.
    pub seconds: f64,
    /// CPU time of one operation, s.
    pub cpu_s: Option<Expr>,
}

pub(super) fn described(
    r: &mut Reckoning<'_>,
    entry: Option<&Spanned<WorkEntry>>,
) -> Result<Option<Work>, PlanError> {
    let Some(spanned) = entry else { return Ok(None) };
    let entry = spanned.get_ref();
    let name = r.reader.prose("cost.work: name", &entry.name)?;
    let rate = r.reader.rate("cost.work: rate", &entry.rate)?;
    let from = r.sourced("cost.work", spanned.span(), &entry.source)?;
    let unit = format!("{name}/{}", rate.unit);
    let place = (Group::Work, "work.rate");
    let line = r.given(place, &format!("throughput, {name}"), &unit, Some(rate.value), &from);
    r.sheet.shown(&line);
    let cpu_s = match &entry.cpu {
        Some(text) => {
            let cpu = r.reader.seconds("cost.work: cpu", text)?;
            Some(microseconds(r, (Group::Cpu, "work.cpu"), "CPU time of one operation", cpu, &from))
        }
        None => None,
    };
    Ok(Some(Work { name, unit, rate: line, seconds: rate.seconds, cpu_s }))
}

/// A given time, shown in µs; the line's value divided down to seconds.
pub(super) fn microseconds(
    r: &mut Reckoning<'_>,
    place: (Group, &str),
    title: &str,
    seconds: Range,
    from: &super::From,
) -> Expr {
    r.given(place, title, "µs", Some(seconds.times(1e6)), from) / 1e6
}

/// Money for throughput, and throughput for each part.
pub(super) fn shares(
    r: &mut Reckoning<'_>,
    work: Option<&Work>,
    server: &Server,
    (licences, kilowatts): (Option<&Expr>, Option<&Expr>),
    total: &Expr,
) {
    let Some(work) = work else { return };
    let unit = r.per(&work.unit);
    let cost = total.clone() / work.rate.clone();
    r.sheet.headline((Group::Work, "work.cost"), "cost per throughput", &unit, cost);
    for (key, title, part, divisor) in [
        ("work.per_server", "throughput per server", "server", Some(server.servers.clone())),
        ("work.per_core", "throughput per core", "core", server.cores.clone()),
        ("work.per_socket", "throughput per socket", "socket", server.sockets.clone()),
        ("work.per_vcpu", "throughput per vCPU", "vCPU", server.vcpus.clone()),
        ("work.per_licence", "throughput per licence", "licence", licences.cloned()),
        ("work.per_drive", "throughput per drive", "drive", server.drives.clone()),
        ("work.per_gb", "throughput per GB of memory", "GB", server.memory.clone()),
        ("work.per_kw", "throughput per kW", "kW", kilowatts.cloned()),
    ] {
        let Some(divisor) = divisor else { continue };
        if divisor == Expr::Number(1.0) {
            continue;
        }
        let unit = format!("{} per {part}", work.unit);
        r.sheet.headline((Group::Work, key), title, &unit, work.rate.clone() / divisor);
    }
    if let (Some(cores), Some(ghz)) = (&server.cores, &server.ghz) {
        let unit = format!("{} per GHz", work.unit);
        let per = work.rate.clone() / (cores.clone() * ghz.clone());
        r.sheet.headline(
            (Group::Work, "work.per_ghz"),
            "throughput per GHz of all cores",
            &unit,
            per,
        );
    }
}
