//! What was typed, on its way into a message: a database's address may hold a password, and where it is mistyped or stands in the
//! wrong place, nobody can say which part of it that is. So such an argument is told in no message, by the parser of arguments or by
//! any other part; every error passes through here before it is printed. One that can be read as an address says itself what of it is
//! the password: it is told with `***` in that place, and as it is where it has none.

use std::ffi::OsString;

use narrows_postgres::Address;

/// Stands for what is not told.
const UNTOLD: &str = "…";

/// Schemes of addresses that people have; any other word there may be a part of a password.
const SCHEMES: [&str; 10] = [
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "oracle",
    "sqlserver",
    "mongodb",
    "http",
    "https",
    "jdbc",
];

/// Begins an address in which no password has a place.
const NVME_TCP: &str = "nvme-tcp://";
/// Words that stand beside passwords.
const OF_PASSWORDS: [&str; 5] = ["pass", "pwd", "secret", "dhhc-", "nvmetlskey-"];

/// The text of a message without what these arguments may hold of a password.
pub fn without(text: &str, arguments: impl IntoIterator<Item = OsString>) -> String {
    let mut text = text.to_string();
    let arguments: Vec<String> =
        arguments.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let mut untold: Vec<&str> = arguments.iter().flat_map(|argument| parts(argument)).collect();
    // A part of another one would leave the rest of that standing.
    untold.sort_by_key(|part| std::cmp::Reverse(part.len()));
    for part in untold {
        text = text.replace(part, &without_password(part));
        // As it is quoted with its special characters written out.
        let quoted = part.escape_debug().to_string();
        if quoted != part {
            text = text.replace(&quoted, &without_password(part));
        }
    }
    text
}

/// The argument and what an option's value is of it, where they may hold a password.
fn parts(argument: &str) -> impl Iterator<Item = &str> {
    let value = argument.strip_prefix('-').and_then(|option| option.split_once('='));
    let value = value.map(|(_, value)| value);
    // An option with its value is told by its name.
    let whole = if value.is_some() { None } else { Some(argument) };
    let listed = argument.split(',').filter(move |part| *part != argument);
    // Joined to a short option: `-oVALUE`.
    let joined = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let joined = joined.and_then(|rest| rest.char_indices().nth(1).map(|(at, _)| &rest[at..]));
    whole
        .into_iter()
        .chain(value)
        .chain(joined)
        .chain(listed)
        .filter(|part| without_password(part) != **part)
}

/// A word as it may be told.
pub fn without_password(word: &str) -> String {
    if let Some(shown) = address(word) {
        return shown;
    }
    let lower = word.to_ascii_lowercase();
    let of_passwords = OF_PASSWORDS.iter().any(|name| lower.contains(name));
    // What can be read as such an address has names of files and of hosts alone, whatever they are called.
    let is_address = || word.parse::<narrows_initiator::Address>().is_ok();
    if word.starts_with(NVME_TCP) && !word.contains('@') && (!of_passwords || is_address()) {
        return word.to_string();
    }
    if let Some((scheme, _)) = word.split_once("://") {
        let known = SCHEMES.contains(&scheme);
        return if known { format!("{scheme}://{UNTOLD}") } else { UNTOLD.to_string() };
    }
    // A folder may be called `compass`; in a path such a word says nothing of itself.
    let path =
        ["/", "./", "../"].iter().any(|start| word.starts_with(start)) && !word.contains('=');
    let named = ["postgres:", "postgresql:", "host=", "user=", "dbname="];
    let named = named.iter().any(|name| lower.contains(name));
    if word.contains('@') || named || of_passwords && !path {
        return UNTOLD.to_string();
    }
    // `user:password`; but times, ranges and pairs of numbers have colons too.
    if let Some((before, after)) = word.split_once(':')
        && !after
            .split(':')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
        && !before.is_empty()
    {
        return format!("{before}:{UNTOLD}");
    }
    word.to_string()
}

