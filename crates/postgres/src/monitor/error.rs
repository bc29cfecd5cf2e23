//! Why a live server's log could not be looked at.

use super::session::{UNLIMITED, passes};
use crate::refusal;
use crate::wire::WireError;

/// A statement prepared before isn't there, one of a session before ours still is, or the protocol is another's: what
/// poolers in transaction mode come to.
const POOLED: [&str; 3] = ["26000", "42P05", "08P01"];
/// A column, a function, a table that isn't there.
const UNDEFINED: [&str; 3] = ["42703", "42883", "42P01"];

/// Why a live server's log could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum MonitorError {
    /// A pooler in between doesn't pass our limits on, or gives each statement another session.
    #[error(
        "{0}\nhint: a connection pooler keeps neither narrows' session nor the limits that make it harmless; connect to the server itself"
    )]
    Pooler(WireError),
    /// The role may not ask that.
    #[error(
        "{0}\nhint: observing needs the right to read statistics: GRANT pg_monitor to this user"
    )]
    Denied(WireError),
    /// What is asked for isn't there, although the catalog said so or every version known has it.
    #[error(
        "{0}\nhint: is it PostgreSQL that answers there, or something that speaks its protocol? name a PostgreSQL server"
    )]
    Foreign(WireError),
    /// The server refused or the connection broke.
    #[error("{}", refusal::for_observers(.0))]
    Wire(WireError),
    /// It answers, but not what is asked.
    #[error(
        "the server left three queries in a row unanswered: {0}\nhint: each may take 5 s, so that observing harms nobody; observe when it is less busy"
    )]
    Silent(String),
    /// Older than what is known here.
    #[error(
        "the server is version {0}, and its counters are known from 13 on\nhint: name a newer server"
    )]
    Version(String),
    /// It commits nothing itself.
    #[error(
        "the server is a standby ({version}): it commits nothing itself, so no commit waits for its WAL. {known}\nhint: name its primary{primary}"
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

impl MonitorError {
    /// What ended the asking; where questions went unanswered, without the hint, which would have somebody's limit raised
    /// and not ours.
    pub(crate) fn silent(error: WireError) -> MonitorError {
        match &error {
            WireError::Server { severity, code, message, .. } if passes(&error) => {
                MonitorError::Silent(format!("{severity} {code}: {message}"))
            }
            _ => error.into(),
        }
    }

    /// An error of connecting.
    pub(crate) fn connecting(error: WireError) -> MonitorError {
        match &error {
            WireError::Server { message, .. }
                if message.contains("unsupported startup parameter") =>
            {
                MonitorError::Pooler(error)
            }
            WireError::Unexpected(UNLIMITED) => MonitorError::Pooler(error),
            _ => MonitorError::Wire(error),
        }
    }
}

impl From<WireError> for MonitorError {
    /// A statement's error, by what is to be done about it.
    fn from(error: WireError) -> MonitorError {
        match error.code() {
            Some(code) if POOLED.contains(&code) => MonitorError::Pooler(error),
            Some(code) if UNDEFINED.contains(&code) => MonitorError::Foreign(error),
            Some("42501") => MonitorError::Denied(error),
            _ => MonitorError::Wire(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Reply, row, serve};
    use super::super::session::{LIMITS, SamplingSession};
    use super::*;

    #[test]
    fn who_takes_our_limits_and_does_not_pass_them_on_is_a_pooler() {
        for given in [["off", "0", "0"], ["on", "0", "1s"], ["on", "5s", "0"], ["off", "5s", "1s"]]
        {
            let (address, served) = serve(move |sql| match sql {
                LIMITS => Reply::Rows(vec![row(given)]),
                other => panic!("nothing more is asked of it: {other}"),
            });
            let refused = SamplingSession::open(&address).map_err(MonitorError::connecting).err();
            served.join().unwrap();
            let said = refused.expect("it is refused").to_string();
            assert!(
                said.contains("read only") && said.contains("hint: a connection pooler"),
                "{said}"
            );
        }
    }

    #[test]
    fn a_statement_that_a_session_before_ours_prepared_shows_a_pooler() {
        let error = |code: &str| {
            MonitorError::from(WireError::Server {
                severity: "ERROR".into(),
                code: code.into(),
                message: "planted".into(),
                detail: String::new(),
            })
        };
        assert!(matches!(error("42P05"), MonitorError::Pooler(_)));
        assert!(matches!(error("57P01"), MonitorError::Wire(_)));
    }
}
