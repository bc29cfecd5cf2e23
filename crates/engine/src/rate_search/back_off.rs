//! How long a search leaves the machine to others after they were in its way: to go on at once would disturb them as well, and most likely be
//! disturbed again.

use std::time::Duration;

/// Longest pause.
const LONGEST: Duration = Duration::from_secs(1);

/// A window's length, twice as long after each further disturbed window in a row, up to a second; nothing after one that was not.
pub fn back_off(window: Duration, disturbed_in_a_row: u32) -> Duration {
    match disturbed_in_a_row.checked_sub(1) {
        None => Duration::ZERO,
        Some(more) => window.saturating_mul(1 << more.min(10)).min(LONGEST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_with_disturbed_windows_in_a_row_and_stay_short() {
        let of = |disturbed| back_off(Duration::from_millis(250), disturbed).as_millis();
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(of), [0, 250, 500, 1000, 1000, 1000]);
    }
}
