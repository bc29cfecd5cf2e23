//! Quantities of the run file as text: three significant figures, SI prefixes by default.
//!
//! Sizes that are powers of two by nature (a block, a page) print with binary prefixes in both styles, because
//! "8.19 kB" is nobody's name for a database block.

use narrows_model::{Interval, Unit};
use narrows_units::{Bytes, BytesPerSecond, OpsPerSecond, si, significant};

/// Which prefixes bytes are printed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Units {
    /// 1 GB is 10^9 bytes.
    #[default]
    Si,
    /// 1 GiB is 2^30 bytes.
    Iec,
}

impl Units {
    /// `value` in `unit`, for people.
    pub fn quantity(self, value: f64, unit: Unit) -> String {
        if !value.is_finite() {
            return "-".to_string();
        }
        match unit {
            Unit::Ns | Unit::NsPerOp => time(value),
            Unit::OpsPerS => rate(value),
            Unit::BytesPerS => self.bytes_per_s(value),
            Unit::Bytes | Unit::BytesPerOp => self.bytes(value),
            Unit::Count | Unit::CountPerOp => count(value),
            Unit::Cpus => format!("{} CPUs", count(value)),
            Unit::Ratio => percent(value),
        }
    }

    /// Work done per second: bytes as such, operations as so many of `what`, which the field counts by: `65.6k IOPS`, `13.2k tps`.
    pub fn work(self, value: f64, unit: Unit, what: &str) -> String {
        match unit {
            Unit::OpsPerS if value.is_finite() => {
                let (number, prefix) = si(value);
                let space = if what.starts_with('/') { "" } else { " " };
                format!("{number}{prefix}{space}{what}")
            }
            unit => self.quantity(value, unit),
        }
    }

    /// A number of bytes.
    pub fn bytes(self, value: f64) -> String {
        match self {
            Units::Si if value >= 0.0 => Bytes(value.round() as u64).to_string(),
            Units::Iec if value >= 0.0 => Bytes(value.round() as u64).iec(),
            _ => format!("{} B", significant(value, 3)),
        }
    }

    /// Bytes per second.
    pub fn bytes_per_s(self, value: f64) -> String {
        match self {
            Units::Si => BytesPerSecond(value).to_string(),
            Units::Iec => {
                const PREFIXES: [(f64, &str); 4] = [
                    (1_099_511_627_776.0, "TiB"),
                    (1_073_741_824.0, "GiB"),
                    (1_048_576.0, "MiB"),
                    (1024.0, "KiB"),
                ];
                let (scale, prefix) = PREFIXES
                    .into_iter()
                    .find(|(scale, _)| value.abs() >= *scale)
                    .unwrap_or((1.0, "B"));
                format!("{} {prefix}/s", significant(value / scale, 3))
            }
        }
    }
}

/// Operations per second.
pub fn rate(value: f64) -> String {
    OpsPerSecond(value).to_string()
}

/// A time given in nanoseconds; unlike [`narrows_units::Nanos`] it keeps fractions, which a clock read needs.
pub fn time(ns: f64) -> String {
    let (scale, unit) = match ns.abs() {
        size if size < 999.5 => (1.0, "ns"),
        size if size < 999.5e3 => (1e3, "µs"),
        size if size < 999.5e6 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    format!("{} {unit}", significant(ns / scale, 3))
}

/// A block or page size: always with binary prefixes.
pub fn size(bytes: f64) -> String {
    Bytes(bytes.max(0.0).round() as u64).iec()
}

/// A count: whole numbers in full, others with three figures.
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e6 {
        format!("{value:.0}")
    } else {
        significant(value, 3)
    }
}

/// A share: `84 %`, `1.2 %`, `<0.1 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if !percent.is_finite() {
        "-".to_string()
    } else if percent == 0.0 || percent.abs() >= 9.95 {
        format!("{percent:.0} %")
    } else if percent.abs() < 0.1 {
        if percent > 0.0 { "<0.1 %".to_string() } else { "-0.1 %".to_string() }
    } else {
        format!("{percent:.1} %")
    }
}

/// Half of an interval beside its figure, relative: `±1.2 %`, `<0.1 %`.
pub fn plus_minus(share: f64) -> String {
    let words = percent(share);
    if words.starts_with('<') { words } else { format!("±{words}") }
}

/// A relative change: `+51 %`, `-24 %`, `+0.4 %`; from tenfold on as a factor.
pub fn change(share: f64) -> String {
    if !share.is_finite() {
        return "-".to_string();
    }
    if share >= 9.995 {
        return format!("× {}", significant(1.0 + share, 3));
    }
    let percent = share * 100.0;
    if percent.abs() >= 9.95 || percent.abs() < 0.05 {
        // Negative zero would print as "-0 %".
        format!("{:+.0} %", if percent.abs() < 0.05 { 0.0 } else { percent })
    } else {
        format!("{percent:+.1} %")
    }
}

/// The `±` of a table: half the 95 % interval over its middle; `None` where there is no interval.
pub fn half_width(interval: Option<&Interval>) -> Option<f64> {
    interval.map(Interval::relative_half_width).filter(|share| share.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_of_a_nanosecond_survive() {
        assert_eq!(time(0.8731), "0.873 ns");
        assert_eq!(time(24.37), "24.4 ns");
        assert_eq!(time(999.6), "1.00 µs");
        assert_eq!(time(9.3e9), "9.30 s");
    }

    #[test]
    fn iec_applies_to_bytes_only() {
        assert_eq!(Units::Iec.quantity(388e9, Unit::BytesPerS), "361 GiB/s");
        assert_eq!(Units::Si.quantity(388e9, Unit::BytesPerS), "388 GB/s");
        assert_eq!(Units::Iec.quantity(492e3, Unit::OpsPerS), "492k/s");
        assert_eq!(Units::Si.quantity(f64::NAN, Unit::OpsPerS), "-");
        assert_eq!(Units::Si.work(65_600.0, Unit::OpsPerS, "IOPS"), "65.6k IOPS");
        assert_eq!(Units::Si.work(639.0, Unit::OpsPerS, "tps"), "639 tps");
        assert_eq!(Units::Si.work(2.77e9, Unit::BytesPerS, "IOPS"), "2.77 GB/s");
    }

    #[test]
    fn percentages_stay_short() {
        assert_eq!(percent(0.843), "84 %");
        assert_eq!(percent(0.0123), "1.2 %");
        assert_eq!(percent(0.0004), "<0.1 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(plus_minus(0.0123), "±1.2 %");
        assert_eq!(plus_minus(0.0004), "<0.1 %");
        assert_eq!(change(0.51), "+51 %");
        assert_eq!(change(-0.24), "-24 %");
        assert_eq!(change(-0.00001), "+0 %");
        assert_eq!(change(14.0), "× 15.0");
    }
}
