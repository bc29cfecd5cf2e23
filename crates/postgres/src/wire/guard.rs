//! What every session of narrows is fixed to before it asks anything, and the proof that it is.
//!
//! A name without a schema is looked up along `search_path`, which by default begins with schemas that others may write in: a
//! function `public.obj_description(oid, text)` would then run with the rights of whoever lists schemas (CVE-2018-1058; PostgreSQL
//! documentation, "Schemas", "Usage Patterns"). `pg_temp` stands last, because where it isn't named it is searched first. Settings
//! in which the owner of a database or of a role can plant another meaning of the same words (`ALTER DATABASE … SET`) are fixed too;
//! of two values the one in the startup packet goes before theirs. `role` is among them: with `SET role = evil` planted, the
//! schemas of `evil` would be those of the current user. With `row_security = off` a policy is an error and hides no row.
//!
//! What a server's administrator has others run at each login or definition is not ours to end ([`crate::event_triggers`]).

use super::{Row, WireError};

/// In the startup packet, in the words that the server says them back in.
pub(super) const FIXED: [(&str, &str); 11] = [
    ("search_path", "pg_catalog, pg_temp"),
    ("role", "none"),
    ("row_security", "off"),
    ("standard_conforming_strings", "on"),
    ("quote_all_identifiers", "off"),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("TimeZone", "UTC"),
    ("extra_float_digits", "1"),
    ("bytea_output", "hex"),
    ("client_min_messages", "warning"),
];

/// Asks for all of them, and for whose session it is. It names no operator, and its functions with their schema, so that it
/// means the same along every path.
pub fn question() -> String {
    let settings = FIXED.map(|(name, _)| format!("pg_catalog.current_setting('{name}'), "));
    format!("SELECT {}pg_catalog.pg_backend_pid(), session_user, current_user", settings.concat())
}

/// What a session answers that is as it should be.
pub fn expected(pid: u32, user: &str) -> Row {
    let settings = FIXED.map(|(_, value)| value.to_string()).into_iter();
    let whose = [pid.to_string(), user.to_string(), user.to_string()];
    settings.chain(whose).map(Some).collect()
}

/// Bytes of a name that a server keeps (`NAMEDATALEN`).
const LONGEST_NAME: usize = 63;

/// Compares an answer with what was asked for.
///
/// # Errors
/// Something between changes it.
pub(super) fn verify(rows: &[Row], pid: u32, user: &str) -> Result<(), WireError> {
    let [row] = rows else { return Err(WireError::Unexpected("no row of its session's settings")) };
    let mut end = user.len().min(LONGEST_NAME);
    while !user.is_char_boundary(end) {
        end -= 1;
    }
    let names = FIXED.iter().map(|(name, _)| *name).chain(["pid", "session_user", "current_user"]);
    let expected = expected(pid, &user[..end]);
    if row.len() != expected.len() {
        return Err(WireError::Unexpected("another number of settings than was asked for"));
    }
    for ((name, wanted), found) in names.zip(expected).zip(row) {
        if *found != wanted {
            let say = |text: Option<String>| -> String {
                super::one_line(&text.unwrap_or_default()).chars().take(80).collect()
            };
            return Err(WireError::Unfixed {
                name,
                wanted: say(wanted),
                found: say(found.clone()),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_otherwise_in_one_thing_is_refused() {
        let good = expected(7, "bob");
        assert!(verify(std::slice::from_ref(&good), 7, "bob").is_ok());
        for column in 0..good.len() {
            let mut other = good.clone();
            other[column] = Some("evil".to_string());
            let error = verify(&[other.clone()], 7, "bob").unwrap_err();
            assert!(matches!(error, WireError::Unfixed { .. }), "{error}");
            assert!(error.to_string().contains("hint: "), "{error}");
            other[column] = None;
            assert!(verify(&[other], 7, "bob").is_err());
        }
        for rows in [vec![], vec![vec![]], vec![good.clone(), good]] {
            assert!(verify(&rows, 7, "bob").is_err());
        }
    }

    #[test]
    fn the_question_names_everything_with_its_schema() {
        let question = question();
        assert_eq!(question.matches('(').count(), question.matches("pg_catalog.").count());
        assert!(!question.contains(['=', '|', '~', ':']), "{question}");
    }
}
