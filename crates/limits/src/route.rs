//! The PCIe links between processor and drives, as a tree: a link passes what its lanes carry, and links above it
//! are shared with its neighbours. The narrowest cut is the ceiling.

use narrows_model::{
    BlockDevice, LimitBasis, LimitShare, LoadedLink, Measurement, PcieLink, Platform, RolePath,
    Unit, condition, metric,
};

use crate::pcie::{self, Direction, Generation, Packets};
use crate::write_amplification::{Written, written};
use crate::{direction, share};

/// Speed and width of a link.
type Speed = fn(&PcieLink) -> Option<(f64, u32)>;

/// As the link runs now.
fn now(link: &PcieLink) -> Option<(f64, u32)> {
    Some((link.current_gts?, link.current_width?))
}

/// As the nearer end could run.
fn best(link: &PcieLink) -> Option<(f64, u32)> {
    Some((link.max_gts?, link.max_width?))
}

/// Ceilings of bytes and, where the block size is known, of NVMe's operations.
pub(crate) fn links(m: &Measurement, platform: &Platform, path: &RolePath) -> Vec<LimitShare> {
    let Some(direction) = direction(m) else { return Vec::new() };
    let once = Some(Written { writes: 1.0, reads: 0.0, words: String::new() });
    let factor = match direction {
        Direction::Read => once,
        Direction::Write => written(m, platform, path),
    };
    let Some(factor) = factor else { return Vec::new() };
    let under_load = m.links_under_load();
    let routes: Vec<Vec<PcieLink>> =
        path.drives().map(|drive| as_loaded(&drive.pcie, &under_load)).collect();
    let asked = CeilingSubject { m, path, direction, factor };
    let limits = at(&asked, &routes, now);
    // Some links slow down when idle. More than a link carries cannot have passed it, so it ran faster then. What exceeds its best
    // too stays beside its limit, and a rule of validity says what that means.
    if limits.iter().any(|limit| limit.share > 1.0) { at(&asked, &routes, best) } else { limits }
}

/// What a ceiling is reckoned for.
struct CeilingSubject<'a> {
    m: &'a Measurement,
    path: &'a RolePath,
    direction: Direction,
    /// What drives write for what was asked.
    factor: Written,
}

/// A route with what was read under load in place of what was seen at rest, at both ends of each link.
fn as_loaded(route: &[PcieLink], loaded: &[LoadedLink]) -> Vec<PcieLink> {
    let of = |end: &PcieLink| {
        let is_it = |link: &&LoadedLink| link.address == end.address || link.port == end.address;
        let Some(link) = loaded.iter().find(is_it) else { return end.clone() };
        PcieLink {
            current_gts: link.gts.or(end.current_gts),
            current_width: link.width.or(end.current_width),
            ..end.clone()
        }
    };
    route.iter().map(of).collect()
}

