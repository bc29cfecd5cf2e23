//! What the server's processes took of the machine, where they run on this one.
//!
//! Everything here is optional: another machine, another process namespace, a user who may not look. What is missing is said
//! with what it takes.

mod clients;
mod files;
mod find;
mod ledger;
mod programs;
mod title;

use std::path::Path;

use narrows_model::Unknown;

use crate::monitor::session::SamplingSession;
use crate::wire::WireError;

pub(super) use clients::clients;
use files::Files;
pub(crate) use find::Server;
use find::Started;
pub(crate) use ledger::{Ledger, Used};
pub(super) use programs::OtherPrograms;
pub(crate) use programs::{ServerOnHost, others_between};

/// A server looked for on this machine.
#[derive(Debug, Default)]
pub(crate) struct Here {
    /// Its process, where it runs here and can be seen.
    pub(crate) process: Option<Server>,
    files: Files,
}

impl Here {
    /// Looks for the server at the other end of a session. What is missing goes to `unknown`.
    ///
    /// # Errors
    /// A statement failed.
    pub(crate) fn find(
        session: &mut SamplingSession,
        unknown: &mut Vec<Unknown>,
    ) -> Result<Here, WireError> {
        let process = Started::ask(session)?.as_ref().and_then(Server::find);
        let Some(found) = process else { return Ok(Here::default()) };
        let shown = session
            .one("SELECT setting FROM pg_catalog.pg_settings WHERE name = 'data_directory'")?;
        let files = Files::find(found.postmaster, shown.as_deref(), unknown);
        Ok(Here { process, files })
    }

    /// Its main process.
    pub(crate) fn postmaster(&self) -> Option<u32> {
        self.process.map(|process| process.postmaster)
    }

    /// Its data directory, where there is a path to it from here.
    pub(crate) fn data_dir(&self) -> Option<&Path> {
        self.files.data.as_deref()
    }

    /// The folder of its log, where there is a path to it from here.
    pub(crate) fn wal_dir(&self) -> Option<&Path> {
        self.files.wal.as_deref()
    }
}