/// A word that is an address, without its password; none where another part of it may be one.
fn address(word: &str) -> Option<String> {
    const TOLD: [&str; 2] = [":***@", "password=***"];
    let shown = Address::is_one(word).then(|| Address::shown(word)).flatten()?;
    let rest = TOLD.iter().fold(shown.to_ascii_lowercase(), |text, mask| text.replace(mask, ""));
    let may_hold = OF_PASSWORDS.iter().any(|name| rest.contains(name));
    (!may_hold).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_a_password_is_not_told_and_the_rest_is() {
        for word in [
            "7f3a",
            "storage=2x",
            "hot:0.2:0.8",
            "/var/tmp/x.json",
            "8GiB",
            "managed",
            "12:30",
        ]
        .into_iter()
        .chain(["/srv/compass/x.json", "./secrets/box.toml", "/tmp/.tmpwD3/cut.capture"])
        // An address without a password.
        .chain(["postgres://monitor@127.0.0.1:5999/shop", "host=db7 dbname=shop"])
        .chain([
            "nvme-tcp://[2001:db8::1]:4420/nqn.2026-11.org.example:disk?ns=1&digest=both",
            "nvme-tcp://h/nqn.2026-11.org.example:disk?dhchap-key-file=/etc/nvme/host.secret",
        ]) {
            assert_eq!(without_password(word), word);
        }
        for (word, shown) in [
            ("postgres://app:S3cret@h/x", "postgres://app:***@h/x"),
            ("postgres://app@h/x?password=S3cret", "postgres://app@h/x?password=***"),
            ("postgres://app@h/passwordS3cret", "postgres://…"),
            ("postgres://app:S3cret/x", "postgres://…"),
            ("ppostgres://app:S3cret/x", "…"),
            ("postgres:/app:S3cret@h/x", "…"),
            ("app:S3cret@h/shop", "…"),
            ("app:S3creth/shop", "app:…"),
            ("host=h password=S3cret", "host=h password=***"),
            ("host=h pasword=S3cret", "…"),
            ("/tmp/x?password=S3cret", "…"),
            ("/app:S3cret@h/shop", "…"),
            ("passwordS3cret", "…"),
            ("nvme-tcp://app:S3cret@h:4420/nqn.2026-11.org.example:disk", "…"),
            ("nvme-tcp://h:4420/nqn.2026-11.org.example:disk?secret=S3cret", "…"),
            ("nvme-tcp://h/nqn.2026-11.org.example:disk?dhchap-key-file=DHHC-1:00:S3cret:", "…"),
            ("--dhchap-secret=DHHC-1:00:S3cret:", "…"),
        ] {
            assert_eq!(without_password(word), shown);
        }
    }

    #[test]
    fn a_message_has_none_of_it_in_any_form() {
        let of =
            |text: &str, arguments: &[&str]| without(text, arguments.iter().map(OsString::from));
        let url = "postgres://app:S3cret@h/x";
        assert_eq!(
            of(&format!("unexpected argument '{url}' found\ntip: use '-- {url}'"), &["run", url]),
            "unexpected argument 'postgres://app:***@h/x' found\ntip: use '-- postgres://app:***@h/x'"
        );
        let option = format!("--sessions={url}");
        assert_eq!(
            of(&format!("invalid value '{url}'"), &[&option]),
            "invalid value 'postgres://app:***@h/x'"
        );
        let listed = format!("log,{url}");
        assert_eq!(
            of(&format!("invalid value '{url}'"), &[&listed]),
            "invalid value 'postgres://app:***@h/x'"
        );
        let odd = "postgres://app:S3\u{1b}cret@h";
        assert_eq!(of(&format!("{odd:?}"), &[odd]), "\"postgres://app:***@h\"");
        let open = "postgres://monitor@127.0.0.1:5999/shop";
        assert_eq!(
            of(&format!("cannot connect to {open}"), &[open]),
            format!("cannot connect to {open}")
        );
        assert_eq!(of("no run 7f3a", &["7f3a"]), "no run 7f3a");
    }
}
