//! Server settings as lines of `postgresql.auto.conf`.

use super::ServerError;

/// The file's text. Later lines win over earlier ones, as in PostgreSQL.
pub(super) fn text(settings: &[(String, String)]) -> Result<String, ServerError> {
    let mut text = String::from("# Written by narrows for one run.\n");
    for (name, value) in settings {
        let refuse =
            |why| Err(ServerError::Setting { name: name.clone(), value: value.clone(), why });
        let mut bytes = name.bytes();
        let good_start = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_');
        if !good_start || !bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.') {
            return refuse("this is not the name of a setting");
        }
        if value.chars().any(char::is_control) {
            return refuse("the value has a control character");
        }
        // The file's reader undoes doubled quotes and, unlike SQL's default, backslashes.
        let value = value.replace('\\', "\\\\").replace('\'', "''");
        text.push_str(&format!("{name} = '{value}'\n"));
    }
    Ok(text)
}

/// One folder in a setting that holds a list of folders, whatever characters its name has.
pub(super) fn folder_in_list(path: &str) -> String {
    format!("\"{}\"", path.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, value: &str) -> Result<String, ServerError> {
        text(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn values_are_quoted() {
        let text = one("search_path", r#"it's "a" \b"#).unwrap();
        assert_eq!(text.lines().last(), Some(r#"search_path = 'it''s "a" \\b'"#));
    }

    #[test]
    fn nothing_but_one_setting_gets_in() {
        for (name, value) in
            [("", "1"), ("a b", "1"), ("1a", "1"), ("a=b", "1"), ("a", "1\nfsync=off")]
        {
            assert!(one(name, value).is_err(), "{name:?} {value:?}");
        }
    }
}
