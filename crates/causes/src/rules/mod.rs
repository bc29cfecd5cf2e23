//! The table, one file per kind of trouble.

mod commits;
mod latches;
mod locks;
pub(crate) mod mariadb;
mod memory;
mod reserves;
mod sessions;
mod statements;
mod tables;
mod vacuum;

use std::sync::LazyLock;

use crate::CauseRule;

static RULES: LazyLock<Vec<CauseRule>> = LazyLock::new(|| {
    [
        locks::RULES,
        commits::RULES,
        tables::RULES,
        memory::RULES,
        vacuum::RULES,
        statements::RULES,
        sessions::RULES,
        latches::RULES,
        reserves::RULES,
        &mariadb::rules(),
    ]
    .concat()
});

/// Every rule. Of two causes with one share, that of the rule that stands first is told first.
pub fn rules() -> &'static [CauseRule] {
    &RULES
}
