//! Where a database is: an address as libpq takes it, taken apart, with its password kept where it can't be printed.

mod error;
mod keywords;
mod passfile;
mod service;

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use narrows_tls::{Parameters, Tls};

pub use error::AddressError;
use keywords::Keywords;

/// A password. Printing it gives dots; it is not serialisable.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a password.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The password, for the authentication exchange and nothing else.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// How the server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endpoint {
    /// A TCP address.
    Tcp {
        /// Host name or address.
        host: String,
        /// Port.
        port: u16,
        /// How it is encrypted.
        tls: Tls,
    },
    /// A socket in a folder: `FOLDER/.s.PGSQL.PORT`.
    Unix {
        /// The folder.
        folder: PathBuf,
        /// The port in the socket's name.
        port: u16,
    },
}

/// A server, a database and a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// How it is reached.
    pub endpoint: Endpoint,
    /// User.
    pub user: String,
    /// Password, if given.
    pub password: Option<Secret>,
    /// Database.
    pub database: String,
}

/// What libpq asks besides the address.
struct Surroundings<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// The user's home folder.
    home: Option<&'a Path>,
}

impl Address {
    /// Reads `postgres://[user[:password]@][host][:port][/database][?host=…&port=…&sslmode=…]`, or keywords with values as
    /// `host=db7 dbname=shop`. What it doesn't say comes from where libpq has it: the service's section (`service=`, `PGSERVICE`), then
    /// variables (`PGHOST`, `PGPORT`, `PGUSER`, `PGDATABASE`, `PGSSLMODE` …), then defaults: the socket in `/run/postgresql` or `/tmp`,
    /// port 5432, the operating system's user, a database of the user's name, `sslmode=prefer`. The password may come from
    /// `PGPASSWORD` or `~/.pgpass` (`PGPASSFILE`) instead, which keeps it out of the process list. A socket takes no TLS, whatever is
    /// said: for one, only what the address itself says of it has to be right.
    ///
    /// # Errors
    /// What is wrong, without a word of the address.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        let home = narrows_tls::home();
        let variable = |name: &str| std::env::var(name).ok();
        Address::parse_in(text, &Surroundings { variable: &variable, home: home.as_deref() })
    }

    /// Whether a text has the form of an address, so that it may hold a password.
    pub fn is_one(text: &str) -> bool {
        text.contains("://") || keywords::are_words(text)
    }

    fn parse_in(text: &str, surroundings: &Surroundings<'_>) -> Result<Address, AddressError> {
        let Surroundings { variable, home } = *surroundings;
        let mut said = said(text)?;
        // What the address itself says of TLS has to be right, also for a socket.
        let mut own_tls = Parameters::default();
        for (keyword, value) in said.iter() {
            own_tls.set(keyword, value)?;
        }
        let service = said.get("service").map(str::to_string);
        if let Some(name) =
            service.or_else(|| variable("PGSERVICE").filter(|name| !name.is_empty()))
        {
            let mut section = Keywords::default();
            for (keyword, value) in service::section(&name, &service::files(variable, home))? {
                section.set(&keyword, value)?;
            }
            said.fill(&section);
        }
        said.fill_from(variable);
        let host = said.get("host").unwrap_or_default().to_string();
        if host.is_empty() && variable("PGHOSTADDR").is_some_and(|address| !address.is_empty()) {
            return Err(AddressError::HostAddress);
        }
        let port = said.get("port").map_or(Ok(5432), port)?;
        let user = said.get("user").map(str::to_string);
        let user = user.or_else(|| variable("USER")).unwrap_or_else(|| "postgres".to_string());
        let database = said.get("dbname").unwrap_or(&user).to_string();
        let endpoint = endpoint(host, port, || {
            let mut tls = Parameters::default();
            for (keyword, value) in said.iter() {
                tls.set(keyword, value)?;
            }
            tls.fill(variable)?;
            Ok(Tls::from(tls.finish()?))
        })?;
        // Two that contradict each other are wrong for a socket too.
        own_tls.finish()?;
        let password = match said.get("password") {
            Some(given) => Some(Secret::new(given)),
            None => {
                let usual = || Some(home?.join(".pgpass"));
                let file = said.get("passfile").map(PathBuf::from).or_else(usual);
                file.and_then(|file| passfile::password(&file, &endpoint, &database, &user))
            }
        };
        Ok(Address { endpoint, user, password, database })
    }

    /// Whether the server is on this machine, as far as the address tells.
    pub fn is_local(&self) -> bool {
        match &self.endpoint {
            Endpoint::Unix { .. } => true,
            Endpoint::Tcp { host, .. } => {
                let number = host.parse::<IpAddr>();
                host == "localhost" || number.is_ok_and(|ip| ip.to_canonical().is_loopback())
            }
        }
    }
}

