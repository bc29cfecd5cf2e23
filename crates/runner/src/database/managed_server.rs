//! A PostgreSQL of our own: found or fetched, made, started, and removed with its folders. The one for all that runs one.

use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_engine::{Phase, Scratch, Stop};
use narrows_layer_database::{Contents, Settings};
use narrows_model::{Conditions, Layer, RolePath, condition};
use narrows_postgres::server::{self, Cluster, Options, ServerBinaries, ServerUser};
use narrows_postgres::{Address, Connection, Endpoint};
use serde_json::json;

use crate::least_load;
use crate::session::Session;
use crate::split::Split;

/// The load's database; a server is watched from its own first one.
const LOAD_DATABASE: &str = "narrows_load";

/// The programs of a server, and the user it runs as.
pub struct Installation {
    /// The programs.
    pub found: ServerBinaries,
    user: ServerUser,
}

impl Installation {
    /// Whether a server can be run that has files of its own below `folders`. Nothing is fetched: where none is installed and none was
    /// named, the bundle would be.
    ///
    /// # Errors
    /// What was named is none, there is nobody it could run as, or who that is can't get to a folder.
    pub fn check(postgres: Option<&Path>, folders: &[PathBuf]) -> Result<()> {
        let user = ServerUser::choose()?;
        for folder in folders {
            user.reaches(&folder.join("data"))?;
        }
        match server::find(postgres, &user, None, &Stop::new()) {
            Err(error) if postgres.is_some() => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The PostgreSQL that would be started, for a plan; `None` where what was named is none.
    pub fn in_words(postgres: Option<&Path>) -> Option<String> {
        let user = ServerUser::choose().ok()?;
        match server::find(postgres, &user, None, &Stop::new()) {
            Ok(found) => {
                Some(format!("PostgreSQL {} at {}", found.version, found.bin_dir.display()))
            }
            Err(_) if postgres.is_some() => None,
            Err(_) => Some("no PostgreSQL is installed, so the run fetches one".to_string()),
        }
    }

    /// The PostgreSQL that was named, or the newest that is installed, or the bundle.
    ///
    /// # Errors
    /// There is none to start, or nobody it could run as.
    pub fn find(session: &Session<'_>, postgres: Option<&Path>) -> Result<Installation> {
        let user = ServerUser::choose()?;
        let mut fetch = || {
            let cache = narrows_bundle::default_cache_dir()
                .unwrap_or_else(|| std::env::temp_dir().join("narrows-cache"));
            narrows_bundle::ensure(&cache, &|| session.stop.is_set(), &mut |got, all| {
                let detail =
                    format!("PostgreSQL bundle, {} of {} MB", got / 1_000_000, all / 1_000_000);
                session.ui.phase(Layer::Database, Phase::Prepare, &detail);
            })
        };
        let found = server::find(postgres, &user, Some(&mut fetch), session.stop)?;
        Ok(Installation { found, user })
    }
}

/// How a server of ours is set: the whole durability of a production server, and no work of its own that would disturb single windows.
pub struct ServerSettings {
    /// Size of the buffer pool, MB.
    pub shared_buffers_mb: u64,
    /// Longest time between checkpoints, with its unit.
    pub checkpoint_timeout: String,
    /// How far the log may grow, MB.
    pub max_wal_mb: u64,
    /// Most connections.
    pub connections: u32,
    /// Whether another server can follow it.
    pub replicates: bool,
    /// Settings of this use alone.
    pub more: Vec<(&'static str, String)>,
}

impl ServerSettings {
    fn list(&self, found: &ServerBinaries) -> Vec<(String, String)> {
        let mut settings: Vec<(&str, String)> = vec![
            ("shared_buffers", format!("{}MB", self.shared_buffers_mb)),
            ("fsync", "on".into()),
            ("full_page_writes", "on".into()),
            ("synchronous_commit", "on".into()),
            ("checkpoint_timeout", self.checkpoint_timeout.clone()),
            ("max_wal_size", format!("{}MB", self.max_wal_mb)),
            ("autovacuum", "off".into()),
            ("max_connections", self.connections.to_string()),
        ];
        if !self.replicates {
            settings.push(("wal_level", "minimal".into()));
            settings.push(("max_wal_senders", "0".into()));
            if found.version.major >= 14 {
                settings.push(("track_wal_io_timing", "on".into()));
            }
        }
        settings.extend(self.more.iter().cloned());
        settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
    }
}

/// Where a server of ours lies and works.
#[derive(Debug, Clone, Copy)]
pub struct ServerPlace<'a> {
    /// Folder below which the data files are made.
    pub data: &'a Path,
    /// Folder below which the log is made; both are one where it is the same.
    pub wal: &'a Path,
    /// What tells it from other servers of the run.
    pub name: &'a str,
    /// CPUs it is bound to.
    pub cpus: &'a [u32],
}

/// A server that was made. Fields drop in this order: the server before its folders.
pub struct ManagedServer {
    /// The server.
    pub cluster: Cluster,
    /// What it says of its version.
    pub version: String,
    _scratch: (Scratch, Option<Scratch>),
}

/// Sizes of a load's table, bytes.
#[derive(Debug, Clone, Copy)]
pub struct LoadSizes {
    /// The table.
    pub table: u64,
    /// What of it the buffer pool holds.
    pub cached: u64,
}

impl ManagedServer {
    /// What a load on it has to know of it and of this machine; `path` leads to the storage that is measured.
    pub fn load_settings(
        &self,
        session: &Session<'_>,
        path: &RolePath,
        split: &Split,
        bytes: LoadSizes,
    ) -> Settings {
        let platform = session.platform();
        let mut conditions = Conditions::default();
        conditions.insert(condition::FOLDER, json!(path.path));
        conditions.insert(condition::SERVER_BUILD, json!(self.version));
        Settings {
            run_id: session.run.id.clone(),
            monitor_database: Some(Cluster::DATABASE.to_string()),
            table_bytes: bytes.table,
            cached_bytes: bytes.cached,
            contents: Contents::default(),
            private: None,
            memory_bytes: Some(platform.memory.total_bytes),
            cache_bytes: narrows_layer_memory::last_level_bytes(&platform.caches),
            server_cpus: split.server.clone(),
            client_cpus: split.client.clone(),
            cpu_quota: platform.cgroup.cpu_quota_cpus,
            quota_covers_client: true,
            data_dir: Some(self.cluster.data_dir().into()),
            claim_bytes: None,
            own_server: true,
            conditions,
        }
    }

    /// Makes one, and doesn't start it.
    ///
    /// # Errors
    /// No room, or what `initdb` said.
    pub fn create(
        session: &Session<'_>,
        installation: &Installation,
        place: ServerPlace<'_>,
        settings: &ServerSettings,
    ) -> Result<ManagedServer> {
        let id = format!("{}-{}", session.run.id, place.name);
        let data = Scratch::create(place.data, &id)?;
        // Two roles on one folder share its scratch; else the log's lies where the log would.
        let same = place.data == place.wal;
        let wal = if same { None } else { Some(Scratch::create(place.wal, &id)?) };
        let data_dir = data.path().join("data");
        let wal_dir = wal.as_ref().unwrap_or(&data).path().join("wal");
        let settings = settings.list(&installation.found);
        let options = Options {
            settings: &settings,
            cpus: place.cpus,
            durable: least_load::wanted().is_none(),
            ..Options::new(&data_dir, &wal_dir)
        };
        let Installation { found, user } = installation;
        let cluster = Cluster::create(found, user, &options, session.stop)?;
        let version = found.version_text.clone();
        Ok(ManagedServer { cluster, version, _scratch: (data, wal) })
    }

    /// Makes one and starts it.
    ///
    /// # Errors
    /// As [`ManagedServer::create`], or it doesn't start.
    pub fn start(
        session: &Session<'_>,
        installation: &Installation,
        place: ServerPlace<'_>,
        settings: &ServerSettings,
    ) -> Result<ManagedServer> {
        let mut server = ManagedServer::create(session, installation, place, settings)?;
        server.cluster.start(session.stop)?;
        Ok(server)
    }

    /// Its own first database, for what is not the load's.
    pub fn address(&self) -> Address {
        Address {
            endpoint: Endpoint::Unix {
                folder: self.cluster.socket_dir().into(),
                port: self.cluster.port(),
            },
            user: Cluster::USER.into(),
            password: None,
            database: Cluster::DATABASE.into(),
            session: Default::default(),
        }
    }

    /// A database for a load.
    ///
    /// # Errors
    /// The server refuses.
    pub fn make_load_database(&self, stop: &Stop) -> Result<Address> {
        let own = self.address();
        let mut control = connect(&own, stop)?;
        control.execute(&format!("CREATE DATABASE {LOAD_DATABASE}"))?;
        Ok(Address { database: LOAD_DATABASE.into(), ..own })
    }

    /// Ends it; one that has ended already needs no ending.
    pub fn end(&mut self) {
        let _ = self.cluster.stop();
    }
}

impl Drop for ManagedServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// A connection of ours whose statements end early on a stop.
///
/// # Errors
/// The server refuses.
pub fn connect(address: &Address, stop: &Stop) -> Result<Connection> {
    Ok(Connection::open_heeding(address, &[("application_name", "narrows")], &[stop])?)
}
