//! Numbers for a pencil: six digits, thousands apart.

/// Digits that are shown: redone with them, a sum agrees in what is shown of it.
const DIGITS: i32 = 6;

/// `1,520,000`, `0.0192`, `55,529.3`.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_string() } else { "unknown".to_string() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (DIGITS - 1 - magnitude).clamp(0, 12) as usize;
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let fraction = fraction.trim_end_matches('0');
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn six_digits_are_shown_and_thousands_stand_apart() {
        for (value, text) in [
            (0.0, "0"),
            (1_520_000.0, "1,520,000"),
            (3_192_000.4, "3,192,000"),
            (55_529.27, "55,529.3"),
            (0.000_019_2, "0.0000192"),
            (999.999_96, "1,000"),
            (-12.5, "−12.5"),
            (2.0 / 3.0, "0.666667"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
