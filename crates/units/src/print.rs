//! Printing: three significant figures and an SI prefix, so that every table in the program agrees.

use std::fmt;

use crate::{Bytes, BytesPerSecond, Nanos, OpsPerSecond, Ratio};

/// `value` with `digits` significant figures, without an exponent: `0.0123`, `1.23`, `123`, `1230`.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "-".to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = digits as i32 - 1 - magnitude;
    if decimals >= 0 {
        let text = format!("{value:.*}", decimals as usize);
        // Rounding can carry into a new digit: 9.996 becomes 10.00, which has one figure too many.
        let parsed: f64 = text.parse().unwrap_or(value);
        let carried = parsed.abs().log10().floor() as i32 > magnitude;
        if carried && decimals > 0 { format!("{value:.*}", decimals as usize - 1) } else { text }
    } else {
        let unit = 10f64.powi(-decimals);
        format!("{:.0}", (value / unit).round() * unit)
    }
}

/// `value` scaled by an SI prefix, as (three figures, prefix): `2310000.0` gives `("2.31", "M")`.
pub fn si(value: f64) -> (String, &'static str) {
    const PREFIXES: [(f64, &str); 5] = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];
    let size = value.abs();
    for (scale, prefix) in PREFIXES {
        // 999.6 k prints as 1000 k; the next prefix is the readable one.
        if size >= scale * 0.9995 {
            return (significant(value / scale, 3), prefix);
        }
    }
    (significant(value, 3), "")
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, prefix) = si(self.0 as f64);
        f.pad(&format!("{number} {prefix}B"))
    }
}

impl Bytes {
    /// With binary prefixes: `8 KiB`, `1.5 GiB`. Exact powers print without decimals.
    pub fn iec(self) -> String {
        const PREFIXES: [(u64, &str); 4] =
            [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        for (scale, prefix) in PREFIXES {
            if self.0 >= scale {
                let number = if self.0.is_multiple_of(scale) {
                    (self.0 / scale).to_string()
                } else {
                    significant(self.0 as f64 / scale as f64, 3)
                };
                return format!("{number} {prefix}");
            }
        }
        format!("{} B", self.0)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        let (scale, unit) = match ns {
            ns if ns < 999.5 => (1.0, "ns"),
            ns if ns < 999.5e3 => (1e3, "µs"),
            ns if ns < 999.5e6 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        f.pad(&format!("{} {unit}", significant(ns / scale, 3)))
    }
}

impl fmt::Display for BytesPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, prefix) = si(self.0);
        f.pad(&format!("{number} {prefix}B/s"))
    }
}

impl fmt::Display for OpsPerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, prefix) = si(self.0);
        f.pad(&format!("{number}{prefix}/s"))
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.0 * 100.0;
        let text = if percent.abs() >= 9.95 || percent == 0.0 {
            format!("{percent:.0} %")
        } else {
            format!("{} %", significant(percent, 2))
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_figures_survive_rounding_carries() {
        assert_eq!(significant(9.996, 3), "10.0");
        assert_eq!(significant(0.09996, 3), "0.100");
        assert_eq!(significant(99_960.0, 3), "100000");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(f64::NAN, 3), "-");
    }

    #[test]
    fn prefixes_change_before_a_fourth_digit_appears() {
        assert_eq!(OpsPerSecond(2_310_000.0).to_string(), "2.31M/s");
        assert_eq!(OpsPerSecond(999_600.0).to_string(), "1.00M/s");
        assert_eq!(BytesPerSecond(388e9).to_string(), "388 GB/s");
        assert_eq!(Nanos(999_600).to_string(), "1.00 ms");
        assert_eq!(Nanos(31_000).to_string(), "31.0 µs");
        assert_eq!(Bytes(8192).iec(), "8 KiB");
        assert_eq!(Ratio(0.843).to_string(), "84 %");
        assert_eq!(Ratio(0.0123).to_string(), "1.2 %");
    }

    #[test]
    fn widths_apply_to_the_whole_quantity() {
        assert_eq!(format!("{:>12}", OpsPerSecond(492_000.0)), "      492k/s");
    }
}
