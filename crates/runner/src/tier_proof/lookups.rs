//! PostgreSQL's lookups, with its data on storage without the tier and with it, in turns.
//!
//! Both servers run all the time, each with a small pool, on the same CPUs. The share of reads that the tier serves is forecast from the reads of a
//! lookup that were counted without the tier, and stored with the windows.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Context;
use narrows_facts::{Live, file};
use narrows_layer_database::{Spread, Turns};
use narrows_model::{
    DatabaseChoice, Layer, Measurement, MeasurementId, Plan, PlannedStep, Platform, Role, RolePath,
    Run, Workload, condition, family, metric,
};
use narrows_tier_forecast::{
    PooledLookups, Popularity, READS_ALONE, READS_HIT, READS_OFF, READS_ON,
};
use narrows_units::{Bytes, Nanos};
use serde_json::json;

use super::lookup_server::{HITS_OVER_POOL, LookupServer, needed_bytes};
use crate::database::managed_server::Installation;
use crate::exit::Answers;
use crate::failure::Failure;
use crate::guard;
use crate::named_folder::folder;
use crate::preflight;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::session::{Ended, Session};
use crate::split::{self, CostRatio, Split};
use crate::ui::Ui;

const MIB: u64 = 1 << 20;
/// A block of a private PostgreSQL.
const BLOCK_BYTES: u64 = 8192;
/// Entries of a leaf of its index on `bigint`: pages filled to 90 %, 16 bytes of an entry and 4 of its place in the page (PostgreSQL
/// documentation, B-Tree Indexes; src/include/storage/itup.h).
const LEAF_ENTRIES: u64 = 366;
/// The tier holds the pool so many times at least: the few rows that stand for hits are no large part of it.
const TIER_OVER_POOL: u64 = 16;
/// Starting a server and loading its table, besides what is written.
const SERVER_S: f64 = 7.0;
const FILL_BYTES_PER_S: f64 = 50e6;
/// A window besides itself: its warm-up is a quarter, and sessions open and end.
const WINDOW_S: f64 = 0.7;

/// What is looked up, by whom, and what the tier is.
#[derive(Debug, Clone)]
pub struct LookupProofRequest {
    /// Folder for the data on storage without the tier.
    pub off: PathBuf,
    /// Folder for the data on the same storage with it.
    pub on: PathBuf,
    /// What the tier holds, bytes.
    pub tier_bytes: u64,
    /// Size of the table, bytes.
    pub working_set_bytes: u64,
    /// Size of the server's pool, bytes.
    pub pool_bytes: u64,
    /// Which rows are looked up how often.
    pub law: Popularity,
    /// Sessions, each with one lookup at a time.
    pub sessions: u32,
    /// For so long the tier is read before anything counts.
    pub warm_up: Nanos,
    /// Windows on each side.
    pub repeats: u32,
    /// Length of a window.
    pub window: Nanos,
    /// The PostgreSQL to start.
    pub postgres: Option<PathBuf>,
    /// How and where to.
    pub options: RunOptions,
}

impl LookupProofRequest {
    /// The law as the load draws by it.
    pub(super) fn spread(&self) -> Spread {
        match self.law {
            Popularity::Uniform => Spread::Uniform,
            Popularity::Zipf { theta } => Spread::Zipf(theta),
            Popularity::HotSpot { blocks_share, reads_share } => {
                Spread::Hot { calls: reads_share, keys: blocks_share }
            }
        }
    }

    fn window(&self) -> Duration {
        Duration::from_nanos(self.window.0)
    }
}

/// Both sides.
pub struct LookupTierProof {
    request: LookupProofRequest,
    split: Split,
    prepared: Prepared,
    whole: bool,
}

impl Program for LookupTierProof {
    type Request = LookupProofRequest;

