//! Quantities and addresses that people type.

use narrows_limits::table::{Dimension, parse_quantity};
use narrows_postgres::Address;

use super::text;

/// A word that is in no address by chance.
const PASSWORD: &str = "q9Zx7Wv5";

/// Reads it as everything that a word of a command can be.
pub fn check(data: &[u8]) {
    let text = text(data);
    for dimension in [
        Dimension::Bandwidth,
        Dimension::Operations,
        Dimension::Time,
        Dimension::Size,
        Dimension::Share,
    ] {
        if let Ok((value, unit)) = parse_quantity(&text, dimension) {
            assert!(value.is_finite() && unit.is_finite() && value >= 0.0, "{value} {unit}");
        }
    }
    if let Ok(address) = Address::parse(&text) {
        let _ = (address.to_string(), address.is_local());
    }
    if text.contains(PASSWORD) {
        return;
    }
    // Whatever is wrong with the rest, the password is told to nobody.
    let secret = format!("postgres://u:{PASSWORD}@{text}");
    match Address::parse(&secret) {
        Ok(address) => {
            assert!(!address.to_string().contains(PASSWORD), "{secret}");
            assert!(!format!("{address:?}").contains(PASSWORD), "{secret}");
        }
        Err(error) => assert!(!error.to_string().contains(PASSWORD), "{secret}: {error}"),
    }
}
