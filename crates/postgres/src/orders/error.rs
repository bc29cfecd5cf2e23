//! Why the order-entry mix could not be loaded, run or checked.

use narrows_engine::Stopped;

use narrows_layer_database::{DatabaseError, KindError, LoadError};

use crate::wire::WireError;

/// Why the order-entry mix could not be loaded, run or checked.
#[derive(Debug, thiserror::Error)]
pub enum OrdersError {
    /// The server refused or the connection broke.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// The load ended without a result.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The server of our own did not start again, or could not be killed.
    #[error(transparent)]
    Server(#[from] KindError),
    /// The server could not be measured.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// Somebody else's schema has our name.
    #[error(
        "the database has a schema {schema} that narrows did not make, or that another user made\n\
         hint: name another database; a schema that is not ours is never touched"
    )]
    NotOurs {
        /// Its name.
        schema: String,
    },
    /// Another run works in it.
    #[error(
        "another narrows loads or runs orders in the schema {schema} of this database\n\
         hint: wait for its end, or name another database"
    )]
    Busy {
        /// Its name.
        schema: String,
    },
    /// What is loaded is not what was asked for.
    #[error(
        "the schema {schema} was made with {found}, and {asked} is asked for\n\
         hint: ask for what is there, or remove it first with `narrows db orders --drop URL`"
    )]
    Different {
        /// Its name.
        schema: String,
        /// What it was made with.
        found: String,
        /// What is asked for.
        asked: String,
    },
    /// Rows are missing or too many.
    #[error(
        "the table {table} has {found} rows after the load instead of {expected}\n\
         hint: remove what was loaded with `narrows db orders --drop URL` and load again"
    )]
    Rows {
        /// The table.
        table: String,
        /// Rows counted.
        found: u64,
        /// Rows that it should have.
        expected: u64,
    },
    /// The mix acknowledged nothing before the server was killed.
    #[error(
        "the mix acknowledged no order in {ran_s:.0} s before the server was killed, so nothing could be lost\n\
         hint: run `narrows db orders` without --crash, which says what the server answers"
    )]
    NothingAcknowledged {
        /// How long it ran, s.
        ran_s: f64,
    },
    /// The mix was over before the server was to be killed.
    #[error(
        "every session of the mix had ended before the server was to be killed, so no recovery under it was looked at\n\
         hint: look for who ends sessions on that machine, and run it again"
    )]
    NoSessions,
    /// A server of another kind.
    #[error("orders run on PostgreSQL alone\nhint: leave out --kind")]
    OtherKind,
    /// Nothing is loaded.
    #[error(
        "the database has no orders loaded\nhint: load them first with `narrows db orders --warehouses N URL`"
    )]
    NotLoaded,
}

impl OrdersError {
    /// Whether it ended because it was asked to.
    pub fn is_stop(&self) -> bool {
        // A statement that was cut short on request says so in the server's words.
        matches!(self, OrdersError::Stopped(_) | OrdersError::Load(LoadError::Stopped(_)))
    }
}
