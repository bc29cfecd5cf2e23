//! A synchronous standby on this machine: what another server's write and flush add to a commit.
//!
//! It is a copy of the stopped primary that follows it through a socket: no wire lies between them, and the two share processors and,
//! where their folders do, the device. So its rungs are what replication costs at least.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use narrows_engine::{Phase, Progress, Scratch, Stop};
use narrows_layer_database::Connection;
use narrows_layer_database::server::{Cluster, Found, Options, ServerUser};
use narrows_model::Layer;

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
        let cluster = Cluster::create(found, user, &options, &session.stop)?;
        let (from, to) = (primary.data_dir(), cluster.data_dir());
        copy(from, to, &["pg_wal", "postmaster.pid", "postmaster.opts"])
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        let (from, to) = (primary.wal_dir(), cluster.wal_dir());
        copy(from, to, &[])
            .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
        follow(&cluster, primary).context("cannot tell the standby whom to follow")?;
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

/// Makes `to` hold what `from` holds, with the owner of `to`; names in `except` stay what they are.
fn copy(from: &Path, to: &Path, except: &[&str]) -> std::io::Result<()> {
    let owner = fs::metadata(to)?;
    let kept = |name: &std::ffi::OsStr| except.iter().any(|except| name == *except);
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        if kept(&entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if kept(&entry.file_name()) {
            continue;
        }
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            fs::set_permissions(&target, entry.metadata()?.permissions())?;
            chown(&target, Some(owner.uid()), Some(owner.gid()))?;
            copy(&entry.path(), &target, &[])?;
        } else {
            fs::copy(entry.path(), &target)?;
            chown(&target, Some(owner.uid()), Some(owner.gid()))?;
        }
    }
    Ok(())
}

/// Writes down whom it follows.
fn follow(standby: &Cluster, primary: &Cluster) -> std::io::Result<()> {
    let data = standby.data_dir();
    let owner = fs::metadata(data)?;
    let signal = data.join("standby.signal");
    fs::File::create(&signal)?;
    chown(&signal, Some(owner.uid()), Some(owner.gid()))?;
    let mut settings =
        fs::OpenOptions::new().append(true).open(data.join("postgresql.auto.conf"))?;
    // Within the setting's quotes a value has quotes of its own, for a folder with a space in its name.
    let socket = primary.socket_dir().display().to_string().replace('\'', "\\'");
    let target = format!(
        "host='{socket}' port={} user={} application_name={NAME}",
        primary.port(),
        Cluster::USER
    );
    writeln!(settings, "\nprimary_conninfo = '{}'", target.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_replaces_everything_but_what_stays() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir_all(from.path().join("base/1")).unwrap();
        fs::write(from.path().join("base/1/2"), "rows").unwrap();
        fs::write(from.path().join("pg_wal"), "theirs").unwrap();
        fs::create_dir(to.path().join("old")).unwrap();
        fs::write(to.path().join("pg_wal"), "ours").unwrap();
        copy(from.path(), to.path(), &["pg_wal"]).unwrap();
        let text = |name: &str| fs::read_to_string(to.path().join(name)).unwrap();
        assert_eq!((text("base/1/2").as_str(), text("pg_wal").as_str()), ("rows", "ours"));
        assert!(!to.path().join("old").exists());
    }
}
