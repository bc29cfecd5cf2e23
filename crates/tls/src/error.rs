//! Why there is no TLS.

use std::io;
use std::path::PathBuf;

use rustls::{AlertDescription, CertificateError};

/// Why a parameter on TLS could not be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Not a value of it.
    #[error("{name} has a value that is not known\nhint: known are {known}")]
    Value {
        /// The parameter, as it was given. Its value is not told: where an address is mistyped it may be a part of the password.
        name: String,
        /// What there is.
        known: &'static str,
    },
    /// TLS from the first byte.
    #[error(
        "sslnegotiation has a value that is not spoken here, only the request for TLS that every version knows is\n\
         hint: sslnegotiation=postgres works with the same server"
    )]
    Negotiation,
    /// Trusts everybody whom the machine trusts, and doesn't look at the name.
    #[error(
        "sslmode={0} does not go with sslrootcert=system: anybody gets a certificate that the machine trusts\n\
         hint: sslmode=verify-full looks at the name too"
    )]
    Weak(&'static str),
}

/// Why a TLS session did not come about.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file that was named, or is there, can't be used.
    #[error("{what} {path}: {reason}\nhint: {hint}")]
    File {
        /// What it is for.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
        /// What to do.
        hint: &'static str,
    },
    /// Others may read the key.
    #[error(
        "the private key {path} has permissions {mode:04o}: others may read it\n\
         hint: chmod 600 {path}, or 640 where it belongs to root"
    )]
    KeyMode {
        /// The file.
        path: PathBuf,
        /// Permissions, as of chmod.
        mode: u32,
    },
    /// Nobody to trust.
    #[error(
        "sslmode={mode} needs certificates to trust, and {path} does not exist\n\
         hint: sslrootcert=FILE names the authority's certificate, sslrootcert=system takes the machine's; sslmode=prefer \
         encrypts, if the server can, without proof of who answers"
    )]
    NoRoots {
        /// What was asked for.
        mode: &'static str,
        /// Where they were looked for.
        path: String,
    },
    /// The machine has no certificates.
    #[error(
        "the machine's trusted certificates could not be read: {reason}\n\
         hint: install them (package ca-certificates), or sslrootcert=FILE"
    )]
    NoSystemRoots {
        /// Why not.
        reason: String,
    },
    /// A certificate of nobody trusted.
    #[error(
        "the server's certificate is not from anybody trusted: {reason}\n\
         hint: sslrootcert=FILE names the certificate of the authority that signed it; sslmode=prefer encrypts, if the \
         server can, without proof of who answers"
    )]
    Untrusted {
        /// Why not.
        reason: String,
    },
    /// A certificate for another host.
    #[error(
        "the server's certificate is for {presented}, not for {expected}\n\
         hint: name the host as the certificate does, or sslmode=verify-ca, which does not look at the name"
    )]
    Name {
        /// The host of the address.
        expected: String,
        /// The certificate's names.
        presented: String,
    },
    /// A certificate out of its time.
    #[error(
        "the server's certificate {why}\n\
         hint: is this machine's clock right? else the server needs a new certificate; sslmode=prefer does not look at it"
    )]
    Time {
        /// Which way.
        why: String,
    },
    /// The server ended it.
    #[error("the server refused the TLS session: {reason}\nhint: {hint}")]
    Refused {
        /// Its alert.
        reason: String,
        /// What to do.
        hint: &'static str,
    },
    /// No common ground.
    #[error(
        "no TLS session came about: {reason}\n\
         hint: TLS 1.2 and 1.3 are spoken here, with keys of RSA (2048 bits or more), ECDSA or Ed25519; the server's \
         log says its side"
    )]
    Handshake {
        /// Why not.
        reason: String,
    },
    /// The connection.
    #[error("the connection broke while TLS was agreed on: {0}\nhint: the server's log says why")]
    Io(io::Error),
}

/// As [`TlsStream`](crate::TlsStream) gives them: its own, or the connection's.
impl From<io::Error> for TlsError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<TlsError>() {
            Ok(own) => own,
            Err(other) => TlsError::Io(other),
        }
    }
}

