//! Whole numbers as values of options: refused with what would be taken, not with what the language's parser calls it.

/// From `LOW` to `HIGH`.
///
/// # Errors
/// A sentence with both, where it is no such number.
pub fn whole<const LOW: u32, const HIGH: u32>(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(number) if (LOW..=HIGH).contains(&number) => Ok(number),
        _ => Err(format!("a whole number from {LOW} to {HIGH}")),
    }
}

/// From `LOW` to `HIGH`, where that is more than fits 32 bits.
///
/// # Errors
/// As [`whole`].
pub fn large<const LOW: u64, const HIGH: u64>(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if (LOW..=HIGH).contains(&number) => Ok(number),
        _ => Err(format!("a whole number from {LOW} to {HIGH}")),
    }
}

/// `LOW` and more.
///
/// # Errors
/// A sentence with it, where it is no such number.
pub fn at_least<const LOW: u64>(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if number >= LOW => Ok(number),
        _ => Err(format!("a whole number, {LOW} or more")),
    }
}

/// How many sessions, up to `MOST`.
///
/// # Errors
/// A sentence with the most, where it is no such number.
pub fn sessions<const MOST: u32>(text: &str) -> Result<u32, String> {
    whole::<1, MOST>(text).map_err(|_| format!("a number of sessions, 1 to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_told_by_the_numbers_that_are_taken() {
        assert_eq!(whole::<1, 64>("64"), Ok(64));
        assert_eq!(large::<1, { 1 << 40 }>("1099511627776"), Ok(1 << 40));
        assert_eq!(at_least::<0>("7"), Ok(7));
        assert_eq!(sessions::<1024>("8"), Ok(8));
        for text in ["x", "0", "65", "-1", "1.5", ""] {
            assert_eq!(whole::<1, 64>(text), Err("a whole number from 1 to 64".to_string()));
        }
        let said = |text| sessions::<1024>(text).unwrap_err();
        assert_eq!([said("x"), said("1025")], ["a number of sessions, 1 to 1024"; 2]);
        assert_eq!(at_least::<1>("0").unwrap_err(), "a whole number, 1 or more");
        assert!(large::<1, 2>("x").unwrap_err().ends_with("from 1 to 2"));
    }
}
