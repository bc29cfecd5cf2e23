//! A PostgreSQL of our own with its log in one of several places.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use narrows_engine::{Context, Phase, Stop};
use narrows_files::{Access, Dir};
use narrows_layer_database::{Database, Task, Turns, Variation};
use narrows_model::{Layer, RolePath};
use narrows_observe::Watch;
use narrows_postgres::Address;
use narrows_verdict::placement::place_name;

use super::places::Places;
use super::segments::{CACHED_BYTES, LogSize, Segments, warm_up};
use crate::block::folder;
use crate::database::managed_server::{
    Installation, LoadSizes, ManagedServer, ServerPlace, ServerSettings, connect,
};
use crate::session::Session;
use crate::split::Split;

const MIB: u64 = 1 << 20;
/// The table: small enough for the buffer pool, large enough that rows are rarely updated by two sessions at once.
const TABLE_BYTES: u64 = 64 * MIB;
/// A server takes a changed setting at once, unless the machine is very busy.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const SEGMENTS: &str = "cannot prepare the WAL segments";

/// What its data folder takes.
pub const DATA_BYTES: u64 = 64 * MIB + TABLE_BYTES / 10 * 12;
/// A server that runs, and its table. Fields drop in this order: connections before the server.
pub struct PlacedServer {
    database: Database,
    segments: Segments,
    sessions: u32,
    /// Its own first database, for what is not the load's.
    plain: Address,
    stop: Stop,
    server: ManagedServer,
}

impl PlacedServer {
    /// Makes and starts one with its log on the place with that index, and loads its table.
    ///
    /// # Errors
    /// It doesn't start, or there is no room.
    pub fn start(
        session: &Session<'_>,
        places: &Places,
        (at, path): (usize, &RolePath),
        installation: &Installation,
        (split, size): (&Split, LogSize),
    ) -> Result<PlacedServer> {
        let name = place_name(at);
        let detail = format!("a PostgreSQL with WAL in {}", path.path);
        session.ui.phase(Layer::Database, Phase::Prepare, &detail);
        let sessions = session.run.plan.sessions;
        let place = ServerPlace {
            data: &places.data,
            wal: &places.wal[at],
            name: &name,
            cpus: &split.server,
        };
        let settings = settings(&size, sessions);
        let server = ManagedServer::start(session, installation, place, &settings)?;
        let (plain, address) = (server.address(), server.make_load_database(session.stop)?);
        let sizes = LoadSizes { table: TABLE_BYTES, cached: CACHED_BYTES };
        let database = server.load_settings(session, path, split, sizes);
        let data_path = places.platform.roles.first();
        let drives: Vec<&RolePath> = data_path.into_iter().chain([path]).collect();
        let mut database =
            Database::connect(address, database, watch(places, &drives), session.stop)?;
        database.prepare(&session.context(Duration::ZERO))?;
        let segments = Segments::make(&plain, size, session.stop).context(SEGMENTS)?;
        let stop = session.stop.clone();
        Ok(PlacedServer { database, segments, sessions, plain, stop, server })
    }

    /// Prepares the update for windows one by one.
    ///
    /// # Errors
    /// As [`Database::begin_turns`].
    pub fn begin(&mut self, ctx: &Context<'_>, variation: Variation) -> Result<Turns> {
        Ok(self.database.begin_turns(ctx, Task::UPDATE, variation)?)
    }

    /// One window of it.
    ///
    /// # Errors
    /// As [`Database::turn`].
    pub fn turn(&mut self, ctx: &Context<'_>, turns: &mut Turns) -> Result<()> {
        let from = self.segments.position()?;
        self.database.turn(ctx, turns)?;
        self.segments.took(from, false)
    }

    /// Warms it by a window that is thrown away: it fills the pool and logs the whole pages. No commit waits in it, so that on a slow
    /// place it does as much.
    ///
    /// # Errors
    /// As [`Database::turn`].
    pub fn warm(&mut self, ctx: &Context<'_>) -> Result<()> {
        let ctx = Context { window: warm_up(ctx.window), ..*ctx };
        let variation = Variation {
            synchronous_commit: false,
            ..Variation::closed("database.update.warm_up", self.sessions)
        };
        let mut turns = self.begin(&ctx, variation)?;
        let from = self.segments.position()?;
        self.database.turn(&ctx, &mut turns)?;
        self.segments.took(from, true)
    }

    /// Whether the next window finds too little of the log ready.
    ///
    /// # Errors
    /// The server refuses.
    pub fn is_short_of_log(&mut self) -> Result<bool> {
        self.segments.is_short().context(SEGMENTS)
    }

    /// A checkpoint, behind which the log's segments are written again, and a warm-up after it.
    ///
    /// # Errors
    /// The server refuses.
    pub fn refresh(&mut self, ctx: &Context<'_>) -> Result<()> {
        ctx.progress.phase(Layer::Database, Phase::Prepare, "the WAL segments, again");
        self.segments.recycle().context(SEGMENTS)?;
        self.warm(ctx)
    }

    /// How often the log's segments were made anew.
    pub fn recycled(&self) -> u32 {
        self.segments.recycled()
    }

    /// Switches the flushes of the log and of everything else off, or on again. When they are on, whatever was written of the log
    /// meanwhile is durable too. Sessions that are opened later have it.
    ///
    /// # Errors
    /// The server refuses, or doesn't follow within some seconds.
    pub fn set_fsync(&mut self, on: bool) -> Result<()> {
        let word = if on { "on" } else { "off" };
        let open = || connect(&self.plain, &self.stop);
        let mut control = open()?;
        control.execute(&format!("ALTER SYSTEM SET fsync = {word}"))?;
        control.execute("SELECT pg_reload_conf()")?;
        let end = Instant::now() + LONGEST_WAIT;
        while open()?.one("SHOW fsync")?.as_deref() != Some(word) {
            if Instant::now() >= end {
                bail!("the server does not accept fsync = {word}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if on {
            let wal = self.server.cluster.wal_dir();
            flush_all(wal).with_context(|| format!("cannot flush {}", wal.display()))?;
        }
        Ok(())
    }

    /// Its first process; `None` when it ended.
    pub fn pid(&self) -> Option<u32> {
        self.server.cluster.pid()
    }

    /// Whether it still runs and always did.
    ///
    /// # Errors
    /// It died or crashed.
    pub fn check(&self) -> Result<()> {
        Ok(self.server.cluster.check()?)
    }
}

/// Counters of the machine and of the drives under these paths.
pub fn watch(places: &Places, paths: &[&RolePath]) -> Watch {
    folder::watch_under(&places.platform, paths.iter().copied())
}

/// No checkpoint and no full pages in the windows, because the places are to differ in nothing but the log.
fn settings(size: &LogSize, sessions: u32) -> ServerSettings {
    ServerSettings {
        shared_buffers_mb: 128,
        checkpoint_timeout: "1d".to_string(),
        max_wal_mb: size.most_bytes() / MIB,
        connections: sessions + 20,
        replicates: false,
        more: vec![("min_wal_size", format!("{}MB", size.kept_bytes() / MIB))],
    }
}

/// Flushes every file in a folder of the server's.
fn flush_all(folder: &Path) -> std::io::Result<()> {
    let folder = Dir::open(folder)?;
    for name in folder.plain_files()? {
        folder.open_file(name, Access::Read)?.sync_all()?;
    }
    Ok(())
}
