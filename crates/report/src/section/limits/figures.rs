//! Figures of a class by name, with their units.

use narrows_limits::table::{Class, Dimension, Figure};
use narrows_units::{Bytes, BytesPerSecond, Nanos, OpsPerSecond, Ratio, significant};

/// One figure of a class, by name.
pub(super) struct Row<'a> {
    /// `read.protocol`.
    pub(super) key: &'static str,
    /// It.
    pub(super) figure: &'a Figure,
    /// What it counts.
    pub(super) dimension: Dimension,
}

/// Every figure of a class.
pub(super) fn rows(class: &Class) -> Vec<Row<'_>> {
    let bytes = Dimension::Bandwidth;
    let (read, write) = (&class.read, &class.write);
    let mut rows: Vec<Row<'_>> = [
        ("read.raw", &read.raw, bytes),
        ("read.encoded", &read.encoded, bytes),
        ("read.protocol", &read.protocol, bytes),
        ("read.expected", &read.expected, bytes),
        ("write.raw", &write.raw, bytes),
        ("write.encoded", &write.encoded, bytes),
        ("write.protocol", &write.protocol, bytes),
        ("write.expected", &write.expected, bytes),
        ("operations.read", &class.operations.read, Dimension::Operations),
        ("operations.write", &class.operations.write, Dimension::Operations),
        ("times.read", &class.times.read_ns, Dimension::Time),
        ("times.durable_write", &class.times.durable_write_ns, Dimension::Time),
    ]
    .into_iter()
    .filter_map(|(key, figure, dimension)| Some(Row { key, figure: figure.as_ref()?, dimension }))
    .collect();
    if let Some(cache) = &class.write_cache {
        let size = Dimension::Size;
        rows.push(Row { key: "write_cache.bytes", figure: &cache.bytes, dimension: size });
        let after = &cache.write_after;
        rows.push(Row { key: "write_cache.write_after", figure: after, dimension: bytes });
    }
    rows
}

/// The base unit of a dimension, as keys and columns name it.
pub(super) fn unit(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Bandwidth => "bytes_per_s",
        Dimension::Operations => "ops_per_s",
        Dimension::Time => "ns",
        Dimension::Size => "bytes",
        Dimension::Signal => "bits_per_s",
        Dimension::Share => "share",
    }
}

/// A value with its unit.
pub(super) fn value(value: f64, dimension: Dimension) -> String {
    match dimension {
        Dimension::Bandwidth => BytesPerSecond(value).to_string(),
        Dimension::Operations => OpsPerSecond(value).to_string(),
        // Finer than whole nanoseconds where that is what was measured.
        Dimension::Time if value < 100.0 => format!("{} ns", significant(value, 3)),
        Dimension::Time => Nanos(value.round() as u64).to_string(),
        Dimension::Size => Bytes(value.round() as u64).to_string(),
        Dimension::Share => Ratio(value).to_string(),
        Dimension::Signal => format!("{} Gb/s", value / 1e9),
    }
}

/// `30.7 to 34.6 GB/s`, or one value.
pub(super) fn range(figure: &Figure, dimension: Dimension) -> String {
    let (low, high) = (value(figure.low, dimension), value(figure.high, dimension));
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        _ if low == high => high,
        (Some((number, low_unit)), Some((_, high_unit))) if low_unit == high_unit => {
            format!("{number} to {high}")
        }
        _ => format!("{low} to {high}"),
    }
}

/// The same where nothing may be known.
pub(super) fn maybe(figure: Option<&Figure>, dimension: Dimension) -> String {
    figure.map_or("-".to_string(), |figure| range(figure, dimension))
}
