//! What is said of a connection, by libpq's keywords (PostgreSQL documentation, "Connection Strings"): in an address, in words, in a
//! service's section, in variables.

use std::collections::BTreeMap;

use narrows_tls::Parameters;

use super::error::AddressError;

/// Keywords that say where and who, and the variable of each.
const PLACES: [(&str, &str); 8] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("dbname", "PGDATABASE"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("service", "PGSERVICE"),
];

/// Keywords that are taken from an address or a service alone: what variables say of them would change what is measured unseen.
const OF_SESSIONS: [&str; 2] = ["options", "target_session_attrs"];

/// Keywords that are taken and change nothing here: narrows names its sessions and limits its waits by itself.
const WITHOUT_EFFECT: [&str; 9] = [
    "application_name",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "tcp_user_timeout",
];

/// Other keywords of libpq, which are refused: a name among them is told, any other may be a part of a password.
const REFUSED: [&str; 12] = [
    "gssencmode",
    "krbsrvname",
    "load_balance_hosts",
    "replication",
    "require_auth",
    "requirepeer",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslpassword",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
];
/// The longest name of a parameter that is told, bytes; libpq's longest has 27.
const LONGEST_NAME: usize = 32;

/// Keywords with their values.
#[derive(Clone, Default)]
pub(super) struct Keywords(BTreeMap<String, String>);

impl Keywords {
    /// The value of a keyword; an empty one is none, as in libpq.
    pub(super) fn get(&self, keyword: &str) -> Option<&str> {
        self.0.get(keyword).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All that were said.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(keyword, value)| (keyword.as_str(), value.as_str()))
    }

    /// Takes a keyword; the last one of the same name counts.
    ///
    /// # Errors
    /// It is none that is taken here.
    pub(super) fn set(&mut self, keyword: &str, value: String) -> Result<(), AddressError> {
        let known = PLACES.iter().any(|(place, _)| *place == keyword)
            || OF_SESSIONS.contains(&keyword)
            || Parameters::has_name(keyword);
        if known {
            self.0.insert(keyword.to_string(), value);
        } else if !WITHOUT_EFFECT.contains(&keyword) {
            let refused = REFUSED.into_iter().find(|name| *name == keyword);
            return Err(AddressError::Parameter(refused.map(str::to_string)));
        }
        Ok(())
    }

    /// What `others` say and these don't.
    pub(super) fn fill(&mut self, others: &Keywords) {
        for (keyword, value) in &others.0 {
            if self.get(keyword).is_none() {
                self.0.insert(keyword.clone(), value.clone());
            }
        }
    }

    /// What variables say of where and who and these don't.
    pub(super) fn fill_from(&mut self, variable: impl Fn(&str) -> Option<String>) {
        for (keyword, name) in PLACES {
            if self.get(keyword).is_none()
                && let Some(value) = variable(name).filter(|value| !value.is_empty())
            {
                self.0.insert(keyword.to_string(), value);
            }
        }
    }
}

/// Whether an unknown parameter of an address may be named: it looks like a parameter's name, and the address says nothing of a
/// password, so that no part of it is one.
pub(super) fn may_be_named(keyword: &str, address: &str) -> bool {
    let named = !keyword.is_empty() && keyword.len() <= LONGEST_NAME;
    let named = named && keyword.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let lower = address.to_ascii_lowercase();
    let (_, rest) = lower.split_once("://").unwrap_or(("", lower.as_str()));
    let login = rest.rsplit_once('@').map_or("", |(login, _)| login);
    named && !login.contains(':') && !["pass", "pwd"].iter().any(|word| lower.contains(word))
}

/// Whether a text is keywords with values and not something else with a `=`.
pub(super) fn are_words(text: &str) -> bool {
    let Some((first, _)) = text.split_once('=') else { return false };
    let first = first.trim();
    let places = PLACES.iter().map(|(keyword, _)| *keyword);
    let mut others = places.chain(OF_SESSIONS).chain(WITHOUT_EFFECT).chain(REFUSED);
    Parameters::has_name(first) || others.any(|keyword| keyword == first)
}

