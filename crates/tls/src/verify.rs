//! Whether a server's certificate is one to trust, as far as the mode asks (PostgreSQL documentation, "Client Verification of Server
//! Certificates").
//!
//! rustls's verifier goes first, and its word is last for every certificate it can read. Two kinds it can't, and both are what
//! PostgreSQL's documentation makes: an authority's certificate used as a server's, and X.509 version 1. The first is taken if it is,
//! byte for byte, one of the trusted ones; the second if a trusted one signed it directly. Names other than the
//! common name go to rustls's verifier too; the common name counts where there are no others, as in libpq.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore};
use rustls::{PeerMisbehaved, SignatureScheme};

use crate::certificate::Certificate;

/// Certificates that are trusted.
#[derive(Debug)]
pub(crate) struct Trusted {
    /// All of them. What is kept here has no time and no word on what it may sign.
    roots: RootCertStore,
    certificates: Vec<CertificateDer<'static>>,
}

impl Trusted {
    /// Those of them that are certificates; `None` if none is.
    pub(crate) fn of(certificates: Vec<CertificateDer<'static>>) -> Option<Trusted> {
        let mut roots = RootCertStore::empty();
        let (taken, _) = roots.add_parsable_certificates(certificates.iter().cloned());
        (taken > 0).then_some(Trusted { roots, certificates })
    }

    /// Those that may vouch for others at that time, where not all of them may.
    fn fewer(&self, now: UnixTime) -> Option<RootCertStore> {
        let may = |der: &&CertificateDer<'_>| {
            Certificate::read(der).is_some_and(|read| may_sign(&read, now))
        };
        if self.certificates.iter().all(|der| may(&der)) {
            return None;
        }
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(self.certificates.iter().filter(may).cloned());
        Some(roots)
    }
}

/// Whether a trusted certificate may vouch for others: in its time, and as an authority where its version has a word for that.
fn may_sign(issuer: &Certificate<'_>, now: UnixTime) -> bool {
    in_time(issuer, now).is_ok() && (issuer.version < 3 || issuer.is_authority)
}

/// Judges a server's certificate.
#[derive(Debug)]
pub(crate) struct Verifier {
    algorithms: WebPkiSupportedAlgorithms,
    /// `None`: whoever answers.
    trusted: Option<Trusted>,
    names: bool,
}

/// A certificate that can't be read by the rules of today, and why it is not taken.
#[derive(Debug, thiserror::Error)]
#[error(
    "it is of X.509 version 1, which is taken only if a trusted one signed it directly; one of version 3 can be verified"
)]
struct OldVersion;

/// It would be taken if that one were one to sign.
#[derive(Debug, thiserror::Error)]
#[error("the trusted certificate that signed it is out of its time, or none of an authority")]
struct NotToSign;

fn bad() -> Error {
    Error::InvalidCertificate(CertificateError::BadEncoding)
}

impl Verifier {
    pub(crate) fn new(provider: &CryptoProvider, trusted: Option<Trusted>, names: bool) -> Self {
        let algorithms = provider.signature_verification_algorithms;
        Verifier { algorithms, trusted, names }
    }

