//! The table, one file per kind of trouble.

mod commits;
mod indexes;
mod latches;
mod locks;
pub(crate) mod mariadb;
mod memory;
mod plans;
mod reserves;
mod sessions;
mod standby;
mod statements;
mod storage;
mod tables;
mod vacuum;

use std::sync::LazyLock;

use crate::CauseRule;

static RULES: LazyLock<Vec<CauseRule>> = LazyLock::new(|| {
    [
        storage::RULES,
        locks::RULES,
        commits::RULES,
        tables::RULES,
        plans::RULES,
        memory::RULES,
        vacuum::RULES,
        statements::RULES,
        sessions::RULES,
        latches::RULES,
        reserves::RULES,
        indexes::RULES,
        standby::RULES,
        &mariadb::rules(),
    ]
    .concat()
});

/// Every rule. Of two causes with one share, that of the rule that stands first is told first.
pub fn rules() -> &'static [CauseRule] {
    &RULES
}
