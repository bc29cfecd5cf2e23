//! A user's table of limits.

use narrows_limits::table::Table;

use super::text;
use crate::property;

const FILE: &str = "ours.toml";

/// Puts it over the built-in table.
pub fn check(data: &[u8]) {
    match Table::builtin().with_overrides(FILE, &text(data)) {
        Ok(table) => {
            for class in table.classes() {
                assert!(table.class(&class.id).is_some(), "{} is not found", class.id);
                let _ = table.normals(&class.id).count();
            }
            let _ = table.nearest("nvme-gen5x4");
        }
        Err(error) => property::told(&error.to_string(), FILE),
    }
}
