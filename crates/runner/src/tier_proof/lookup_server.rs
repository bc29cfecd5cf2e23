//! A PostgreSQL of our own with its data on one side, and its lookups.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::{Context, Phase, Stop};
use narrows_layer_database::{Action, Calls, Database, Source, Task, Turns, Variation};
use narrows_model::{Layer, RolePath};

use super::lookups::LookupProofRequest;
use crate::block::folder;
use crate::database::managed_server::{
    Installation, LoadSizes, ManagedServer, ServerPlace, ServerSettings,
};
use crate::session::Session;
use crate::split::Split;

const MIB: u64 = 1 << 20;
/// Nothing is written in the windows.
const MAX_WAL_MB: u64 = 64;
/// What a data folder takes besides its table and index: an empty cluster, and WAL up to twice its soft limit.
const BESIDE_BYTES: u64 = (64 + 2 * MAX_WAL_MB) * MIB;
/// The first version that can read around the page cache.
const READS_DIRECTLY: u32 = 16;
/// The few rows whose reads are hits fill the pool so many times: half of their lookups read.
pub(super) const HITS_OVER_POOL: u64 = 2;

/// What is made in the folder of a side.
pub(super) fn needed_bytes(request: &LookupProofRequest) -> u64 {
    // The index takes a few hundredths of the table.
    BESIDE_BYTES + request.working_set_bytes / 10 * 11
}

/// A server that runs, and its table. Fields drop in this order: connections before the server.
pub(super) struct LookupServer {
    database: Database,
    server: ManagedServer,
}

impl LookupServer {
    /// Makes and starts one with its data in that folder, and loads its table.
    pub(super) fn start(
        session: &Session<'_>,
        request: &LookupProofRequest,
        (name, folder, path): (&str, &Path, &RolePath),
        installation: &Installation,
        split: &Split,
    ) -> Result<LookupServer> {
        let detail = format!("a PostgreSQL with its data in {}", path.path);
        session.ui.phase(Layer::Database, Phase::Prepare, &detail);
        let place = ServerPlace { data: folder, wal: folder, name, cpus: &split.server };
        let direct = installation.found.version.major >= READS_DIRECTLY;
        let settings = settings(request, direct);
        let server = ManagedServer::start(session, installation, place, &settings)
            .with_context(|| format!("no database with its data in {}", path.path))?;
        let address = server.make_load_database(session.stop)?;
        let sizes = LoadSizes { table: request.working_set_bytes, cached: request.pool_bytes };
        let database = server.load_settings(session, path, split, sizes);
        let watch = folder::watch_under(session.platform(), [path]);
        let mut database = Database::connect(address, database, watch, session.stop)?;
        database.prepare(&session.context(Duration::ZERO))?;
        Ok(LookupServer { database, server })
    }

    /// Prepares lookups by the law on all of the table, for windows one by one.
    pub(super) fn by_law(
        &mut self,
        ctx: &Context<'_>,
        request: &LookupProofRequest,
        (id, sessions): (String, u32),
    ) -> Result<Turns> {
        let task = Task { spread: request.spread(), ..lookup() };
        Ok(self.database.begin_turns(ctx, task, Variation::closed(id, sessions))?)
    }

    /// The same by one session on a few rows, more than the pool holds.
    pub(super) fn of_few(
        &mut self,
        ctx: &Context<'_>,
        request: &LookupProofRequest,
        id: String,
    ) -> Result<Turns> {
        let few = HITS_OVER_POOL * request.pool_bytes;
        let task = Task { working_set_bytes: Some(few), ..lookup() };
        Ok(self.database.begin_turns(ctx, task, Variation::closed(id, 1))?)
    }

    /// One window.
    pub(super) fn turn(&mut self, ctx: &Context<'_>, turns: &mut Turns) -> Result<()> {
        Ok(self.database.turn(ctx, turns)?)
    }

    /// Whether it still runs and always did; after a stop nobody asks.
    pub(super) fn check(&self, stop: &Stop) -> Result<()> {
        if stop.is_set() { Ok(()) } else { Ok(self.server.cluster.check()?) }
    }
}

/// One row by the index, its block not in memory outside of the pool.
const fn lookup() -> Task {
    Task::new(Action::Lookup { blocks: 1, calls: Calls::Each }, Source::Drive)
}

/// Where the server can, it reads around the page cache: nothing but its own pool stands before storage then.
fn settings(request: &LookupProofRequest, direct: bool) -> ServerSettings {
    let mut more = vec![("track_io_timing", "on".to_string())];
    if direct {
        more.push(("debug_io_direct", "data".to_string()));
    }
    ServerSettings {
        shared_buffers_mb: request.pool_bytes / MIB,
        checkpoint_timeout: "1d".to_string(),
        max_wal_mb: MAX_WAL_MB,
        connections: request.sessions + 20,
        replicates: false,
        more,
    }
}
