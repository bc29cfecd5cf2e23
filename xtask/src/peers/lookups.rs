//! Point selects beside `pgbench -M prepared`, and the client's processor time beside the floor: sending and
//! receiving as many bytes on the same kind of socket.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use narrows_engine::Context;
use narrows_facts::{affinity, process};
use narrows_layer_database::server::{self, Cluster, Options, ServerUser};
use narrows_layer_database::{Address, Connection, Endpoint, LoadPlan, run_load};

use super::{Contender, ROUNDS, WINDOW, table};

const ROWS: u64 = 100_000;
const SESSIONS: u32 = 8;
const STATEMENT: &str = "SELECT v FROM peers WHERE k = $1";
/// Bytes of one request (Bind, Execute, Sync) and one answer (BindComplete, DataRow with one bigint, CommandComplete,
/// ReadyForQuery) of that statement.
const REQUEST_BYTES: usize = 51;
const ANSWER_BYTES: usize = 44;

pub(super) const TITLE: &str = "## Point selects";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let mut text = String::new();
    let user = ServerUser::choose()?;
    let found = match server::find(None, &user, None) {
        Ok(found) => found,
        Err(error) => return Ok(text + &format!("Not measured: {error}\n\n")),
    };
    let pgbench = found.bin_dir.join("pgbench");
    let cpus = affinity::current();
    let (Some(&server_cpu), Some(&client_cpu)) = (cpus.first(), cpus.get(1)) else {
        return Ok(text + "Not measured: server and client need a processor each.\n\n");
    };
    text += &format!(
        "PostgreSQL {}, {SESSIONS} sessions over a Unix socket, server on one processor, client on another, one client \
         thread, {ROWS} rows in the buffer pool, prepared statements. CPU is the client's. The floor sends \
         {REQUEST_BYTES} and receives {ANSWER_BYTES} bytes per operation on {SESSIONS} Unix sockets, one `send` and one \
         `recv` each, to a thread that answers at once: no protocol, no clock, no waiting for one in particular.\n\n",
        found.version_text
    );
    let data = folder.join("data");
    let wal = folder.join("wal");
    let settings = [("autovacuum".to_string(), "off".to_string())];
    let options = Options { settings: &settings, cpus: &[server_cpu], ..Options::new(&data, &wal) };
    let mut cluster = Cluster::create(&found, &user, &options, ctx.stop)?;
    cluster.start(ctx.stop)?;
    let address = Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: Cluster::DATABASE.into(),
    };
    Connection::open(&address, &[])?.execute(&format!(
        "CREATE TABLE peers AS SELECT k::bigint, 0::bigint AS v FROM generate_series(1, {ROWS}) k; \
         CREATE UNIQUE INDEX ON peers (k); SELECT sum(v) FROM peers"
    ))?;
    let script = folder.join("select.sql");
    std::fs::write(
        &script,
        format!("\\set k random(1, {ROWS})\nSELECT v FROM peers WHERE k = :k;\n"),
    )?;
    let mut contenders = [
        Contender::new("narrows"),
        Contender::new("pgbench -M prepared"),
        Contender::new("floor: the bytes alone"),
    ];
    for round in 0..ROUNDS {
        for index in super::order(round, contenders.len()) {
            let (rate, cpu) = match index {
                0 => ours(ctx, &address, client_cpu, round)?,
                1 => pgbench_once(&pgbench, &cluster, &script, client_cpu)?,
                _ => floor(server_cpu, client_cpu)?,
            };
            contenders[index].add(rate, cpu);
        }
    }
    cluster.stop()?;
    Ok(text + &table("", "selects", &contenders))
}

fn ours(ctx: &Context<'_>, address: &Address, cpu: u32, round: u32) -> Result<(f64, f64)> {
    let plan = LoadPlan {
        address,
        settings: &[],
        statement: STATEMENT,
        keys: ROWS,
        sessions: SESSIONS,
        cpus: &[cpu],
        open_rate_per_s: None,
        warm_up: Duration::from_millis(500),
        window: WINDOW,
        seed: ctx.seed ^ u64::from(round),
    };
    let (result, ()) = run_load(&plan, ctx.stop, |window, _| Ok(window.wait_end(ctx.stop)?))?;
    if result.errors > 0 {
        bail!("{} selects failed: {:?}", result.errors, result.first_error);
    }
    let operations = result.operations as f64;
    Ok((operations / WINDOW.as_secs_f64(), result.cpu_ns as f64 / operations))
}

fn pgbench_once(pgbench: &Path, cluster: &Cluster, script: &Path, cpu: u32) -> Result<(f64, f64)> {
    let before = process::self_reaped_children_cpu_ns();
    let output = Command::new("taskset")
        .args(["-c", &cpu.to_string()])
        .arg(pgbench)
        .args(["-n", "-M", "prepared", "-j", "1", "-c", &SESSIONS.to_string()])
        .args(["-T", &WINDOW.as_secs().to_string()])
        .args(["-h", &cluster.socket_dir().display().to_string()])
        .args(["-p", &cluster.port().to_string(), "-U", Cluster::USER])
        .arg("-f")
        .arg(script)
        .arg(Cluster::DATABASE)
        .output()
        .context("running pgbench")?;
    let cpu_ns = (process::self_reaped_children_cpu_ns() - before) as f64;
    let said = String::from_utf8_lossy(&output.stdout);
    let field = |name: &str| -> Option<f64> {
        let rest = said.lines().find_map(|line| line.strip_prefix(name))?;
        rest.split(['/', ' ']).find(|word| !word.is_empty())?.parse().ok()
    };
    let operations = field("number of transactions actually processed:");
    let (Some(operations), Some(rate)) = (operations, field("tps =")) else {
        bail!("pgbench said:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    };
    Ok((rate, cpu_ns / operations))
}

/// As many sockets as sessions, all asked and then all heard: the least a client can spend on those bytes with one send
/// and one receive for each.
fn floor(server_cpu: u32, client_cpu: u32) -> Result<(f64, f64)> {
    let pairs: Vec<(UnixStream, UnixStream)> =
        (0..SESSIONS).map(|_| UnixStream::pair()).collect::<std::io::Result<_>>()?;
    let (mut clients, mut servers): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    std::thread::scope(|scope| {
        let answering = scope.spawn(move || -> std::io::Result<()> {
            affinity::pin(&[server_cpu])?;
            let (mut request, answer) = ([0u8; REQUEST_BYTES], [7u8; ANSWER_BYTES]);
            loop {
                for server in &mut servers {
                    if server.read_exact(&mut request).is_err() {
                        return Ok(());
                    }
                    server.write_all(&answer)?;
                }
            }
        });
        let asking = scope.spawn(move || -> std::io::Result<(f64, f64)> {
            affinity::pin(&[client_cpu])?;
            let (request, mut answer) = ([3u8; REQUEST_BYTES], [0u8; ANSWER_BYTES]);
            let began = Instant::now();
            let cpu = process::thread_cpu_ns();
            let mut operations = 0u64;
            while began.elapsed() < WINDOW {
                for client in &mut clients {
                    client.write_all(&request)?;
                }
                for client in &mut clients {
                    client.read_exact(&mut answer)?;
                }
                operations += u64::from(SESSIONS);
            }
            let cpu = process::thread_cpu_ns() - cpu;
            let rate = operations as f64 / began.elapsed().as_secs_f64();
            Ok((rate, cpu as f64 / operations as f64))
        });
        let result = asking.join().expect("the asking thread does not panic")?;
        // The client's ends are closed now, which ends the other thread.
        answering.join().expect("the answering thread does not panic")?;
        Ok(result)
    })
}
