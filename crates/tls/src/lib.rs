//! TLS by rustls, for whoever here speaks it: the provider of its cryptography for all, and for the database layer a client that
//! takes libpq's parameters in libpq's meaning (PostgreSQL documentation, "SSL Support").
//!
//! Certificates are judged by rustls's own verifier. What PostgreSQL's own recipes make and that verifier doesn't take (a certificate
//! that is its own issuer, X.509 version 1, a host only in the common name) is judged in `verify`, and only where the
//! certificate is a trusted one itself or signed by one directly.

mod certificate;
mod client;
mod error;
mod files;
mod home;
mod parameters;
mod stream;
mod verify;

use std::sync::Arc;

use rustls::crypto::CryptoProvider;

pub use client::Tls;
pub use error::{ParameterError, TlsError};
pub use home::home;
pub use parameters::{ChannelBinding, Mode, Parameters, Roots, Settings};
pub use stream::TlsStream;

/// The cryptography of every TLS connection here.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
