//! Pages of the book that are made of stored results: what was planted, what an attack foretold, what was
//! killed at random moments. They can be made at any
//! time, also after their words were changed.

use anyhow::Result;
use xtask::generate::{Generated, between_markers_of};

const OBSERVED: &str = "docs/src/methods/observe.md";

/// All of them, as they should be.
pub(crate) fn all() -> Result<Vec<Generated>> {
    let (planted, page, looks) = crate::plants::pages()?;
    let (attacked, experiments) = crate::attack::pages()?;
    let (storage_attacked, storage_experiments) = crate::storage_attack::pages()?;
    let (caused, situations) = crate::causes::written()?;
    let (killed, trials) = crate::kills::written()?;
    let (ended, ends) = crate::log_ends::written()?;
    let (proven, proofs) = crate::tier_proofs::written()?;
    Ok(vec![
        Generated::new(planted, page),
        between_markers_of(OBSERVED, "pages", "tools/src/plants/results.json", &looks)?,
        Generated::new(attacked, experiments),
        Generated::new(storage_attacked, storage_experiments),
        Generated::new(caused, situations),
        Generated::new(killed, trials),
        Generated::new(ended, ends),
        Generated::new(proven, proofs),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn pages_of_stored_results_are_up_to_date() {
        let outdated = xtask::generate::outdated(&super::all().unwrap());
        assert!(outdated.is_empty(), "{outdated:?}; run `cargo xtask pages`");
    }
}
