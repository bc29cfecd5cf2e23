//! The load of the order-entry mix beside COPY BINARY of the same rows from files, by as many connections, into the same
//! empty tables: ours makes the rows while it sends them, and may take little longer than a server that only reads them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result};
use narrows_engine::Context;
use narrows_postgres::orders::{self, LoadOrders};
use narrows_postgres::server::Cluster;
use narrows_postgres::{Address, Connection};

use super::ROUNDS;
use super::contender::figure;
use super::target::{self, Goal};
use crate::server::{Programs, Wanted, address};

pub(super) const TITLE: &str = "## Loading orders";

/// Warehouses, and connections that load.
const WAREHOUSES: u32 = 2;
/// Of the speed of the files.
const LEAST: f64 = 0.9;
const COPIED: &str = "narrows_copied";
/// Tables whose rows belong to a warehouse.
const TABLES: [&str; 8] =
    ["warehouse", "district", "stock", "customer", "payment", "orders", "pending", "line"];

struct Bench {
    cluster: Cluster,
    address: Address,
    version: String,
}

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let programs = match Programs::here() {
        Ok(programs) => programs,
        Err(reason) => return Ok(format!("Not measured: {reason}\n\n")),
    };
    let settings = [("autovacuum", "off"), ("shared_buffers", "512MB"), ("max_wal_size", "4GB")];
    let wanted = Wanted { settings: &settings, ..Wanted::default() };
    let cluster = programs.start((folder, "orders"), &wanted, ctx.stop)?;
    let address = address(&cluster);
    let mut bench = Bench { cluster, address, version: programs.found.version_text };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let files = bench.cluster.data_dir().to_path_buf();
    let (mut bytes, _) = bench.load(ctx)?;
    bench.export(&files)?;
    for round in 0..ROUNDS {
        for turn in super::order(round, 2) {
            Connection::open(&bench.address, &[])?.execute("CHECKPOINT")?;
            if turn == 0 {
                let (sent_bytes, seconds) = bench.load(ctx)?;
                bytes = sent_bytes;
                ours.push(sent_bytes as f64 / seconds);
            } else {
                theirs.push(bytes as f64 / bench.copy(&files)?);
            }
        }
    }
    bench.cluster.stop()?;
    Ok(told(&bench.version, bytes, &ours, &theirs))
}

fn told(version: &str, bytes: u64, ours: &[f64], theirs: &[f64]) -> String {
    let rate = |samples: &[f64]| figure(samples, |rate| format!("{:.0} MB/s", rate / 1e6));
    format!(
        "PostgreSQL {version}, {WAREHOUSES} warehouses ({:.0} MB as sent) by {WAREHOUSES} connections into empty tables without keys, client \
         and server on the same CPUs, {} rounds in turns with a checkpoint before each. Beside it `COPY FROM` binary files of the \
         same rows, which the server reads itself: no client, no socket, nothing to make.\n\n\
         | | bytes of COPY |\n| --- | ---: |\n| narrows db orders | {} |\n| COPY BINARY from files | {} |\n\n{}\n",
        bytes as f64 / 1e6,
        ours.len(),
        rate(ours),
        rate(theirs),
        target::line("load over COPY BINARY from files", Goal::AtLeast(LEAST), ours, theirs)
    )
}

impl Bench {
    /// Ours, from an empty database: bytes sent, and seconds that they took.
    fn load(&self, ctx: &Context<'_>) -> Result<(u64, f64)> {
        let mut control = Connection::open(&self.address, &[])?;
        orders::remove(&mut control)?;
        let connections = WAREHOUSES;
        let wanted = LoadOrders { address: &self.address, warehouses: WAREHOUSES, connections };
        let loaded = orders::load(&mut control, &wanted, ctx)?;
        // The lock goes with the connection, and the server takes a moment to notice.
        control.execute("SELECT pg_advisory_unlock_all()")?;
        Ok((loaded.sent_bytes, loaded.copy_s))
    }

    /// The server writes what is loaded into files, a table of a warehouse each.
    fn export(&self, files: &Path) -> Result<()> {
        let mut control = Connection::open(&self.address, &[])?;
        let schema = orders::SCHEMA;
        for (table, w, file) in pieces(files) {
            let rows = match w {
                0 => format!("SELECT * FROM {schema}.{table}"),
                _ => format!("SELECT * FROM {schema}.{table} WHERE w = {w}"),
            };
            control.execute(&format!("COPY ({rows}) TO '{}' (FORMAT binary)", file.display()))?;
        }
        Ok(())
    }

    /// Seconds that the files take into empty tables.
    fn copy(&self, files: &Path) -> Result<f64> {
        let mut control = Connection::open(&self.address, &[])?;
        let tables = orders::tables(COPIED);
        control.execute(&format!("CREATE SCHEMA {COPIED}; {tables}"))?;
        let begun = Instant::now();
        std::thread::scope(|scope| -> Result<()> {
            let threads: Vec<_> = (1..=WAREHOUSES)
                .map(|w| scope.spawn(move || self.copy_warehouse(files, w)))
                .collect();
            threads.into_iter().try_for_each(|t| t.join().expect("a copying thread panicked"))
        })?;
        let seconds = begun.elapsed().as_secs_f64();
        control.execute(&format!("DROP SCHEMA {COPIED} CASCADE"))?;
        Ok(seconds)
    }

    /// One warehouse in one transaction, the first with the items, as ours are loaded.
    fn copy_warehouse(&self, files: &Path, warehouse: u32) -> Result<()> {
        let mut connection = Connection::open(&self.address, &[])?;
        connection.execute("BEGIN")?;
        let mine = pieces(files)
            .into_iter()
            .filter(|(_, w, _)| *w == warehouse || (*w, warehouse) == (0, 1));
        for (table, _, file) in mine {
            let copy = format!("COPY {COPIED}.{table} FROM '{}' (FORMAT binary)", file.display());
            connection.execute(&copy).with_context(|| copy.clone())?;
        }
        Ok(connection.execute("COMMIT")?)
    }
}

/// Table, warehouse (0 for the items) and file of each part.
fn pieces(files: &Path) -> Vec<(&'static str, u32, PathBuf)> {
    let file = |table: &str, w: u32| files.join(format!("narrows_{table}_{w}"));
    let mut pieces = vec![("item", 0, file("item", 0))];
    for w in 1..=WAREHOUSES {
        pieces.extend(TABLES.map(|table| (table, w, file(table, w))));
    }
    pieces
}
