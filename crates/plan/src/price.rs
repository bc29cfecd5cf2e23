//! What a description costs, where its writer says so.

use toml::Spanned;

use crate::entry::Document;
use crate::error::{PlanError, Source};

/// More than any platform costs.
const PRICE_MAX: f64 = 1e12;

/// The sum of all prices (a group's price is that of one), and parts that have none beside parts that have one.
pub(crate) fn total(
    source: Source<'_>,
    document: &Document,
) -> Result<(Option<f64>, Vec<String>), PlanError> {
    let many = |count: &Option<Spanned<i64>>| count.as_ref().map_or(1.0, |n| *n.get_ref() as f64);
    let mut parts: Vec<(String, f64, &Option<Spanned<f64>>)> = Vec::new();
    for e in document.machine.iter().map(Spanned::get_ref) {
        parts.push((e.name.get_ref().clone(), 1.0, &e.price));
    }
    for e in document.switch.iter().map(Spanned::get_ref) {
        parts.push((e.name.get_ref().clone(), 1.0, &e.price));
    }
    for e in document.drives.iter().map(Spanned::get_ref) {
        parts.push((e.name.get_ref().clone(), many(&e.count), &e.price));
    }
    for e in document.adapter.iter().map(Spanned::get_ref) {
        parts.push((e.name.get_ref().clone(), 1.0, &e.price));
    }
    for e in document.link.iter().map(Spanned::get_ref) {
        let name = format!("{} to {}", e.from.get_ref(), e.to.get_ref());
        parts.push((name, many(&e.count), &e.price));
    }
    let mut sum = 0.0;
    let mut unpriced = Vec::new();
    for (name, count, price) in &parts {
        let Some(price) = price else {
            unpriced.push(name.clone());
            continue;
        };
        let value = *price.get_ref();
        if !(0.0..=PRICE_MAX).contains(&value) {
            let why = format!("{value} is no price");
            let hint = "a positive number; what it counts stands in currency = \"…\"";
            return Err(source.error(&price.span(), format!("{name}: price"), why, hint));
        }
        sum += count * value;
    }
    // Where one is told to be free and others have no price, the sum is as unknown as with any other price.
    let free = sum <= 0.0 && unpriced.is_empty();
    if unpriced.len() == parts.len() || free {
        return Ok((None, Vec::new()));
    }
    Ok((Some(sum), unpriced))
}
