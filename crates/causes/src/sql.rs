//! Identifiers and literals in statements that somebody will paste. Names are others': whoever names a role can name it so that it ends
//! a statement and begins another.
//!
//! PostgreSQL documentation: SQL Syntax, Lexical Structure.

use narrows_units::steers;

/// Bytes of a name that the server keeps (`NAMEDATALEN` less one); it cuts longer ones, and the rest is then another object's name.
const LONGEST: usize = 63;

/// Words that are keywords and not unreserved ones, in PostgreSQL 13 to 18.
const KEYWORDS: &str = " all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case \
cast char character check coalesce collate collation column concurrently constraint create cross current_catalog current_date \
current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else end except \
exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner inout int \
integer intersect interval into is isnull join json json_array json_arrayagg json_exists json_object json_objectagg json_query \
json_scalar json_serialize json_table json_value lateral leading least left like limit localtime localtimestamp merge_action national \
natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay placing position \
precision primary real references returning right row select session_user setof similar smallint some substring symmetric system_user \
table tablesample then time timestamp to trailing treat trim true union unique user using values varchar variadic verbose when where \
window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable ";

/// Whether the word is a keyword that no column or table has as its name without quotes.
pub(crate) fn is_keyword(word: &str) -> bool {
    !word.contains(' ') && !word.is_empty() && KEYWORDS.contains(&format!(" {word} "))
}

/// The name as a statement has it, in quotes where it needs them; `None` where it is none that a server can have.
pub(crate) fn identifier(name: &str) -> Option<String> {
    if name.is_empty() || name.len() > LONGEST || name.chars().any(|c| c.is_control() || steers(c))
    {
        return None;
    }
    let first = |c: char| c.is_ascii_lowercase() || c == '_';
    let plain = name.starts_with(first) && name.chars().all(|c| first(c) || c.is_ascii_digit());
    if plain && !is_keyword(name) {
        return Some(name.to_string());
    }
    Some(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// The text as a literal; `None` where it can't be one.
pub(crate) fn literal(text: &str) -> Option<String> {
    if text.chars().any(|c| c.is_control() || steers(c)) {
        return None;
    }
    let quoted = text.replace('\'', "''");
    // Whatever standard_conforming_strings is.
    Some(if text.contains('\\') {
        format!("E'{}'", quoted.replace('\\', "\\\\"))
    } else {
        format!("'{quoted}'")
    })
}

/// A table's name in its parts, without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableName {
    pub schema: Option<String>,
    pub name: String,
}

impl TableName {
    /// From a name that is quoted where PostgreSQL would; `None` where it is no name, or two.
    pub fn parse(text: &str) -> Option<TableName> {
        let mut parts = names(text, '.')?;
        let name = parts.pop()?;
        let schema = parts.pop();
        parts.is_empty().then_some(TableName { schema, name })
    }

    /// As a statement has it.
    pub fn quoted(&self) -> Option<String> {
        let name = identifier(&self.name)?;
        match &self.schema {
            Some(schema) => Some(format!("{}.{name}", identifier(schema)?)),
            None => Some(name),
        }
    }
}

/// Columns of a list that is quoted where PostgreSQL would, quoted again; `None` where it is no such list.
pub(crate) fn column_list(text: &str) -> Option<String> {
    let quoted: Option<Vec<String>> =
        names(text, ',')?.iter().map(|name| identifier(name)).collect();
    Some(quoted?.join(", "))
}

/// Names between separators, without their quotes; blanks around them are left out.
fn names(text: &str, separator: char) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        while chars.next_if(|c| *c == ' ').is_some() {}
        let mut name = String::new();
        if chars.next_if_eq(&'"').is_some() {
            loop {
                match chars.next()? {
                    '"' if chars.next_if_eq(&'"').is_some() => name.push('"'),
                    '"' => break,
                    c => name.push(c),
                }
            }
        } else {
            while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || "_$".contains(*c)) {
                name.push(c);
            }
        }
        if name.is_empty() {
            return None;
        }
        found.push(name);
        while chars.next_if(|c| *c == ' ').is_some() {}
        match chars.next() {
            None => return Some(found),
            Some(c) if c == separator => {}
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_end_or_mean_something() {
        for (name, quoted) in [
            ("orders", "orders"),
            ("_a1", "_a1"),
            ("1a", "\"1a\""),
            ("Orders", "\"Orders\""),
            ("user", "\"user\""),
            ("order line", "\"order line\""),
            ("a\"; DROP TABLE x; --", "\"a\"\"; DROP TABLE x; --\""),
            ("größe", "\"größe\""),
        ] {
            assert_eq!(identifier(name).as_deref(), Some(quoted));
        }
        assert_eq!(identifier(""), None);
        assert_eq!(identifier("a\nb"), None);
        assert_eq!(identifier(&"a".repeat(64)), None, "the server would cut it");
        assert!(is_keyword("select") && !is_keyword("orders") && !is_keyword("all analyse"));
    }

    #[test]
    fn literals_end_where_they_should() {
        assert_eq!(literal("a").as_deref(), Some("'a'"));
        assert_eq!(literal("a'; DROP TABLE x; --").as_deref(), Some("'a''; DROP TABLE x; --'"));
        assert_eq!(literal("a\\' b").as_deref(), Some("E'a\\\\'' b'"));
        assert_eq!(literal("a\u{1b}[2J"), None);
    }

    #[test]
    fn tables_are_taken_apart_and_quoted_again() {
        let again = |name: &str| TableName::parse(name).and_then(|name| name.quoted());
        assert_eq!(again("public.orders").as_deref(), Some("public.orders"));
        assert_eq!(again("\"Shop\".\"a\"\"; DROP\"").as_deref(), Some("\"Shop\".\"a\"\"; DROP\""));
        assert_eq!(again("\"a,b.c\"").as_deref(), Some("\"a,b.c\""));
        for none in ["", "a.b.c", "a; DROP TABLE x", "\"a", "a,b", "\"a\"b", "a b"] {
            assert_eq!(again(none), None, "{none}");
        }
        assert_eq!(column_list("a, \"B\"").as_deref(), Some("a, \"B\""));
        assert_eq!(column_list("a) ; DROP TABLE x --"), None);
    }
}
