//! The day on which an answer is made: no price was quoted on a later one.

/// A day of the calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Day {
    written: String,
}

impl Day {
    /// Year, month and day as numbers; no check beyond their digits.
    pub fn new(year: u16, month: u8, day: u8) -> Day {
        Day { written: format!("{year:04}-{month:02}-{day:02}") }
    }

    /// Whether a date (a day, or a whole month or year) begins after it. Both have their digits in the same places.
    pub(crate) fn is_before(&self, date: &str) -> bool {
        self.written.get(..date.len()).is_some_and(|same_part| date > same_part)
    }
}

/// Days of a month.
pub(crate) fn days_of(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::{Day, days_of};

    #[test]
    fn a_date_is_later_than_a_day_in_its_own_digits() {
        let day = Day::new(2026, 11, 29);
        for later in ["2026-11-30", "2026-12", "2027", "2027-01-01"] {
            assert!(day.is_before(later), "{later}");
        }
        for known in ["2026-11-29", "2026-11", "2026", "2025-12-31", "1987"] {
            assert!(!day.is_before(known), "{known}");
        }
    }

    #[test]
    fn february_has_a_day_more_in_leap_years() {
        let of = [2023, 2024, 1900, 2000].map(|year| days_of(year, 2));
        assert_eq!(of, [28, 29, 28, 29]);
        assert_eq!((days_of(2026, 11), days_of(2026, 12)), (30, 31));
    }
}
