//! Reading one value: prices and counts, ranges, shares, times, rates, dates.

use narrows_limits::table::{Dimension, parse_quantity};
use narrows_plan::{PlanError, Source};

use crate::day::{Day, days_of};
use crate::entry::{Figure, Text, Written};
use crate::sheet::Range;

/// More than anything that is bought here costs.
const PRICE_MAX: f64 = 1e12;
/// More of one thing than anybody counts.
const COUNT_MAX: f64 = 1e9;
/// The longest source or title, characters.
const PROSE_CHARS_MAX: usize = 400;

/// Operations in a time: how many, in which unit of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rate {
    pub value: Range,
    /// Seconds of the unit of time.
    pub seconds: f64,
    /// `s`, `min`, `h`.
    pub unit: &'static str,
}

/// The file that values are read from, and the day after which no figure was published.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub source: Source<'a>,
    /// `None` where nobody asks, as for what comes with narrows.
    pub today: Option<&'a Day>,
}

impl Reader<'_> {
    /// One line of prose.
    pub fn prose(self, what: &str, text: &Text) -> Result<String, PlanError> {
        let trimmed = text.get_ref().trim();
        let long = trimmed.chars().count() > PROSE_CHARS_MAX;
        if trimmed.is_empty() || long || trimmed.contains(narrows_units::steers) {
            let why = "is empty, longer than a paragraph, or has control characters";
            return Err(self.refused(text, what, why, "write one line of plain text"));
        }
        Ok(trimmed.to_string())
    }

    /// Three capital letters, as ISO 4217 has them.
    pub fn currency(self, text: &Text) -> Result<String, PlanError> {
        let written = text.get_ref().trim();
        if written.len() == 3 && written.bytes().all(|b| b.is_ascii_uppercase()) {
            return Ok(written.to_string());
        }
        let why = format!("`{written}` is no currency");
        Err(self.refused(
            text,
            "currency",
            why,
            "three capital letters, as ISO 4217 has them: USD, EUR",
        ))
    }

    /// A year, a month or a day that has begun: `2026`, `2026-11`, `2026-11-29`.
    pub fn date(self, what: &str, text: &Text) -> Result<String, PlanError> {
        let written = text.get_ref().trim();
        let parts: Vec<&str> = written.split('-').collect();
        let number = |part: &str, digits: usize, range: std::ops::RangeInclusive<u32>| {
            part.len() == digits
                && part.bytes().all(|b| b.is_ascii_digit())
                && part.parse().is_ok_and(|n: u32| range.contains(&n))
        };
        let year_and_month =
            |year: &str, month: &str| number(year, 4, 1950..=2200) && number(month, 2, 1..=12);
        let right = match parts.as_slice() {
            [year] => number(year, 4, 1950..=2200),
            [year, month] => year_and_month(year, month),
            [year, month, day] => {
                let days = year.parse().ok().zip(month.parse().ok());
                let days = days.map_or(31, |(year, month)| days_of(year, month));
                year_and_month(year, month) && number(day, 2, 1..=days)
            }
            _ => false,
        };
        if !right {
            let why = format!("`{written}` is no date");
            let hint = "write the day, month or year of the source: \"2026-11\"";
            return Err(self.refused(text, what, why, hint));
        }
        if self.today.is_some_and(|today| today.is_before(written)) {
            let why = format!("`{written}` is in the future");
            let hint = "write the day on which the figure was quoted or published, not the one up to which it holds";
            return Err(self.refused(text, what, why, hint));
        }
        Ok(written.to_string())
    }

    /// A price; `None` where it is unknown.
    pub fn price(self, what: &str, figure: &Figure) -> Result<Option<Range>, PlanError> {
        let hint = "a price is not negative, and no more than 1,000,000,000,000";
        self.figure(what, figure, 0.0, PRICE_MAX, hint)
    }

    /// How many of something; `None` where it is unknown.
    pub fn count(self, what: &str, figure: &Figure) -> Result<Option<Range>, PlanError> {
        let hint = "a count is not negative, and no more than 1,000,000,000";
        self.figure(what, figure, 0.0, COUNT_MAX, hint)
    }

    /// A positive figure within bounds; `None` where it is unknown.
    pub fn within(
        self,
        what: &str,
        figure: &Figure,
        bounds: std::ops::RangeInclusive<f64>,
    ) -> Result<Option<Range>, PlanError> {
        let hint = format!("it is within {} and {}", bounds.start(), bounds.end());
        self.figure(what, figure, *bounds.start(), *bounds.end(), &hint)
    }

    /// A whole number within bounds, without a range.
    pub fn whole(
        self,
        what: &str,
        figure: &Figure,
        bounds: std::ops::RangeInclusive<f64>,
    ) -> Result<f64, PlanError> {
        match self.within(what, figure, bounds)? {
            Some(range) if range.is_exact() && range.value.fract() == 0.0 => Ok(range.value),
            Some(range) => {
                let why = format!("{} is no whole number", shown(range));
                Err(self.source.error(&figure.span(), what, why, "write one whole number"))
            }
            None => {
                let hint = "leave it out where the product has no such rule";
                Err(self.source.error(&figure.span(), what, "is unknown", hint))
            }
        }
    }

    fn figure(
        self,
        what: &str,
        figure: &Figure,
        least: f64,
        most: f64,
        hint: &str,
    ) -> Result<Option<Range>, PlanError> {
        let refuse = |why: String| Err(self.source.error(&figure.span(), what, why, hint));
        let range = match figure.get_ref() {
            Written::Whole(whole) => Range::exact(*whole as f64),
            Written::Real(real) => Range::exact(*real),
            Written::Text(text) if text.trim() == "unknown" => return Ok(None),
            Written::Text(text) => match range_of(text, |part| part.parse::<f64>().ok()) {
                Some(range) => range,
                None => {
                    let why = format!("`{}` is no number and no range", text.trim());
                    let hint = "write a number without its unit: 15000, \"12000 to 18000\", or \"unknown\"";
                    return Err(self.source.error(&figure.span(), what, why, hint));
                }
            },
        };
        if range.low > range.high {
            let why = format!("{} runs from the larger to the smaller", shown(range));
            return Err(self.source.error(
                &figure.span(),
                what,
                why,
                "write the smaller one first",
            ));
        }
        let fine = |value: f64| (least..=most).contains(&value);
        if !(fine(range.low) && fine(range.high)) {
            return refuse(format!("{} is out of bounds", shown(range)));
        }
        Ok(Some(range))
    }

    /// A share: `"22 %"`, `"20 to 25 %"`, as a part of one.
    pub fn share(self, what: &str, text: &Text) -> Result<Range, PlanError> {
        self.quantity(what, text, Dimension::Share, true)
    }

    /// Bytes.
    pub fn size(self, what: &str, text: &Text) -> Result<Range, PlanError> {
        self.quantity(what, text, Dimension::Size, false)
    }

    /// Bytes per second.
    pub fn bandwidth(self, what: &str, text: &Text) -> Result<Range, PlanError> {
        self.quantity(what, text, Dimension::Bandwidth, false)
    }

    fn quantity(
        self,
        what: &str,
        text: &Text,
        dimension: Dimension,
        zero: bool,
    ) -> Result<Range, PlanError> {
        let written = text.get_ref().trim();
        if zero && ["0 %", "0%"].contains(&written) {
            return Ok(Range::exact(0.0));
        }
        match parse_quantity(written, dimension) {
            Ok((low, high)) if low == high => Ok(Range::exact(low)),
            Ok((low, high)) => Ok(Range::between(low, high)),
            Err(why) => {
                let hint = format!("write it as \"{}\"", dimension.example());
                Err(self.refused(text, what, why, hint))
            }
        }
    }

    /// Seconds: `"30 s"`, `"5 min"`, `"2 to 4 h"`, `"19.2 us"`.
    pub fn seconds(self, what: &str, text: &Text) -> Result<Range, PlanError> {
        const UNITS: [(&str, f64); 7] = [
            ("ns", 1e-9),
            ("us", 1e-6),
            ("µs", 1e-6),
            ("ms", 1e-3),
            ("min", 60.0),
            ("h", 3600.0),
            ("s", 1.0),
        ];
        let written = text.get_ref().trim();
        let unit = UNITS.iter().find(|(unit, _)| written.ends_with(unit));
        let read = unit.and_then(|(unit, seconds)| {
            let numbers = written.strip_suffix(unit)?;
            Some(range_of(numbers, |part| part.parse().ok())?.times(*seconds))
        });
        match read.filter(|range| range.low >= 0.0 && range.high <= 1e9 && range.low <= range.high)
        {
            Some(range) => Ok(range),
            None => {
                let why = format!("`{written}` is no time");
                Err(self.refused(
                    text,
                    what,
                    why,
                    "write \"30 s\", \"5 min\", \"2 to 4 h\" or \"19 us\"",
                ))
            }
        }
    }

    /// Operations in a time: `"32264 /min"`, `"800k/s"`.
    pub fn rate(self, what: &str, text: &Text) -> Result<Rate, PlanError> {
        let written = text.get_ref().trim();
        let read = written.rsplit_once('/').and_then(|(numbers, unit)| {
            let (unit, seconds) = match unit.trim() {
                "s" => ("s", 1.0),
                "min" => ("min", 60.0),
                "h" => ("h", 3600.0),
                _ => return None,
            };
            let numbers = numbers.trim();
            let (numbers, scale) = match numbers.chars().last()? {
                'k' => (&numbers[..numbers.len() - 1], 1e3),
                'M' => (&numbers[..numbers.len() - 1], 1e6),
                _ => (numbers, 1.0),
            };
            let value = range_of(numbers, |part| part.parse().ok())?.times(scale);
            Some(Rate { value, seconds, unit })
        });
        let fine = |rate: &Rate| {
            rate.value.low > 0.0 && rate.value.high <= 1e15 && rate.value.low <= rate.value.high
        };
        match read.filter(fine) {
            Some(rate) => Ok(rate),
            None => {
                let why = format!("`{written}` is no rate");
                Err(self.refused(
                    text,
                    what,
                    why,
                    "write \"32264 /min\", \"800k/s\" or \"900 to 1100 /s\"",
                ))
            }
        }
    }

    /// A refusal at a text.
    pub fn refused(
        self,
        text: &Text,
        what: &str,
        why: impl Into<String>,
        hint: impl Into<String>,
    ) -> PlanError {
        self.source.error(&text.span(), what, why, hint)
    }
}

/// `LOW to HIGH` or one number.
fn range_of(text: &str, number: impl Fn(&str) -> Option<f64>) -> Option<Range> {
    let number = |part: &str| number(part.trim()).filter(|value| value.is_finite());
    match text.split_once(" to ") {
        Some((low, high)) => Some(Range::between(number(low)?, number(high)?)),
        None => number(text).map(Range::exact),
    }
}

/// A number or a range as somebody would write it on the command line.
pub(crate) fn what_if_value(text: &str) -> Option<Range> {
    let (text, scale) = match text.trim().strip_suffix('%') {
        Some(share) => (share, 0.01),
        None => (text, 1.0),
    };
    let range = range_of(text, |part| part.parse().ok())?.times(scale);
    (range.low >= 0.0 && range.low <= range.high && range.high <= PRICE_MAX).then_some(range)
}

fn shown(range: Range) -> String {
    // What is no number is not equal to itself.
    if range.is_exact() || range.value.is_nan() {
        range.value.to_string()
    } else {
        format!("{} to {}", range.low, range.high)
    }
}
