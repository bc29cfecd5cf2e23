//! The page on what was killed at random moments.

use anyhow::Result;

use super::Generated;

pub(super) fn file() -> Result<Generated> {
    let (path, page) = crate::kills::written()?;
    Ok(Generated::new(path, page))
}
