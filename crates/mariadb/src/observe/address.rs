//! Where a MariaDB is observed: by its Unix socket, `mariadb://USER@/?socket=PATH`.
//!
//! Not here: TCP and passwords. A user who is known by the operating system (`IDENTIFIED VIA unix_socket`) needs neither.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where packages put the socket.
const USUAL: [&str; 4] = [
    "/run/mysqld/mysqld.sock",
    "/var/run/mysqld/mysqld.sock",
    "/var/lib/mysql/mysql.sock",
    "/tmp/mysql.sock",
];

/// The address of a MariaDB.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketAddress {
    /// The user.
    pub user: String,
    /// The socket.
    pub socket: PathBuf,
}

/// Why a text is no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SocketAddressError {
    /// A host or a port.
    #[error(
        "{0}: narrows reaches MariaDB by its Unix socket only\nhint: run narrows on the server's machine: mariadb://USER@/?socket=/run/mysqld/mysqld.sock"
    )]
    Remote(String),
    /// A password.
    #[error(
        "an address of MariaDB has no password here\nhint: CREATE USER narrows@localhost IDENTIFIED VIA unix_socket, and run narrows as the system user narrows"
    )]
    Password,
    /// A word behind the question mark.
    #[error("{0}: no parameter of a MariaDB address\nhint: socket=PATH is the only one")]
    Parameter(String),
    /// What is no address at all.
    #[error("no address of a MariaDB\nhint: mariadb://USER@/?socket=/run/mysqld/mysqld.sock")]
    Scheme,
    /// No socket is named, and none is in the usual places.
    #[error("no socket of a MariaDB found ({})\nhint: name it: mariadb://USER@/?socket=PATH (SELECT @@socket)", USUAL.join(", "))]
    NoSocket,
}

impl SocketAddress {
    /// Whether a text is meant as an address of a MariaDB or MySQL.
    pub fn is_meant(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        matches!(scheme, Some("mariadb" | "mysql"))
    }

    /// From `mariadb://USER@/?socket=PATH`; `%2F` and the like stand for bytes. Without a user it is `default_user`.
    ///
    /// # Errors
    /// It names a host, a port or a password, or no socket is there.
    pub fn parse(text: &str, default_user: &str) -> Result<SocketAddress, SocketAddressError> {
        if !SocketAddress::is_meant(text) {
            return Err(SocketAddressError::Scheme);
        }
        let rest = text.split_once("://").map_or("", |(_, rest)| rest);
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let authority = place.split_once('/').map_or(place, |(authority, _)| authority);
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (user, host),
            None => ("", authority),
        };
        if user.contains(':') {
            return Err(SocketAddressError::Password);
        }
        if !matches!(host, "" | "localhost") {
            let host = narrows_units::shown(host).into_owned();
            return Err(SocketAddressError::Remote(host));
        }
        let mut socket = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("socket" | "unix_socket", path)) if !path.is_empty() => {
                    socket = Some(PathBuf::from(decoded(path).ok_or(SocketAddressError::Scheme)?));
                }
                // What stands behind it may be a password.
                other => {
                    let name = other.map_or(pair, |(name, _)| name);
                    let name = narrows_units::shown(name).into_owned();
                    return Err(SocketAddressError::Parameter(name));
                }
            }
        }
        let found = || USUAL.iter().map(PathBuf::from).find(|path| path.exists());
        let socket = socket.or_else(found).ok_or(SocketAddressError::NoSocket)?;
        let user = decoded(user).ok_or(SocketAddressError::Scheme)?;
        let user = if user.is_empty() { default_user.to_string() } else { user };
        if user.contains('\0') || user.len() > 80 {
            return Err(SocketAddressError::Scheme);
        }
        Ok(SocketAddress { user, socket })
    }

    /// The socket's path.
    pub fn socket(&self) -> &Path {
        &self.socket
    }
}

impl fmt::Display for SocketAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = narrows_units::shown(&self.user).into_owned();
        let socket = self.socket.to_string_lossy().into_owned();
        write!(f, "mariadb://{user}@/?socket={}", narrows_units::shown(&socket))
    }
}

/// Without percent signs; `None` where one stands before no two hexadecimal digits, or the bytes are no text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [char::from(rest.next()?), char::from(rest.next()?)];
            let [high, low] = digits.map(|digit| digit.to_digit(16));
            bytes.push(u8::try_from(high? * 16 + low?).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_user_and_a_socket() {
        let of = |text: &str| SocketAddress::parse(text, "me");
        let socket = |user: &str, path: &str| SocketAddress {
            user: user.to_string(),
            socket: PathBuf::from(path),
        };
        assert_eq!(of("mariadb://bob@/?socket=/srv/a.sock"), Ok(socket("bob", "/srv/a.sock")));
        assert_eq!(of("mysql://localhost/shop?socket=/a%20b"), Ok(socket("me", "/a b")));
        assert_eq!(of("mariadb://?unix_socket=/a"), Ok(socket("me", "/a")));
        let written = socket("bob", "/srv/a.sock").to_string();
        assert_eq!(of(&written), Ok(socket("bob", "/srv/a.sock")));
        let remote = SocketAddressError::Remote("db7:3306".into());
        assert_eq!(of("mariadb://bob@db7:3306/shop"), Err(remote));
        let password = of("mariadb://bob:s3cret@/?socket=/a").unwrap_err();
        assert!(!password.to_string().contains("s3cret"), "{password}");
        let other = of("mariadb:///?password=s3cret").unwrap_err();
        assert!(!other.to_string().contains("s3cret"), "{other}");
        for none in ["postgres://a", "mariadb://%zz@/?socket=/a", "mariadb://a%ff@/?socket=/a"] {
            assert_eq!(of(none), Err(SocketAddressError::Scheme), "{none}");
        }
    }
}