/// What the text itself says.
fn said(text: &str) -> Result<Keywords, AddressError> {
    let url = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
    let mut said = Keywords::default();
    let Some(rest) = url else {
        if !keywords::are_words(text) {
            return Err(AddressError::Scheme);
        }
        for (keyword, value) in keywords::words(text)? {
            said.set(&keyword, value)?;
        }
        return Ok(said);
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    // Else what is printed of host, port or database would be a part of the password.
    if path.contains('@') || query.contains('@') {
        return Err(AddressError::Unescaped);
    }
    let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    if login.ends_with(':') {
        return Err(AddressError::NoPassword);
    }
    let (host, port_text) = split_host(place);
    if !port_text.is_empty() {
        port(&port_text)?;
    }
    let own = [("user", user), ("password", password), ("host", &host), ("port", &port_text)];
    let own =
        own.into_iter().chain([("dbname", path)]).map(|(name, value)| (name, value.to_string()));
    let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (keyword, value) = pair.split_once('=').unwrap_or((pair, ""));
        (keyword, value.to_string())
    });
    for (keyword, value) in own.chain(pairs) {
        said.set(keyword, decode(&value)?)?;
    }
    Ok(said)
}

fn endpoint(
    host: String,
    port: u16,
    tls: impl FnOnce() -> Result<Tls, AddressError>,
) -> Result<Endpoint, AddressError> {
    if !is_socket(&host) {
        return Ok(Endpoint::Tcp { host, port, tls: tls()? });
    }
    let usual = || {
        ["/run/postgresql", "/var/run/postgresql", "/tmp"]
            .into_iter()
            .map(PathBuf::from)
            .find(|folder| folder.join(format!(".s.PGSQL.{port}")).exists())
            .unwrap_or_else(|| PathBuf::from("/run/postgresql"))
    };
    let folder = if host.is_empty() { usual() } else { PathBuf::from(host) };
    Ok(Endpoint::Unix { folder, port })
}

fn decode(text: &str) -> Result<String, AddressError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |b: Option<u8>| b.and_then(|b| (b as char).to_digit(16));
            let (high, low) = (digit(rest.next()), digit(rest.next()));
            let (Some(high), Some(low)) = (high, low) else { return Err(AddressError::Escape) };
            bytes.push((high * 16 + low) as u8);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).map_err(|_| AddressError::Escape)
}

fn port(text: &str) -> Result<u16, AddressError> {
    text.parse().map_err(|_| AddressError::Port)
}

/// Whether that host is a folder with a Unix socket, or the default one.
fn is_socket(host: &str) -> bool {
    host.is_empty() || host.starts_with('/')
}

fn split_host(place: &str) -> (String, String) {
    if let Some(rest) = place.strip_prefix('[')
        && let Some((host, after)) = rest.split_once(']')
    {
        return (host.to_string(), after.strip_prefix(':').unwrap_or("").to_string());
    }
    let (host, port) = place.rsplit_once(':').unwrap_or((place, ""));
    (host.to_string(), port.to_string())
}

/// As stored in a run: without the password.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.endpoint {
            Endpoint::Tcp { host, port, .. } if host.contains(':') => {
                write!(f, "postgres://{}@[{host}]:{port}/{}", self.user, self.database)
            }
            Endpoint::Tcp { host, port, .. } => {
                write!(f, "postgres://{}@{host}:{port}/{}", self.user, self.database)
            }
            Endpoint::Unix { folder, port } => write!(
                f,
                "postgres://{}@/{}?host={}&port={port}",
                self.user,
                self.database,
                folder.display()
            ),
        }
    }
}

#[cfg(test)]
mod tests;
