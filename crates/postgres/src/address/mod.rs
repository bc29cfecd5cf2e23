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
        /// Where the host is reached, in place of what its name leads to (`hostaddr`).
        at: Option<IpAddr>,
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

/// What a server has to be to suit an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerRole {
    /// It takes writes.
    Primary,
    /// It follows another one.
    Standby,
}

/// What an address asks of its sessions besides where and who.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionRequest {
    /// Handed to the server at the start of each (`options`).
    pub options: Option<String>,
    /// What the server has to be (`target_session_attrs`); `None`: either.
    pub server: Option<ServerRole>,
}

/// Stands for a password that is not shown.
const MASK: &str = "***";

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
    /// What else is asked of sessions.
    pub session: Box<SessionRequest>,
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

    /// The text of an address as it was typed, with `***` in place of its password. `None` where it can't be read: then any part of
    /// it may be a part of the password.
    pub fn shown(text: &str) -> Option<String> {
        Address::parse(text).ok()?;
        match url(text) {
            Some((scheme, rest)) => Some(format!("{scheme}{}", masked_url(rest))),
            None => keywords::masked(text, MASK).ok(),
        }
    }

    /// As in an error: `***` says that a password is known.
    pub fn masked(&self) -> String {
        let (text, login) = (self.to_string(), format!("postgres://{}", self.user));
        match (&self.password, text.strip_prefix(&login)) {
            (Some(_), Some(rest)) => format!("{login}:{MASK}{rest}"),
            _ => text,
        }
    }

    fn parse_in(text: &str, surroundings: &Surroundings<'_>) -> Result<Address, AddressError> {
        let Surroundings { variable, home } = *surroundings;
        let mut said = keywords_of_text(text)?;
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
        let at = said.get("hostaddr").map(str::parse::<IpAddr>).transpose();
        let at = at.map_err(|_| AddressError::HostAddress)?;
        let port = said.get("port").map_or(Ok(5432), port)?;
        let user = said.get("user").map(str::to_string);
        let user = user.or_else(|| variable("USER")).unwrap_or_else(|| "postgres".to_string());
        let database = said.get("dbname").unwrap_or(&user).to_string();
        let endpoint = endpoint(host, at, port, || {
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
        let session = SessionRequest {
            options: said.get("options").map(str::to_string),
            server: said.get("target_session_attrs").map_or(Ok(None), server_role)?,
        };
        Ok(Address { endpoint, user, password, database, session: Box::new(session) })
    }

    /// Whether the server is on this machine, as far as the address tells.
    pub fn is_local(&self) -> bool {
        match &self.endpoint {
            Endpoint::Unix { .. } => true,
            Endpoint::Tcp { host, at, .. } => {
                let number = at.or_else(|| host.parse::<IpAddr>().ok());
                match number {
                    Some(ip) => ip.to_canonical().is_loopback(),
                    None => host == "localhost",
                }
            }
        }
    }
}

/// The scheme of a URL, and what is behind it.
fn url(text: &str) -> Option<(&'static str, &str)> {
    let schemes = ["postgres://", "postgresql://"].into_iter();
    schemes.filter_map(|scheme| Some((scheme, text.strip_prefix(scheme)?))).next()
}

/// What the text itself says.
fn keywords_of_text(text: &str) -> Result<Keywords, AddressError> {
    let mut said = Keywords::default();
    let Some((_, rest)) = url(text) else {
        if !keywords::are_words(text) {
            return Err(AddressError::Scheme);
        }
        for (keyword, value) in keywords::words(text)? {
            set(&mut said, &keyword, value, text)?;
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
        set(&mut said, keyword, decode(&value)?, text)?;
    }
    Ok(said)
}

/// Takes a keyword of an address; an error names it where that tells nothing of a password.
fn set(
    said: &mut Keywords,
    keyword: &str,
    value: String,
    address: &str,
) -> Result<(), AddressError> {
    said.set(keyword, value).map_err(|error| match error {
        AddressError::Parameter(None) if keywords::may_be_named(keyword, address) => {
            AddressError::Parameter(Some(keyword.to_string()))
        }
        other => other,
    })
}

/// `user:password@host/database?password=…` with the passwords masked.
fn masked_url(rest: &str) -> String {
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) => (rest, Some(query)),
        None => (rest, None),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let user = authority.rsplit_once('@').and_then(|(login, place)| {
        let (user, _) = login.split_once(':')?;
        Some(format!("{user}:{MASK}@{place}"))
    });
    let mut shown = user.unwrap_or_else(|| authority.to_string()) + path;
    if let Some(query) = query {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some(("password", _)) => format!("password={MASK}"),
            _ => pair.to_string(),
        });
        shown += &format!("?{}", pairs.collect::<Vec<_>>().join("&"));
    }
    shown
}

/// Values of `target_session_attrs`. Of one server alone `prefer-standby` takes whichever it is.
fn server_role(text: &str) -> Result<Option<ServerRole>, AddressError> {
    match text {
        "any" | "prefer-standby" => Ok(None),
        "primary" | "read-write" => Ok(Some(ServerRole::Primary)),
        "standby" | "read-only" => Ok(Some(ServerRole::Standby)),
        _ => Err(AddressError::SessionAttributes),
    }
}

fn endpoint(
    host: String,
    at: Option<IpAddr>,
    port: u16,
    tls: impl FnOnce() -> Result<Tls, AddressError>,
) -> Result<Endpoint, AddressError> {
    let host = match at {
        Some(at) if is_socket(&host) => at.to_string(),
        _ => host,
    };
    if !is_socket(&host) {
        return Ok(Endpoint::Tcp { host, at, port, tls: tls()? });
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
            Endpoint::Tcp { host, at, port, .. } => {
                let place = if host.contains(':') { format!("[{host}]") } else { host.clone() };
                write!(f, "postgres://{}@{place}:{port}/{}", self.user, self.database)?;
                match at.map(|at| at.to_string()).filter(|at| at != host) {
                    Some(at) => write!(f, "?hostaddr={at}"),
                    None => Ok(()),
                }
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
