//! Why an address could not be read.

use narrows_tls::ParameterError;

/// Why an address could not be read. The text quotes nothing of it: where one character is missing, any part may be a part of the
/// password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not an address of this kind.
    #[error(
        "a database address starts with postgres:// or is written in keywords, host=HOST dbname=DATABASE\n\
         hint: write it as postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD or ~/.pgpass"
    )]
    Scheme,
    /// Keywords and values that can't be told apart.
    #[error(
        "the address has {0}\n\
         hint: write it as `host=HOST dbname=DATABASE`; a value with spaces stands in single quotes, and \\' is a quote in it"
    )]
    Words(&'static str),
    /// The port is not a number.
    #[error(
        "the address has a port that is not a number from 0 to 65535\n\
         hint: write it as postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD; is there an `@` before the host?"
    )]
    Port,
    /// A colon behind the user, and nothing behind that.
    #[error(
        "the address has a `:` behind the user and no password there\n\
         hint: leave the `:` out; the password is best in PGPASSWORD"
    )]
    NoPassword,
    /// User or password hold a character that ends them.
    #[error(
        "the address has an `@` behind a `/` or `?`\n\
         hint: write / as %2F, ? as %3F and @ as %40 in user and password"
    )]
    Unescaped,
    /// A `%` without two hexadecimal digits.
    #[error(
        "the address has a `%` that is not followed by two hexadecimal digits\nhint: write % itself as %25"
    )]
    Escape,
    /// A parameter on TLS.
    #[error("the address or its environment: {0}")]
    Tls(#[from] ParameterError),
    /// A parameter that would change what is measured or who is trusted, or nobody knows.
    #[error(
        "the address has a parameter{} that is not known here\n\
         hint: known are host, hostaddr, port, user, dbname, password, passfile, service, options, target_session_attrs, sslmode, \
         sslrootcert, sslcert, sslkey, sslnegotiation, channel_binding", named(.0)
    )]
    Parameter(Option<String>),
    /// A service that no file describes.
    #[error(
        "the service that is asked for is in none of {0}\n\
         hint: a service is a section `[NAME]` with lines like host=HOST; PGSERVICEFILE names another file"
    )]
    Service(String),
    /// A service file that can't be read, or not understood.
    #[error(
        "{file}{}: {reason}\nhint: a service is a section `[NAME]` with lines like host=HOST (PostgreSQL documentation, \
         \"The Connection Service File\")", at(*.line)
    )]
    ServiceFile {
        /// The file.
        file: String,
        /// Line, from 1; 0 is the whole file.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// In place of a host's number something else.
    #[error(
        "hostaddr or PGHOSTADDR is not one IP address\nhint: write it as hostaddr=192.0.2.7; a name goes into host"
    )]
    HostAddress,
    /// A kind of server that nobody knows.
    #[error(
        "target_session_attrs is unknown here\n\
         hint: known are any, primary, read-write, standby, read-only, prefer-standby"
    )]
    SessionAttributes,
}

fn at(line: usize) -> String {
    if line == 0 { String::new() } else { format!(":{line}") }
}

fn named(parameter: &Option<String>) -> String {
    parameter.as_ref().map_or(String::new(), |name| format!(" `{name}`"))
}
