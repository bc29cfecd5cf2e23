//! Components in words, each with what it carries, and what is narrower than what hangs on it.

use narrows_limits::table::{Class, Duplex, Figure};
use narrows_units::{BytesPerSecond, Nanos, OpsPerSecond};

use crate::constraints::times;
use crate::description::{Attachment, Carrier, Description, Drives, End, Link, Media};

/// Sums of rates are compared with this to spare: headers differ between links.
const ROUNDING: f64 = 1.05;

/// `8 × nvme-gen5-x4, 14.4 GB/s in, 14.6 GB/s out; together 115 GB/s in`.
pub(super) fn class(class: &Class, count: u32) -> String {
    let mut words = times(count, &class.id);
    let (read, write) = (most(&class.read), most(&class.write));
    let rate = |bytes: f64| BytesPerSecond(bytes).to_string();
    match (read, write) {
        (Some(read), _) if class.duplex == Duplex::Half => {
            words += &format!(", {} in both directions together", rate(read));
        }
        (Some(read), Some(write)) if rate(read) == rate(write) => {
            words += &format!(", {} each way", rate(read));
        }
        (Some(read), Some(write)) => {
            words += &format!(", {} in, {} out", rate(read), rate(write));
        }
        (Some(read), None) => words += &format!(", {}", rate(read)),
        (None, _) => {}
    }
    if let (Some(read), true) = (read, count > 1) {
        words += &format!("; together {} in", rate(read * f64::from(count)));
    }
    words
}

pub(super) fn carrier(carrier: &Carrier, count: u32) -> String {
    match carrier {
        Carrier::Class(of) => class(of, count),
        Carrier::Given(figure) => {
            let words = times(count, &format!("{} each way, by hand", BytesPerSecond(figure.high)));
            if count > 1 {
                let all = BytesPerSecond(figure.high * f64::from(count));
                return format!("{words}; together {all}");
            }
            words
        }
    }
}

/// `nvme: 8 × nvme-gen5-x4, …; media drive-nvme-gen5: read 14.0 GB/s …`.
pub(super) fn drives(drives: &Drives) -> String {
    let mut words = match &drives.class {
        Some(of) => format!("drives {}: {}", drives.name, class(of, drives.count)),
        None => format!("drives {}: {}", drives.name, times(drives.count, "drive")),
    };
    let media = media(&drives.media);
    if !media.is_empty() {
        let named = drives.media.class.as_ref().map(|class| format!(" {class}"));
        let each = if drives.count > 1 { " each" } else { "" };
        words += &format!("; media{}: {media}{each}", named.unwrap_or_default());
    }
    words
}

fn media(media: &Media) -> String {
    let rate = |figure: &Figure| BytesPerSecond(figure.high).to_string();
    let operations = |figure: &Figure| OpsPerSecond(figure.high).to_string();
    let time = |figure: &Figure| Nanos(figure.low as u64).to_string();
    let all = [
        ("read", media.read_bytes.as_ref().map(rate)),
        ("write", media.write_bytes.as_ref().map(rate)),
        ("reads", media.reads.as_ref().map(operations)),
        ("writes", media.writes.as_ref().map(operations)),
        ("one read", media.read_ns.as_ref().map(time)),
        ("one write", media.write_ns.as_ref().map(time)),
    ];
    let known = all.into_iter().filter_map(|(what, figure)| Some(format!("{what} {}", figure?)));
    known.collect::<Vec<_>>().join(", ")
}

/// `fabric: hca-storage to hca-database, hdr-200, 24.6 GB/s each way`.
pub(super) fn link(platform: &Description, link: &Link) -> String {
    let end = |end: End| match end {
        End::Adapter(index) => &platform.adapters[index].name,
        End::Machine(index) => &platform.machines[index].name,
        End::Switch(index) => &platform.switches[index].name,
    };
    let mut words = format!("{}: {} to {}", link.name, end(link.ends.0), end(link.ends.1));
    words += &format!(", {}", carrier(&link.carrier, link.count));
    if let Some(latency) = &link.latency_ns {
        words += &format!(", {} there and back", Nanos(latency.low as u64));
    }
    words
}

/// Whether an adapter's slot carries less than its links together.
pub(super) fn adapter_narrower(platform: &Description, index: usize) -> Option<String> {
    let slot = &platform.adapters[index].slot;
    let at = |link: &&Link| [link.ends.0, link.ends.1].contains(&End::Adapter(index));
    let links = platform.links.iter().filter(at);
    let links: f64 = links.filter_map(|l| Some(of_carrier(&l.carrier)? * f64::from(l.count))).sum();
    narrower(
        "its slot",
        most(&slot.read)?.max(most(&slot.write).unwrap_or(0.0)),
        links,
        "its links",
    )
}

/// Whether a switch's link upwards carries less than what hangs below.
pub(super) fn switch_narrower(platform: &Description, index: usize) -> Option<String> {
    let (_, upwards) = platform.switches[index].uplink.as_ref()?;
    let below = below(platform, Attachment::Switch(index));
    narrower("its link upwards", of_carrier(upwards)?, below, "what is below it")
}

fn narrower(what: &str, carries: f64, wanted: f64, of: &str) -> Option<String> {
    (wanted > carries * ROUNDING).then(|| {
        let (carries, wanted) = (BytesPerSecond(carries), BytesPerSecond(wanted));
        format!("NARROWER: {what} carries {carries}, {of} {wanted}")
    })
}

/// What hangs at a place could carry together, bytes per second and direction.
fn below(platform: &Description, at: Attachment) -> f64 {
    let drives = platform.drives.iter().filter(|drives| drives.at == at);
    let drives = drives.filter_map(|drives| {
        let link = drives.class.as_ref().and_then(|class| most(&class.read));
        let media = drives.media.read_bytes.as_ref().map(|figure| figure.high);
        // Whichever is lower, where both are known.
        Some(link.into_iter().chain(media).reduce(f64::min)? * f64::from(drives.count))
    });
    let adapters = platform.adapters.iter().filter(|adapter| adapter.at == at);
    let adapters = adapters.filter_map(|adapter| most(&adapter.slot.read));
    let hangs = |place: &Attachment| *place == at;
    let switches = platform.switches.iter().filter_map(|switch| {
        let (above, carrier) = switch.uplink.as_ref()?;
        hangs(above).then(|| of_carrier(carrier)).flatten()
    });
    drives.chain(adapters).chain(switches).sum()
}

fn of_carrier(carrier: &Carrier) -> Option<f64> {
    match carrier {
        Carrier::Class(class) => most(&class.read),
        Carrier::Given(figure) => Some(figure.high),
    }
}

fn most(way: &narrows_limits::table::DirectionRates) -> Option<f64> {
    way.ceiling().or(way.expected.as_ref()).map(|figure| figure.high)
}
