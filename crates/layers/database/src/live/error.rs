//! Why a live server's log could not be looked at.

use crate::wire::WireError;

/// Why a live server's log could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// A pooler in between doesn't pass our limits on.
    #[error(
        "{0}\nhint: a pooler answers there; name the server itself, because the limits that keep this harmless don't \
         pass through"
    )]
    Pooler(WireError),
    /// The server refused or the connection broke.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// It answers, but not what is asked.
    #[error(
        "the server left three questions in a row unanswered before anything was seen: {0}\nhint: each may take 5 s, so that \
         looking harms nobody; look when it is less busy"
    )]
    Silent(String),
    /// Older than what is known here.
    #[error(
        "the server is version {0}, and its counters are known from 13 on\nhint: name a newer server"
    )]
    Version(String),
    /// It commits nothing itself.
    #[error(
        "the server is a standby ({version}): it commits nothing itself, so no commit waits for its log. {known}\n\
         hint: name its primary{primary}"
    )]
    Standby {
        /// Its version.
        version: String,
        /// What can be said of it, in sentences.
        known: String,
        /// `, HOST`, where it says so.
        primary: String,
    },
}

impl LiveError {
    /// The questions went unanswered from the beginning; without the hint, which would have somebody's limit raised and
    /// not ours.
    pub(super) fn silent(error: WireError) -> LiveError {
        match &error {
            WireError::Server { severity, code, message, .. } => {
                LiveError::Silent(format!("{severity} {code}: {message}"))
            }
            _ => LiveError::Wire(error),
        }
    }

    /// An error of connecting.
    pub(super) fn connecting(error: WireError) -> LiveError {
        match &error {
            WireError::Server { message, .. }
                if message.contains("unsupported startup parameter") =>
            {
                LiveError::Pooler(error)
            }
            _ => LiveError::Wire(error),
        }
    }
}
