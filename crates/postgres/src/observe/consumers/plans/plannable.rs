//! Which texts may be planned: the planner itself calls functions.

use super::super::text;
use crate::wire::{Row, one_line};

/// Characters from which on a text may have been cut.
const LONGEST_TEXT: usize = 16_000;
/// Parameters of a statement.
const MOST_PARAMETERS: usize = 1_000;
/// What a text is searched for: functions that the planner may call, whose they are, whether something of the database uses them; foreign
/// tables.
pub(in super::super) const HAZARDS: &str = "\
SELECT p.proname, CASE WHEN NOT o.rolsuper AND o.rolname <> current_user AND EXISTS (SELECT FROM pg_catalog.pg_depend d \
WHERE d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.refobjid = p.oid AND d.classid IN (SELECT c.oid \
FROM pg_catalog.pg_class c WHERE c.relnamespace = 'pg_catalog'::pg_catalog.regnamespace AND c.relname IN ('pg_rewrite', 'pg_attrdef', \
'pg_constraint', 'pg_class', 'pg_operator', 'pg_cast', 'pg_type', 'pg_policy', 'pg_amproc', 'pg_amop'))) \
THEN pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(p.proname) END \
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_language l ON l.oid = p.prolang JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
JOIN pg_catalog.pg_roles o ON o.oid = p.proowner WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') \
AND l.lanname NOT IN ('internal', 'c') AND (p.provolatile <> 'v' OR l.lanname = 'sql') \
AND p.prorettype NOT IN ('pg_catalog.trigger'::pg_catalog.regtype, 'pg_catalog.event_trigger'::pg_catalog.regtype) \
UNION ALL SELECT relname, NULL FROM pg_catalog.pg_class WHERE relkind = 'f' LIMIT 20001";
const MOST_HAZARDS: usize = 20_000;

/// Functions and foreign tables that keep a text from being planned.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in super::super) struct Hazards {
    names: Vec<String>,
    /// What keeps every text from it.
    everywhere: Option<String>,
}

impl Hazards {
    /// From the answer to [`HAZARDS`].
    pub(in super::super) fn of(rows: &[Row]) -> Hazards {
        let used = rows.iter().find_map(|row| text(row, 1)).map(|function| {
            format!(
                "a database in which no view, default, constraint, index or the like uses {}, which planning may call and which is neither \
                 a superuser's nor this role's",
                one_line(function)
            )
        });
        let many =
            (rows.len() > MOST_HAZARDS).then(|| "a database with fewer functions".to_string());
        let names = rows.iter().filter_map(|row| Some(text(row, 0)?.to_lowercase())).collect();
        Hazards { names, everywhere: used.or(many) }
    }

    /// Why the text isn't planned, as what it would need.
    pub(super) fn refusal(&self, sql: &str) -> Option<String> {
        if self.everywhere.is_some() {
            return self.everywhere.clone();
        }
        let folded = sql.to_lowercase();
        let in_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let words: Vec<&str> = folded.split(|c| !in_name(c)).collect();
        let named = self.names.iter().find(|name| match name.chars().all(in_name) {
            true => words.contains(&name.as_str()),
            // In quotes: as it stands, or with its own quotes doubled.
            false => folded.contains(name.as_str()) || folded.contains(&name.replace('"', "\"\"")),
        })?;
        Some(format!(
            "a statement without {}, a function that planning may call, or a foreign table",
            one_line(named)
        ))
    }
}

/// The text as it can be prepared, and how many parameters it has; or what it would need.
pub(super) fn prepared(sql: &str) -> Result<(&str, usize), &'static str> {
    if sql.chars().count() >= LONGEST_TEXT {
        return Err("a shorter text: it may have been cut");
    }
    let sql = sql.trim_end_matches(|c: char| c.is_whitespace() || c == ';');
    let unicode = ["U&\"", "u&\""].iter().any(|begins| sql.contains(begins));
    if sql.contains([';', '\'', '\0']) || unicode {
        return Err(
            "a text of one statement without literals, and without names in Unicode escapes",
        );
    }
    let mut parameters = 0;
    for part in sql.split('$').skip(1) {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        // Of a literal in dollars, or of a name with one in it.
        let Ok(parameter) = part[..digits].parse::<usize>() else {
            return Err("a text without dollars but those of parameters");
        };
        parameters = parameters.max(parameter);
    }
    if parameters > MOST_PARAMETERS {
        return Err("a statement with fewer parameters");
    }
    Ok((sql, parameters))
}

#[cfg(test)]
#[path = "plannable_test.rs"]
mod tests;
