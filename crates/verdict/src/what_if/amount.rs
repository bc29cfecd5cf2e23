//! By how much something changes: `2x`, `-40%`, `+8`.

/// A change of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// Times this.
    Factor(f64),
    /// So many more, or fewer.
    More(f64),
}

impl Amount {
    /// `2x`, `+50%`, `-40%`, `+8`, `-2`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Amount> {
        if let Some(factor) = text.strip_suffix(['x', '×']) {
            return number(factor).filter(|factor| *factor >= 0.0).map(Amount::Factor);
        }
        if !text.starts_with(['+', '-', '−']) {
            return None;
        }
        let text = text.replace('−', "-");
        if let Some(percent) = text.strip_suffix('%') {
            let factor = 1.0 + number(percent.trim_end())? / 100.0;
            return (factor >= 0.0).then_some(Amount::Factor(factor));
        }
        number(&text).map(Amount::More)
    }

    /// The factor on a number.
    pub fn on(self, now: f64) -> f64 {
        match self {
            Amount::Factor(factor) => factor,
            Amount::More(more) => (now + more) / now,
        }
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A time with its unit, ns: `80us`, `0.1 ms`.
pub(crate) fn duration_ns(text: &str) -> Option<f64> {
    let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (digits, scale) = units
        .into_iter()
        .find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))
        .filter(|(digits, _)| digits.trim_end().ends_with(|c: char| c.is_ascii_digit()))?;
    number(digits.trim_end()).map(|n| n * scale).filter(|ns| *ns > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_percents_and_counts() {
        assert_eq!(Amount::parse("2x"), Some(Amount::Factor(2.0)));
        assert_eq!(Amount::parse("0.5×"), Some(Amount::Factor(0.5)));
        assert_eq!(Amount::parse("-40%"), Some(Amount::Factor(0.6)));
        assert_eq!(Amount::parse("+50 %"), Some(Amount::Factor(1.5)));
        assert_eq!(Amount::parse("+8"), Some(Amount::More(8.0)));
        assert_eq!(Amount::More(8.0).on(4.0), 3.0);
        for nonsense in ["2", "x", "-140%", "-1x", "+", "infx", "+nan", "twice", ""] {
            assert_eq!(Amount::parse(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn times_need_their_unit() {
        assert_eq!(duration_ns("80us"), Some(80e3));
        assert_eq!(duration_ns("0.1 ms"), Some(1e5));
        assert_eq!(duration_ns("1s"), Some(1e9));
        for nonsense in ["80", "us", "-1us", "0ms", "1 fortnight", "1e400s"] {
            assert_eq!(duration_ns(nonsense), None, "{nonsense}");
        }
    }
}
