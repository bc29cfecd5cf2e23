//! Whether a server can be measured at all: reachable, of a version that is known, not a standby, and one in which a
//! schema of ours may be made. Only looked at; nothing is changed.

use narrows_layer_database::DatabaseError;

use crate::address::Address;
use crate::event_triggers;
use crate::wire::{Connection, WireError};

/// Why a server can't be measured.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionError {
    /// A version nobody tested.
    #[error(
        "the server is version {0}; versions 13 to 18 are supported\nhint: name another server with --database, or let narrows start its own"
    )]
    Version(String),
    /// A standby takes no writes.
    #[error(
        "the server is a standby and takes no writes\nhint: name the primary, or use --database managed"
    )]
    Standby,
    /// The user may look and not make anything.
    #[error(
        "the user {user} may not create a schema in the database {database}\n\
         hint: GRANT CREATE ON DATABASE {database} TO {user}, or name another user or database"
    )]
    NoRight {
        /// The user.
        user: String,
        /// The database.
        database: String,
    },
}

impl From<AdmissionError> for DatabaseError {
    fn from(error: AdmissionError) -> Self {
        DatabaseError::Kind(error.into())
    }
}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// `server_version_num`.
    pub(crate) version: u32,
    /// `server_version`.
    pub(crate) version_text: String,
    /// Size of its buffer pool, bytes.
    pub pool_bytes: u64,
}

impl Admitted {
    /// Its version, in its own words.
    pub fn version(&self) -> String {
        crate::wire::one_line(&self.version_text)
    }
}

/// Asks the server at that address before a long run begins.
///
/// # Errors
/// Whatever would keep the database layer from measuring it, with a hint.
pub fn admit(address: &Address) -> Result<Admitted, DatabaseError> {
    let mut control = Connection::open(address, &[("application_name", "narrows control")])?;
    look(&mut control, address)
}

pub(crate) fn look(control: &mut Connection, address: &Address) -> Result<Admitted, DatabaseError> {
    let version: u32 =
        control.one("SHOW server_version_num")?.and_then(|text| text.parse().ok()).unwrap_or(0);
    let version_text = control.one("SHOW server_version")?.unwrap_or_default();
    if !(130_000..190_000).contains(&version) {
        return Err(AdmissionError::Version(crate::wire::one_line(&version_text)).into());
    }
    if control.one("SELECT pg_is_in_recovery()")?.as_deref() == Some("t") {
        return Err(AdmissionError::Standby.into());
    }
    event_triggers::refuse_foreign(control)?;
    let right = control.one("SELECT has_database_privilege(current_database(), 'CREATE')")?;
    if right.as_deref() != Some("t") {
        let (user, database) = (address.user.clone(), address.database.clone());
        return Err(AdmissionError::NoRight { user, database }.into());
    }
    let said = control.one("SELECT pg_size_bytes(current_setting('shared_buffers'))")?;
    let pool_bytes = said.and_then(|text| text.parse().ok());
    let pool_bytes = pool_bytes.ok_or(WireError::Unexpected("no size of the buffer pool"))?;
    Ok(Admitted { version, version_text, pool_bytes })
}
