//! Quantities as people write them in a table of limits: a number or a range, and always a unit.
//!
//! `25 GB/s`, `80 to 90 %`, `4800 MT/s`. A bare number is refused, because nobody could tell what it counts.

/// What a quantity measures, with the units that are understood and what one of each is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Bytes per second.
    Bandwidth,
    /// Bits per second on one lane, one per transfer.
    Signal,
    /// Operations per second.
    Operations,
    /// Nanoseconds.
    Time,
    /// Bytes.
    Size,
    /// A share of one, written in per cent.
    Share,
}

/// Larger figures are slips of the keyboard: a machine with 10^18 bytes per second hasn't been built.
const LARGEST: f64 = 1e18;

impl Dimension {
    fn units(self) -> &'static [(&'static str, f64)] {
        match self {
            Dimension::Bandwidth => &[
                ("B/s", 1.0),
                ("kB/s", 1e3),
                ("MB/s", 1e6),
                ("GB/s", 1e9),
                ("TB/s", 1e12),
                ("KiB/s", 1024.0),
                ("MiB/s", 1_048_576.0),
                ("GiB/s", 1_073_741_824.0),
                ("kb/s", 125.0),
                ("Mb/s", 125e3),
                ("Gb/s", 125e6),
                ("Tb/s", 125e9),
            ],
            Dimension::Signal => &[
                ("MT/s", 1e6),
                ("GT/s", 1e9),
                ("MBd", 1e6),
                ("GBd", 1e9),
                ("Mb/s", 1e6),
                ("Gb/s", 1e9),
            ],
            Dimension::Operations => &[("/s", 1.0), ("k/s", 1e3), ("M/s", 1e6)],
            Dimension::Time => &[("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)],
            Dimension::Size => &[
                ("B", 1.0),
                ("kB", 1e3),
                ("MB", 1e6),
                ("GB", 1e9),
                ("TB", 1e12),
                ("KiB", 1024.0),
                ("MiB", 1_048_576.0),
                ("GiB", 1_073_741_824.0),
                ("TiB", 1_099_511_627_776.0),
            ],
            Dimension::Share => &[("%", 0.01)],
        }
    }

    /// The units, for a message.
    pub fn known(self) -> String {
        self.units().iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// A quantity that would be understood, for a message.
    pub fn example(self) -> &'static str {
        match self {
            Dimension::Bandwidth => "12.5 GB/s",
            Dimension::Signal => "16 GT/s",
            Dimension::Operations => "800k/s",
            Dimension::Time => "85 us",
            Dimension::Size => "42 GB",
            Dimension::Share => "80 to 90 %",
        }
    }
}

/// Reads `LOW to HIGH UNIT` or `VALUE UNIT` in the dimension's base unit; the error says why not.
pub fn parse(text: &str, dimension: Dimension) -> Result<(f64, f64), String> {
    let (numbers, unit) = split_unit(text);
    if unit.is_empty() {
        return Err(format!("`{text}` has no unit (one of {})", dimension.known()));
    }
    let scale = dimension.units().iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
    let Some(scale) = scale else {
        return Err(format!("`{unit}` is not a unit known here (one of {})", dimension.known()));
    };
    let number = |part: &str| -> Result<f64, String> {
        let part = part.trim();
        let value: f64 = part.parse().map_err(|_| format!("`{part}` is not a number"))?;
        let value = value * scale;
        if !value.is_finite() || value <= 0.0 {
            return Err(format!("`{part} {unit}` is not a positive number"));
        }
        if value > LARGEST {
            return Err(format!("`{part} {unit}` is more than any machine has"));
        }
        Ok(value)
    };
    let (low, high) = match numbers.split_once(" to ") {
        Some((low, high)) => (number(low)?, number(high)?),
        None => {
            let value = number(numbers)?;
            (value, value)
        }
    };
    if low > high {
        return Err(format!("`{text}` runs from the larger to the smaller"));
    }
    if dimension == Dimension::Share && high > 1.0 {
        return Err(format!("`{text}` is more than 100 %"));
    }
    Ok((low, high))
}

/// The numbers before the unit, and the unit: the last word, or what follows the last digit.
fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    match text.rfind(is_number) {
        Some(last) => {
            let (numbers, unit) = text.split_at(last + 1);
            (numbers.trim(), unit.trim())
        }
        None => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_are_read_in_base_units() {
        assert_eq!(parse("25 Gb/s", Dimension::Bandwidth), Ok((3.125e9, 3.125e9)));
        assert_eq!(parse("4000MiB/s", Dimension::Bandwidth), Ok((4_194_304e3, 4_194_304e3)));
        assert_eq!(parse("12 to 58 µs", Dimension::Time), Ok((12e3, 58e3)));
        assert_eq!(parse("1e3 MT/s", Dimension::Signal), Ok((1e9, 1e9)));
        let (low, high) = parse("80 to 90 %", Dimension::Share).unwrap();
        assert!((low - 0.8).abs() < 1e-12 && (high - 0.9).abs() < 1e-12);
    }

    #[test]
    fn what_could_mislead_is_refused_with_its_reason() {
        for (text, dimension, reason) in [
            ("25", Dimension::Bandwidth, "no unit"),
            ("25 furlongs", Dimension::Bandwidth, "not a unit"),
            ("25 gb/s", Dimension::Bandwidth, "not a unit"),
            ("0 GB/s", Dimension::Bandwidth, "positive"),
            ("-3 GB/s", Dimension::Bandwidth, "positive"),
            ("NaN GB/s", Dimension::Bandwidth, "not a unit"),
            ("inf ns", Dimension::Time, "not a unit"),
            ("1e400 B/s", Dimension::Bandwidth, "positive"),
            ("1e19 B/s", Dimension::Bandwidth, "any machine"),
            ("90 to 80 %", Dimension::Share, "larger to the smaller"),
            ("120 %", Dimension::Share, "100 %"),
            ("", Dimension::Time, "no unit"),
            ("one ms", Dimension::Time, "not a unit"),
            ("1 to ms", Dimension::Time, "unit"),
        ] {
            let error = parse(text, dimension).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