    fn verify_issuer(
        &self,
        trusted: &Trusted,
        der: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Error> {
        let read = Certificate::read(der).ok_or_else(bad)?;
        if trusted.certificates.iter().any(|known| known == der) {
            return in_time(&read, now);
        }
        if read.issuer == read.subject {
            return Err(Error::InvalidCertificate(CertificateError::UnknownIssuer));
        }
        if read.version < 3 {
            in_time(&read, now)?;
            let signed = trusted.certificates.iter().any(|known| self.signed(known, &read, now));
            let other = || CertificateError::Other(OtherError(Arc::new(OldVersion)));
            return if signed { Ok(()) } else { Err(Error::InvalidCertificate(other())) };
        }
        let parsed = ParsedCertificate::try_from(der)?;
        let by = |roots: &RootCertStore| {
            let algorithms = self.algorithms.all;
            verify_server_cert_signed_by_trust_anchor(&parsed, roots, between, now, algorithms)
        };
        by(&trusted.roots)?;
        let Some(fewer) = trusted.fewer(now) else { return Ok(()) };
        let not_to_sign = || CertificateError::Other(OtherError(Arc::new(NotToSign)));
        by(&fewer).map_err(|_| Error::InvalidCertificate(not_to_sign()))
    }

    /// Whether `issuer` signed that certificate, and may at that time.
    fn signed(&self, issuer: &[u8], certificate: &Certificate<'_>, now: UnixTime) -> bool {
        let Some(issuer) = Certificate::read(issuer) else { return false };
        may_sign(&issuer, now)
            && issuer.subject == certificate.issuer
            && self.algorithms.all.iter().any(|algorithm| {
                *algorithm.signature_alg_id() == *certificate.signature_algorithm
                    && *algorithm.public_key_alg_id() == *issuer.key_algorithm
                    && algorithm
                        .verify_signature(issuer.key, certificate.signed, certificate.signature)
                        .is_ok()
            })
    }

    fn verify_name(&self, der: &CertificateDer<'_>, host: &ServerName<'_>) -> Result<(), Error> {
        let read = Certificate::read(der).ok_or_else(bad)?;
        if read.has_other_names {
            return verify_server_name(&ParsedCertificate::try_from(der)?, host);
        }
        let name = read.common_name();
        if name.is_some_and(|name| names_host(name, &host.to_str())) {
            return Ok(());
        }
        Err(Error::InvalidCertificate(CertificateError::NotValidForNameContext {
            expected: host.to_owned(),
            presented: name.map(on_one_line).into_iter().collect(),
        }))
    }
}

/// A name that anybody may have written, for a message: it begins no line of its own.
fn on_one_line(name: &str) -> String {
    narrows_units::shown(name).into_owned()
}

fn in_time(certificate: &Certificate<'_>, time: UnixTime) -> Result<(), Error> {
    let (not_before, not_after) = (certificate.not_before, certificate.not_after);
    Err(Error::InvalidCertificate(if time < not_before {
        CertificateError::NotValidYetContext { time, not_before }
    } else if time > not_after {
        CertificateError::ExpiredContext { time, not_after }
    } else {
        return Ok(());
    }))
}

/// Whether a common name is that host's. A star stands for one label, the first.
fn names_host(name: &str, host: &str) -> bool {
    if name.eq_ignore_ascii_case(host) {
        return true;
    }
    let Some(domain) = name.strip_prefix("*.").filter(|domain| domain.contains('.')) else {
        return false;
    };
    host.split_once('.')
        .is_some_and(|(label, rest)| !label.is_empty() && rest.eq_ignore_ascii_case(domain))
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(trusted) = &self.trusted {
            self.verify_issuer(trusted, end_entity, intermediates, now)?;
            if self.names {
                self.verify_name(end_entity, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let read = Certificate::read(cert).ok_or_else(bad)?;
        if read.version >= 3 {
            return verify_tls12_signature(message, cert, dss, &self.algorithms);
        }
        let (_, possible) = self
            .algorithms
            .mapping
            .iter()
            .find(|(scheme, _)| *scheme == dss.scheme)
            .ok_or(PeerMisbehaved::SignedHandshakeWithUnadvertisedSigScheme)?;
        let valid = possible.iter().any(|algorithm| {
            *algorithm.public_key_alg_id() == *read.key_algorithm
                && algorithm.verify_signature(read.key, message, dss.signature()).is_ok()
        });
        if valid {
            Ok(HandshakeSignatureValid::assertion())
        } else {
            Err(Error::InvalidCertificate(CertificateError::BadSignature))
        }
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        // By the key alone, because certificates of version 1 have one too.
        let key = SubjectPublicKeyInfoDer::from(Certificate::read(cert).ok_or_else(bad)?.key_info);
        verify_tls13_signature_with_raw_key(message, &key, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

#[cfg(test)]
pub(crate) mod fixtures {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;

    /// `make.sh` prints it.
    pub(crate) const ROOT_NOT_AFTER: u64 = 4_948_963_503;

    pub(crate) fn der(name: &str) -> CertificateDer<'static> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/");
        CertificateDer::from_pem_file(format!("{path}{name}")).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// 2028, 2030 and 2130, in seconds.
    const BEFORE: u64 = 1_830_297_600;
    const LATER: u64 = 1_893_456_000;
    const TOO_LATE: u64 = 5_049_129_600;

    fn at(seconds: u64) -> UnixTime {
        UnixTime::since_unix_epoch(Duration::from_secs(seconds))
    }

    /// Judges a fixture for a host by trusted fixtures.
    fn judge(leaf: &str, sent: &[&str], roots: &[&str], host: &str, now: u64) -> Result<(), Error> {
        let trusted = Trusted::of(roots.iter().map(|name| fixtures::der(name)).collect());
        let verifier = Verifier::new(&crate::provider(), trusted, true);
        let sent: Vec<_> = sent.iter().map(|name| fixtures::der(name)).collect();
        let host = ServerName::try_from(host).unwrap();
        verifier.verify_server_cert(&fixtures::der(leaf), &sent, &host, &[], at(now)).map(|_| ())
    }

    fn refusal(leaf: &str, roots: &[&str], host: &str, now: u64) -> CertificateError {
        match judge(leaf, &[], roots, host, now) {
            Err(Error::InvalidCertificate(why)) => why,
            other => panic!("{leaf}: {other:?}"),
        }
    }

    #[test]
    fn what_a_trusted_authority_signed_for_the_host_is_taken() {
        for (leaf, host) in [
            ("leaf.pem", "db7.example"),
            ("leaf.pem", "DB7.example"),
            ("leaf.pem", "eu.shop.example"),
            ("leaf.pem", "192.0.2.7"),
            ("v1.pem", "db7.example"),
            ("v1wild.pem", "eu.shop.example"),
        ] {
            judge(leaf, &[], &["other.pem", "root.pem"], host, LATER)
                .unwrap_or_else(|error| panic!("{leaf} for {host}: {error}"));
        }
        judge("behind.pem", &["chain.pem"], &["root.pem"], "db7.example", LATER).unwrap();
    }

    #[test]
    fn what_nobody_trusted_signed_is_not() {
        for leaf in ["leaf.pem", "own.pem", "behind.pem"] {
            let why = refusal(leaf, &["other.pem"], "db7.example", LATER);
            assert_eq!(why, CertificateError::UnknownIssuer, "{leaf}");
        }
        let why = refusal("v1.pem", &["other.pem"], "db7.example", LATER);
        assert!(matches!(why, CertificateError::Other(_)), "{why:?}");
        // An authority between doesn't help a certificate that says nothing of how it may be used.
        let result = judge("v1behind.pem", &["chain.pem"], &["root.pem"], "db7.example", LATER);
        assert!(result.is_err());
    }

    #[test]
    fn a_trusted_certificate_vouches_for_others_only_in_its_time_and_as_an_authority() {
        for leaf in ["v1short.pem", "leafshort.pem"] {
            judge(leaf, &[], &["other.pem", "short.pem"], "db7.example", BEFORE).unwrap();
            let why = refusal(leaf, &["other.pem", "short.pem"], "db7.example", LATER);
            assert!(matches!(why, CertificateError::Other(_)), "{leaf}: {why:?}");
        }
        for leaf in ["v1plain.pem", "leafplain.pem"] {
            let why = refusal(leaf, &["plain.pem"], "db7.example", LATER);
            assert!(matches!(why, CertificateError::Other(_)), "{leaf}: {why:?}");
        }
        // For itself it does, as what stands in the file by name.
        judge("plain.pem", &[], &["plain.pem"], "db7.example", LATER).unwrap();
        // Another that is out of its time harms nobody.
        judge("leaf.pem", &[], &["short.pem", "root.pem"], "db7.example", LATER).unwrap();
    }

    #[test]
    fn a_signature_by_another_key_of_the_same_name_is_none() {
        let mut forged = fixtures::der("v1.pem").to_vec();
        // Within the signed part: a bit of the common name.
        let at_name = forged.windows(3).position(|w| w == b"db7").unwrap();
        forged[at_name + 2] ^= 1;
        let trusted = Trusted::of(vec![fixtures::der("root.pem")]);
        let verifier = Verifier::new(&crate::provider(), trusted, false);
        let host = ServerName::try_from("db7.example").unwrap();
        let result = verifier.verify_server_cert(&forged.into(), &[], &host, &[], at(LATER));
        assert!(result.is_err());
    }

    #[test]
    fn a_certificate_that_is_its_own_issuer_is_taken_where_it_is_the_trusted_one() {
        judge("own.pem", &[], &["own.pem"], "db7.example", LATER).unwrap();
        let why = refusal("own.pem", &["own.pem"], "db8.example", LATER);
        assert!(matches!(why, CertificateError::NotValidForNameContext { .. }), "{why:?}");
        let why = refusal("own.pem", &["own.pem"], "db7.example", TOO_LATE);
        assert!(matches!(why, CertificateError::ExpiredContext { .. }), "{why:?}");
    }

    #[test]
    fn another_host_and_another_time_are_refused_by_name() {
        for (leaf, host) in [
            ("leaf.pem", "db8.example"),
            // The common name counts nothing beside other names.
            ("leaf.pem", "elsewhere"),
            ("leaf.pem", "a.b.shop.example"),
            ("leaf.pem", "192.0.2.8"),
            ("v1.pem", "db8.example"),
            ("v1wild.pem", "shop.example"),
            ("v1wild.pem", "a.b.shop.example"),
        ] {
            let why = refusal(leaf, &["root.pem"], host, LATER);
            let name = matches!(why, CertificateError::NotValidForNameContext { .. });
            assert!(name, "{leaf} for {host}: {why:?}");
        }
        for leaf in ["leaf.pem", "v1.pem"] {
            let why = refusal(leaf, &["root.pem"], "db7.example", TOO_LATE);
            assert!(matches!(why, CertificateError::ExpiredContext { .. }), "{leaf}: {why:?}");
            let why = refusal(leaf, &["root.pem"], "db7.example", 0);
            assert!(matches!(why, CertificateError::NotValidYetContext { .. }), "{leaf}: {why:?}");
        }
    }
}
