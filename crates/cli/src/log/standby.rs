//! A synchronous standby on this machine: what another server's write and flush add to a commit.
//!
//! It is a copy of the stopped primary that follows it through a socket: no wire lies between them, and the two share processors and,
//! where their folders do, the device. So its rungs are what replication costs at least.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use narrows_engine::{Phase, Progress, Scratch, Stop};
use narrows_model::Layer;
use narrows_postgres::Connection;
use narrows_postgres::server::{Cluster, Found, Options, ServerUser};

use super::ground::Ground;
use crate::session::Session;

/// How it names itself to the primary.
const NAME: &str = "narrows_standby";
/// It has nothing to catch up with.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A standby that runs. Fields drop in this order: the server before its folders.
pub struct Standby {
    cluster: Cluster,
    _scratch: (Scratch, Option<Scratch>),
}

impl Standby {
    /// Copies the primary, which must be stopped, and prepares the copy to follow it.
    ///
    /// # Errors
    /// No room, or what `initdb` said.
    pub fn of(
        primary: &Cluster,
        (found, user): (&Found, &ServerUser),
        settings: &[(String, String)],
        session: &Session,
        ground: &Ground,
    ) -> Result<Standby> {
        session.display.phase(Layer::Database, Phase::Prepare, "a standby of our own");
        let id = format!("{}-standby", session.run.id);
        let data = Scratch::create(&ground.data, &id)?;
        let same = ground.data == ground.wal;
        let wal = if same { None } else { Some(Scratch::create(&ground.wal, &id)?) };
        let data_dir = data.path().join("data");
        let wal_dir = wal.as_ref().unwrap_or(&data).path().join("wal");
        let options = Options {
            settings,
            cpus: &ground.platform.cpu.allowed,
            ..Options::new(&data_dir, &wal_dir)
        };
        let mut cluster = Cluster::create(found, user, &options, &session.stop)?;
        cluster.follow(primary, NAME).context("cannot make a standby")?;
        Ok(Standby { cluster, _scratch: (data, wal) })
    }

    /// Starts it and waits until the primary counts on it.
    ///
    /// # Errors
    /// It doesn't start, or doesn't catch up within a minute.
    pub fn start(&mut self, primary: &mut Connection, stop: &Stop) -> Result<()> {
        self.cluster.start(stop)?;
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
                    self.cluster.log_tail(5)
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Its first process; `None` when it ended.
    pub fn pid(&self) -> Option<u32> {
        self.cluster.pid()
    }
}

impl Drop for Standby {
    fn drop(&mut self) {
        // One that has ended already needs no ending.
        let _ = self.cluster.stop();
    }
}