impl From<rustls::Error> for TlsError {
    fn from(error: rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(why) => certificate(why),
            rustls::Error::AlertReceived(alert) => {
                TlsError::Refused { reason: format!("{alert:?}"), hint: advice(alert) }
            }
            other => TlsError::Handshake { reason: other.to_string() },
        }
    }
}

fn certificate(why: CertificateError) -> TlsError {
    use CertificateError::{ExpiredContext, NotValidForNameContext, NotValidYetContext};
    match why {
        ExpiredContext { time, not_after } => {
            let since = time.as_secs().saturating_sub(not_after.as_secs());
            TlsError::Time { why: format!("expired {} ago", about(since)) }
        }
        NotValidYetContext { time, not_before } => {
            let until = not_before.as_secs().saturating_sub(time.as_secs());
            TlsError::Time { why: format!("is not valid yet, only in {}", about(until)) }
        }
        // Where its end lies before its beginning.
        CertificateError::Expired => TlsError::Time { why: "expired".to_string() },
        NotValidForNameContext { expected, presented } => TlsError::Name {
            expected: expected.to_str().into_owned(),
            presented: if presented.is_empty() {
                "no host at all".to_string()
            } else {
                // Each as `DnsName("x")` or as it is.
                let names =
                    presented.iter().map(|name| name.split('"').nth(1).unwrap_or(name).to_string());
                names.collect::<Vec<_>>().join(", ")
            },
        },
        CertificateError::UnknownIssuer => {
            TlsError::Untrusted { reason: "who signed it is not among them".to_string() }
        }
        CertificateError::Other(other) => TlsError::Untrusted { reason: other.to_string() },
        other => TlsError::Untrusted { reason: other.to_string() },
    }
}

/// Seconds in words.
fn about(seconds: u64) -> String {
    if seconds < 2 * 86_400 {
        format!("{} hours", seconds / 3600)
    } else {
        format!("{} days", seconds / 86_400)
    }
}

fn advice(alert: AlertDescription) -> &'static str {
    match alert {
        AlertDescription::CertificateRequired => {
            "it wants a certificate of the client: sslcert=FILE and sslkey=FILE"
        }
        AlertDescription::UnknownCA
        | AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateExpired
        | AlertDescription::CertificateRevoked
        | AlertDescription::CertificateUnknown
        | AlertDescription::DecryptError => {
            "it does not take the client's certificate: who signed that has to be in the server's ssl_ca_file"
        }
        AlertDescription::ProtocolVersion
        | AlertDescription::HandshakeFailure
        | AlertDescription::InsufficientSecurity => {
            "TLS 1.2 and 1.3 are spoken here; the server's settings from ssl_min_protocol_version to ssl_ciphers say what it takes"
        }
        _ => "the server's log says why",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustls::pki_types::{ServerName, UnixTime};

    use super::*;

    #[test]
    fn certificates_that_are_refused_say_why_and_what_to_do() {
        let at = |seconds| UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let told = |why| TlsError::from(rustls::Error::InvalidCertificate(why)).to_string();
        let expired =
            told(CertificateError::ExpiredContext { time: at(864_100), not_after: at(10) });
        assert!(expired.contains("expired 10 days ago\nhint: "), "{expired}");
        let early =
            told(CertificateError::NotValidYetContext { time: at(0), not_before: at(7300) });
        assert!(early.contains("only in 2 hours"), "{early}");
        let name = told(CertificateError::NotValidForNameContext {
            expected: ServerName::try_from("db8.example").unwrap(),
            presented: vec!["DnsName(\"db7.example\")".into(), "db7".into()],
        });
        assert!(name.contains("is for db7.example, db7, not for db8.example\nhint: "), "{name}");
        let unknown = told(CertificateError::UnknownIssuer);
        assert!(unknown.contains("hint: sslrootcert=FILE"), "{unknown}");
        let alert = rustls::Error::AlertReceived(AlertDescription::CertificateRequired);
        let missing = TlsError::NoRoots { mode: "require", path: "/nowhere".into() }.to_string();
        // With certificates to trust `require` verifies too.
        for told in [&expired, &unknown, &missing] {
            let (_, hint) = told.split_once("hint: ").unwrap();
            assert!(hint.contains("sslmode=prefer ") && !hint.contains("require"), "{hint}");
        }
        assert!(TlsError::from(alert).to_string().contains("sslcert=FILE"));
    }
}
