//! MariaDB's rules: what means the same there as in PostgreSQL, in its own figures, words and statements.
//!
//! Their ids begin with [`PREFIX`]; none of them is asked of PostgreSQL, and no other is asked of MariaDB.

mod engine;
mod locks;
mod sessions;
mod statements;

use narrows_units::steers;

use crate::CauseRule;

/// Of the ids of rules that are asked of MariaDB alone.
pub(crate) const PREFIX: &str = "mariadb-";

/// All of them.
pub(super) fn rules() -> Vec<CauseRule> {
    [locks::RULES, statements::RULES, engine::RULES, sessions::RULES].concat()
}

/// How to see whether it helped.
fn observe_again(what: &str) -> String {
    format!("narrows observe mariadb://…: {what}")
}

/// A name as a statement has it, in backticks; `None` where it is none that a server can have.
///
/// MariaDB documentation: Identifier Names.
fn backticked(name: &str) -> Option<String> {
    /// Characters of a name.
    const LONGEST: usize = 64;
    let none = name.is_empty() || name.chars().count() > LONGEST || name.ends_with(' ');
    if none || name.chars().any(|c| c.is_control() || steers(c)) {
        return None;
    }
    Some(format!("`{}`", name.replace('`', "``")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_they_should() {
        assert_eq!(backticked("orders").as_deref(), Some("`orders`"));
        assert_eq!(backticked("a`; DROP TABLE x; --").as_deref(), Some("`a``; DROP TABLE x; --`"));
        for none in ["", "a\nb", "a\u{202e}", "a ", &"a".repeat(65)] {
            assert_eq!(backticked(none), None, "{none}");
        }
    }
}
