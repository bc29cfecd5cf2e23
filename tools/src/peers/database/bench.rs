//! The server that all of them load, and our own client on it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use narrows_engine::Context;
use narrows_facts::{affinity, process};
use narrows_layer_database::{ByKey, LoadPlan, LoadResult, run_load};
use narrows_postgres::server::Cluster;
use narrows_postgres::{Address, Connection, NullServer, Pace};

use super::super::WINDOW;
use crate::server::{Programs, Wanted, address};

/// Sessions of everybody.
pub(super) const SESSIONS: u32 = 8;
/// pgbench's scale, and the rows that it gives.
pub(super) const SCALE: u32 = 5;
const ACCOUNTS: u64 = 100_000 * SCALE as u64;
/// Rows of sysbench's table.
pub(super) const POINTS: u64 = 100_000;
const WARM_UP: Duration = Duration::from_millis(200);
/// Part of a window in which the server's processor time is watched.
const WATCHED: f64 = 0.9;

/// What our sessions do, by one 64-bit key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Statement {
    /// As pgbench -S.
    Select,
    /// As sysbench's oltp_point_select.
    Point,
    /// The first statement of pgbench -N, with an amount of one.
    Update,
}

impl Statement {
    fn programs(self) -> ByKey {
        match self {
            Statement::Select => ByKey::select(
                "SELECT abalance FROM public.pgbench_accounts WHERE aid = $1::bigint",
                ACCOUNTS,
            ),
            Statement::Point => {
                ByKey::select("SELECT c FROM public.sbtest1 WHERE id = $1::bigint", POINTS)
            }
            Statement::Update => ByKey::update(
                "UPDATE public.pgbench_accounts SET abalance = abalance + 1 WHERE aid = $1::bigint",
                ACCOUNTS,
            ),
        }
    }
}

/// The server, on one processor; clients go to another.
pub(super) struct Bench<'a> {
    pub ctx: &'a Context<'a>,
    pub cluster: Cluster,
    pub address: Address,
    /// Folder of the server's programs.
    pub bin_dir: PathBuf,
    pub server: Vec<u32>,
    pub client: Vec<u32>,
    version: String,
}

