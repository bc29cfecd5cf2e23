//! What can go wrong between us and a server.

use std::collections::BTreeMap;
use std::io;

use crate::refusal;

/// What can go wrong between us and a server.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Nobody answers there.
    #[error("cannot connect to {address}: {reason}\nhint: {}", refusal::unreached(reason))]
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        reason: io::Error,
    },
    /// The connection broke.
    #[error(
        "the connection to the server broke: {0}\nhint: was the server stopped or restarted? its log says why"
    )]
    Io(#[from] io::Error),
    /// The server refused something.
    #[error("{severity} {code}: {message}{detail}{}", refusal::hint(code, message))]
    Server {
        /// `ERROR`, `FATAL`.
        severity: String,
        /// SQLSTATE.
        code: String,
        /// The server's text.
        message: String,
        /// The server's detail and hint, with line breaks, or nothing.
        detail: String,
    },
    /// An authentication method this program doesn't speak.
    #[error(
        "the server asks for {0}, which is not spoken here\nhint: connect through the Unix socket, or as a user with scram-sha-256"
    )]
    Authentication(&'static str),
    /// The password was asked for as it is, and would cross a network that way.
    #[error(
        "the server asks for the password in clear text, and the connection has no TLS: it was not sent\nhint: \
         connect through the Unix socket on the server's machine, or set the user's password_encryption to scram-sha-256"
    )]
    ClearText,
    /// A password was asked for and none given.
    #[error(
        "the server asks for a password\nhint: set PGPASSWORD, which keeps it out of the process list"
    )]
    Password,
    /// A message that says to be longer than any answer here.
    #[error(
        "the server announces a message of {bytes} bytes\nhint: is it PostgreSQL that answers on this port?"
    )]
    Long {
        /// Its length, as it says.
        bytes: u32,
    },
    /// Something a server of this protocol doesn't say.
    #[error("the server said something unexpected: {0}")]
    Unexpected(&'static str),
}

impl WireError {
    /// The SQLSTATE, if the server sent one.
    pub fn code(&self) -> Option<&str> {
        match self {
            WireError::Server { code, .. } => Some(code),
            _ => None,
        }
    }
}

/// An error message by its fields (PostgreSQL documentation, "Error and Notice Message Fields").
pub(super) fn server_error(mut fields: BTreeMap<u8, String>) -> WireError {
    let mut take = |key: u8| fields.remove(&key).unwrap_or_default();
    let mut detail = String::new();
    for (key, label) in [(b'D', "detail"), (b'H', "server's hint")] {
        let text = take(key);
        if !text.is_empty() {
            detail.push_str(&format!("\n{label}: {text}"));
        }
    }
    WireError::Server { severity: take(b'S'), code: take(b'C'), message: take(b'M'), detail }
}
