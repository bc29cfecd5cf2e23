//! Why there is no connection, or no longer.

/// What went wrong, as far as one side can tell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The other side doesn't speak TLS.
    #[error("the other side speaks no TLS")]
    NotTls,
    /// The host's first message can't be read.
    #[error("the host's first message of TLS is damaged: {0}")]
    Hello(&'static str),
    /// The host speaks TLS, but not as NVMe/TCP has it.
    #[error("the host offers {0}")]
    Unsuited(&'static str),
    /// No key here has one of the names that the host offers.
    #[error("there is no key for {0}")]
    NoKey(String),
    /// The name is known, and the host's key is another.
    #[error("the host has another key than the one here for {0}")]
    OtherKey(String),
    /// The other side ended it and said why.
    #[error("the other side refused TLS: {}", alert_name(*.0))]
    Refused(u8),
    /// The other side proved no key.
    #[error("the other side took none of the keys that were offered")]
    Unproven,
    /// What came is not what the other side sent, or is of no handshake.
    #[error("TLS failed: {0}")]
    Failed(String),
}

/// Names of alerts (RFC 8446, section 6) that somebody may want to look up.
fn alert_name(alert: u8) -> String {
    let name = match alert {
        UNEXPECTED_MESSAGE => "unexpected_message",
        20 => "bad_record_mac",
        40 => "handshake_failure",
        ILLEGAL_PARAMETER => "illegal_parameter",
        DECODE_ERROR => "decode_error",
        DECRYPT_ERROR => "decrypt_error",
        PROTOCOL_VERSION => "protocol_version",
        71 => "insufficient_security",
        80 => "internal_error",
        90 => "user_canceled",
        109 => "missing_extension",
        UNKNOWN_IDENTITY => "unknown_psk_identity",
        other => return format!("alert {other}"),
    };
    name.to_string()
}

pub(crate) const CLOSE_NOTIFY: u8 = 0;
pub(crate) const UNEXPECTED_MESSAGE: u8 = 10;
pub(crate) const ILLEGAL_PARAMETER: u8 = 47;
pub(crate) const DECODE_ERROR: u8 = 50;
pub(crate) const DECRYPT_ERROR: u8 = 51;
pub(crate) const PROTOCOL_VERSION: u8 = 70;
pub(crate) const UNKNOWN_IDENTITY: u8 = 115;

impl TlsError {
    /// Whether the other side said, or this side knows, that the two have no key in common.
    pub fn is_of_key(&self) -> bool {
        match self {
            TlsError::NoKey(_) | TlsError::OtherKey(_) | TlsError::Unproven => true,
            // What servers say to a name or a key that they don't have: s2n-tls and OpenSSL, GnuTLS (tlshd).
            TlsError::Refused(alert) => {
                [UNKNOWN_IDENTITY, DECRYPT_ERROR, ILLEGAL_PARAMETER, 40].contains(alert)
            }
            TlsError::NotTls | TlsError::Hello(_) | TlsError::Unsuited(_) | TlsError::Failed(_) => {
                false
            }
        }
    }

    /// What the other side is told while nothing is encrypted yet.
    pub(crate) fn alert(&self) -> Option<u8> {
        match self {
            TlsError::Hello(_) => Some(DECODE_ERROR),
            TlsError::Unsuited(_) => Some(PROTOCOL_VERSION),
            TlsError::NoKey(_) => Some(UNKNOWN_IDENTITY),
            TlsError::OtherKey(_) => Some(DECRYPT_ERROR),
            TlsError::Failed(_) => Some(UNEXPECTED_MESSAGE),
            TlsError::NotTls | TlsError::Refused(_) | TlsError::Unproven => None,
        }
    }
}