impl<'a> Bench<'a> {
    /// Starts it; the inner error says what this machine lacks.
    pub(super) fn start(ctx: &'a Context<'a>, folder: &Path) -> Result<Result<Self, String>> {
        let programs = match Programs::here() {
            Ok(programs) => programs,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let [server, client, ..] = affinity::current()[..] else {
            return Ok(Err("server and client need a processor each.".into()));
        };
        let settings = [
            ("autovacuum", "off"),
            ("shared_buffers", "256MB"),
            ("max_wal_size", "4GB"),
            // What is compared is the clients; a drive's flushes would only add their noise.
            ("synchronous_commit", "off"),
        ];
        let wanted = Wanted { settings: &settings, cpus: &[server], ..Wanted::default() };
        let cluster = programs.start((folder, "bench"), &wanted, ctx.stop)?;
        let address = address(&cluster);
        let (bin_dir, version) = (programs.found.bin_dir, programs.found.version_text);
        let (server, client) = (vec![server], vec![client]);
        Ok(Ok(Bench { ctx, cluster, address, bin_dir, server, client, version }))
    }

    /// What the peers made is written out and read once.
    pub(super) fn settle(&self) -> Result<()> {
        let mut control = Connection::open(&self.address, &[])?;
        control.execute("VACUUM ANALYZE")?;
        control.execute("CHECKPOINT")?;
        Ok(())
    }

    pub(super) fn end(mut self) -> Result<()> {
        self.cluster.stop()?;
        Ok(())
    }

    /// Rate and client processor time per operation of one window in a closed loop.
    pub(super) fn closed(&self, statement: Statement, round: u32) -> Result<(f64, f64)> {
        let seen = self.load(statement, None, WINDOW, round, || Ok(()))?;
        Ok(per_op(&seen, WINDOW))
    }

    /// The same, and the pace at which the server answered.
    pub(super) fn closed_with_pace(
        &self,
        statement: Statement,
        round: u32,
    ) -> Result<((f64, f64), Pace)> {
        let mut busy_share = 0.0;
        let seen = self.load(statement, None, WINDOW, round, || {
            let (began, before_ns) = (Instant::now(), self.server_cpu_ns());
            // Sessions end with the window, and their processes' time with them.
            std::thread::sleep(WINDOW.mul_f64(WATCHED));
            let used_ns = self.server_cpu_ns().saturating_sub(before_ns);
            busy_share = used_ns as f64 / began.elapsed().as_nanos() as f64;
            Ok(())
        })?;
        let (rate, cpu_ns) = per_op(&seen, WINDOW);
        let busy_share = (busy_share / self.server.len() as f64).min(1.0);
        Ok(((rate, cpu_ns), Pace { between: Duration::from_secs_f64(1.0 / rate), busy_share }))
    }

    fn server_cpu_ns(&self) -> u64 {
        let pids = self.cluster.pid().map(process::tree).unwrap_or_default();
        pids.into_iter().filter_map(process::cpu_ns).sum()
    }

    /// One window on the server; `meanwhile` is done when it has begun.
    pub(super) fn load(
        &self,
        statement: Statement,
        open_rate_per_s: Option<f64>,
        window: Duration,
        round: u32,
        meanwhile: impl FnOnce() -> Result<()>,
    ) -> Result<LoadResult> {
        let programs = statement.programs();
        let plan = self.plan(&self.address, &programs, open_rate_per_s, window, round);
        let stop = self.ctx.stop;
        let (seen, done) = run_load(&plan, stop, |window, _| {
            window.wait_start(stop)?;
            let done = meanwhile();
            window.wait_end(stop)?;
            Ok(done)
        })?;
        done?;
        checked(seen)
    }

    /// One window against a server that does nothing, and that server's processor time per operation, ns.
    pub(super) fn against_null(
        &self,
        open_rate_per_s: Option<f64>,
        window: Duration,
        round: u32,
    ) -> Result<(LoadResult, f64)> {
        let (folder, port) = (self.cluster.socket_dir(), self.cluster.port() + 1);
        let null = NullServer::start(folder, port, &self.server, SESSIONS)?;
        let programs = Statement::Select.programs();
        let plan = self.plan(null.address(), &programs, open_rate_per_s, window, round);
        let stop = self.ctx.stop;
        let (seen, ()) = run_load(&plan, stop, |window, _| Ok(window.wait_end(stop)?))?;
        // Its threads tell their time every 50 ms.
        std::thread::sleep(Duration::from_millis(120));
        let cpu_ns = null.cpu_ns() as f64 / seen.span_operations as f64;
        Ok((checked(seen)?, cpu_ns))
    }

    fn plan<'b>(
        &'b self,
        address: &'b Address,
        programs: &'b ByKey,
        open_rate_per_s: Option<f64>,
        window: Duration,
        round: u32,
    ) -> LoadPlan<'b> {
        LoadPlan {
            server: address,
            settings: &[],
            programs,
            sessions: SESSIONS,
            cpus: &self.client,
            open_rate_per_s,
            warm_up: WARM_UP,
            window,
            seed: self.ctx.seed ^ (u64::from(round) << 20),
        }
    }

    /// What was measured.
    pub(super) fn told(&self) -> String {
        format!(
            "PostgreSQL {}, {SESSIONS} sessions over a Unix socket, server on one processor, clients on another, one client \
             thread (sysbench has one for each session), {ACCOUNTS} rows of pgbench's and {POINTS} of sysbench's in the \
             buffer pool, prepared statements, `synchronous_commit` off. CPU is the client's, of the peers with their start \
             and end. The floor sends and receives the same bytes per operation on {SESSIONS} Unix sockets, one `send` and one \
             `recv` each: no protocol, no clock, no waiting for one in particular. Beside the server that does nothing its partner \
             is a thread that answers at once. Beside PostgreSQL it answers at PostgreSQL's pace in the window just before: as \
             long from one answer to the next, its processor busy for the share of that time in which PostgreSQL's \
             processes were, asleep for the rest, so that floor and client sleep and are woken alike. That floor knows who is \
             answered next; a client of several sessions has to wait for whichever it is, and a second floor does (`ppoll`, as our \
             client for so few sessions) and has nothing else to do. Our load \
             has one statement by one key per operation, so `-N` is set beside it by its statements.\n\n",
            self.version
        )
    }
}

fn checked(seen: LoadResult) -> Result<LoadResult> {
    let failed = seen.errors + seen.conflicts + seen.wrong;
    if failed > 0 || seen.operations == 0 {
        bail!("{failed} statements failed: {:?}", seen.first_error);
    }
    Ok(seen)
}

/// Rate and client processor time per operation, ns.
pub(super) fn per_op(seen: &LoadResult, window: Duration) -> (f64, f64) {
    let operations = seen.operations as f64;
    (operations / window.as_secs_f64(), seen.cpu_ns as f64 / operations)
}
