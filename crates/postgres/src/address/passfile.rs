//! Passwords in a file: `HOST:PORT:DATABASE:USER:PASSWORD` (PostgreSQL documentation, "The Password File").

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{Endpoint, Secret};

/// Bytes.
const LONGEST: u64 = 1 << 20;
/// Folders of sockets that a file's `localhost` stands for.
const USUAL_SOCKETS: [&str; 3] = ["/run/postgresql", "/var/run/postgresql", "/tmp"];

/// The password for that server, database and user in a file; none where there is no such file, or others than its owner may read it,
/// as in libpq.
pub(super) fn password(
    file: &Path,
    endpoint: &Endpoint,
    database: &str,
    user: &str,
) -> Option<Secret> {
    let others = std::fs::metadata(file).ok()?.permissions().mode() & 0o077;
    let text = (others == 0).then(|| narrows_files::read_text(file, LONGEST).ok())??;
    let (hosts, port) = match endpoint {
        Endpoint::Tcp { host, port, .. } => (vec![host.clone()], port),
        Endpoint::Unix { folder, port } => {
            let folder = folder.display().to_string();
            let usual = USUAL_SOCKETS.contains(&folder.as_str());
            let local = usual.then(|| "localhost".to_string());
            (local.into_iter().chain([folder]).collect(), port)
        }
    };
    in_text(&text, &hosts, [&port.to_string(), database, user]).map(Secret::new)
}

fn in_text(text: &str, hosts: &[String], others: [&str; 3]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let (host, mut rest) = field(line)?;
        if host != "*" && !hosts.contains(&unescaped(host)) {
            return None;
        }
        for wanted in others {
            let (found, behind) = field(rest)?;
            if found != "*" && unescaped(found) != wanted {
                return None;
            }
            rest = behind;
        }
        Some(unescaped(rest)).filter(|password| !password.is_empty())
    })
}

/// Up to the next `:` that no `\` stands before, and what is behind that.
fn field(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b':' if !escaped => return Some((&text[..at], &text[at + 1..])),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    let mut found = String::new();
    while let Some(c) = chars.next() {
        found.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_has_the_password() {
        let text =
            "# ours\ndb7:5432:shop:bob:first\n*:*:*:bob:a\\:b\\\\c\nlocalhost:*:shop:eve:local\n";
        let find = |host: &str, port: &str, database: &str, user: &str| {
            in_text(text, &[host.to_string()], [port, database, user])
        };
        assert_eq!(find("db7", "5432", "shop", "bob").as_deref(), Some("first"));
        assert_eq!(find("db7", "5433", "shop", "bob").as_deref(), Some(r"a:b\c"));
        assert_eq!(find("localhost", "1", "shop", "eve").as_deref(), Some("local"));
        assert_eq!(find("db7", "5432", "shop", "eve"), None);
        assert_eq!(in_text("h:1:d", &["h".into()], ["1", "d", "u"]), None);
    }

    #[test]
    fn a_file_that_others_may_read_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        std::fs::write(&file, "localhost:5432:shop:bob:secret\n").unwrap();
        let socket = Endpoint::Unix { folder: "/run/postgresql".into(), port: 5432 };
        let read = |mode: u32| {
            std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();
            password(&file, &socket, "shop", "bob")
        };
        assert_eq!(read(0o644), None);
        assert_eq!(read(0o600), Some(Secret::new("secret")));
        let elsewhere = Endpoint::Unix { folder: "/srv/x".into(), port: 5432 };
        assert_eq!(password(&file, &elsewhere, "shop", "bob"), None);
        assert_eq!(password(&folder.path().join("none"), &socket, "shop", "bob"), None);
    }
}
