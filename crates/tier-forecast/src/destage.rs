//! Writing behind: what the backing must take so that the tier never fills, and what happens where it doesn't.

use narrows_cost::{CostLine, Expr};
use narrows_units::{Bytes, BytesPerSecond, OpsPerSecond, significant};

use crate::given::{LogNow, LogTier};
use crate::lines::{Lines, high, of, value};

/// Bytes of a megabyte.
const MB: f64 = 1e6;
/// A page of PostgreSQL's WAL, which a flush writes whole.
const PAGE_BYTES: f64 = 8192.0;

/// Rates at which WAL is written, operations per second.
pub(crate) struct Carried {
    pub expected: Expr,
    pub most: Expr,
}

/// What was not given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Destaged {
    growth_given: bool,
    size_bytes: Option<f64>,
}

/// Adds its lines.
pub(crate) fn add(
    lines: &mut Lines,
    rate: &Carried,
    now: &LogNow,
    tier: &LogTier,
) -> Option<Destaged> {
    of(&now.wal_bytes)?;
    let bytes = lines.given("wal.bytes", "WAL of one", "B", &now.wal_bytes);
    let each = match &tier.growth {
        Some(growth) => {
            let title = "bytes destaged for one byte of WAL";
            bytes * lines.given("wal.growth", title, "", growth)
        }
        None => bytes,
    };
    let needs = |rate: &Expr| rate.clone() * each.clone() / MB;
    let title = "sequential writes that the backing must take";
    let need = lines.computed("destage.needs", title, "MB/s", needs(&rate.expected));
    lines.computed("destage.needs.most", "the same at most", "MB/s", needs(&rate.most));
    let size_bytes = of(&tier.size_bytes);
    let destaged = Destaged { growth_given: tier.growth.is_some(), size_bytes };
    if of(&tier.backing_bytes_per_s).is_none() {
        return Some(destaged);
    }
    let mut backing = tier.backing_bytes_per_s.clone();
    backing.value = backing.value.map(|range| range.times(1.0 / MB));
    let backing =
        lines.given("destage.backing", "sequential writes that it takes", "MB/s", &backing);
    let title = "rate at which it could go on for ever";
    lines.computed("destage.rate", title, "/s", backing.clone() * MB / each);
    if let Some(held) = &tier.held_bytes {
        lines.given("destage.held", "the most that the tier would have held", "B", held);
    }
    let behind = lines.value(&need).zip(lines.value(&backing)).is_some_and(|(n, b)| n > b);
    if behind && of(&tier.size_bytes).is_some() {
        let size = lines.given("tier.size", "size of the log tier", "B", &tier.size_bytes);
        let full = size / MB / (need - backing);
        lines.computed("destage.full", "time until it is full", "s", full);
    }
    Some(destaged)
}

/// The same for people.
pub(crate) fn sentences(lines: &[CostLine], destaged: Option<Destaged>) -> Vec<String> {
    let of = |key| value(lines, key);
    let (Some(destaged), Some(need)) = (destaged, of("destage.needs")) else {
        return Vec::new();
    };
    let mb = |value: f64| BytesPerSecond(value * MB).to_string();
    let most = high(lines, "destage.needs.most").filter(|most| *most > need * 1.005);
    let up_to = most.map(|most| format!(", {} at most", mb(most))).unwrap_or_default();
    let mut all = vec![format!("the backing must take {} of sequential writes{up_to}", mb(need))];
    if let Some(backing) = of("destage.backing") {
        all.push(match of("destage.rate") {
            Some(rate) if need > backing => behind(lines, need - backing, rate),
            _ if most.unwrap_or(need) > backing => format!(
                "it takes {}: enough for the forecast, and not for the most that is possible",
                mb(backing)
            ),
            _ => format!("it takes {}: destaging keeps up", mb(backing)),
        });
    }
    all.extend(held(lines, destaged.size_bytes));
    if !destaged.growth_given {
        all.push(match of("wal.bytes") {
            Some(bytes) if bytes > 0.0 => format!(
                "growth unknown: each flush writes its pages of 8 KiB to their end, up to {} times as many bytes as its records where one transaction flushes alone and the tier does not fold pages that are written again (--growth)",
                significant((bytes + PAGE_BYTES) / bytes, 3)
            ),
            _ => "growth unknown (--growth)".to_string(),
        });
    }
    all
}

/// What the tier would have held at the rate of a trace.
fn held(lines: &[CostLine], size_bytes: Option<f64>) -> Option<String> {
    let held = value(lines, "destage.held")?;
    let of = |bytes: f64| Bytes(bytes as u64);
    let then = match size_bytes {
        Some(size) if held > size => {
            format!(", more than its {}: commits would have waited", of(size))
        }
        Some(size) => format!(", of {}", of(size)),
        None => String::new(),
    };
    Some(format!("at the trace's own rate the tier would have held {} at most{then}", of(held)))
}

fn behind(lines: &[CostLine], more_mb: f64, rate: f64) -> String {
    let after = match value(lines, "destage.full") {
        Some(s) => format!("the tier is full after {}", seconds(s)),
        None => "the tier fills".to_string(),
    };
    format!(
        "that is {} more than it takes: {after}, and then the rate is the backing's, {}",
        BytesPerSecond(more_mb * MB),
        OpsPerSecond(rate)
    )
}

/// `35 s`, `12 min`, `3.4 h`.
fn seconds(s: f64) -> String {
    match s {
        s if s < 120.0 => format!("{} s", significant(s, 3)),
        s if s < 7200.0 => format!("{} min", significant(s / 60.0, 3)),
        s => format!("{} h", significant(s / 3600.0, 3)),
    }
}
