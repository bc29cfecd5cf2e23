//! A synchronous standby on this machine: what another server's write and flush add to a commit.
//!
//! It is a copy of the stopped primary that follows it through a socket: no wire lies between them, and the two share processors and,
//! where their folders do, the device. So its steps are what replication costs at least.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use narrows_engine::{Phase, Stop};
use narrows_model::Layer;
use narrows_postgres::Connection;
use narrows_postgres::server::Cluster;

use super::target_dirs::TargetDirs;
use crate::database::managed_server::{Installation, ManagedServer, ServerSettings};
use crate::session::Session;

/// How it names itself to the primary.
const NAME: &str = "narrows_standby";
/// It has nothing to catch up with.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A standby that runs.
pub struct Standby {
    server: ManagedServer,
}

impl Standby {
    /// Copies the primary, which must be stopped, and prepares the copy to follow it.
    ///
    /// # Errors
    /// No room, or what `initdb` said.
    pub fn of(
        primary: &Cluster,
        session: &Session<'_>,
        installation: &Installation,
        dirs: &TargetDirs,
        settings: &ServerSettings,
    ) -> Result<Standby> {
        session.ui.phase(Layer::Database, Phase::Prepare, "a private standby");
        let place = dirs.server("standby");
        let mut server = ManagedServer::create(session, installation, place, settings)?;
        server.cluster.follow(primary, NAME).context("cannot make a standby")?;
        Ok(Standby { server })
    }

    /// Starts it and waits until the primary counts on it.
    ///
    /// # Errors
    /// It doesn't start, or doesn't catch up within a minute.
    pub fn start(&mut self, primary: &mut Connection, stop: &Stop) -> Result<()> {
        self.server.cluster.start(stop)?;
        primary.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{NAME}'"))?;
        primary.execute("SELECT pg_reload_conf()")?;
        let end = Instant::now() + LONGEST_WAIT;
        loop {
            stop.check()?;
            let state = primary.one(&format!(
                "SELECT sync_state FROM pg_stat_replication WHERE application_name = '{NAME}' AND state = 'streaming'"
            ))?;
            if state.as_deref() == Some("sync") {
                return Ok(());
            }
            if Instant::now() >= end {
                bail!(
                    "the standby did not catch up within {} s; its log ends with:\n{}",
                    LONGEST_WAIT.as_secs(),
                    self.server.cluster.log_tail(5)
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Its first process; `None` when it ended.
    pub fn pid(&self) -> Option<u32> {
        self.server.cluster.pid()
    }
}
