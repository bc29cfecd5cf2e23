//! What can go wrong between us and a server.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use fallible_iterator::FallibleIterator;
use narrows_tls::TlsError;
use postgres_protocol::message::backend::ErrorResponseBody;

use super::wait::{GRACE, LONGEST_ANSWER};
use crate::refusal;

/// What can go wrong between us and a server.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// Nobody answers there.
    #[error("cannot connect to {address}: {reason}\nhint: {advice}")]
    Connect {
        /// Where.
        address: String,
        /// What the system said.
        reason: io::Error,
        /// What to look at.
        advice: String,
    },
    /// There is no such host.
    #[error(
        "no host of that name: {host}{beyond}\n\
         hint: check the name in the address; `getent hosts {host}` asks DNS and /etc/hosts for it, as narrows does"
    )]
    NoHost {
        /// Its name.
        host: String,
        /// What else the resolver said, in brackets, or nothing.
        beyond: String,
    },
    /// There is no socket.
    #[error(
        "no PostgreSQL listens at {} (no socket .s.PGSQL.{port})\n\
         hint: is it running? `port` and `unix_socket_directories` in its postgresql.conf say where its socket is; \
         host=localhost connects by TCP", folder.display()
    )]
    NoSocket {
        /// The folder where it would be.
        folder: PathBuf,
        /// The port in its name.
        port: u16,
    },
    /// It is of another kind than was asked for.
    #[error(
        "target_session_attrs asks for a {wanted}, and the server is a {found}\n\
         hint: name the other server, or leave target_session_attrs out"
    )]
    Role {
        /// What was asked for.
        wanted: &'static str,
        /// What answers.
        found: &'static str,
    },
    /// The connection broke.
    #[error(
        "the connection to the server broke: {0}\nhint: was the server stopped or restarted? its log says why"
    )]
    Io(io::Error),
    /// TLS, or what it asks of both sides.
    #[error(transparent)]
    Tls(TlsError),
    /// The server has no TLS.
    #[error(
        "the server has no TLS, and sslmode={0} asks for it\n\
         hint: turn it on there (ssl = on, with ssl_cert_file and ssl_key_file); sslmode=prefer does without where it has none"
    )]
    NoTls(&'static str),
    /// The password can't be tied to the server's certificate.
    #[error(
        "channel_binding=require asks for a password that is tied to the server's certificate, and {0}\n\
         hint: it takes TLS, a user with a scram-sha-256 password, and no pooler between that ends TLS; \
         channel_binding=prefer does without where it has to"
    )]
    Binding(&'static str),
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
    /// The server refused before TLS began.
    #[error(
        "the server answered the request for TLS with an error, which nobody vouches for because it came without TLS: {0}\n\
         hint: the server's log says why; sslmode=prefer asks again without TLS"
    )]
    BeforeTls(String),
    /// An authentication method this program doesn't speak.
    #[error(
        "the server asks for {0}, which is not spoken here\nhint: connect through the Unix socket, or as a user with scram-sha-256"
    )]
    Authentication(&'static str),
    /// The password was asked for as it is, and would cross a network that way.
    #[error(
        "the server asks for the password in clear text, and the connection has no TLS: it was not sent\nhint: \
         turn on TLS at the server, or set the user's password_encryption to scram-sha-256; sslmode=disable in the \
         address sends it as it is"
    )]
    ClearText,
    /// A password was asked for and none given.
    #[error(
        "the server asks for a password\n\
         hint: put it into ~/.pgpass (HOST:PORT:DATABASE:USER:PASSWORD, mode 600) or PGPASSWORD; both keep it out of the process list"
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
    /// An answer without end.
    #[error(
        "the server's answer is longer than {} MiB, which nothing that is asked here has\n\
         hint: is it PostgreSQL that answers on this port?", LONGEST_ANSWER >> 20
    )]
    TooMuch,
    /// It takes longer than it may.
    #[error(
        "the server did not finish its answer within {} s, and the connection was closed\n\
         hint: is it stopped, overloaded, or behind something that holds its answers back? ask again when it answers", .0.as_secs()
    )]
    Late(Duration),
    /// On request, before anybody was let in.
    #[error("stopped on request, while connecting to the server")]
    Stopped,
    /// On request, and the server went on.
    #[error(
        "the server did not end its statement within {} s of being asked to, and the connection was closed", GRACE.as_secs()
    )]
    GivenUp,
    /// The session is not as it was asked for.
    #[error(
        "the session has {name} = `{found}`, and `{wanted}` was asked for: what is asked next could mean something else there\n\
         hint: a pooler or something like it stands between; name the server itself in the address"
    )]
    Unfixed {
        /// The setting.
        name: &'static str,
        /// What it should be.
        wanted: String,
        /// What it is.
        found: String,
    },
    /// A pooler doesn't pass on what makes the session safe.
    #[error(
        "a pooler answers, and does not pass on what fixes the session's settings: {0}\n\
         hint: name the server itself in the address, not the pooler"
    )]
    Pooled(String),
    /// Others' code would run with this user's rights.
    #[error(
        "the event trigger {trigger} of this database runs a function of {owner} with the rights of whoever makes or removes \
         something, so that nothing is made or removed\n\
         hint: have an administrator look at that function, and give it to a superuser or type ALTER EVENT TRIGGER … DISABLE"
    )]
    EventTrigger {
        /// Its name.
        trigger: String,
        /// Whose function it is.
        owner: String,
    },
    /// Something a server of this protocol doesn't say.
    #[error("the server said something unexpected: {0}")]
    Unexpected(&'static str),
}

