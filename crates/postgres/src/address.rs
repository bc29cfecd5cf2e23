//! Where a database is: a `postgres://` address, taken apart, with its password kept where it can't be printed.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use narrows_tls::{ParameterError, Parameters, Tls};

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

/// Why an address could not be read. The text quotes nothing of it: where one character is missing, any part may be a part of the
/// password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not an address of this kind.
    #[error(
        "a database address starts with postgres:// or postgresql://\n\
         hint: write it as postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD"
    )]
    Scheme,
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
    /// A parameter that would change what is measured, or nobody knows.
    #[error(
        "the address has a parameter{} that is not known here\n\
         hint: the password is best in PGPASSWORD; known are host, port, user, dbname, sslmode, sslrootcert, sslcert, sslkey, sslnegotiation, channel_binding", named(.0)
    )]
    Parameter(Option<&'static str>),
}

/// Parameters of libpq that are not taken here: a name among them is told, any other may be a part of a password.
const OF_LIBPQ: [&str; 12] = [
    "application_name",
    "connect_timeout",
    "fallback_application_name",
    "hostaddr",
    "keepalives",
    "options",
    "passfile",
    "password",
    "service",
    "sslcrl",
    "sslpassword",
    "target_session_attrs",
];

fn named(parameter: &Option<&'static str>) -> String {
    parameter.map_or(String::new(), |name| format!(" `{name}`"))
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

impl Address {
    /// Reads `postgres://[user[:password]@][host][:port][/database][?host=…&port=…&sslmode=…]`; defaults are
    /// those of libpq: the socket in `/run/postgresql` or `/tmp`, port 5432, the operating system's user,
    /// `sslmode=prefer`. The password may come from `PGPASSWORD` instead, which keeps it out of the process list; what
    /// is said of TLS from libpq's variables (`PGSSLMODE`, `PGSSLROOTCERT` …). A socket takes no TLS, whatever is said:
    /// for one, only what the address itself says of it has to be right.
    pub fn parse(text: &str) -> Result<Address, AddressError> {
        Address::parse_in(text, |name| std::env::var(name).ok())
    }

    /// The same with these variables.
    fn parse_in(
        text: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Address, AddressError> {
        let rest = text
            .strip_prefix("postgres://")
            .or_else(|| text.strip_prefix("postgresql://"))
            .ok_or(AddressError::Scheme)?;
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
        let (mut host, port_text) = split_host(place);
        let mut port_number = if port_text.is_empty() { 5432 } else { port(&port_text)? };
        let mut user = decode(user)?;
        let mut database = decode(path)?;
        host = decode(&host)?;
        let mut tls = Parameters::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value)?;
            match key {
                "host" => host = value,
                "port" => port_number = port(&value)?,
                "user" => user = value,
                "dbname" => database = value,
                other if tls.set(other, &value)? => {}
                other => {
                    let known = OF_LIBPQ.into_iter().find(|name| *name == other);
                    return Err(AddressError::Parameter(known));
                }
            }
        }
        if !is_socket(&host) {
            tls.fill(&variable)?;
        }
        let tls = Tls::from(tls.finish()?);
        if user.is_empty() {
            user = variable("USER").unwrap_or_else(|| "postgres".to_string());
        }
        if database.is_empty() {
            database = user.clone();
        }
        let password = match decode(password)? {
            given if !given.is_empty() => Some(Secret(given)),
            _ => variable("PGPASSWORD").map(Secret),
        };
        let endpoint = if host.is_empty() {
            let folder = ["/run/postgresql", "/var/run/postgresql", "/tmp"]
                .into_iter()
                .map(PathBuf::from)
                .find(|folder| folder.join(format!(".s.PGSQL.{port_number}")).exists())
                .unwrap_or_else(|| PathBuf::from("/run/postgresql"));
            Endpoint::Unix { folder, port: port_number }
        } else if is_socket(&host) {
            Endpoint::Unix { folder: PathBuf::from(host), port: port_number }
        } else {
            Endpoint::Tcp { host, port: port_number, tls }
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
mod tests {
    use narrows_tls::{ChannelBinding, Mode, Roots};

    use super::*;

    #[test]
    fn an_address_is_taken_apart() {
        let address = Address::parse("postgres://bob:p%40ss@db7:5433/shop").unwrap();
        let tls = Tls::default();
        assert_eq!(address.endpoint, Endpoint::Tcp { host: "db7".into(), port: 5433, tls });
        assert_eq!((address.user.as_str(), address.database.as_str()), ("bob", "shop"));
        assert_eq!(address.password.as_ref().unwrap().reveal(), "p@ss");
        let socket = Address::parse("postgresql://bob@/shop?host=/tmp/x&port=6000").unwrap();
        assert_eq!(socket.endpoint, Endpoint::Unix { folder: "/tmp/x".into(), port: 6000 });
        let six = Address::parse("postgres://u@[::1]:5432/d").unwrap();
        let tls = Tls::default();
        assert_eq!(six.endpoint, Endpoint::Tcp { host: "::1".into(), port: 5432, tls });
        assert!(six.is_local());
    }

    #[test]
    fn no_way_of_printing_shows_the_password() {
        let address = Address::parse("postgres://bob:hunter2@db7/shop").unwrap();
        let printed = format!("{address} {address:?}");
        assert!(!printed.contains("hunter2"), "{printed}");
        let error = Address::parse("postgres://bob:hunter2@db7/shop?sslmode=on").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }

    fn tls_of(address: &str) -> Tls {
        match Address::parse(address).unwrap().endpoint {
            Endpoint::Tcp { tls, .. } => tls,
            Endpoint::Unix { .. } => panic!("{address} is no host"),
        }
    }

    #[test]
    fn what_an_address_says_of_tls_is_kept_and_the_rest_is_libpqs() {
        let tls = tls_of(
            "postgres://db7/shop?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&sslcert=/c&sslkey=/k\
             &channel_binding=require&sslnegotiation=postgres",
        );
        let settings = tls.settings();
        assert_eq!(settings.mode, Mode::VerifyFull);
        assert_eq!(settings.roots, Roots::File("/etc/ca.pem".into()));
        assert_eq!(
            (&settings.certificate, &settings.key),
            (&Some("/c".into()), &Some("/k".into()))
        );
        assert_eq!(settings.binding, ChannelBinding::Require);
        assert_eq!(tls_of("postgres://db7/shop").settings().mode, Mode::Prefer);
        let socket = Address::parse("postgres:///shop?host=/tmp/x&sslmode=verify-full").unwrap();
        assert!(matches!(socket.endpoint, Endpoint::Unix { .. }));
    }

    #[test]
    fn what_the_environment_says_of_tls_is_nothing_to_a_socket() {
        for said in [
            &[("PGSSLROOTCERT", "system"), ("PGSSLMODE", "require")][..],
            &[("PGSSLNEGOTIATION", "direct")],
            &[("PGSSLMODE", "on")],
        ] {
            let variable =
                |name: &str| said.iter().find(|(n, _)| *n == name).map(|(_, v)| v.to_string());
            for socket in ["postgres:///shop", "postgres://bob@/shop?host=/tmp/x"] {
                let address = Address::parse_in(socket, variable).unwrap();
                assert!(matches!(address.endpoint, Endpoint::Unix { .. }), "{socket}");
            }
            let error = Address::parse_in("postgres://db7/shop", variable).unwrap_err();
            assert!(matches!(error, AddressError::Tls(_)), "{said:?}: {error}");
        }
        // What the address says itself has to be right all the same.
        for wrong in ["sslmode=on", "sslrootcert=system&sslmode=require"] {
            let error = Address::parse(&format!("postgres:///shop?{wrong}")).unwrap_err();
            assert!(matches!(error, AddressError::Tls(_)), "{wrong}: {error}");
        }
    }

    #[test]
    fn a_name_that_begins_like_a_number_of_this_machine_is_another_machine() {
        for (host, local) in [
            ("localhost", true),
            ("127.0.0.1", true),
            ("127.3.2.1", true),
            ("[::1]", true),
            ("[::ffff:127.0.0.1]", true),
            ("127.db.example", false),
            ("127.0.0.1.example", false),
            ("128.0.0.1", false),
        ] {
            let address = Address::parse(&format!("postgres://u@{host}/d")).unwrap();
            assert_eq!(address.is_local(), local, "{host}");
        }
    }

    #[test]
    fn what_is_refused_is_not_quoted_however_it_is_mistyped() {
        const SECRET: &str = "S3cretPw";
        let whole = [
            "postgres://app:S3cretPw/shop",
            "postgres://app:S3cretPw@h:x/shop",
            "postgres://app@h/db?password=S3cretPw",
            "postgres://app@h/db?S3cretPw=1&sslmode=S3cretPw",
            "postgres://app@h/db?sslmode=disable&sslnegotiation=S3cretPw",
            "host=h password=S3cretPw",
            "app:S3cretPw@h/shop",
            "postgres://app:S3cretPw@h/shop?channel_binding=require",
        ];
        let (mut refused, mut read) = (0, 0);
        for text in whole.iter().flat_map(|text| mistyped(text)) {
            match Address::parse_in(&text, |_| None) {
                Err(error) => {
                    refused += 1;
                    let said = format!("{error} {error:?}");
                    assert!(!said.contains(SECRET), "{text}: {said}");
                    assert!(said.contains("hint: "), "{text}: {said}");
                }
                // What stands where a name stands is one.
                Ok(address) => {
                    read += 1;
                    let said = format!("{address} {address:?}");
                    let names =
                        format!("{} {} {:?}", address.user, address.database, address.endpoint);
                    assert!(!said.contains(SECRET) || names.contains(SECRET), "{text}: {said}");
                }
            }
        }
        assert!(refused > 1000 && read > 100, "{refused} {read}");
    }

    /// The text itself, and with one character left out, doubled, or moved to any other place, the secret left whole.
    fn mistyped(text: &str) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let mut all = vec![text.to_string()];
        for at in 0..chars.len() {
            let (before, rest) = (&chars[..at], &chars[at + 1..]);
            let without = [before, rest].concat();
            for to in 0..=without.len() {
                let mut moved = without.clone();
                moved.insert(to, chars[at]);
                all.push(moved.iter().collect());
            }
            all.push([before, &[chars[at]; 2], rest].concat().iter().collect());
            all.push(without.iter().collect());
        }
        all.retain(|text| text.contains("S3cretPw"));
        all
    }

    #[test]
    fn bad_addresses_say_why() {
        assert_eq!(Address::parse("mysql://x"), Err(AddressError::Scheme));
        assert!(matches!(Address::parse("postgres://h:99999/d"), Err(AddressError::Port)));
        for unescaped in
            ["postgres://u:s3cr/et@h/db", "postgres://u:12/et@h/db", "postgres://u:s?et@h/db"]
        {
            assert_eq!(Address::parse(unescaped), Err(AddressError::Unescaped), "{unescaped}");
        }
        assert_eq!(Address::parse("postgres://u%zz@h/d"), Err(AddressError::Escape));
        for wrong in ["mysql://x", "postgres://h:99999/d", "postgres://u%zz@h/d"] {
            let error = Address::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("\nhint: "), "{error}");
        }
        for wrong in ["sslmode=on", "sslnegotiation=direct", "sslrootcert=system&sslmode=require"] {
            let error = Address::parse(&format!("postgres://h/d?{wrong}")).unwrap_err();
            assert!(matches!(error, AddressError::Tls(_)), "{wrong}: {error:?}");
            assert!(error.to_string().contains("\nhint: "), "{error}");
        }
        assert!(matches!(
            Address::parse("postgres://h/d?fallback=1"),
            Err(AddressError::Parameter(_))
        ));
    }
}