fn at(asked: &CeilingSubject<'_>, routes: &[Vec<PcieLink>], speed: Speed) -> Vec<LimitShare> {
    let CeilingSubject { m, path, direction, factor } = asked;
    let routes: Vec<&[PcieLink]> = routes.iter().map(Vec::as_slice).collect();
    // A drive about which nothing is known could carry anything.
    if routes.is_empty() || routes.iter().any(|route| !route.iter().any(|l| speed(l).is_some())) {
        return Vec::new();
    }
    let raw = widest(&routes, speed, &Generation::raw_bytes_per_s) / factor.writes;
    let name = format!("pcie:{}", names(path.drives()));
    let words = describe(&routes, speed);
    let more = &factor.words;

    let framed = framed(&routes, speed);
    let payload = |generation: &Generation| {
        let share = pcie::payload_share(*direction, generation.packets, pcie::PAYLOAD_BYTES);
        generation.packet_bytes_per_s() * share
    };
    let payload = widest(&routes, speed, &payload) / factor.writes;
    let bytes_beside = match framed.as_slice() {
        [Packets::InFlits, Packets::Framed] | [Packets::Framed, Packets::InFlits] => {
            let of = |packets| direction.header_bytes(packets);
            format!("{} or, in flits, {}", of(Packets::Framed), of(Packets::InFlits))
        }
        [one, ..] => direction.header_bytes(*one).to_string(),
        [] => direction.header_bytes(Packets::Framed).to_string(),
    };
    let open = if flits_open(&routes, speed) { "; about 5 % less if in flit mode" } else { "" };
    let headers = format!(
        "{words}, {bytes_beside} B of headers per packet of {} B (size assumed{open})",
        pcie::PAYLOAD_BYTES
    );
    let bytes =
        |basis, value, source| share(m, name.clone(), basis, Unit::BytesPerS, value, source);
    let mut limits: Vec<LimitShare> = [
        bytes(LimitBasis::Raw, raw, format!("{words}, signal rate{more}")),
        bytes(LimitBasis::Protocol, payload, format!("{headers}{more}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    // Adapters before other drives have commands of their own.
    let nvme = path.drives().all(|drive| {
        drive.transport.as_deref().is_none_or(|transport| transport.starts_with("nvme"))
    });
    if let Some(block_bytes) = m.number(condition::BLOCK_BYTES).filter(|bytes| *bytes > 0.0)
        && m.value(metric::THROUGHPUT).is_some()
        && nvme
    {
        let wire = |packets| pcie::wire_bytes(*direction, packets, block_bytes as u64);
        let commands = |generation: &Generation| {
            generation.packet_bytes_per_s() / wire(generation.packets) as f64
        };
        let value = widest(&routes, speed, &commands) / factor.writes;
        let on_wire: Vec<String> =
            framed.iter().map(|packets| wire(*packets).to_string()).collect();
        let on_wire = on_wire.join(" or ");
        let source = format!("{headers}, {on_wire} B on the wire per NVMe command{more}");
        limits.extend(share(m, name, LimitBasis::Protocol, Unit::OpsPerS, value, source));
    }
    limits
}

/// How packets are framed on the narrowest links of the drives, once each.
fn framed(routes: &[&[PcieLink]], speed: Speed) -> Vec<Packets> {
    let mut all: Vec<Packets> = Vec::new();
    for (generation, _) in routes.iter().filter_map(|route| narrowest(route, speed)) {
        if !all.contains(&generation.packets) {
            all.push(generation.packets);
        }
    }
    all
}

/// Whether a narrowest link could be in flit mode as far as can be read.
fn flits_open(routes: &[&[PcieLink]], speed: Speed) -> bool {
    let open = |link: &PcieLink| link.flit_mode.is_none() && link.may_be_in_flits();
    routes.iter().any(|route| {
        let narrow = narrowest(route, speed);
        route.iter().any(|link| open(link) && known(link, speed) == narrow)
    })
}

/// The link of a route that carries least.
fn narrowest(route: &[PcieLink], speed: Speed) -> Option<(Generation, u32)> {
    let known = route.iter().filter_map(|link| known(link, speed));
    let rate = |(generation, width): &(Generation, u32)| {
        generation.packet_bytes_per_s() * f64::from(*width)
    };
    known.min_by(|a, b| rate(a).total_cmp(&rate(b)))
}

/// Generation and lanes of a link.
fn known(link: &PcieLink, speed: Speed) -> Option<(Generation, u32)> {
    let (gts, width) = speed(link)?;
    Some((pcie::of_link(gts, link.flit_mode)?, width))
}

/// What the links of all routes pass together, in the unit of `lane` per second: from the root down, each link passes the smaller
/// of what it carries and what its branches bring.
fn widest(routes: &[&[PcieLink]], speed: Speed, lane: &dyn Fn(&Generation) -> f64) -> f64 {
    let mut sum = 0.0;
    let mut done: Vec<&str> = Vec::new();
    for route in routes {
        let Some(top) = route.last() else { return f64::INFINITY };
        if done.contains(&top.address.as_str()) {
            continue;
        }
        done.push(&top.address);
        let branches: Vec<&[PcieLink]> = routes
            .iter()
            .filter(|r| r.last().is_some_and(|link| link.address == top.address))
            .map(|r| &r[..r.len() - 1])
            .collect();
        sum += carries(top, speed, lane).min(widest(&branches, speed, lane));
    }
    sum
}

/// An unknown link is left to the others on the route.
fn carries(link: &PcieLink, speed: Speed, lane: &dyn Fn(&Generation) -> f64) -> f64 {
    known(link, speed)
        .map_or(f64::INFINITY, |(generation, width)| lane(&generation) * f64::from(width))
}

fn names<'a>(drives: impl Iterator<Item = &'a BlockDevice>) -> String {
    drives.map(|drive| drive.name.as_str()).collect::<Vec<_>>().join("+")
}

/// `4 × PCIe 4.0 x4 (128b/130b)`: the narrowest link of each drive.
fn describe(routes: &[&[PcieLink]], speed: Speed) -> String {
    let mut words: Vec<(String, usize)> = Vec::new();
    for (generation, width) in routes.iter().filter_map(|route| narrowest(route, speed)) {
        let word = format!("PCIe {}.0 x{width} ({})", generation.number, generation.encoding_name);
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    let each = |(word, count): &(String, usize)| {
        if *count == 1 { word.clone() } else { format!("{count} × {word}") }
    };
    words.iter().map(each).collect::<Vec<_>>().join(" + ")
}