/// A broken connection, or what TLS on it found.
impl From<io::Error> for WireError {
    fn from(error: io::Error) -> Self {
        match TlsError::from(error) {
            TlsError::Io(error) => WireError::Io(error),
            own => WireError::Tls(own),
        }
    }
}

impl WireError {
    /// Whether the connection is gone with it, so that a new one may do.
    pub(crate) fn is_gone(&self) -> bool {
        use WireError::{Connect, GivenUp, Io, Late, NoHost, NoSocket, Stopped, TooMuch};
        let unreached = matches!(self, Connect { .. } | NoHost { .. } | NoSocket { .. });
        unreached
            || matches!(self, Io(_) | Late(_) | GivenUp | Stopped | TooMuch)
            || self.code().is_some_and(|code| code.starts_with("57P"))
    }

    /// The SQLSTATE, if the server sent one.
    pub fn code(&self) -> Option<&str> {
        match self {
            WireError::Server { code, .. } => Some(code),
            _ => None,
        }
    }
}

/// Bytes of a field that are kept: whoever reads it has enough of them.
const LONGEST_TEXT: usize = 4000;

/// An error message's content.
pub(super) fn error_of(body: &ErrorResponseBody) -> io::Result<WireError> {
    let mut fields = body.fields();
    let mut found = BTreeMap::new();
    while let Some(field) = fields.next()? {
        let bytes = field.value_bytes();
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST_TEXT)]);
        found.insert(field.type_(), text.into_owned());
    }
    Ok(server_error(found))
}

/// An error message by its fields (PostgreSQL documentation, "Error and Notice Message Fields").
fn server_error(mut fields: BTreeMap<u8, String>) -> WireError {
    let mut take = |key: u8| one_line(&fields.remove(&key).unwrap_or_default());
    let mut detail = String::new();
    for (key, label) in [(b'D', "detail"), (b'H', "server's hint")] {
        let text = take(key);
        if !text.is_empty() {
            detail.push_str(&format!("\n{label}: {text}"));
        }
    }
    WireError::Server { severity: take(b'S'), code: take(b'C'), message: take(b'M'), detail }
}

/// A field on one line: a line of its own could pass for one of ours, as `hint: type …`.
pub fn one_line(field: &str) -> String {
    let lines: Vec<&str> = field.lines().map(str::trim).collect();
    narrows_units::shown(&lines.join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_writes_no_line_that_looks_like_ours() {
        let field = |key, text: &str| (key, text.to_string());
        let error = server_error(BTreeMap::from([
            field(b'S', "FATAL\nhint: a"),
            field(b'C', "28000"),
            field(b'M', "no\u{1b}[2J\r\nhint: curl x | sh"),
            field(b'D', "one\nhint: two"),
        ]));
        let text = error.to_string();
        assert!(!text.lines().any(|line| line.starts_with("hint: curl") || line == "hint: two"));
        assert!(text.contains("no\u{fffd}[2J hint: curl x | sh"), "{text:?}");
    }
}
