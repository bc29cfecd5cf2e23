//! A cluster made into the copy of another, to follow it.
//!
//! Both data folders are the server's user's, so all of it is done as that user: whatever was put into them, nobody's rights but its own
//! are used.

use std::io;

use narrows_files::{Access, Dir, copy_tree};

use super::folders::io_error;
use super::{Cluster, ServerError};

impl Cluster {
    /// Makes this one, which must not run, hold what `primary` holds, which must not run either, and follow it under the name
    /// `application` once both are started.
    ///
    /// # Errors
    /// What reading or writing gave; this one is then of no use.
    pub fn follow(&mut self, primary: &Cluster, application: &str) -> Result<(), ServerError> {
        let failed = |reason| io_error("copy the primary to", self.data_dir(), reason);
        let wal = primary.wal_dir();
        self.in_data(|data| -> io::Result<()> {
            let own = ["pg_wal", "postmaster.pid", "postmaster.opts"];
            copy_tree(&primary.folders.data_dir, data, &own)?;
            copy_tree(&Dir::open(wal)?, &Dir::open(self.wal_dir())?, &[])?;
            drop(data.create_new("standby.signal", 0o600)?);
            // Within the setting's quotes a value has quotes of its own, for a folder with a space in its name.
            let socket = primary.socket_dir().display().to_string().replace('\'', "\\'");
            let target = format!(
                "host='{socket}' port={} user={} application_name={application}",
                primary.port(),
                Cluster::USER
            );
            let setting = format!("\nprimary_conninfo = '{}'\n", target.replace('\'', "''"));
            let mut settings = data.open_file("postgresql.auto.conf", Access::Append)?;
            io::Write::write_all(&mut settings, setting.as_bytes())
        })
        .map_err(failed)
    }
}
