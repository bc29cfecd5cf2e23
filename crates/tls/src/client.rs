//! The client's side of TLS to a PostgreSQL server.

use std::net::TcpStream;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, ClientConnection};

use crate::certificate::Certificate;
use crate::verify::Verifier;
use crate::{Mode, Settings, TlsError, TlsStream, files};

/// Makes TLS sessions by one address's settings. Files are read once, at the first session; clones share them.
#[derive(Clone, Default)]
pub struct Tls {
    settings: Settings,
    made: Arc<OnceLock<Made>>,
}

/// What the files gave.
#[derive(Clone)]
struct Made {
    config: Arc<ClientConfig>,
    /// What is verified of a server.
    verified: &'static str,
}

/// By what was asked for.
impl PartialEq for Tls {
    fn eq(&self, other: &Self) -> bool {
        self.settings == other.settings
    }
}

impl Eq for Tls {}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.settings.fmt(f)
    }
}

impl From<Settings> for Tls {
    fn from(settings: Settings) -> Self {
        Tls { settings, made: Arc::default() }
    }
}

impl Tls {
    /// What was asked for.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Agrees with the server on a session over a connected socket, at the latest at `until`, and not once `stopped` says so. The
    /// socket should have a short time limit for reads and writes, so that this can look at both.
    ///
    /// # Errors
    /// A file of the settings can't be used, the server is not who it should be, or both sides have nothing in common.
    pub fn agree(
        &self,
        tcp: TcpStream,
        host: &str,
        until: Instant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<TlsStream, TlsError> {
        let name = match ServerName::try_from(host.to_string()) {
            Ok(name) => name,
            Err(_) if self.settings.mode == Mode::VerifyFull => {
                let presented = "any host of that form (it is no DNS name)".to_string();
                return Err(TlsError::Name { expected: host.to_string(), presented });
            }
            // The name is then only a greeting, and an address says the same with less.
            Err(_) => ServerName::from(tcp.peer_addr().map_err(TlsError::Io)?.ip()),
        };
        let made = self.made()?;
        let session = ClientConnection::new(made.config, name).map_err(TlsError::from)?;
        TlsStream::agree(session, tcp, made.verified, until, stopped)
    }

    fn made(&self) -> Result<Made, TlsError> {
        if let Some(made) = self.made.get() {
            return Ok(made.clone());
        }
        let made = make(&self.settings)?;
        Ok(self.made.get_or_init(|| made).clone())
    }
}

fn make(settings: &Settings) -> Result<Made, TlsError> {
    let provider = crate::provider();
    let trusted = files::trusted(settings)?;
    let names = settings.mode == Mode::VerifyFull;
    let verified = match &trusted {
        None => "server not verified",
        Some(_) if names => "authority and host verified",
        Some(_) => "authority verified",
    };
    let verifier = Verifier::new(&provider, trusted, names);
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(TlsError::from)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let mut config = match files::identity(settings)? {
        None => builder.with_no_client_auth(),
        Some(identity) => {
            let (chain, key) = (identity.chain, identity.key);
            let refuse = |reason: String| TlsError::File {
                what: "the private key",
                path: identity.key_path.clone(),
                reason,
                hint: "sslkey=FILE has to name the key of the certificate in sslcert=FILE",
            };
            let key =
                provider.key_provider.load_private_key(key).map_err(|e| refuse(e.to_string()))?;
            let ours = chain.first().and_then(|der| Certificate::read(der));
            let info = key.public_key();
            if info.zip(ours).is_some_and(|(info, ours)| *info != *ours.key_info) {
                return Err(refuse("it belongs to another certificate".to_string()));
            }
            // Not by rustls's own check, which takes no certificate of X.509 version 1.
            let pair = SingleCertAndKey::from(CertifiedKey::new(chain, key));
            builder.with_client_cert_resolver(Arc::new(pair))
        }
    };
    // PostgreSQL gives no tickets; each session of a load costs and is the same.
    config.resumption = Resumption::disabled();
    Ok(Made { config: Arc::new(config), verified })
}