    fn options(request: &LookupProofRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &LookupProofRequest, _: &dyn Ui) -> Result<LookupTierProof> {
        sizes(request)?;
        let mut request = request.clone();
        request.off = folder(&request.off, "OFF")?;
        request.on = folder(&request.on, "ON")?;
        apart(&request.off, &request.on)?;
        let roles = [&request.off, &request.on].map(|side| (Role::Data, side.as_path()));
        let platform = narrows_platform::discover(&Live, &roles);
        on_drives(&platform)?;
        let split = split::split(&platform, CostRatio::PUBLISHED);
        let prepared = prepared(&request, platform, &split);
        Ok(LookupTierProof { request, split, prepared, whole: false })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn folders(&self) -> Vec<PathBuf> {
        vec![self.request.off.clone(), self.request.on.clone()]
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        for (side, path) in ["OFF", "ON"].into_iter().zip(&self.prepared.platform.roles) {
            fits(path, side, needed_bytes(&self.request))?;
        }
        guard::storage(&self.prepared.platform, &self.folders(), load_here, ui)
    }

    fn check(&self) -> Result<()> {
        preflight::folder(&self.request.off, "OFF")?;
        preflight::folder(&self.request.on, "ON")?;
        Installation::check(self.request.postgres.as_deref(), &self.folders())
    }

    fn server_checks(&self) -> Vec<String> {
        Installation::in_words(self.request.postgres.as_deref()).into_iter().collect()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let measured = measure(session, &self.request, &self.split)?;
        session.add(measured);
        self.whole = super::is_told(session);
        Ok(Ended::Whole)
    }

    fn answers(&self) -> Answers {
        let alone = (self.request.sessions > 1).then_some(READS_ALONE);
        let sides = [READS_OFF, READS_ON, READS_HIT].into_iter().chain(alone);
        Answers::Named(sides.map(|side| id(side).into()).collect())
    }

    fn concluded(&mut self, run: &Run, ui: &dyn Ui) -> Result<()> {
        if self.whole { ui.tier_proof(&super::of_run(run)?) } else { Ok(()) }
    }
}

fn id(side: &str) -> MeasurementId {
    family::DATABASE_LOOKUP_TIER.id(side)
}

/// Refuses sizes in which no hit can be told from a miss.
fn sizes(request: &LookupProofRequest) -> Result<()> {
    let LookupProofRequest { tier_bytes, pool_bytes, working_set_bytes, .. } = *request;
    if pool_bytes == 0 || !pool_bytes.is_multiple_of(MIB) {
        return Err(Failure::hinted(
            format!("--pool {}: shared_buffers is given in whole MiB", Bytes(pool_bytes).iec()),
            "1m is the smallest",
        ));
    }
    let least = TIER_OVER_POOL * pool_bytes;
    if tier_bytes < least {
        return Err(Failure::hinted(
            format!(
                "--tier-size {} is less than {TIER_OVER_POOL} times shared_buffers ({}): the pool keeps what the tier would serve",
                Bytes(tier_bytes).iec(),
                Bytes(pool_bytes).iec()
            ),
            "give the size of the tier that is there, and a smaller --pool",
        ));
    }
    let few = 2 * HITS_OVER_POOL * pool_bytes;
    if working_set_bytes < few {
        return Err(Failure::hinted(
            format!(
                "--working-set {} is less than {} times shared_buffers ({})",
                Bytes(working_set_bytes).iec(),
                2 * HITS_OVER_POOL,
                Bytes(pool_bytes).iec()
            ),
            "give one that is larger than the tier, so that some reads miss it",
        ));
    }
    Ok(())
}

/// Refuses two folders on one file system: nothing would differ but chance.
fn apart(off: &Path, on: &Path) -> Result<()> {
    let device = |folder: &Path| std::fs::metadata(folder).map(|found| found.dev()).ok();
    if device(off).is_none() || device(off) != device(on) {
        return Ok(());
    }
    let kind = file::fs_kind(off).unwrap_or_else(|_| "file system".to_string());
    Err(Failure::hinted(
        format!(
            "{} and {} are on the same {kind}: data would be in the same place twice",
            off.display(),
            on.display()
        ),
        "name a folder on storage without the tier first, and one on storage with it behind that; `df DIR` shows where a folder is",
    ))
}

/// Refuses a side in memory: no read reaches storage there.
fn on_drives(platform: &Platform) -> Result<()> {
    let in_memory = platform.roles.iter().find_map(|path| Some((path, path.in_memory()?)));
    match in_memory {
        None => Ok(()),
        Some((path, why)) => Err(Failure::hinted(
            format!("{} is in memory: {why}", path.path),
            "name folders on drives, or on devices that lead to them",
        )),
    }
}

fn fits(path: &RolePath, side: &str, bytes: u64) -> Result<()> {
    match path.file_system.free_bytes.filter(|free| *free < bytes) {
        None => Ok(()),
        Some(free) => Err(Failure::hinted(
            format!(
                "a private PostgreSQL instance needs {} in {} ({side}), and {} are free",
                Bytes(bytes),
                path.path,
                Bytes(free)
            ),
            "free some space, or give a smaller --working-set",
        )),
    }
}

fn prepared(request: &LookupProofRequest, platform: Platform, split: &Split) -> Prepared {
    let shown = [&request.off, &request.on].map(|folder| folder.display().to_string()).join(", ");
    let mut plan = Plan {
        layers: vec![Layer::Database],
        data_dir: shown.clone(),
        wal_dir: shown.clone(),
        database: DatabaseChoice::Managed,
        workloads: vec![Workload::LookupUncached.word().to_string()],
        sessions: request.sessions,
        repeats: request.repeats,
        seed: request.options.seed(),
        table_bytes: request.working_set_bytes,
        shared_buffers_bytes: request.pool_bytes,
        server_cpus: split.server.clone(),
        client_cpus: split.client.clone(),
        ..Plan::default()
    };
    plan.steps = steps(request);
    Prepared { title: format!("PostgreSQL with its data in {shown}"), plan, platform }
}

fn steps(request: &LookupProofRequest) -> Vec<PlannedStep> {
    let bytes = needed_bytes(request);
    let takes = |length: Duration| length.as_secs_f64() * 1.25 + WINDOW_S;
    let (window, short) = (request.window(), short(request.window()));
    let alone = if request.sessions > 1 { takes(short) } else { 0.0 };
    let each = 2.0 * takes(window) + 2.0 * takes(short) + alone;
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Database,
        what,
        expected_s,
        writes_bytes,
    };
    let pool = Bytes(request.pool_bytes).iec();
    vec![
        step(
            format!(
                "start two private PostgreSQL instances with shared_buffers = {pool}, and load their tables"
            ),
            2.0 * (SERVER_S + request.working_set_bytes as f64 / FILL_BYTES_PER_S),
            2 * bytes,
        ),
        step("warming the tier".into(), takes(Duration::from_nanos(request.warm_up.0)), 0),
        step(
            format!("{} sessions that look up single rows, off and on in turns", request.sessions),
            f64::from(request.repeats) * each,
            0,
        ),
    ]
}