/// The keywords and values of `host=HOST dbname='a name'`.
///
/// # Errors
/// Where they can't be told apart.
pub(super) fn words(text: &str) -> Result<Vec<(String, String)>, AddressError> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (keyword, behind) = rest.split_at(end);
        let Some(value) = behind.trim_start().strip_prefix('=') else {
            return Err(AddressError::Words("a word without a `=`"));
        };
        let value = value.trim_start();
        let (read, behind) = value_of(value)?;
        // A space that is missing would make a password a part of a name, which is printed.
        if keyword != "password" && read.contains('=') && !value.starts_with('\'') {
            return Err(AddressError::Words("a `=` in a value that stands in no quotes"));
        }
        let value = read;
        found.push((keyword.to_string(), value));
        rest = behind.trim_start();
    }
    Ok(found)
}

/// The same text with a mask in place of the password's value; as it is where it has none.
///
/// # Errors
/// As [`words`].
pub(super) fn masked(text: &str, mask: &str) -> Result<String, AddressError> {
    let pairs = words(text)?;
    if !pairs.iter().any(|(keyword, _)| keyword == "password") {
        return Ok(text.to_string());
    }
    let shown = pairs.iter().map(|(keyword, value)| match keyword.as_str() {
        "password" => format!("password={mask}"),
        _ => format!("{keyword}={}", quoted(value)),
    });
    Ok(shown.collect::<Vec<_>>().join(" "))
}

/// A value as it may stand behind a `=`.
fn quoted(value: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"'\\=".contains(c);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_string(),
        false => format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

/// The value that a text begins with, and what is behind it.
fn value_of(text: &str) -> Result<(String, &str), AddressError> {
    let (quoted, text) = match text.strip_prefix('\'') {
        Some(inside) => (true, inside),
        None => (false, text),
    };
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            c if c.is_whitespace() && !quoted => return Ok((value, &text[at..])),
            c => value.push(c),
        }
    }
    if quoted { Err(AddressError::Words("a quote that does not end")) } else { Ok((value, "")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(String, String)> {
        words(text).unwrap()
    }

    #[test]
    fn words_are_read_as_libpq_reads_them() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
        };
        assert_eq!(read("host=db7 port = 5433"), pairs(&[("host", "db7"), ("port", "5433")]));
        assert_eq!(
            read(r" password='it\'s \\ a' user = a\ b "),
            pairs(&[("password", r"it's \ a"), ("user", "a b")])
        );
        assert_eq!(read("user='' dbname=x"), pairs(&[("user", ""), ("dbname", "x")]));
        assert_eq!(read(""), []);
        for (wrong, why) in [
            ("host", "a word without a `=`"),
            ("host=a port", "a word without a `=`"),
            ("password='abc", "a quote that does not end"),
            ("host=hpassword=abc", "a `=` in a value that stands in no quotes"),
        ] {
            assert_eq!(words(wrong), Err(AddressError::Words(why)), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_parameter_is_named_where_it_can_be_no_part_of_a_password() {
        for (keyword, address) in [
            ("foo", "host=h foo=1"),
            ("foo", "postgres://bob@h/shop?foo=1"),
            ("ssl_mode", "host=h user=bob ssl_mode=require"),
        ] {
            assert!(may_be_named(keyword, address), "{address}");
        }
        for (keyword, address) in [
            ("hunter", "postgres://bob:x&hunter=1@h/shop"),
            ("hunter", "host=h password=x hunter=1"),
            ("S3cret", "host=h S3cret=1"),
            ("", "host=h =1"),
        ] {
            assert!(!may_be_named(keyword, address), "{address}");
        }
    }

    #[test]
    fn words_begin_with_a_keyword() {
        for text in ["host=/tmp", " dbname = x", "service=prod", "sslmode=require"] {
            assert!(are_words(text), "{text}");
        }
        for text in ["storage=2x", "app:S3cret@h/shop", "managed", "/var/tmp/a=b"] {
            assert!(!are_words(text), "{text}");
        }
    }
}
