//! Which schemas of a database are ours, and how they go.
//!
//! A comment is a text that everybody can write. A schema is ours if it belongs to the very role that we are, has our comment, has
//! a table inside that only we make (of that role too, with its columns), and holds nothing of another role. All of that is asked of
//! the catalogs in one statement. It goes by naming each table and function, never by `CASCADE`: what others hung on one of them
//! (a view, a foreign key) keeps it, and the server says what that is.

use crate::event_triggers;
use crate::wire::{Connection, WireError};

/// What a schema of ours has.
#[derive(Debug, Clone, Copy)]
pub struct Sign {
    /// Its comment.
    pub comment: &'static str,
    /// A table in it.
    pub table: &'static str,
    /// The table's columns with their types begin like this.
    pub columns: &'static str,
}

impl Sign {
    /// A condition on a row `n` of `pg_namespace`.
    fn holds(&self) -> String {
        let Sign { comment, table, columns } = self;
        let foreign = |catalog: &str, prefix: &str| {
            format!(
                "NOT EXISTS (SELECT FROM pg_catalog.{catalog} x WHERE x.{prefix}namespace = n.oid \
                 AND x.{prefix}owner <> n.nspowner)"
            )
        };
        format!(
            "n.nspowner = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user) \
             AND pg_catalog.obj_description(n.oid, 'pg_namespace') = '{comment}' \
             AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND c.relname = '{table}' \
             AND c.relkind = 'r' AND c.relowner = n.nspowner AND pg_catalog.starts_with((SELECT pg_catalog.string_agg(\
             a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) \
             FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '{columns}')) \
             AND {} AND {} AND {}",
            foreign("pg_class", "rel"),
            foreign("pg_proc", "pro"),
            foreign("pg_type", "typ"),
        )
    }
}

/// Whether the schema is ours; `None`: there is none of that name.
///
/// # Errors
/// The server refuses.
pub fn is(control: &mut Connection, schema: &str, sign: &Sign) -> Result<Option<bool>, WireError> {
    let ours = control.one(&format!(
        "SELECT ({}) IS TRUE FROM pg_catalog.pg_namespace n WHERE n.nspname = '{schema}'",
        sign.holds()
    ))?;
    Ok(ours.map(|text| text == "t"))
}

/// Schemas that are ours, of those whose name is `prefix` and eight hexadecimal digits.
///
/// # Errors
/// The server refuses, or names others than were asked for.
pub fn all(control: &mut Connection, prefix: &str, sign: &Sign) -> Result<Vec<String>, WireError> {
    let rows = control.query(&format!(
        "SELECT n.nspname FROM pg_catalog.pg_namespace n WHERE n.nspname ~ '^{prefix}[0-9a-f]{{8}}$' AND {} ORDER BY 1",
        sign.holds()
    ))?;
    rows.into_iter().map(|row| own_name(row, prefix)).collect()
}

/// A name that goes into statements and onto screens.
fn own_name(row: Vec<Option<String>>, prefix: &str) -> Result<String, WireError> {
    let name = row.into_iter().next().flatten().unwrap_or_default();
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match name.strip_prefix(prefix) {
        Some(id) if id.len() == 8 && id.bytes().all(digit) => Ok(name),
        _ => Err(WireError::Unexpected("a schema of another name than was asked for")),
    }
}

/// Removes a schema that was shown to be ours, with its tables and functions, in one transaction.
///
/// # Errors
/// Others hung something on it, an event trigger of others would run, or the server refuses.
pub fn remove(control: &mut Connection, schema: &str) -> Result<(), WireError> {
    event_triggers::refuse_foreign(control)?;
    let mut statements = Vec::new();
    for (what, list) in [
        (
            "FUNCTION",
            format!(
                "SELECT pg_catalog.format('%I.%I(%s)', n.nspname, p.proname, \
                 pg_catalog.pg_get_function_identity_arguments(p.oid)) FROM pg_catalog.pg_proc p \
                 JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = '{schema}' AND p.prokind = 'f'"
            ),
        ),
        (
            "TABLE",
            format!(
                "SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c \
                 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '{schema}' AND c.relkind = 'r'"
            ),
        ),
    ] {
        let rows = control.query(&list)?;
        let names: Vec<String> = rows.into_iter().flatten().flatten().collect();
        if !names.is_empty() {
            statements.push(format!("DROP {what} {}", names.join(", ")));
        }
    }
    statements.push(format!("DROP SCHEMA IF EXISTS {schema}"));
    // Several statements in one message are one transaction.
    control.execute(&statements.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_not_asked_for_goes_nowhere() {
        let own = |name: &str| own_name(vec![Some(name.to_string())], "narrows_scratch_");
        assert_eq!(own("narrows_scratch_0000beef").unwrap(), "narrows_scratch_0000beef");
        let long = "narrows_scratch_".to_string() + &"0".repeat(65_536);
        for other in
            ["", "public", "narrows_scratch_0000beeF", "narrows_scratch_\u{1b}[2J0000", &long]
        {
            assert!(own(other).is_err(), "{other}");
        }
        assert!(own_name(vec![None], "x").is_err() && own_name(vec![], "x").is_err());
    }
}