/// A window of one session.
fn short(window: Duration) -> Duration {
    (window / 2).max(Duration::from_millis(100))
}

/// Both servers with their windows.
struct Sides {
    off: LookupServer,
    on: LookupServer,
    without: Turns,
    with: Turns,
    /// One session on the tier's few rows: it makes these hits, and is thrown away.
    before: Turns,
    hits: Turns,
    /// One session without the tier; absent where the load has one anyway.
    alone: Option<Turns>,
}

fn measure(
    session: &Session<'_>,
    request: &LookupProofRequest,
    split: &Split,
) -> Result<Vec<Measurement>> {
    let mut sides = start(session, request, split)?;
    let measured = windows(session, request, &mut sides);
    // A server that died explains everything that failed after it.
    sides.off.check(session.stop)?;
    sides.on.check(session.stop)?;
    measured?;
    let Sides { without, with, hits, alone, .. } = sides;
    let taken = [Some(without), Some(with), Some(hits), alone].into_iter().flatten();
    let mut measured: Vec<Measurement> = taken.map(Turns::finish).collect();
    told(request, &mut measured);
    Ok(measured)
}

fn start(session: &Session<'_>, request: &LookupProofRequest, split: &Split) -> Result<Sides> {
    let installation = Installation::find(session, request.postgres.as_deref())?;
    let paths = &session.platform().roles;
    let server = |name, folder, at: usize| {
        LookupServer::start(session, request, (name, folder, &paths[at]), &installation, split)
    };
    let mut off = server(READS_OFF, &request.off, 0)?;
    let mut on = server(READS_ON, &request.on, 1)?;
    let ctx = session.context(request.window());
    let by_law = |server: &mut LookupServer, side, sessions| {
        server.by_law(&ctx, request, (id(side).into(), sessions))
    };
    let without = by_law(&mut off, READS_OFF, request.sessions)?;
    let with = by_law(&mut on, READS_ON, request.sessions)?;
    let several = request.sessions > 1;
    let alone = several.then(|| by_law(&mut off, READS_ALONE, 1)).transpose()?;
    let before = on.of_few(&ctx, request, id(READS_HIT).into())?;
    let hits = on.of_few(&ctx, request, id(READS_HIT).into())?;
    let mut warm = by_law(&mut on, READS_ON, request.sessions)?;
    on.turn(&session.context(Duration::from_nanos(request.warm_up.0)), &mut warm)?;
    Ok(Sides { off, on, without, with, before, hits, alone })
}

fn windows(session: &Session<'_>, request: &LookupProofRequest, sides: &mut Sides) -> Result<()> {
    let ctx = session.context(request.window());
    let short = Context { window: short(request.window()), ..ctx };
    for repeat in 0..request.repeats {
        let mut order = [false, true];
        if repeat % 2 == 1 {
            order.reverse();
        }
        for with_tier in order {
            match with_tier {
                true => sides.on.turn(&ctx, &mut sides.with)?,
                false => sides.off.turn(&ctx, &mut sides.without)?,
            }
        }
        sides.on.turn(&short, &mut sides.before)?;
        sides.on.turn(&short, &mut sides.hits)?;
        if let Some(alone) = &mut sides.alone {
            sides.off.turn(&short, alone)?;
        }
    }
    Ok(())
}

/// What the forecast takes besides the figures.
fn told(request: &LookupProofRequest, measured: &mut [Measurement]) {
    let blocks = request.working_set_bytes / BLOCK_BYTES;
    let reads = measured.iter().find(|m| m.id == id(READS_OFF));
    let reads = reads
        .and_then(|m| m.value(metric::TABLE_READS_PER_OP).or(m.value(metric::BLOCK_READS_PER_OP)));
    let hits = reads.map(|reads| {
        let index_blocks = blocks.div_ceil(LEAF_ENTRIES);
        let lookups = PooledLookups { law: request.law, blocks, index_blocks, reads };
        lookups.hits(request.tier_bytes / BLOCK_BYTES)
    });
    for m in measured {
        m.workload.insert(condition::BLOCK_BYTES, json!(BLOCK_BYTES));
        m.workload.insert(condition::TIER_BYTES, json!(request.tier_bytes));
        if let Some(hits) = hits {
            m.workload.insert(condition::TIER_HITS_LEAST, json!(hits.low));
            m.workload.insert(condition::TIER_HITS_MOST, json!(hits.high));
        }
    }
}
